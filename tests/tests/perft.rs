//! Perft suites: leaf counts of many positions, known from other programs.
//!
//! `cargo test -p megatherium-tests --test perft --release -- --ignored` counts the deep entries.

mod rules_support;

use std::sync::atomic::AtomicBool;

use megatherium_board::epd::Epd;
use megatherium_board::perft::{divide, perft_full};
use rules_support::shared;

/// Entries up to here belong to the ordinary run.
const SHALLOW: u64 = 5_000_000;
/// Entries up to here are also counted with every move made.
const PLAYED_OUT: u64 = 100_000;

/// Counts the entries of a suite whose size is wanted. Returns how many there were.
fn count_suite(suite: &str, wanted: impl Fn(u64) -> bool) -> usize {
    let mut entries = 0;
    for line in suite.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let epd: Epd = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        for operation in &epd.operations {
            let depth = operation.opcode.strip_prefix('D').and_then(|depth| depth.parse().ok());
            let count = operation.operands.first().and_then(|count| count.parse().ok());
            let (Some(depth), Some(count)) = (depth, count) else {
                panic!("not a perft entry in {line}: {operation:?}");
            };
            if !wanted(count) {
                continue;
            }
            entries += 1;
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let moves = divide(&epd.board, depth, threads, &AtomicBool::new(false)).unwrap();
            let leaves: u64 = moves.iter().map(|(_, leaves)| leaves).sum();
            assert_eq!(leaves, count, "depth {depth} of {line}");
            if count <= PLAYED_OUT {
                assert_eq!(
                    perft_full(&epd.board, depth),
                    count,
                    "depth {depth} of {line}, played out"
                );
            }
        }
    }
    entries
}

const STANDARD: &str = include_str!("../data/perft-standard.epd");
const CHESS960: &str = include_str!("../data/perft-chess960.epd");

#[test]
fn standard() {
    assert!(count_suite(STANDARD, |count| count <= SHALLOW) > 100);
}

#[test]
fn chess960() {
    assert!(count_suite(CHESS960, |count| count <= SHALLOW) > 100);
}

#[test]
#[ignore = "two billion nodes"]
fn deep() {
    assert!(count_suite(STANDARD, |count| count > SHALLOW) > 20);
    assert!(count_suite(CHESS960, |count| count > SHALLOW) > 10);
}

#[test]
fn shared_suites() {
    for name in ["epd/perft-standard.epd", "epd/perft-chess960.epd"] {
        if let Some(suite) = shared(name) {
            let entries = count_suite(&suite, |count| count <= SHALLOW);
            println!("{name}: {entries} entries");
            assert!(entries > 100);
        }
    }
}

#[test]
#[ignore = "268 billion nodes: half an hour or more"]
fn shared_suites_deep() {
    for name in ["epd/perft-standard.epd", "epd/perft-chess960.epd"] {
        if let Some(suite) = shared(name) {
            println!("{name}: {} entries", count_suite(&suite, |count| count > SHALLOW));
        }
    }
}
