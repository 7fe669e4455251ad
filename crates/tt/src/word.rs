//! The shared word: the one thing the table asks of its memory.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A 64-bit cell that several threads read and write at once.
///
/// All shared state of a [`Table`](crate::Table) is made of these, and all it does with them is the
/// three operations below. So the very code that ships can run on other words: the tests of this
/// crate run it on loom's atomics, on the words of an exhaustive explorer, and on words that count
/// their accesses.
///
/// What an implementation must provide is little: each operation is indivisible, and a load returns
/// a value that was stored to *this* word, or its initial value. No order between different words
/// is assumed.
pub trait Word: Sized + Send + Sync + 'static {
    /// A word that holds `value`.
    fn new(value: u64) -> Self;

    /// Some value that was stored here.
    fn load(&self) -> u64;

    /// Replaces the value.
    fn store(&self, value: u64);

    /// Replaces the value by `new` if it is `current`, in one indivisible step; returns whether it
    /// did.
    fn compare_exchange(&self, current: u64, new: u64) -> bool;
}

/// The word that ships. Everything is `Relaxed`: the table's argument needs no order between words
/// at all.
impl Word for AtomicU64 {
    #[inline]
    fn new(value: u64) -> Self {
        Self::new(value)
    }

    #[inline]
    fn load(&self) -> u64 {
        self.load(Relaxed)
    }

    #[inline]
    fn store(&self, value: u64) {
        self.store(value, Relaxed);
    }

    /// The strong form, although a refresh may fail without harm: it never fails without a reason,
    /// so a search on one thread does the same thing every time, on machines with
    /// load-linked/store-conditional too.
    #[inline]
    fn compare_exchange(&self, current: u64, new: u64) -> bool {
        self.compare_exchange(current, new, Relaxed, Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_what_it_was_given() {
        let word = <AtomicU64 as Word>::new(7);
        assert_eq!(Word::load(&word), 7);
        assert!(!Word::compare_exchange(&word, 8, 9));
        assert_eq!(Word::load(&word), 7);
        assert!(Word::compare_exchange(&word, 7, 9));
        assert_eq!(Word::load(&word), 9);
    }
}
