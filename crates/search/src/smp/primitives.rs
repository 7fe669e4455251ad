//! The synchronisation primitives the protocols are built from: what a model checker replaces.

use std::ops::DerefMut;
use std::sync::atomic::{AtomicU64, Ordering};

/// A word, a mutex and a condition variable.
///
/// The trait has no logic of its own. Waiting loops, and the rule that a change is made under the
/// lock, live in [`Monitor`](super::Monitor), which is the same code in the engine and under loom.
pub trait Primitives: 'static {
    /// A shared 64-bit word.
    type Word: SharedWord;
    /// A mutex.
    type Mutex<T: Send>: Send + Sync;
    /// A locked mutex.
    type Guard<'a, T: Send + 'a>: DerefMut<Target = T>;
    /// A condition variable.
    type Condvar: Send + Sync;

    /// An unlocked mutex.
    fn mutex<T: Send>(value: T) -> Self::Mutex<T>;
    /// Locks; blocks while another thread holds the lock.
    fn lock<T: Send>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T>;
    /// A condition variable without waiters.
    fn condvar() -> Self::Condvar;
    /// Releases the lock, sleeps until notified, locks again. May wake spuriously.
    fn wait<'a, T: Send>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T>;
    /// Wakes every sleeper.
    fn notify_all(condvar: &Self::Condvar);
}

/// A shared word with relaxed access.
pub trait SharedWord: Send + Sync {
    /// A word holding `value`.
    fn new(value: u64) -> Self;
    /// Relaxed load.
    fn load(&self) -> u64;
    /// Relaxed store.
    fn store(&self, value: u64);
}

/// What the engine ships with: `std` atomics and `parking_lot`.
#[derive(Debug)]
pub struct Native;

impl Primitives for Native {
    type Word = AtomicU64;
    type Mutex<T: Send> = parking_lot::Mutex<T>;
    type Guard<'a, T: Send + 'a> = parking_lot::MutexGuard<'a, T>;
    type Condvar = parking_lot::Condvar;

    fn mutex<T: Send>(value: T) -> Self::Mutex<T> {
        parking_lot::Mutex::new(value)
    }

    fn lock<T: Send>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T> {
        mutex.lock()
    }

    fn condvar() -> Self::Condvar {
        parking_lot::Condvar::new()
    }

    fn wait<'a, T: Send>(
        condvar: &Self::Condvar,
        mut guard: Self::Guard<'a, T>,
    ) -> Self::Guard<'a, T> {
        condvar.wait(&mut guard);
        guard
    }

    fn notify_all(condvar: &Self::Condvar) {
        condvar.notify_all();
    }
}

impl SharedWord for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Ordering::Relaxed)
    }

    #[inline]
    fn store(&self, value: u64) {
        AtomicU64::store(self, value, Ordering::Relaxed);
    }
}
