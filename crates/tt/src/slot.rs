//! The slot: two words that vouch for each other.

use crate::entry::Data;
use crate::protocol::Protocol;
use crate::word::Word;

/// Room for one entry: a check word and a data word, written and read without any order between them.
///
/// ```text
///          ┌────────────────────────────────────┬────────────────────────────────────┐
///          │ check = key ^ (data − generation)  │ data                               │
///          └────────────────────────────────────┴────────────────────────────────────┘
/// ```
///
/// The two stores of a writer can become visible in either order, and a reader's two loads can fall between
/// those of two writers. It does not matter: the reader computes the key *from* the pair, so a pair that was
/// never stored together names a key that nobody asks for, and reads as a miss.
#[repr(C)]
#[derive(Debug)]
pub struct Slot<W> {
    pub(crate) check: W,
    pub(crate) data: W,
}

/// What one reader saw in a slot: two loads, perhaps of two different entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    pub check: u64,
    pub data: Data,
}

impl<W: Word> Slot<W> {
    /// An empty slot.
    pub(crate) fn new() -> Self {
        Self { check: W::new(0), data: W::new(0) }
    }

    /// Copies the two words.
    #[inline]
    pub(crate) fn read<X: Protocol>(&self) -> Snapshot {
        X::read(self)
    }

    /// Puts the entry of `key` here.
    #[inline]
    pub(crate) fn write<X: Protocol>(&self, key: u64, data: Data) {
        X::write(self, Snapshot { check: X::seal(key, data), data });
    }

    /// Stamps the entry seen here with the current generation, unless the slot has changed since.
    #[inline]
    pub(crate) fn refresh<X: Protocol>(&self, seen: Snapshot, generation: u64) {
        X::refresh(self, seen, generation);
    }

    /// Empties the slot. Not for use beside a probe: see [`Table::clear`](crate::Table::clear).
    #[inline]
    pub(crate) fn erase<X: Protocol>(&self) {
        X::erase(self);
    }
}
