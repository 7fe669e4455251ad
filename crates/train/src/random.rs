//! A seeded generator: the same numbers on every machine, for ever.

/// The `SplitMix64` generator of Steele, Lea and Flood: a counter and a good mixing function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// A generator for a seed. Different seeds give unrelated sequences.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A generator for one purpose out of several under the same seed.
    pub fn stream(seed: u64, purpose: u64) -> Random {
        let mut random = Random(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        random.0 = random.next_u64();
        random
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not zero. The bias is at most `limit` in 2⁶⁴.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Puts a slice into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_fixed() {
        let mut random = Random::new(0);
        assert_eq!(random.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.next_u64(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut items: Vec<usize> = (0..1000).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(i, &item)| i == item));
    }
}
