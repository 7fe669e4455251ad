//! How crowded the machine is: how long a thread has to wait for a processor.
//!
//! On a machine with more threads at work than processors a search may be late by as much as it
//! waits for its turn. The time manager is more careful there.

use std::time::Duration;

/// What an earlier search counts for after one more.
const MEMORY: f64 = 0.75;

/// Time and processor time of a thread over its last searches, later ones counting more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crowding {
    passed: f64,
    ran: f64,
}

impl Crowding {
    /// In a search of this length the thread ran for this long.
    pub fn learn(&mut self, passed: Duration, ran: Duration) {
        self.passed = MEMORY * self.passed + passed.as_secs_f64();
        self.ran = MEMORY * self.ran + ran.as_secs_f64();
    }

    /// How much time passes while the thread runs for a second: 1 if it need not wait, or if
    /// nothing is known.
    pub fn factor(&self) -> f64 {
        if self.ran > 0.0 { (self.passed / self.ran).max(1.0) } else { 1.0 }
    }
}

/// Processor time of the thread that asks.
#[cfg(unix)]
pub fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).ok()
}

/// Processor time of the thread that asks: not known on this system.
#[cfg(not(unix))]
pub fn thread_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_searches_count_more() {
        let milliseconds = Duration::from_millis;
        let is = |crowding: &Crowding, factor: f64| (crowding.factor() - factor).abs() < 1e-9;
        let mut crowding = Crowding::default();
        assert!(is(&crowding, 1.0));
        crowding.learn(milliseconds(400), milliseconds(100));
        assert!(is(&crowding, 4.0));
        // 0.75 · 400 + 100 to 0.75 · 100 + 100.
        crowding.learn(milliseconds(100), milliseconds(100));
        assert!(is(&crowding, 400.0 / 175.0));
        // No thread runs for longer than time passes.
        let mut alone = Crowding::default();
        alone.learn(milliseconds(99), milliseconds(100));
        assert!(is(&alone, 1.0));
    }

    #[test]
    #[cfg(unix)]
    fn a_thread_that_sleeps_does_not_run() {
        let ran = || thread_time().expect("Unix has it");
        let before = ran();
        std::thread::sleep(Duration::from_millis(20));
        assert!(ran() < before + Duration::from_millis(20));
        // This loop ends only because the thread runs.
        while ran() < before + Duration::from_millis(20) {}
    }
}
