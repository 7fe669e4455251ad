//! The table as a plain cache, without any chess: four threads look for the number below ten million with the longest
//! Collatz sequence, and share what they have found out.
//!
//! `cargo run --release -p megatherium-tt --example concurrent_cache`
//!
//! What makes the table fit: values are small, keys can be hashed, forgetting costs time but not correctness.

use megatherium_tt::{Bound, Entry, Table};
use std::thread;

const END: u64 = 10_000_000;
const THREADS: u64 = 4;

/// Keys must be hashes. This mixing is a bijection, so different numbers have different keys.
fn key(number: u64) -> u64 {
    let x = (number ^ number >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// Steps from a number down to one: n/2 if it is even, 3n + 1 if it is odd. Looks up every number on the way, and
/// remembers the one it began with.
fn steps(cache: &Table, start: u64) -> i16 {
    let (mut number, mut steps) = (start, 0);
    while number != 1 {
        if let Some(known) = cache.probe(key(number)) {
            steps += known.score;
            break;
        }
        number = if number.is_multiple_of(2) { number / 2 } else { 3 * number + 1 };
        steps += 1;
    }
    // Depth decides who stays: long sequences are worth more than short ones.
    let depth = (steps / 5) as u8;
    cache.store(key(start), Entry { score: steps, depth, bound: Bound::Exact, ..Entry::default() });
    steps
}

fn main() -> Result<(), megatherium_tt::SizeError> {
    let cache = Table::new(64)?;
    let best = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let cache = &cache;
                let mine = (1 + thread..END).step_by(THREADS as usize);
                scope.spawn(move || mine.map(|number| (steps(cache, number), number)).max())
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok().flatten()).max()
    });
    if let Some((steps, number)) = best {
        println!("{number} takes {steps} steps; {} permille of the cache are in use", cache.hashfull());
    }
    Ok(())
}
