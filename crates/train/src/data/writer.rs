//! Appending games.

use super::source::{Source, compress, is_compressed};
use super::{DataError, FILE_HEADER, Game, Reader, file_header};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes of games that are compressed together: the most that a killed writer loses.
const BLOCK: usize = 128 << 10;

/// What a writer found in the file it appends to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Whole games already there.
    pub games: u64,
    /// Plies of those games.
    pub plies: u64,
    /// Bytes of a truncated record or xz stream that were removed from the end.
    pub cut: u64,
}

/// Appends games to a data file: each with a single write, or, if the file is compressed, many
/// together. Call [`finish`](Self::finish) at the end: dropping a writer hides the failure of the
/// last write.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// Records to be compressed; `None` for a plain file.
    block: Option<Vec<u8>>,
}

impl Writer {
    /// Opens a data file for appending, or makes a new one, compressed if its name ends in `.xz`.
    ///
    /// Existing content is read first: a truncated record at the end is removed, other damage is an
    /// error. The file is locked against other writers.
    pub fn append(path: &Path) -> Result<(Writer, Resumed), DataError> {
        Writer::append_after(path, |_| {})
    }

    /// Like [`append`](Self::append), and shows every game that is there to `see`.
    pub fn append_after(
        path: &Path,
        mut see: impl FnMut(&Game),
    ) -> Result<(Writer, Resumed), DataError> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        // Devices may be endless.
        if !file.metadata()?.is_file() {
            return Err(DataError::NotAFile);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DataError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let size = file.metadata()?.len();
        let compressed =
            is_compressed(&mut file)? || size == 0 && path.extension().is_some_and(|e| e == "xz");
        if compressed {
            drop_cut_stream(&mut file)?;
        }
        let header = file_header();
        let left = file.metadata()?.len();
        // A process may have been killed within the header, too.
        if left < FILE_HEADER as u64 && holds_prefix(&file, &header)? {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            if !compressed {
                file.write_all(&header)?;
            }
            let block = compressed.then(|| header.to_vec());
            return Ok((Writer { file, block }, Resumed { cut: size, ..Resumed::default() }));
        }
        let mut reader = Reader::of_file(file.try_clone()?)?;
        let mut resumed = Resumed::default();
        for game in reader.by_ref() {
            let game = game?;
            see(&game);
            resumed.games += 1;
            resumed.plies += game.plies.len() as u64;
        }
        if compressed && reader.cut() > 0 {
            let what = "the compressed file ends within it: merge it into a new file";
            return Err(DataError::Damaged { offset: reader.offset(), what });
        }
        let end = if compressed { file.metadata()?.len() } else { reader.offset() };
        resumed.cut = size - end;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((Writer { file, block: compressed.then(Vec::new) }, resumed))
    }

    /// Appends a game.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        let record = game.encode()?;
        let Some(block) = &mut self.block else { return Ok(self.file.write_all(&record)?) };
        block.extend_from_slice(&record);
        if block.len() < BLOCK { Ok(()) } else { self.flush() }
    }

    /// Compresses and writes the pending records.
    pub fn finish(mut self) -> Result<(), DataError> {
        self.flush()
    }

    fn flush(&mut self) -> Result<(), DataError> {
        let Some(block) = &mut self.block else { return Ok(()) };
        // Taken first: a block that cannot be written is not tried again when the writer is
        // dropped.
        let bytes = std::mem::take(block);
        if bytes.is_empty() { Ok(()) } else { Ok(self.file.write_all(&compress(&bytes)?)?) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // `finish` reports errors.
        let _ = self.flush();
    }
}

/// Removes an unfinished stream from the end of a compressed file.
fn drop_cut_stream(file: &mut File) -> Result<(), DataError> {
    let mut source = Source::new(file.try_clone()?)?;
    std::io::copy(&mut source, &mut std::io::sink())?;
    if let Some(whole) = source.whole_streams() {
        file.set_len(whole)?;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(())
}

/// Whether the file is a prefix of `header`.
fn holds_prefix(mut file: &File, header: &[u8]) -> Result<bool, DataError> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(header.len() as u64).read_to_end(&mut bytes)?;
    Ok(header.starts_with(&bytes))
}
