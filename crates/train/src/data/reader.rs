//! Reading games one after another.

use super::game::{LONGEST_RECORD, Record, measure};
use super::{DataError, FILE_HEADER, Game, MAGIC, Source, VERSION};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes per read.
const CHUNK: usize = 1 << 20;

/// An iterator over the games of a data file.
///
/// A truncated record at the end of the file is dropped silently; [`Reader::cut`] is its size.
/// Damage is reported once and ends the iteration, unless [`Reader::skip_damage`] finds a record to
/// continue with.
pub struct Reader<R = Source> {
    source: R,
    /// Bytes read but not yet decoded: `buffer[at..]`.
    buffer: Vec<u8>,
    at: usize,
    /// Where `buffer[at]` lies in the file.
    offset: u64,
    exhausted: bool,
    stopped: bool,
    cut: u64,
}

impl Reader {
    /// Opens a data file, plain or compressed.
    pub fn open(path: &Path) -> Result<Reader, DataError> {
        Reader::of_file(File::open(path)?)
    }

    /// Reads a file from its start.
    pub(super) fn of_file(file: File) -> Result<Reader, DataError> {
        Reader::new(Source::new(file)?)
    }
}

impl<R: Read> Reader<R> {
    /// Reads from anything, from its beginning.
    pub fn new(source: R) -> Result<Reader<R>, DataError> {
        let mut reader = Reader {
            source,
            buffer: Vec::new(),
            at: 0,
            offset: 0,
            exhausted: false,
            stopped: false,
            cut: 0,
        };
        reader.fill(FILE_HEADER)?;
        let Some(header) = reader.buffer.first_chunk::<FILE_HEADER>() else {
            return Err(DataError::NotData);
        };
        if !header.starts_with(MAGIC) {
            return Err(DataError::NotData);
        }
        let version = u16::from_le_bytes([header[8], header[9]]);
        if version != VERSION {
            return Err(DataError::Version(version));
        }
        reader.advance(FILE_HEADER);
        Ok(reader)
    }

    /// Where the next record begins, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of a truncated record that were dropped at the end of the file.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// After damage, continues at the next place where a whole, sound record begins. Returns the
    /// number of bytes skipped; the iteration has ended when there is no such place.
    pub fn skip_damage(&mut self) -> Result<u64, DataError> {
        let from = self.offset;
        self.stopped = false;
        loop {
            self.fill(LONGEST_RECORD + 1)?;
            if self.at == self.buffer.len() {
                return Ok(self.offset - from);
            }
            self.advance(1);
            let rest = &self.buffer[self.at..];
            if let Ok(Record::Whole(length)) = measure(rest, self.offset)
                && Game::decode(&rest[..length], self.offset).is_ok()
            {
                return Ok(self.offset - from);
            }
        }
    }

    /// Fills the buffer up to `wanted` bytes, if the file still has them.
    fn fill(&mut self, wanted: usize) -> Result<(), DataError> {
        while !self.exhausted && self.buffer.len() - self.at < wanted {
            self.buffer.drain(..self.at);
            self.at = 0;
            let read = self.source.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer)?;
            self.exhausted = read == 0;
        }
        Ok(())
    }

    fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.offset += bytes as u64;
    }

    fn next_game(&mut self) -> Result<Option<Game>, DataError> {
        self.fill(LONGEST_RECORD)?;
        let rest = &self.buffer[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        match measure(rest, self.offset)? {
            Record::Whole(length) => {
                let game = Game::decode(&rest[..length], self.offset)?;
                self.advance(length);
                Ok(Some(game))
            }
            Record::Cut => {
                self.cut = rest.len() as u64;
                Ok(None)
            }
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Result<Game, DataError>> {
        if self.stopped {
            return None;
        }
        let next = self.next_game().transpose();
        self.stopped = !matches!(next, Some(Ok(_)));
        next
    }
}
