//! Who looks on while something is measured: a progress bar, or nobody.

use std::sync::atomic::{AtomicBool, Ordering};

/// Hears how far a measurement is, and may end it.
pub trait Observer: Sync {
    /// A part of so many steps begins.
    fn begin(&self, title: &str, steps: u64);

    /// So many steps are done; `message` says what is known by now.
    fn step(&self, steps: u64, message: &str);

    /// Set when whoever looks on has seen enough: what was measured so far is kept.
    fn stop(&self) -> &AtomicBool;

    /// Whether to end.
    fn stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }
}

/// Looks on in silence and never stops anything.
#[derive(Debug, Default)]
pub struct Nobody(AtomicBool);

impl Observer for Nobody {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self, _: u64, _: &str) {}

    fn stop(&self) -> &AtomicBool {
        &self.0
    }
}
