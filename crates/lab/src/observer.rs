//! Progress of a measurement and the request to end it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Is told how far a measurement is, and may end it.
pub trait Observer: Sync {
    /// A stage of so many steps begins.
    fn begin(&self, title: &str, steps: u64);

    /// So many steps are done; `message` is the result so far.
    fn step(&self, steps: u64, message: &str);

    /// Set to end the measurement early; the results so far are kept.
    fn stop(&self) -> &AtomicBool;

    /// Whether the measurement should end.
    fn stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }
}

/// Shows nothing and never stops anything.
#[derive(Debug, Default)]
pub struct Nobody(AtomicBool);

impl Observer for Nobody {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self, _: u64, _: &str) {}

    fn stop(&self) -> &AtomicBool {
        &self.0
    }
}
