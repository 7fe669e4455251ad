//! Entries of a single word: nothing can tear, twice as many fit, and less is kept of key and
//! value.

use std::sync::atomic::Ordering::Relaxed;

use super::{Contender, Line, line_of, lines};
use crate::keys::{MOVE_AND_SCORE, Universe};

/// Eight entries per line, each one word:
///
/// ```text
/// 63        40 39   38 37     32 31     16 15      0
/// | key check | bound | depth    | score   | move   |
/// ```
///
/// There is no room for the static evaluation, and 24 bits of the key are all that tell positions
/// of a line apart: a foreign key is taken for a stored one about once in two million probes.
pub struct OneWord {
    lines: Box<[Line]>,
}

const DEPTH: u64 = 0x3F;
const BOUND: u64 = 3 << 38;
const CHECK_SHIFT: u32 = 40;

impl Contender for OneWord {
    const NAME: &'static str = "one-word entries";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self { lines: lines(mebibytes) }
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        let line = line_of(&self.lines, key);
        let wanted = signature(key);
        let mut found = 0;
        for word in &line.words {
            let word = word.load(Relaxed);
            if word >> (CHECK_SHIFT - 2) == wanted {
                found = word;
            }
        }
        (found != 0).then_some(found & MOVE_AND_SCORE)
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let line = line_of(&self.lines, key);
        let wanted = signature(key);
        let mut victim = &line.words[0];
        let mut least = u64::MAX;
        for place in &line.words {
            let word = place.load(Relaxed);
            let same = word >> (CHECK_SHIFT - 2) == wanted;
            // Bound and depth together: an empty word has neither and counts as the least.
            let worth = if same { 0 } else { (word >> 32 & 0xFF) + u64::from(word != 0) };
            if worth < least {
                least = worth;
                victim = place;
            }
        }
        let depth = value >> 48 & DEPTH;
        victim.store(wanted << (CHECK_SHIFT - 2) | depth << 32 | value & MOVE_AND_SCORE, Relaxed);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        megatherium_tt::prefetch(line_of(&self.lines, key));
    }
}

/// The check bits over the bound bits of a full word. The low bits of the key: the high ones chose
/// the line.
#[inline(always)]
fn signature(key: u64) -> u64 {
    (key << CHECK_SHIFT | BOUND) >> (CHECK_SHIFT - 2)
}
