//! Files of positions: one FEN or EPD record a line. Blank lines and comments (`#`) are skipped.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::epd::{Epd, EpdError};

/// Longest line in bytes: a record with a page of comments fits.
const MAX_LINE: usize = 1 << 16;
/// Largest file in bytes that [`read`] takes. A book of four million openings fits; `/dev/zero`
/// does not.
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
    let mut positions = open(path)?;
    positions.records.largest = MAX_FILE;
    let positions = positions.collect::<Result<Vec<_>, _>>()?;
    let empty = || PositionFileError { path: path.to_owned(), fault: Fault::Empty };
    if positions.is_empty() { Err(empty()) } else { Ok(positions) }
}

/// Opens a file to read its positions one at a time: it may be larger than the memory.
pub fn open(path: &Path) -> Result<Positions, PositionFileError> {
    let wrap = |error| PositionFileError { path: path.to_owned(), fault: Fault::Io(error) };
    let source = BufReader::new(File::open(path).map_err(wrap)?);
    Ok(Positions { records: Records::new(source, u64::MAX), path: path.to_owned() })
}

/// The positions of a file, in order. Ends after an error.
#[derive(Debug)]
pub struct Positions {
    records: Records<BufReader<File>>,
    path: PathBuf,
}

impl Iterator for Positions {
    type Item = Result<Epd, PositionFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.records.next().transpose()?;
        Some(next.map_err(|fault| PositionFileError { path: self.path.clone(), fault }))
    }
}

/// Reads records from lines.
#[derive(Debug)]
struct Records<R> {
    source: R,
    line: Vec<u8>,
    number: usize,
    /// Bytes read so far, and how many may be.
    total: u64,
    largest: u64,
    ended: bool,
}

impl<R: BufRead> Records<R> {
    fn new(source: R, largest: u64) -> Self {
        Records { source, line: Vec::new(), number: 0, total: 0, largest, ended: false }
    }

    fn next(&mut self) -> Result<Option<Epd>, Fault> {
        while !self.ended {
            // Cleared once a line was read: an error ends the reading.
            self.ended = true;
            self.number += 1;
            self.line.clear();
            let mut limited = self.source.by_ref().take(MAX_LINE as u64 + 1);
            let length = limited.read_until(b'\n', &mut self.line).map_err(Fault::Io)?;
            if length == 0 {
                break;
            }
            if length > MAX_LINE {
                return Err(Fault::LongLine(self.number));
            }
            self.total += length as u64;
            if self.total > self.largest {
                return Err(Fault::TooLarge);
            }
            let text = String::from_utf8_lossy(&self.line);
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                self.ended = false;
                continue;
            }
            let record = text.parse().map_err(|error| Fault::Record(self.number, error))?;
            self.ended = false;
            return Ok(Some(record));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(bytes: impl io::Read) -> String {
        let mut records = Records::new(BufReader::new(bytes), 1 << 20);
        let fault = loop {
            if let Err(fault) = records.next() {
                break fault;
            }
        };
        assert!(matches!(records.next(), Ok(None)), "nothing follows an error");
        PositionFileError { path: "book.epd".into(), fault }.to_string()
    }

    #[test]
    fn records_comments_and_blank_lines() {
        let text = "\u{feff}# a comment\n\n8/8/8/8/8/4k3/4p3/4K3 w - - id \"stale\";\r\n\
                    4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let mut records = Records::new(text.as_bytes(), 1 << 20);
        assert_eq!(records.next().unwrap().unwrap().id(), Some("stale"));
        assert!(records.next().unwrap().is_some() && records.next().unwrap().is_none());
    }

    #[test]
    fn errors_say_where_and_endless_input_ends() {
        assert!(faults(&b"4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n"[..]).contains("book.epd:2: "));
        assert!(faults(io::repeat(0)).contains("book.epd:1: longer than"));
        assert!(faults(io::repeat(b'\n')).contains("larger than"));
    }
}
