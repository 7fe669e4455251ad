//! Huge pages for everyone, or for no one, and the memory a table takes.

use std::fs;

/// Starts this program again with huge pages behind every allocation, unless it runs so already.
/// The table asks for them by itself; this gives its rivals the same, so that the comparison is
/// about the tables.
#[cfg(target_os = "linux")]
pub fn ask_for_all() {
    use std::os::unix::process::CommandExt;
    use std::{env, process};
    /// Where glibc reads its settings.
    const TUNABLES: &str = "GLIBC_TUNABLES";
    /// Asks for huge pages behind every large allocation.
    const HUGE: &str = "glibc.malloc.hugetlb=1";
    if env::var(TUNABLES).is_ok_and(|set| set.contains(HUGE)) {
        return;
    }
    if let Ok(program) = env::current_exe() {
        let failure =
            process::Command::new(program).args(env::args_os().skip(1)).env(TUNABLES, HUGE).exec();
        println!(
            "could not restart with {TUNABLES}={HUGE}: {failure}; the rivals run on small pages"
        );
    }
}

/// Elsewhere the allocator decides.
#[cfg(not(target_os = "linux"))]
pub fn ask_for_all() {}

/// Forbids huge pages from now on, or allows them again. Pages already in use stay as they are.
#[cfg(target_os = "linux")]
pub fn forbid(forbidden: bool) -> bool {
    rustix::thread::disable_transparent_huge_pages(forbidden).is_ok()
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
pub fn forbid(_: bool) -> bool {
    false
}

/// Memory of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Footprint {
    /// Resident bytes.
    pub resident: u64,
    /// Resident bytes in huge pages.
    pub huge: u64,
}

impl Footprint {
    /// What the process holds now, as Linux tells it; zero elsewhere.
    pub fn now() -> Self {
        let status = fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
        };
        Self { resident: field("Rss:").unwrap_or(0), huge: field("AnonHugePages:").unwrap_or(0) }
    }

    /// What was added since an earlier look.
    pub fn since(self, before: Self) -> Self {
        Self {
            resident: self.resident.saturating_sub(before.resident),
            huge: self.huge.saturating_sub(before.huge),
        }
    }

    /// Share of the bytes that are in huge pages.
    pub fn huge_share(self) -> f64 {
        self.huge as f64 / self.resident.max(1) as f64
    }
}
