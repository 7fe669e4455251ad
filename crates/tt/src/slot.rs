//! The slot: two words that verify each other.

use crate::word::Word;

/// The slots of a cluster.
pub const SLOTS: usize = 4;

/// Room for one entry: a check word and a data word, written and read without any order between
/// them.
///
/// ```text
///          ┌────────────────────────────────────┬────────────────────────────────────┐
///          │ check = key ^ payload              │ data = payload, generation         │
///          └────────────────────────────────────┴────────────────────────────────────┘
/// ```
///
/// The two stores of a writer can become visible in either order, and a reader's two loads can fall
/// between those of two writers. It does not matter: the reader computes the key *from* the pair,
/// so a pair that was never stored together names a key that nobody asks for, and reads as a miss.
#[repr(C)]
#[derive(Debug)]
pub struct Slot<W> {
    /// The key, XOR the payload.
    pub check: W,
    /// The payload and the generation.
    pub data: W,
}

/// What one reader saw in a slot: two loads, perhaps of two different entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// The check word.
    pub check: u64,
    /// The data word.
    pub data: u64,
}

impl<W: Word> Slot<W> {
    /// An empty slot.
    pub(crate) fn new() -> Self {
        Self { check: W::new(0), data: W::new(0) }
    }
}
