//! A checker for the layout of a payload.

use crate::payload::Payload;
use crate::protocol::{Protocol, Xor, cluster_of};
use core::fmt;

/// What [`check_layout`] measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Pairs of different values that were torn.
    pub pairs: u64,
    /// How many of them still belong to their cluster. The others are dead: no probe can find them.
    pub alive: u64,
}

/// What is wrong with a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// This sample, by its number, does not survive packing and unpacking.
    Changed(usize),
    /// These two samples are different but pack to the same bits.
    Alike(usize, usize),
    /// There are no two different samples.
    NoPairs,
    /// More than one torn pair in a hundred stays in its cluster: the bits in which values differ
    /// are too far down.
    Weak(Layout),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(sample) => write!(f, "sample {sample} is not the same when unpacked"),
            Self::Alike(one, other) => {
                write!(f, "samples {one} and {other} differ but have the same bits")
            }
            Self::NoPairs => write!(f, "no two samples are different"),
            Self::Weak(Layout { pairs, alive }) => {
                write!(f, "{alive} of {pairs} torn pairs stay in their cluster, not 1 in 100")
            }
        }
    }
}

impl core::error::Error for LayoutError {}

/// How many partners each sample is torn with.
const PARTNERS: usize = 16;

/// Checks how a type of payload lays out its bits, on samples such as the program will store: put
/// it into a test. `clusters` is the size of the table, 16384 for each mebibyte.
///
/// It fails if a sample does not survive [`pack`](Payload::pack) and [`unpack`](Payload::unpack),
/// if two different samples have the same bits, or if *torn pairs* (the check word of one entry,
/// the data word of another) stay in their cluster too often. A pair that stays weighs like one
/// more foreign entry, and its slot is not recognised as dead: see [`Payload`].
///
/// ```
/// # use megatherium_tt::{Packed, Payload};
/// # #[derive(Clone, Copy, PartialEq)]
/// # struct Steps(u16);
/// # impl Payload for Steps {
/// #     fn pack(self) -> Packed { Packed::new((u64::from(self.0) + 1) << 41) }
/// #     fn unpack(packed: Packed) -> Self { Steps((packed.bits() >> 41) as u16 - 1) }
/// # }
/// let samples: Vec<Steps> = (0..500).map(Steps).collect();
/// assert_eq!(megatherium_tt::check_layout(&samples, 64 << 14)?.alive, 0);
/// # Ok::<(), megatherium_tt::LayoutError>(())
/// ```
pub fn check_layout<V: Payload + PartialEq>(
    samples: &[V],
    clusters: usize,
) -> Result<Layout, LayoutError> {
    if let Some(changed) = samples.iter().position(|&value| V::unpack(value.pack()) != value) {
        return Err(LayoutError::Changed(changed));
    }
    let mut layout = Layout { pairs: 0, alive: 0 };
    for one in 0..samples.len() {
        // Partners near and far, the same in every run.
        let partners = (0..PARTNERS).map(|n| (one + (1 << n)) % samples.len());
        for other in partners.filter(|&other| samples[one] != samples[other]) {
            let [mine, theirs] = [one, other].map(|n| Xor::word(samples[n].pack(), 0));
            if mine == theirs {
                return Err(LayoutError::Alike(one, other));
            }
            let key = mixed(layout.pairs);
            let torn = key ^ mine ^ theirs;
            layout.pairs += 1;
            layout.alive +=
                u64::from(cluster_of::<Xor>(torn, clusters) == cluster_of::<Xor>(key, clusters));
        }
    }
    match layout {
        Layout { pairs: 0, .. } => Err(LayoutError::NoPairs),
        Layout { pairs, alive } if 100 * alive > pairs => Err(LayoutError::Weak(layout)),
        layout => Ok(layout),
    }
}

/// A hash of a number (`SplitMix64`).
pub(crate) fn mixed(number: u64) -> u64 {
    let sum = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (sum ^ sum >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mixer is `SplitMix64`: its first numbers from seed 0.
    #[test]
    fn the_mixer_is_a_known_one() {
        let known = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([0, 1, 2].map(mixed), known);
    }
}
