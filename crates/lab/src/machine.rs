//! Facts about the machine, and its load during a measurement.

use std::fs;
use std::time::{Duration, SystemTime};

use megatherium_cli::build;

/// Ticks of all processors since boot, from `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    total: u64,
    idle: u64,
    steal: u64,
}

/// Processor usage between two readings, as shares of the total time.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Share of the time spent on any process.
    pub busy: f64,
    /// Stolen: the host ran another guest.
    pub steal: f64,
}

impl CpuTimes {
    /// The current counters; `None` where the system has none.
    pub fn now() -> Option<CpuTimes> {
        CpuTimes::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<CpuTimes> {
        let line = stat.lines().find(|line| line.starts_with("cpu "))?;
        let fields: Vec<u64> =
            line.split_ascii_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guest time is part of user time.
        let &[_, _, _, idle, waiting, _, _, steal, ..] = fields.as_slice() else { return None };
        Some(CpuTimes { total: fields[..8].iter().sum(), idle: idle + waiting, steal })
    }

    /// The usage since `before`.
    pub fn since(&self, before: &CpuTimes) -> Usage {
        let total = self.total.saturating_sub(before.total).max(1) as f64;
        let idle = self.idle.saturating_sub(before.idle) as f64;
        let steal = self.steal.saturating_sub(before.steal) as f64;
        Usage { busy: (total - idle - steal).max(0.0) / total, steal: steal / total }
    }
}

/// Measures processor usage from its creation on.
#[derive(Clone, Copy, Debug)]
pub struct Meter(Option<CpuTimes>);

impl Meter {
    /// Takes the first reading.
    pub fn start() -> Meter {
        Meter(CpuTimes::now())
    }

    /// The usage so far; `None` where the system does not report it.
    pub fn usage(&self) -> Option<Usage> {
        Some(CpuTimes::now()?.since(self.0.as_ref()?))
    }
}

/// Processor time that searches wanted and got, in seconds. It tells whether other processes
/// disturbed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Work {
    /// Threads times wall time.
    pub wanted: f64,
    /// Processor time.
    pub used: f64,
}

/// With a smaller share of its processors, a search was disturbed by other processes.
const BUSY: f64 = 0.97;

impl Work {
    /// The work of all searches; `None` if it is not known of any.
    pub fn sum(work: impl Iterator<Item = Option<Work>>) -> Option<Work> {
        work.flatten().reduce(|sum, work| Work {
            wanted: sum.wanted + work.wanted,
            used: sum.used + work.used,
        })
    }

    /// The share of the processors that the searches got.
    pub fn share(&self) -> f64 {
        self.used / self.wanted.max(1e-9)
    }
}

/// Why numbers are in doubt that were measured with this share of the processors.
pub fn doubt(share: Option<f64>) -> Option<String> {
    let share = share.filter(|&share| share < BUSY)?;
    Some(format!("busy machine: searches got {:.0} % of their processors", 100.0 * share))
}

/// Processor time of all threads of this process, including those that have ended; `None` where the
/// system does not report it.
#[cfg(unix)]
pub fn process_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).ok()
}

/// Processor time of all threads of this process: not known on this system.
#[cfg(not(unix))]
pub fn process_time() -> Option<Duration> {
    None
}

/// Number of processors this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The name and version of the operating system, or only its kind where no file says more.
fn operating_system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or(std::env::consts::OS, |name| name.trim_matches('"')).to_owned()
}

/// Facts for the head of a report.
pub fn facts() -> Vec<(String, String)> {
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let mut facts = vec![
        ("processors".to_owned(), processors().to_string()),
        ("date".to_owned(), date),
        ("system".to_owned(), build::TARGET.to_owned()),
        ("operating system".to_owned(), operating_system()),
        ("compiler".to_owned(), build::COMPILER.to_owned()),
        ("commit".to_owned(), build::COMMIT.to_owned()),
    ];
    let mut add = |name: &str, value: Option<String>| {
        facts.extend(value.map(|value| (name.to_owned(), value)));
    };
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    add("kernel", kernel.map(|version| version.trim().to_owned()));
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu_info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    add("processor", model.map(|(_, name)| name.trim().to_owned()));
    let pages = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok();
    let chosen = pages.as_deref().and_then(|text| text.split_once('[')?.1.split_once(']'));
    add("transparent huge pages", chosen.map(|(mode, _)| mode.to_owned()));
    let load = fs::read_to_string("/proc/loadavg").ok();
    let load = load.map(|text| text.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" "));
    add("load average at the start", load);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_counters() {
        let before =
            CpuTimes::parse("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4 5 6 7 8\n").unwrap();
        let after = CpuTimes::parse("cpu  170 0 60 880 60 0 0 30 0 0\n").unwrap();
        let usage = after.since(&before);
        assert!(
            (usage.busy - 0.4).abs() < 1e-12 && (usage.steal - 0.15).abs() < 1e-12,
            "{usage:?}"
        );
        assert_eq!(CpuTimes::parse("cpu 1 2 3"), None);
        assert_eq!(CpuTimes::parse(""), None);
    }

    #[test]
    fn a_small_share_is_in_doubt() {
        let work = |wanted, used| Some(Work { wanted, used });
        let all = Work::sum([work(1.0, 1.0), None, work(3.0, 2.0)].into_iter()).unwrap();
        assert_eq!(all, Work { wanted: 4.0, used: 3.0 });
        let why = doubt(Some(all.share()));
        assert_eq!(why.as_deref(), Some("busy machine: searches got 75 % of their processors"));
        assert_eq!((doubt(Some(0.99)), doubt(None)), (None, None));
        assert_eq!(Work::sum([None].into_iter()), None);
    }

    #[test]
    fn describes_any_machine() {
        assert!(processors() >= 1);
        assert_eq!(facts()[0].0, "processors");
        assert!(!operating_system().is_empty());
    }

    /// A measurement is a difference of two readings, and threads end between them.
    #[cfg(unix)]
    #[test]
    fn the_time_of_ended_threads_counts() {
        let before = process_time().unwrap();
        let worked = std::thread::spawn(|| {
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_millis(20) {}
            process_time().unwrap()
        })
        .join()
        .unwrap();
        assert!(before < worked && worked <= process_time().unwrap());
    }
}
