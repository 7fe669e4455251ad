//! Starting, stopping and ponder-hitting a search: one word, and a gate to sleep at.
//!
//! The whole state is one 64-bit word:
//!
//! ```text
//!  63                                                   4    3     2     1     0
//! ┌──────────────────────────────────────────────────────┬──────┬─────┬─────┬──────┐
//! │ search id                                            │FINISH│ HOLD│PONDR│ STOP │
//! └──────────────────────────────────────────────────────┴──────┴─────┴─────┴──────┘
//! ```
//!
//! Every request names the search it is meant for, and is applied by compare-and-swap on a word that still carries
//! that id. So a `stop` can be neither lost (the id exists before the workers wake) nor applied to a later
//! search (the id has changed), however late a thread delivers it.
//!
//! Stopping and finishing are two things. A search that has reached a limit of its own is *finished*: its threads end, but under `go
//! infinite` or `go ponder` nothing is answered yet. Only a *stop* (or a ponderhit) from outside releases the answer.
//!
//! Workers poll the word with relaxed loads: it orders nothing, it only has to arrive. What must not be missed is a
//! wake-up: a search that has nothing left to do under `go infinite` or `go ponder` sleeps until it is released, and every
//! change is made under the gate's lock so that the sleeper cannot check first and sleep after.
//!
//! The primitives are a type parameter: `tests/protocol.rs` runs this very code on loom's.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

const STOP: u64 = 1;
const PONDER: u64 = 2;
const HOLD: u64 = 4;
const FINISHED: u64 = 8;
const FLAGS: u32 = 4;

/// The synchronisation primitives the protocol runs on.
pub trait Primitives {
    /// A shared 64-bit word.
    type Word: SharedWord;
    /// A lock with a condition variable.
    type Gate: Gate;
}

/// A shared word with relaxed access.
pub trait SharedWord {
    /// A word holding `value`.
    fn new(value: u64) -> Self;
    /// Relaxed load.
    fn load(&self) -> u64;
    /// Relaxed store.
    fn store(&self, value: u64);
    /// Relaxed compare-and-swap.
    fn compare_exchange(&self, current: u64, new: u64) -> Result<u64, u64>;
}

/// A place to sleep at until a condition changes.
pub trait Gate {
    /// A gate nobody waits at.
    fn new() -> Self;
    /// Sleeps while `closed` holds; `closed` is evaluated under the lock.
    fn wait_while(&self, closed: impl FnMut() -> bool);
    /// Makes a change under the lock, then wakes every sleeper.
    fn change<T>(&self, change: impl FnOnce() -> T) -> T;
}

/// What the engine ships with: `std` atomics and `parking_lot`.
#[derive(Debug)]
pub struct Native;

impl Primitives for Native {
    type Word = AtomicU64;
    type Gate = ParkingGate;
}

impl SharedWord for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Ordering::Relaxed)
    }

    fn store(&self, value: u64) {
        AtomicU64::store(self, value, Ordering::Relaxed);
    }

    fn compare_exchange(&self, current: u64, new: u64) -> Result<u64, u64> {
        AtomicU64::compare_exchange(self, current, new, Ordering::Relaxed, Ordering::Relaxed)
    }
}

/// A `parking_lot` mutex and condition variable.
#[derive(Debug, Default)]
pub struct ParkingGate {
    lock: Mutex<()>,
    changed: Condvar,
}

impl Gate for ParkingGate {
    fn new() -> Self {
        ParkingGate::default()
    }

    fn wait_while(&self, mut closed: impl FnMut() -> bool) {
        let mut guard = self.lock.lock();
        while closed() {
            self.changed.wait(&mut guard);
        }
    }

    fn change<T>(&self, change: impl FnOnce() -> T) -> T {
        let guard = self.lock.lock();
        let result = change();
        drop(guard);
        self.changed.notify_all();
        result
    }
}

/// Names one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchId(u64);

/// The stop state all threads share.
#[derive(Debug)]
pub struct Control<P: Primitives = Native> {
    word: P::Word,
    gate: P::Gate,
}

impl<P: Primitives> Default for Control<P> {
    fn default() -> Self {
        Control { word: P::Word::new(STOP), gate: P::Gate::new() }
    }
}

impl<P: Primitives> Control<P> {
    /// Opens a new search and names it. The previous one, if it still runs, reads this as a stop.
    ///
    /// `hold` is for `go infinite`: do not answer before a stop.
    pub fn begin(&self, ponder: bool, hold: bool) -> SearchId {
        self.gate.change(|| {
            let id = (self.word.load() >> FLAGS) + 1;
            self.word.store(id << FLAGS | if ponder { PONDER } else { 0 } | if hold { HOLD } else { 0 });
            SearchId(id)
        })
    }

    /// Ends the named search. Returns whether this call was the one that did.
    pub fn stop(&self, id: SearchId) -> bool {
        self.update(id, |word| word | STOP)
    }

    /// The named search has reached a limit: its threads end, its answer waits until it is wanted.
    pub fn finish(&self, id: SearchId) {
        self.update(id, |word| word | FINISHED);
    }

    /// The opponent played the expected move: the named search now runs on its own clock.
    /// Returns whether it was pondering.
    pub fn ponder_hit(&self, id: SearchId) -> bool {
        self.update(id, |word| word & !PONDER)
    }

    /// True once the named search has been stopped or has finished. Polled on the hot path.
    #[inline]
    pub fn is_over(&self, id: SearchId) -> bool {
        let word = self.word.load();
        word >> FLAGS != id.0 || word & (STOP | FINISHED) != 0
    }

    /// True while the named search thinks on the opponent's time.
    #[inline]
    pub fn is_pondering(&self, id: SearchId) -> bool {
        let word = self.word.load();
        word >> FLAGS == id.0 && word & PONDER != 0
    }

    /// Sleeps until the named search may answer: stopped, or neither infinite nor pondering.
    pub fn wait_for_release(&self, id: SearchId) {
        self.gate.wait_while(|| {
            let word = self.word.load();
            word >> FLAGS == id.0 && word & STOP == 0 && word & (PONDER | HOLD) != 0
        });
    }

    /// Applies `change` to the word of search `id`; false if the search is over or the change is none.
    fn update(&self, id: SearchId, change: impl Fn(u64) -> u64) -> bool {
        self.gate.change(|| {
            let mut word = self.word.load();
            loop {
                let new = change(word);
                if word >> FLAGS != id.0 || new == word {
                    return false;
                }
                match self.word.compare_exchange(word, new) {
                    Ok(_) => return true,
                    Err(seen) => word = seen,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_belongs_to_its_search() {
        let control: Control = Control::default();
        let first = control.begin(false, false);
        let second = control.begin(false, false);
        assert!(control.is_over(first));
        assert!(!control.stop(first));
        assert!(!control.is_over(second));
        assert!(control.stop(second));
        assert!(!control.stop(second), "only one caller ends a search");
        assert!(control.is_over(second));
    }

    #[test]
    fn a_finished_search_still_waits_for_its_release() {
        let control: Control = Control::default();
        let id = control.begin(true, false);
        control.finish(id);
        assert!(control.is_over(id) && control.is_pondering(id));
        assert!(control.ponder_hit(id), "what is left is to be released");
        control.wait_for_release(id);
        assert!(control.stop(id));
    }

    #[test]
    fn ponder_hit_releases_only_its_own_search() {
        let control: Control = Control::default();
        let first = control.begin(true, false);
        assert!(control.is_pondering(first));
        let second = control.begin(true, false);
        assert!(!control.ponder_hit(first));
        assert!(control.is_pondering(second));
        assert!(control.ponder_hit(second));
        assert!(!control.is_pondering(second));
        control.wait_for_release(second);
    }
}
