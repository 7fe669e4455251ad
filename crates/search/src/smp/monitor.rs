//! A value under a lock, and a place to sleep until it changes.

use super::primitives::{Native, Primitives};

/// A mutex with its condition variable.
///
/// The two rules that prevent a lost wake-up are enforced here: a sleeper tests its condition under
/// the lock, and a change is made under the lock before waiters are notified.
pub struct Monitor<T: Send, P: Primitives = Native> {
    value: P::Mutex<T>,
    changed: P::Condvar,
}

impl<T: Send, P: Primitives> Monitor<T, P> {
    /// A monitor around `value`.
    pub fn new(value: T) -> Self {
        Monitor { value: P::mutex(value), changed: P::condvar() }
    }

    /// Sleeps until `ready` returns a result. `ready` runs under the lock.
    pub fn wait_for<R>(&self, mut ready: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut value = P::lock(&self.value);
        loop {
            if let Some(result) = ready(&mut value) {
                return result;
            }
            value = P::wait(&self.changed, value);
        }
    }

    /// Changes the value under the lock, then wakes every sleeper.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut P::lock(&self.value));
        P::notify_all(&self.changed);
        result
    }

    /// Reads the value under the lock.
    pub fn read<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&P::lock(&self.value))
    }
}

impl<T: Send + Default, P: Primitives> Default for Monitor<T, P> {
    fn default() -> Self {
        Monitor::new(T::default())
    }
}
