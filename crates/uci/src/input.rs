//! Lines from the GUI, in bounded memory.

use std::borrow::Cow;
use std::io::{self, BufRead};

/// Longest line that is read whole, in bytes: a game of 200,000 plies fits.
pub const MAX_LINE: usize = 1 << 20;

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The line without its end. Bytes that are not UTF-8 have become U+FFFD.
    Text(Cow<'a, str>),
    /// The line was longer than [`MAX_LINE`] and was discarded. This is its beginning.
    TooLong(Cow<'a, str>),
}

impl Line<'_> {
    /// A copy that can be kept while the next line is read.
    pub fn into_owned(self) -> Line<'static> {
        match self {
            Line::Text(text) => Line::Text(text.into_owned().into()),
            Line::TooLong(start) => Line::TooLong(start.into_owned().into()),
        }
    }

    /// The memory a copy takes, in bytes, including its place in a queue.
    pub fn weight(&self) -> usize {
        let (Line::Text(text) | Line::TooLong(text)) = self;
        text.len() + size_of::<Line<'_>>()
    }
}

/// Bytes kept of a line that is too long: enough to recognise the command.
const KEPT: usize = 200;

/// Splits a byte stream into lines without ever holding more than one line of [`MAX_LINE`] bytes.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    first: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `source`.
    pub fn new(source: R) -> Self {
        Lines { source, buffer: Vec::new(), first: true }
    }

    /// The next line; `None` at the end of the input. A last line without a newline counts as a
    /// line.
    ///
    /// A read error counts as the end of the input.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        self.buffer.clear();
        let mut too_long = false;
        let mut anything = false;
        loop {
            let chunk = match self.source.fill_buf() {
                Ok([]) => break,
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            anything = true;
            let newline = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            if !too_long {
                let room = MAX_LINE - self.buffer.len();
                too_long = part.len() > room;
                self.buffer.extend_from_slice(&part[..part.len().min(room)]);
            }
            let used = part.len() + usize::from(newline.is_some());
            self.source.consume(used);
            if newline.is_some() {
                break;
            }
        }
        if !anything {
            return None;
        }
        let first = std::mem::replace(&mut self.first, false);
        let mut bytes = self.buffer.as_slice();
        if first {
            // Files written on Windows may open with a byte-order mark.
            bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        }
        if too_long {
            return Some(Line::TooLong(String::from_utf8_lossy(&bytes[..KEPT])));
        }
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Some(Line::Text(String::from_utf8_lossy(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn read(input: &[u8]) -> Vec<String> {
        // A tiny buffer, so that every line is pieced together from several reads.
        let mut lines = Lines::new(BufReader::with_capacity(3, input));
        let mut all = Vec::new();
        while let Some(line) = lines.next_line() {
            all.push(match line {
                Line::Text(text) => text.into_owned(),
                Line::TooLong(start) => format!("<too long: {start}>"),
            });
        }
        all
    }

    #[test]
    fn ends_of_lines_and_of_the_input() {
        assert_eq!(read(b""), [] as [&str; 0]);
        assert_eq!(read(b"\n\nuci\r\nisready"), ["", "", "uci", "isready"]);
        assert_eq!(read(b"quit\n"), ["quit"]);
        assert_eq!(read("\u{feff}uci\n\u{feff}uci\n".as_bytes()), ["uci", "\u{feff}uci"]);
    }

    /// Even an empty line takes memory, or a queue of them would have no bound.
    #[test]
    fn every_line_has_a_weight() {
        let weight = |text: &str| {
            let weights = [Line::Text(text.into()), Line::TooLong(text.into())];
            assert_eq!(weights[0].weight(), weights[1].weight());
            weights[0].weight()
        };
        assert!(weight("") >= size_of::<Line<'_>>());
        assert_eq!(weight(&"x".repeat(1000)), weight("") + 1000);
    }

    /// Fails once, as a read does that a signal interrupts.
    struct Failing(Option<io::ErrorKind>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.take() {
                Some(kind) => Err(kind.into()),
                None => (&b"uci\n"[..]).read(buffer),
            }
        }
    }

    #[test]
    fn an_interrupted_read_is_repeated_and_another_error_ends_the_input() {
        let mut lines = Lines::new(BufReader::new(Failing(Some(io::ErrorKind::Interrupted))));
        assert_eq!(lines.next_line(), Some(Line::Text("uci".into())));
        let mut lines = Lines::new(BufReader::new(Failing(Some(io::ErrorKind::BrokenPipe))));
        assert_eq!(lines.next_line(), None);
    }

    #[test]
    fn bytes_that_are_not_text_become_replacement_characters() {
        assert_eq!(read(b"go \xff\xfe depth\0\n"), ["go \u{fffd}\u{fffd} depth\0"]);
    }

    #[test]
    fn the_longest_line_is_read_and_a_longer_one_is_skipped() {
        let input = io::repeat(b'x').take(MAX_LINE as u64).chain(&b"\nuci\n"[..]);
        let mut lines = Lines::new(BufReader::new(input));
        assert!(matches!(lines.next_line(), Some(Line::Text(text)) if text.len() == MAX_LINE));
        assert_eq!(lines.next_line(), Some(Line::Text("uci".into())));

        let input =
            b"go ".chain(io::repeat(b'x').take(MAX_LINE as u64 * 40)).chain(&b"\nuci\n"[..]);
        let mut lines = Lines::new(BufReader::new(input));
        let start = format!("go {}", "x".repeat(KEPT - 3));
        assert_eq!(lines.next_line(), Some(Line::TooLong(start.into())));
        assert!(lines.buffer.capacity() <= 2 * MAX_LINE, "the rest of the line is not kept");
        assert_eq!(lines.next_line(), Some(Line::Text("uci".into())));
        assert_eq!(lines.next_line(), None);
    }
}
