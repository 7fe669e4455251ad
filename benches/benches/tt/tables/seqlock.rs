//! The same lines behind a sequence lock each: readers never write, and retry when a writer was at
//! work.

use std::hint::spin_loop;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::fence;

use super::{Contender, Line, Word, line_of, lines, victim};
use crate::keys::Universe;

/// The sequence number takes the room of a slot, so a line holds three:
///
/// ```text
/// | sequence | key value | key value | key value | unused |
/// ```
const SLOTS: usize = 3;

/// Words are relaxed atomics between fences: reading plain memory that a writer may be changing
/// would be undefined however carefully it is checked afterwards.
pub struct Seqlock {
    lines: Box<[Line]>,
}

impl Contender for Seqlock {
    const NAME: &'static str = "seqlock per line";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self { lines: lines(mebibytes) }
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        let line = line_of(&self.lines, key);
        let (sequence, slots) = parts(line);
        loop {
            let before = sequence.load(Acquire);
            if before % 2 == 0 {
                let mut found = None;
                for slot in slots {
                    if slot[0].load(Relaxed) == key {
                        found = Some(slot[1].load(Relaxed));
                        break;
                    }
                }
                // Whatever was read above was written before the number read below.
                fence(Acquire);
                if sequence.load(Relaxed) == before {
                    return found;
                }
            }
            spin_loop();
        }
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let line = line_of(&self.lines, key);
        let (sequence, slots) = parts(line);
        let mut even = sequence.load(Relaxed);
        loop {
            if even % 2 == 0 {
                match sequence.compare_exchange_weak(even, even + 1, Acquire, Relaxed) {
                    Ok(_) => break,
                    Err(seen) => even = seen,
                }
            } else {
                spin_loop();
                even = sequence.load(Relaxed);
            }
        }
        // No reader sees a word written below without also seeing the odd number.
        fence(Release);
        let victim = victim(slots, key);
        victim[0].store(key, Relaxed);
        victim[1].store(value, Relaxed);
        sequence.store(even + 2, Release);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        megatherium_tt::prefetch(line_of(&self.lines, key));
    }
}

/// The sequence number and the slots of a line.
#[inline(always)]
fn parts(line: &Line) -> (&Word, &[[Word; 2]]) {
    let (sequence, rest) = line.words.split_first().expect("a line has eight words");
    (sequence, &rest.as_chunks::<2>().0[..SLOTS])
}
