//! What a single probe costs when the next one depends on it, and how much of that a prefetch
//! hides.

use std::hint::black_box;

use crate::clock::thread_cpu_nanos;
use crate::keys::{Universe, key_of, mix};
use crate::tables::Contender;

/// Nanoseconds of one step of the chain: know the key, perhaps prefetch, work for a while, probe,
/// and let the answer decide the next key. A search does the same: it knows the key of a move
/// before it makes the move.
pub fn chain<T: Contender>(
    table: &T,
    universe: Universe,
    prefetch: bool,
    work: u32,
    steps: u64,
    seed: u64,
) -> f64 {
    let mut state = mix(seed + 1);
    let began = thread_cpu_nanos();
    for _ in 0..steps {
        let number = ((u128::from(state) * u128::from(universe.len)) >> 64) as u64;
        let key = key_of(number);
        if prefetch {
            table.prefetch(key);
        }
        let worked = busy(state, work);
        let found = table.probe(key).unwrap_or(0);
        state = mix(state ^ found ^ worked);
    }
    let nanos = thread_cpu_nanos() - began;
    black_box(state);
    nanos as f64 / steps as f64
}

/// Arithmetic in four independent lines, so that it fills the core as move generation would: one
/// long line of dependent steps would leave the core free to run ahead to the probe, which no
/// search allows it.
#[inline]
fn busy(seed: u64, units: u32) -> u64 {
    let mut lines = [seed, seed ^ 0x55, seed ^ 0xAA, seed ^ 0xFF];
    for _ in 0..units {
        for line in &mut lines {
            *line = (*line ^ (*line >> 7)).wrapping_add(*line << 3) ^ 0x9E37;
        }
        lines = black_box(lines);
    }
    lines[0] ^ lines[1] ^ lines[2] ^ lines[3]
}
