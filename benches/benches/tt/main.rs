//! The shared table against the memory it runs on, and against other tables.
//!
//! `cargo bench -p megatherium-benches --bench tt` prints everything in a few minutes; with `--
//! --quick` a rougher and shorter version, with `-- 64` only the tables of 64 MiB (or 1, or 1024).
//! How to read it: `docs/table/09-benchmarks.md`.
#![forbid(unsafe_code)]

mod arena;
mod clock;
mod drive;
mod keys;
mod latency;
mod pages;
mod race;
mod report;
mod tables;

use arena::Arena;

/// How thorough a run is. Many short rounds rather than few long ones: some of them fall between
/// the disturbances of a shared machine, and the fastest is what counts.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rounds of each race.
    rounds: usize,
    /// Operations of each thread in a round.
    operations: u64,
    /// Whether the largest size is for the table and the limit alone: loading the maps with 32
    /// million keys takes longer than everything else.
    skip_large_rivals: bool,
}

impl Plan {
    const FULL: Self = Self { rounds: 35, operations: 250_000, skip_large_rivals: false };
    const QUICK: Self = Self { rounds: 9, operations: 100_000, skip_large_rivals: true };
}

fn main() {
    pages::ask_for_all();
    let plan = if std::env::args().any(|argument| argument == "--quick") {
        Plan::QUICK
    } else {
        Plan::FULL
    };
    report::header(plan);
    let mut goals = report::Goals::default();
    let chosen: Vec<usize> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    for mebibytes in [1, 64, 1024] {
        if !chosen.is_empty() && !chosen.contains(&mebibytes) {
            continue;
        }
        let arena = Arena::new(mebibytes, plan);
        goals.extend(arena.compare());
        arena.distances();
        arena.pages();
        arena.chain();
    }
    goals.print();
}
