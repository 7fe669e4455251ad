//! Marks: what is being worked on right now, so that others take something else.

use alloc::boxed::Box;
use core::sync::atomic::AtomicU64;

use crate::word::Word;

/// A small set of keys that threads set when they begin a piece of work and lift when they are
/// done. Whoever finds a mark can do something else first.
///
/// One word per slot, no locks, no order. The set is a hint in both directions:
///
/// - A mark can be *missing* although the work goes on: another key took its slot, or one of two
///   threads with the same key has finished.
/// - A mark is never *found* unless some thread set that key and its slot has not been written
///   since. A thread that dies leaves its mark; [`clear`](Marks::clear) removes it.
///
/// So a caller may put work off because of a mark, but must not wait for it to be lifted.
pub struct Marks<W: Word = AtomicU64> {
    slots: Box<[W]>,
}

/// What setting a mark came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// The slot was free.
    Free,
    /// The same key was there already.
    Twice,
    /// Another key was there, and has lost its mark.
    Collision,
}

impl<W: Word> Marks<W> {
    /// An empty set of `slots` slots, rounded up to a power of two, at least one.
    pub fn new(slots: usize) -> Self {
        let slots = slots.max(1).next_power_of_two();
        Self { slots: (0..slots).map(|_| W::new(0)).collect() }
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The highest bits choose the slot: multiply before, if they are not the best ones.
    #[inline]
    fn slot(&self, key: u64) -> &W {
        let index = (u128::from(key) * self.slots.len() as u128) >> 64;
        &self.slots[index as usize]
    }

    /// Whether `key`, which must not be 0, is marked.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.slot(key).load() == key
    }

    /// Marks `key`, which must not be 0.
    #[inline]
    pub fn set(&self, key: u64) -> Setting {
        let slot = self.slot(key);
        match slot.load() {
            known if known == key => Setting::Twice,
            known => {
                slot.store(key);
                if known == 0 { Setting::Free } else { Setting::Collision }
            }
        }
    }

    /// Lifts the mark of `key`, if it is still there.
    #[inline]
    pub fn lift(&self, key: u64) {
        let slot = self.slot(key);
        if slot.load() == key {
            slot.store(0);
        }
    }

    /// Lifts all marks.
    pub fn clear(&self) {
        for slot in &self.slots {
            slot.store(0);
        }
    }
}
