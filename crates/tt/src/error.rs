//! What can go wrong: only the size of a table.

use core::fmt;

/// Why a table of some size cannot be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SizeError {
    /// A table needs at least one cluster.
    Zero,
    /// The system does not have, or does not give, that much memory.
    OutOfMemory {
        /// What was asked for.
        mebibytes: usize,
    },
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => write!(f, "a hash table needs at least 1 MiB"),
            Self::OutOfMemory { mebibytes } => {
                write!(f, "cannot allocate a hash table of {mebibytes} MiB")
            }
        }
    }
}

impl core::error::Error for SizeError {}
