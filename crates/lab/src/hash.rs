//! How large the table is as threads are added.

/// A rule for the size of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// A fixed size in MiB: the load grows with the number of threads.
    Total(usize),
    /// MiB for each thread: the load of the table stays the same.
    PerThread(usize),
}

impl Hash {
    /// The size for a number of threads, in MiB.
    pub fn mebibytes(self, threads: usize) -> usize {
        match self {
            Hash::Total(mebibytes) => mebibytes,
            Hash::PerThread(mebibytes) => mebibytes * threads,
        }
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Hash::Total(mebibytes) => write!(f, "{mebibytes} MiB in total"),
            Hash::PerThread(mebibytes) => write!(f, "{mebibytes} MiB per thread"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(Hash::Total(16).mebibytes(8), 16);
        assert_eq!(Hash::PerThread(16).mebibytes(8), 128);
        assert_eq!(Hash::PerThread(4).to_string(), "4 MiB per thread");
    }
}
