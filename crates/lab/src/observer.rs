//! Progress of a measurement, and the request to stop it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sees the progress of a measurement and can stop it.
pub trait Observer: Sync {
    /// A stage of `steps` steps begins.
    fn begin(&self, title: &str, steps: u64);

    /// `steps` more steps are done; `message` is the result so far.
    fn step(&self, steps: u64, message: &str);

    /// Set to end the measurement early; the results so far are kept.
    fn stop(&self) -> &AtomicBool;

    /// Whether the measurement should end.
    fn stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }
}

/// Shows nothing and never stops.
#[derive(Debug, Default)]
pub struct Nobody(AtomicBool);

impl Observer for Nobody {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self, _: u64, _: &str) {}

    fn stop(&self) -> &AtomicBool {
        &self.0
    }
}
