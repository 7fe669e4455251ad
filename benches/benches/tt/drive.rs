//! Drives a table with a stream of keys and times it.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::clock::thread_cpu_nanos;
use crate::keys::{Keys, MOVE_AND_SCORE, Universe, key_of, value_of};
use crate::tables::Contender;

/// The prefetch distance of the comparisons. Sixteen operations take longer than a memory access,
/// so what remains is the cost of the table; shorter distances leave part of the latency visible.
pub const AHEAD: usize = 16;

/// The four workloads of every table: threads, and operations per store.
pub const USES: [(usize, u32); 4] = [(1, 10), (1, 2), (2, 10), (2, 2)];

/// Longest prefetch distance.
const FARTHEST: usize = 32;

/// How the table is used.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Threads working on the table at once.
    pub threads: usize,
    /// One operation in `store_every` is a store, the others are probes.
    pub store_every: u32,
    /// Operations between the prefetch of a key and its use: 0 for no prefetch, else a power of
    /// two.
    pub ahead: usize,
    /// Operations of each thread.
    pub operations: u64,
}

impl Workload {
    /// The same workload with another prefetch distance.
    pub fn ahead(self, ahead: usize) -> Self {
        Self { ahead, ..self }
    }
}

/// What one round showed.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// CPU time of an operation, in nanoseconds, averaged over the threads.
    pub nanos: f64,
    /// Share of the probes that found something.
    pub hit_rate: f64,
    /// How many threads ran at once on average: below `threads` where others held a core.
    pub concurrency: f64,
}

/// Runs a workload once. Each round draws other keys.
pub fn run<T: Contender>(table: &T, universe: Universe, work: Workload, round: u64) -> Sample {
    let start = Barrier::new(work.threads);
    let began = Instant::now();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let workers: Vec<_> = (0..work.threads as u64)
            .map(|thread| {
                let start = &start;
                scope.spawn(move || {
                    let keys = Keys::new(universe, round << 8 | thread);
                    start.wait();
                    if work.ahead == 0 {
                        churn::<T, false>(table, keys, work)
                    } else {
                        churn::<T, true>(table, keys, work)
                    }
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("the worker ran")).collect()
    });
    let wall = began.elapsed();
    let nanos = tallies.iter().map(|tally| tally.nanos).sum::<u64>() as f64;
    let probes: u64 = tallies.iter().map(|tally| tally.probes).sum();
    let hits: u64 = tallies.iter().map(|tally| tally.hits).sum();
    Sample {
        nanos: nanos / (work.operations * work.threads as u64) as f64,
        hit_rate: hits as f64 / probes as f64,
        concurrency: nanos / wall.as_nanos() as f64,
    }
}

/// What one thread counted.
struct Tally {
    nanos: u64,
    probes: u64,
    hits: u64,
}

/// The loop that is timed. Stores come at regular intervals: a random choice would charge every
/// table, and the limit most of all, with mispredicted branches that are the loop's own.
#[inline(never)]
fn churn<T: Contender, const PREFETCH: bool>(table: &T, mut keys: Keys, work: Workload) -> Tally {
    let mut pending = [0; FARTHEST];
    for place in &mut pending[..work.ahead] {
        *place = keys.draw();
        table.prefetch(*place);
    }
    let last = work.ahead.wrapping_sub(1) % FARTHEST;
    let mut turn = 0;
    // Draws a key, and hands out the one drawn `ahead` calls before.
    let mut next = || {
        let drawn = keys.draw();
        if !PREFETCH {
            return drawn;
        }
        table.prefetch(drawn);
        turn = (turn + 1) & last;
        std::mem::replace(&mut pending[turn], drawn)
    };
    let (mut probes, mut hits, mut sum) = (0, 0, 0);
    let began = thread_cpu_nanos();
    for _ in 0..work.operations / u64::from(work.store_every) {
        let key = next();
        store(table, key, value_of(key));
        for _ in 1..work.store_every {
            if let Some(found) = probe(table, next()) {
                hits += 1;
                sum ^= found;
            }
        }
        probes += u64::from(work.store_every) - 1;
    }
    let nanos = thread_cpu_nanos() - began;
    black_box(sum);
    Tally { nanos, probes, hits }
}

/// Every table is called, none is inlined: which of them the compiler would choose to inline, and
/// how that suits the registers of the loop, says nothing about tables.
#[inline(never)]
fn probe<T: Contender>(table: &T, key: u64) -> Option<u64> {
    table.probe(key)
}

/// Not inlined either, for the same reason.
#[inline(never)]
fn store<T: Contender>(table: &T, key: u64, value: u64) {
    table.store(key, value);
}

/// Correctness of a table's answers, checked outside the timed loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Audit {
    /// Probes made for keys that were stored, and as many for keys that never were.
    pub probes: u64,
    /// Hits whose value was not the one stored for the key.
    pub wrong_values: u64,
    /// Hits for keys that were never stored.
    pub false_hits: u64,
}

/// Checks values and looks for false hits, untimed.
pub fn audit<T: Contender>(table: &T, universe: Universe, probes: u64) -> Audit {
    let mut keys = Keys::new(universe, u64::MAX);
    let mut audit = Audit { probes, ..Audit::default() };
    for number in 0..probes {
        let key = keys.draw();
        if let Some(value) = table.probe(key) {
            audit.wrong_values += u64::from((value ^ value_of(key)) & MOVE_AND_SCORE != 0);
        }
        audit.false_hits += u64::from(table.probe(key_of(universe.len + number)).is_some());
    }
    audit
}
