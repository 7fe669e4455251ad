//! Errors of data files.

use std::fmt;
use std::io;

/// Why a data file cannot be read or written.
#[derive(Debug)]
pub enum DataError {
    /// An error of the operating system.
    Io(io::Error),
    /// The file does not begin like a data file.
    NotData,
    /// The file is of another version of the format.
    Version(u16),
    /// Another process is appending to the file.
    InUse,
    /// Games are to be appended to something that is not a regular file.
    NotAFile,
    /// The file to write is also one to read.
    OutputIsInput,
    /// A record is damaged.
    Damaged {
        /// Where the record begins, in bytes from the start of the file.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A game has more plies than a record can hold.
    TooLong(usize),
    /// The caller stopped the work through its [`Watch`](super::Watch).
    Stopped,
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Io(error) => error.fmt(f),
            DataError::NotData => write!(f, "not a Megatherium data file"),
            DataError::Version(found) => {
                write!(
                    f,
                    "data format version {found}, this build reads version {}",
                    super::VERSION
                )
            }
            DataError::InUse => write!(f, "another process is appending to the file"),
            DataError::NotAFile => write!(f, "not a regular file"),
            DataError::OutputIsInput => write!(f, "the output is also an input"),
            DataError::Damaged { offset, what } => {
                write!(f, "damaged record at byte {offset}: {what}")
            }
            DataError::Stopped => write!(f, "stopped before the end"),
            DataError::TooLong(plies) => write!(f, "a game of {plies} plies does not fit a record"),
        }
    }
}

impl std::error::Error for DataError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DataError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for DataError {
    fn from(error: io::Error) -> DataError {
        DataError::Io(error)
    }
}
