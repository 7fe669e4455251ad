//! The keys every table sees: uniform draws from a fixed set, already hashed, as Zobrist keys are.

/// The one multiplier of this file: odd, with its bits well scattered. One constant for everything
/// keeps registers free for the table under test.
const MULTIPLIER: u64 = 0xD6E8_FEB8_6659_FD93;

/// The set of keys a table is loaded with and asked for.
#[derive(Clone, Copy, Debug)]
pub struct Universe {
    /// How many different keys there are.
    pub len: u64,
}

impl Universe {
    /// Half as many keys as a table of 16-byte slots of that size has slots.
    pub fn half_of(mebibytes: usize) -> Self {
        Self { len: (mebibytes as u64) << 15 }
    }
}

/// The key with a given number. The numbers below `len` make up a universe; the mixing is a
/// bijection, so all others are foreign to it.
#[inline(always)]
pub fn key_of(number: u64) -> u64 {
    mix(number + 1)
}

/// An endless stream of keys drawn from a universe, different for each seed.
pub struct Keys {
    universe: Universe,
    state: u64,
}

impl Keys {
    /// The stream with a given seed.
    pub fn new(universe: Universe, seed: u64) -> Self {
        Self { universe, state: mix(seed + 1) }
    }

    /// The next key.
    #[inline(always)]
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(MULTIPLIER);
        // Both halves of a wide product folded together are random enough to pick a number; the key
        // itself gets the full mixing.
        let wide = u128::from(self.state) * u128::from(self.state ^ MULTIPLIER);
        let draw = (wide >> 64) as u64 ^ wide as u64;
        let number = ((u128::from(draw) * u128::from(self.universe.len)) >> 64) as u64;
        key_of(number)
    }
}

/// A bijection of 64 bits whose every output bit depends on every input bit.
#[inline(always)]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(MULTIPLIER);
    let x = (x ^ (x >> 32)).wrapping_mul(MULTIPLIER);
    x ^ (x >> 32)
}

/// What is stored under a key: move 16, score 16, static evaluation 16 and depth 6 bits, lowest
/// first.
///
/// A function of the key, so that whoever reads it back can tell right from wrong. Bit 0 is set:
/// the move is never "none".
#[inline(always)]
pub fn value_of(key: u64) -> u64 {
    (key.wrapping_mul(MULTIPLIER) >> 10) | 1
}

/// The bits of a value that every table gives back: move and score.
pub const MOVE_AND_SCORE: u64 = 0xFFFF_FFFF;
