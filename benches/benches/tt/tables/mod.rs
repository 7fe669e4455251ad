//! The tables under test, behind one small trait, each as its users would write it.

pub mod limit;
pub mod maps;
pub mod megatherium;
pub mod one_word;
pub mod seqlock;
pub mod striped;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::keys::{Universe, key_of, value_of};

/// What the drivers need of a table.
pub trait Contender: Sync + Sized {
    /// Name in the report.
    const NAME: &'static str;

    /// An empty table of that size, or a map with room for the universe.
    fn build(mebibytes: usize, universe: Universe) -> Self;

    /// Move and score of the value stored under the key, if the table still has it. (The tables
    /// that keep a value as one word may return more.)
    fn probe(&self, key: u64) -> Option<u64>;

    /// Stores a value under the key.
    fn store(&self, key: u64, value: u64);

    /// Starts loading what `probe` and `store` of this key will need. The maps offer no such call.
    fn prefetch(&self, _key: u64) {}

    /// Stores the whole universe once.
    fn load(&self, universe: Universe) {
        for number in 0..universe.len {
            let key = key_of(number);
            self.store(key, value_of(key));
        }
    }
}

/// A word that several threads may read and write.
pub type Word = AtomicU64;

/// A cache line of words, the unit every slot table is made of.
#[derive(Default)]
#[repr(C, align(64))]
pub struct Line {
    /// The eight words of the line.
    pub words: [Word; 8],
}

/// As many lines as fit the size.
pub fn lines(mebibytes: usize) -> Box<[Line]> {
    (0..mebibytes << 14).map(|_| Line::default()).collect()
}

/// The number of a key's line: multiply-high, as in the table under test.
#[inline(always)]
pub fn line_index(count: usize, key: u64) -> usize {
    ((u128::from(key) * count as u128) >> 64) as usize
}

/// The line of a key.
#[inline(always)]
pub fn line_of(lines: &[Line], key: u64) -> &Line {
    &lines[line_index(lines.len(), key)]
}

/// The slot that a store overwrites: that of the key, an empty one, or the shallowest.
#[inline(always)]
pub fn victim(slots: &[[Word; 2]], key: u64) -> &[Word; 2] {
    let mut victim = &slots[0];
    let mut least = u64::MAX;
    for slot in slots {
        let resident = slot[0].load(Relaxed);
        if resident == key || resident == 0 {
            return slot;
        }
        let depth = slot[1].load(Relaxed) >> 48;
        if depth < least {
            least = depth;
            victim = slot;
        }
    }
    victim
}
