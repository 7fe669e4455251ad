//! Ratios on a busy machine: contestants take turns, and the fastest turn of each counts.

use std::time::{Duration, Instant};

/// How many turns each contestant has.
const ROUNDS: usize = 75;
/// How long a turn is for the first contestant; the others do the same work.
const TURN: Duration = Duration::from_millis(5);

/// One way to do the work. It returns what it counted, which must be the same for all.
pub struct Contestant<'a> {
    name: &'static str,
    work: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a> Contestant<'a> {
    /// A contestant of a name.
    pub fn new(name: &'static str, work: impl FnMut() -> u64 + 'a) -> Self {
        Self { name, work: Box::new(work) }
    }
}

/// Several ways to do the same work, compared with the first.
pub struct Contest<'a> {
    title: &'static str,
    operations: Option<u64>,
    contestants: Vec<Contestant<'a>>,
}

impl<'a> Contest<'a> {
    /// A contest without contestants.
    pub fn new(title: &'static str) -> Self {
        Self { title, operations: None, contestants: Vec::new() }
    }

    /// How many operations the work is; without this, as many as it counts.
    #[must_use]
    pub fn per(mut self, operations: u64) -> Self {
        self.operations = Some(operations);
        self
    }

    /// Adds a contestant.
    #[must_use]
    pub fn enter(mut self, contestant: Contestant<'a>) -> Self {
        self.contestants.push(contestant);
        self
    }

    /// Runs all rounds and prints a table: nanoseconds per operation, and the ratio to the first.
    pub fn run(mut self) {
        let mut counted = None;
        let mut turn = |contestant: &mut Contestant<'_>, repeats: u32| {
            let start = processor_time();
            for _ in 0..repeats {
                let count = (contestant.work)();
                assert_eq!(
                    *counted.get_or_insert(count),
                    count,
                    "{} counts differently",
                    contestant.name
                );
            }
            processor_time().saturating_sub(start)
        };
        let mut repeats = 1;
        if let Some(first) = self.contestants.first_mut() {
            while turn(first, repeats) < TURN {
                repeats *= 2;
            }
        }
        let mut fastest = vec![Duration::MAX; self.contestants.len()];
        for _ in 0..ROUNDS {
            for (contestant, fastest) in self.contestants.iter_mut().zip(&mut fastest) {
                *fastest = (*fastest).min(turn(contestant, repeats));
            }
        }
        println!("{}", self.title);
        let operations =
            (self.operations.or(counted).unwrap_or(1).max(1) * u64::from(repeats)) as f64;
        for (contestant, time) in self.contestants.iter().zip(&fastest) {
            println!(
                "    {:<24} {:>8.2} ns   {:>5.2}x",
                contestant.name,
                time.as_nanos() as f64 / operations,
                time.as_secs_f64() / fastest[0].as_secs_f64(),
            );
        }
    }
}

/// How long this thread has been on a processor, where the system tells; otherwise the time of day.
fn processor_time() -> Duration {
    // The kernel brings the account up to date when a thread yields.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = account.and_then(|text| text.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) if nanoseconds > 0 => Duration::from_nanos(nanoseconds),
        _ => {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed()
        }
    }
}
