//! Files of positions: one FEN or EPD record a line. Blank lines and comments (`#`) are skipped.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::epd::{Epd, EpdError};

/// Longest line in bytes: a record with a page of comments fits.
const MAX_LINE: usize = 1 << 16;
/// Largest file in bytes. A book of four million openings fits; `/dev/zero` does not.
const MAX_FILE: u64 = 1 << 28;

/// Why a file of positions could not be read.
#[derive(Debug)]
pub struct PositionFileError {
    path: PathBuf,
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    Io(io::Error),
    Record(usize, EpdError),
    LongLine(usize),
    TooLarge,
    Empty,
}

impl fmt::Display for PositionFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.fault {
            Fault::Io(error) => write!(f, "{path}: {error}"),
            Fault::Record(line, error) => write!(f, "{path}:{line}: {error}"),
            Fault::LongLine(line) => {
                write!(f, "{path}:{line}: longer than {MAX_LINE} bytes, not a position")
            }
            Fault::TooLarge => write!(f, "{path}: larger than {} MiB", MAX_FILE >> 20),
            Fault::Empty => write!(f, "{path}: no positions"),
        }
    }
}

impl std::error::Error for PositionFileError {}

/// Reads every position of a file; there is at least one.
pub fn read(path: &Path) -> Result<Vec<Epd>, PositionFileError> {
    let wrap = |fault| PositionFileError { path: path.to_owned(), fault };
    let file = File::open(path).map_err(|error| wrap(Fault::Io(error)))?;
    let positions = read_from(BufReader::new(file), MAX_FILE).map_err(wrap)?;
    if positions.is_empty() { Err(wrap(Fault::Empty)) } else { Ok(positions) }
}

fn read_from(mut source: impl BufRead, largest: u64) -> Result<Vec<Epd>, Fault> {
    let mut positions = Vec::new();
    let mut total = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = source.by_ref().take(MAX_LINE as u64 + 1);
        let length = limited.read_until(b'\n', &mut line).map_err(Fault::Io)?;
        if length == 0 {
            break;
        }
        if length > MAX_LINE {
            return Err(Fault::LongLine(number));
        }
        total += length as u64;
        if total > largest {
            return Err(Fault::TooLarge);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !text.starts_with('#') {
            positions.push(text.parse().map_err(|error| Fault::Record(number, error))?);
        }
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(bytes: impl io::Read) -> String {
        let fault = read_from(BufReader::new(bytes), 1 << 20).unwrap_err();
        PositionFileError { path: "book.epd".into(), fault }.to_string()
    }

    #[test]
    fn records_comments_and_blank_lines() {
        let text = "\u{feff}# a comment\n\n8/8/8/8/8/4k3/4p3/4K3 w - - id \"stale\";\r\n\
                    4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let positions = read_from(text.as_bytes(), 1 << 20).unwrap();
        assert_eq!(positions.len(), 2);
        assert_eq!(positions[0].id(), Some("stale"));
    }

    #[test]
    fn errors_say_where_and_endless_input_ends() {
        assert!(faults(&b"4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n"[..]).contains("book.epd:2: "));
        assert!(faults(io::repeat(0)).contains("book.epd:1: longer than"));
        assert!(faults(io::repeat(b'\n')).contains("larger than"));
    }
}
