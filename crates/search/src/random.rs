//! A seeded generator in integer arithmetic: the same numbers on every machine.

/// One step of the `SplitMix64` generator of Steele, Lea and Flood: advances the state and mixes it.
#[inline]
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A number below `limit` from 64 random bits.
#[inline]
pub fn below(bits: u64, limit: u64) -> u64 {
    ((u128::from(bits) * u128::from(limit)) >> 64) as u64
}

/// A generator with a state of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Random {
        let mut state = seed;
        // Neighbouring seeds must not give neighbouring sequences.
        Random(split_mix(&mut state))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        split_mix(&mut self.0)
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        below(self.next_u64(), limit as u64) as usize
    }
}
