//! The table as a plain cache: four threads look for the number below ten million with the longest
//! Collatz sequence, and share what they have found out.
//!
//! `cargo run --release -p megatherium-tt --example concurrent_cache`
//!
//! What makes the table fit: values are small, keys can be hashed, forgetting costs time but not
//! correctness.

use megatherium_tt::{Packed, Payload, SizeError, Table, check_layout};
use std::thread;

const END: u64 = 10_000_000;
const THREADS: u64 = 4;

/// How many steps a number takes to reach one: n/2 if it is even, 3n + 1 if it is odd.
#[derive(Clone, Copy, PartialEq)]
struct Steps(u16);

impl Payload for Steps {
    fn pack(self) -> Packed {
        // At the top, where it chooses the cluster; plus one, because zero is an empty slot.
        Packed::new((u64::from(self.0) + 1) << (Packed::BITS - 17))
    }

    fn unpack(packed: Packed) -> Self {
        Steps(((packed.bits() >> (Packed::BITS - 17)) - 1) as u16)
    }

    /// Long sequences cost more to compute again.
    fn rank(packed: Packed) -> i32 {
        i32::from(Self::unpack(packed).0)
    }
}

/// Keys must be hashes. This mixing is a bijection, so different numbers have different keys.
fn key(number: u64) -> u64 {
    let x = (number ^ number >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// Looks up every number on the way down to one, and remembers the one it began with.
fn steps(cache: &Table<Steps>, start: u64) -> u16 {
    let (mut number, mut steps) = (start, 0);
    while number != 1 {
        if let Some(hit) = cache.probe(key(number)) {
            steps += hit.get().0;
            break;
        }
        number = if number % 2 == 0 { number / 2 } else { 3 * number + 1 };
        steps += 1;
    }
    cache.store(key(start), Steps(steps));
    steps
}

fn main() -> Result<(), SizeError> {
    // In a real program this belongs in a test.
    let samples: Vec<Steps> = (0..1000).map(Steps).collect();
    println!("torn pairs: {:?}", check_layout(&samples, 64 << 14));

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
        let filled = cache.hashfull();
        println!("{number} takes {steps} steps; {filled} permille of the cache are in use");
    }
    Ok(())
}
