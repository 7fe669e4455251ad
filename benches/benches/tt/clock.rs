//! Time a thread really computed.
//!
//! A shared machine stops a thread whenever it likes, and wall-clock time counts the pauses. The
//! CPU time of the thread does not, so it is what every number of this bench is made of.

/// Nanoseconds of CPU time the calling thread has used so far.
#[cfg(unix)]
pub fn thread_cpu_nanos() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Without a per-thread clock, wall-clock time since the first call has to do: close the other
/// programs.
#[cfg(not(unix))]
pub fn thread_cpu_nanos() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}
