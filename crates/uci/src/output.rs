//! The output of the shell: whole lines, flushed, and copied to the debug log.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use megatherium_cli::stdio::{Patient, gone};

use crate::log::{Direction, Log};

/// The output, shared by the reader thread and the search threads.
///
/// Lines are formatted in one reused buffer and written with one call, so lines of two threads
/// never interleave and a long analysis does not allocate.
pub struct Output {
    inner: Mutex<Inner>,
}

struct Inner {
    out: Box<dyn Write + Send>,
    text: String,
    log: Option<Log>,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}

impl Output {
    /// Writes to standard output.
    pub fn stdout() -> Self {
        Self::new(Box::new(Patient(io::stdout())))
    }

    /// Writes to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Output { inner: Mutex::new(Inner { out, text: String::new(), log: None }) }
    }

    /// Writes the lines that `write` formats; each must end in a newline.
    pub fn with(&self, write: impl FnOnce(&mut String)) {
        let mut inner = self.lock();
        inner.text.clear();
        write(&mut inner.text);
        inner.send();
    }

    /// Writes one line.
    pub fn line(&self, line: impl fmt::Display) {
        self.with(|text| {
            let _ = writeln!(text, "{line}");
        });
    }

    /// Writes an `info string` line.
    pub fn info(&self, message: impl fmt::Display) {
        self.line(format_args!("info string {message}"));
    }

    /// Writes an error. Every error has this form: one line of bounded length, whatever it quotes.
    pub fn error(&self, message: impl fmt::Display) {
        self.info(format_args!("error: {}", OneLine(&message.to_string())));
    }

    /// Starts the debug log; `None` ends it.
    pub fn set_log(&self, log: Option<Log>) {
        self.lock().log = log;
    }

    /// Copies a line from the GUI to the log.
    pub fn log_input(&self, line: &str) {
        self.lock().log(Direction::In, line);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A thread that panicked while writing leaves at worst half a line in the buffer, and the
        // buffer is cleared before use.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Text as one line of bounded length, with control characters escaped.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 600;
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(SHOWN) {
            write_harmless(f, character)?;
        }
        f.write_str(if characters.next().is_some() { "…" } else { "" })
    }
}

/// Writes a character. Control characters, line separators, and zero-width and bidirectional
/// characters are escaped.
pub(crate) fn write_harmless(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    let acts = character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        );
    if acts { write!(f, "{}", character.escape_unicode()) } else { f.write_char(character) }
}

impl Inner {
    fn send(&mut self) {
        if let Err(error) = self.out.write_all(self.text.as_bytes()).and_then(|()| self.out.flush())
        {
            gone(&error);
        }
        if self.log.is_some() {
            let text = std::mem::take(&mut self.text);
            for line in text.lines() {
                self.log(Direction::Out, line);
            }
            self.text = text;
        }
    }

    /// Logs a line. If that fails (disk full), reports it once and closes the log.
    fn log(&mut self, direction: Direction, line: &str) {
        let Some(log) = &mut self.log else { return };
        if let Err(error) = log.write(direction, line) {
            self.log = None;
            let message = format!("info string error: Debug Log File ended: {error}\n");
            if let Err(error) =
                self.out.write_all(message.as_bytes()).and_then(|()| self.out.flush())
            {
                gone(&error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A writer whose contents the test can read.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    #[test]
    fn lines_and_their_copy_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        let seen = Shared::default();
        let output = Output::new(Box::new(seen.clone()));
        output.line("not logged");
        output.set_log(Some(Log::open(&path).unwrap()));
        output.log_input("isready\r");
        output.with(|text| text.push_str("id name X\nuciok\n"));
        output.set_log(None);
        output.error("not logged");
        assert_eq!(seen.text(), "not logged\nid name X\nuciok\ninfo string error: not logged\n");

        let log = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = log.lines().map(|line| line.split_once("Z ").unwrap().1).collect();
        assert_eq!(lines, ["-> isready", "<- id name X", "<- uciok"]);
    }

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let seen = Shared::default();
        let output = Output::new(Box::new(seen.clone()));
        output.error("a\rb\u{2028}c\u{202e}d\u{1b}[2Je");
        output.error("x".repeat(1_000_000));
        let text = seen.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "info string error: a\\u{d}b\\u{2028}c\\u{202e}d\\u{1b}[2Je");
        assert_eq!(lines[1], format!("info string error: {}…", "x".repeat(600)));
        assert_eq!(lines.len(), 2);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_log_that_cannot_be_written_ends_with_one_error() {
        let seen = Shared::default();
        let output = Output::new(Box::new(seen.clone()));
        output.set_log(Some(Log::open("/dev/full".as_ref()).unwrap()));
        output.line("readyok");
        output.line("readyok");
        let text = seen.text();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.starts_with("readyok\ninfo string error: Debug Log File ended: "), "{text}");
        assert!(text.ends_with("\nreadyok\n"), "{text}");
    }
}
