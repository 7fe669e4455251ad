//! The same slots behind striped locks: each `parking_lot::Mutex` guards a stripe of lines.

use std::sync::atomic::Ordering::Relaxed;

use parking_lot::Mutex;

use super::{Contender, Line, line_index, line_of, lines, victim};
use crate::keys::Universe;

/// Enough stripes that two threads rarely meet, few enough that the locks stay in the nearest
/// caches.
const STRIPES: usize = 1024;

/// Four slots of key and value per line. The words are relaxed atomics only so that the compiler
/// lets several threads hold the slice: under the lock they cost what plain loads and stores cost.
pub struct Striped {
    lines: Box<[Line]>,
    locks: Box<[Mutex<()>]>,
}

impl Striped {
    /// The line of a key and the lock of that line: neighbours have different locks.
    #[inline(always)]
    fn place(&self, key: u64) -> (&Line, &Mutex<()>) {
        let index = line_index(self.lines.len(), key);
        (&self.lines[index], &self.locks[index % STRIPES])
    }
}

impl Contender for Striped {
    const NAME: &'static str = "striped parking_lot::Mutex";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self { lines: lines(mebibytes), locks: (0..STRIPES).map(|_| Mutex::new(())).collect() }
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        let (line, lock) = self.place(key);
        let _held = lock.lock();
        for slot in line.words.as_chunks::<2>().0 {
            if slot[0].load(Relaxed) == key {
                return Some(slot[1].load(Relaxed));
            }
        }
        None
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let (line, lock) = self.place(key);
        let _held = lock.lock();
        let victim = victim(line.words.as_chunks::<2>().0, key);
        victim[0].store(key, Relaxed);
        victim[1].store(value, Relaxed);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        megatherium_tt::prefetch(line_of(&self.lines, key));
    }
}
