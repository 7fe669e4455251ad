//! What the memory alone costs: one random line per operation, nothing compared and nothing chosen.

use std::sync::atomic::Ordering::Relaxed;

use super::{Contender, Line, line_of, lines};
use crate::keys::Universe;

/// Reads the line of a key, and for a store writes one slot of it: what every table that keeps a
/// key anywhere in its line has to do at least. Its time is the floor under all of them.
pub struct Limit {
    lines: Box<[Line]>,
}

impl Contender for Limit {
    const NAME: &'static str = "limit: read a line, write a slot";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self { lines: lines(mebibytes) }
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        Some(fold(line_of(&self.lines, key)))
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let line = line_of(&self.lines, key);
        line.words[0].store(key ^ fold(line), Relaxed);
        line.words[1].store(value, Relaxed);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        megatherium_tt::prefetch(line_of(&self.lines, key));
    }
}

/// All the words of a line in one.
#[inline(always)]
fn fold(line: &Line) -> u64 {
    line.words.iter().fold(0, |sum, word| sum ^ word.load(Relaxed))
}

/// Reads or writes the first 16 bytes of the line and never looks at the rest: less than any table
/// with a choice of slots can do. The gap to [`Limit`] is the price of having the choice.
pub struct Touch {
    lines: Box<[Line]>,
}

impl Contender for Touch {
    const NAME: &'static str = "one fixed slot, unseen";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self { lines: lines(mebibytes) }
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        let line = line_of(&self.lines, key);
        Some(line.words[0].load(Relaxed) ^ line.words[1].load(Relaxed))
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let line = line_of(&self.lines, key);
        line.words[0].store(key ^ value, Relaxed);
        line.words[1].store(value, Relaxed);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        megatherium_tt::prefetch(line_of(&self.lines, key));
    }
}

/// The loop itself: draws keys and touches no table. Subtract it to see what a table adds.
pub struct KeysOnly;

impl Contender for KeysOnly {
    const NAME: &'static str = "keys only, no memory";

    fn build(_: usize, _: Universe) -> Self {
        Self
    }

    fn load(&self, _: Universe) {}

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        Some(key)
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        std::hint::black_box(key ^ value);
    }
}
