//! The payload of the models: as many fields as 58 bits have room for, of every kind there is.

use megatherium_tt::{Newcomer, Packed, Payload, Policy, Resident};

/// How much a sample knows. It decides, with rank and age, whether one sample replaces another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum Kind {
    /// Nothing but `extra`.
    #[default]
    Empty = 0,
    /// One kind of partial knowledge, like a lower bound.
    Low = 1,
    /// The other kind, like an upper bound.
    High = 2,
    /// All there is to know.
    Exact = 3,
}

/// A value with fields of every kind: two that tell values apart, one that is inherited from the
/// known value of a key, a rank, and two flags.
///
/// ```text
///  57              42 41              26 25              10 9       3   2  1     0
/// ┌──────────────────┬──────────────────┬──────────────────┬─────────┬────┬───────┐
/// │ extra            │ hint             │ value            │ rank+1  │flag│ kind  │
/// └──────────────────┴──────────────────┴──────────────────┴─────────┴────┴───────┘
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Sample {
    /// Tells values apart, on the side that chooses the cluster.
    pub extra: u16,
    /// Inherited if it is 0: see [`Payload::merge`].
    pub hint: u16,
    /// Tells values apart, on the other side.
    pub value: u16,
    /// What it costs to lose it: 0 to 126.
    pub rank: u8,
    /// A single bit.
    pub flag: bool,
    /// Two bits.
    pub kind: Kind,
}

impl Sample {
    const HINT: u64 = 0xffff << 26;

    /// The bits of a sample, at compile time.
    pub const fn bits(self) -> u64 {
        (self.extra as u64) << 42
            | (self.hint as u64) << 26
            | (self.value as u64) << 10
            | (self.rank as u64 + 1) << 3
            | (self.flag as u64) << 2
            | self.kind as u64
    }
}

impl Payload for Sample {
    fn pack(self) -> Packed {
        Packed::new(self.bits())
    }

    fn unpack(packed: Packed) -> Self {
        let bits = packed.bits();
        Self {
            extra: (bits >> 42) as u16,
            hint: (bits >> 26) as u16,
            value: (bits >> 10) as u16,
            rank: Self::rank(packed) as u8,
            flag: bits >> 2 & 1 != 0,
            kind: [Kind::Empty, Kind::Low, Kind::High, Kind::Exact][(bits & 3) as usize],
        }
    }

    fn rank(packed: Packed) -> i32 {
        (packed.bits() >> 3 & 0x7f) as i32 - 1
    }

    fn merge(new: Packed, known: Packed) -> Packed {
        let missing = if new.bits() & Self::HINT == 0 { Self::HINT } else { 0 };
        Packed::new(new.bits() | known.bits() & missing)
    }
}

/// The policy of the models: that of the engine, in these terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep;

impl Policy<Sample> for Keep {
    fn worth(&self, resident: Resident<Sample>, _: Newcomer<Sample>, _: usize) -> i32 {
        resident.rank() - 8 * resident.age
    }

    fn updates(&self, newcomer: Newcomer<Sample>, known: Resident<Sample>) -> bool {
        let (new, old) = (newcomer.get(), known.get());
        let much_less = newcomer.rank() + 4 <= known.rank();
        if much_less && known.age == 0 && new.kind != Kind::Exact {
            return false;
        }
        new.kind != Kind::Empty || old.kind == Kind::Empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::hashed;
    use megatherium_tt::check_layout;

    #[test]
    fn its_own_layout_is_sound() {
        let kinds = [Kind::Empty, Kind::Low, Kind::High, Kind::Exact];
        let samples: Vec<Sample> = (0..4000)
            .map(|number| {
                let bits = hashed(number);
                Sample {
                    extra: bits as u16,
                    hint: (bits >> 16) as u16,
                    value: (bits >> 32) as u16,
                    rank: (bits >> 48) as u8 % 127,
                    flag: bits >> 56 & 1 == 1,
                    kind: kinds[(bits >> 57 & 3) as usize],
                }
            })
            .collect();
        assert_eq!(check_layout(&samples, 16 << 14).map(|layout| layout.pairs > 60_000), Ok(true));
    }
}
