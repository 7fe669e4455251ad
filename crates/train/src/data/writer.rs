//! Appending games.

use super::{DataError, FILE_HEADER, Game, Reader, file_header};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// What a writer found in the file it goes on with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Whole games already there.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Bytes of a cut record that were removed from the end.
    pub cut: u64,
}

/// Appends games to a data file, each with a single write.
#[derive(Debug)]
pub struct Writer {
    file: File,
}

impl Writer {
    /// Opens a data file for appending, or makes a new one. What is there is read through first: a cut record at
    /// the end is removed, other damage is an error. While the writer lives, no other can open the file.
    pub fn append(path: &Path) -> Result<(Writer, Resumed), DataError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DataError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let header = file_header();
        let size = file.metadata()?.len();
        // A process may have been killed within the header, too.
        if size < FILE_HEADER as u64 && holds_prefix(&file, &header)? {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
            return Ok((Writer { file }, Resumed::default()));
        }
        file.seek(SeekFrom::Start(0))?;
        let mut reader = Reader::new(&file)?;
        let mut resumed = Resumed::default();
        for game in reader.by_ref() {
            resumed.games += 1;
            resumed.plies += game?.plies.len() as u64;
        }
        resumed.cut = reader.cut();
        let end = reader.offset();
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((Writer { file }, resumed))
    }

    /// Appends a game.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        Ok(self.file.write_all(&game.encode()?)?)
    }
}

/// Whether the file is the beginning of `header`.
fn holds_prefix(mut file: &File, header: &[u8]) -> Result<bool, DataError> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok(header.starts_with(&bytes))
}
