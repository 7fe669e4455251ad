//! Pseudo-random numbers, the same in every run.

/// A hash of a number: different for different numbers, with no pattern left in any of its bits.
pub(crate) fn hashed(number: u64) -> u64 {
    let sum = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (sum ^ sum >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
