//! The bytes of a data file, plain or compressed with xz.
//!
//! A compressed file is a sequence of xz streams, so that it can be appended to: the `xz` tool
//! reads it like any other. The first bytes tell which form a file has.

use lzma_rust2::{XzOptions, XzReader, XzWriter};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};

/// The first bytes of every xz stream.
const XZ_MAGIC: &[u8; 6] = b"\xFD7zXZ\0";

/// A stream that asks for a larger decoder than this is refused (`xz -9` needs 65 MiB).
const DECODER_LIMIT_KIB: u32 = 256 << 10;

/// Compression preset: higher ones gain little.
const PRESET: u32 = 6;

/// Reads the content of a data file.
pub struct Source(Form);

enum Form {
    Plain(File),
    Xz(Box<Streams>),
}

/// The streams of a compressed file.
struct Streams {
    /// The stream being read; none after the last.
    current: Option<XzReader<BufReader<File>>>,
    /// Where the last whole stream ends in the file.
    whole: u64,
}

impl Source {
    /// Reads `file` from its start.
    pub(super) fn new(mut file: File) -> io::Result<Source> {
        if is_compressed(&mut file)? {
            let current = Some(stream(BufReader::new(file)));
            Ok(Source(Form::Xz(Box::new(Streams { current, whole: 0 }))))
        } else {
            Ok(Source(Form::Plain(file)))
        }
    }

    /// Where the last whole stream that was read ends in a compressed file.
    pub(super) fn whole_streams(&self) -> Option<u64> {
        match &self.0 {
            Form::Plain(_) => None,
            Form::Xz(streams) => Some(streams.whole),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Form::Plain(file) => file.read(buffer),
            Form::Xz(streams) => streams.read(buffer),
        }
    }
}

impl Read for Streams {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(mut current) = self.current.take() {
            match current.read(buffer) {
                Ok(0) => {
                    let mut file = current.into_inner();
                    self.whole = file.stream_position()?;
                    if !file.fill_buf()?.is_empty() {
                        self.current = Some(stream(file));
                    }
                }
                // The file ends within a stream: its writer is at work or was killed.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                other => {
                    self.current = Some(current);
                    return other;
                }
            }
        }
        Ok(0)
    }
}

fn stream(file: BufReader<File>) -> XzReader<BufReader<File>> {
    XzReader::new_mem_limit(file, false, DECODER_LIMIT_KIB)
}

/// Whether a file is compressed; it is at its start afterwards.
pub(super) fn is_compressed(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(XZ_MAGIC.len() as u64).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start == XZ_MAGIC)
}

/// Compresses `bytes` to one stream.
pub(super) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    writer.write_all(bytes)?;
    writer.finish()
}
