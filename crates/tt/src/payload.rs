//! What a table remembers: values of up to 58 bits.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU64;

/// The bits of a value as the table keeps them: a number from 1 to 2⁵⁸ − 1.
///
/// ```text
///  63                                                             6 5          0
/// ┌────────────────────────────────────────────────────────────────┬────────────┐
/// │ the 58 bits of the payload, never all zero                     │ generation │  one word
/// └────────────────────────────────────────────────────────────────┴────────────┘
///   ◄── bit 57 of the payload: the key bits up here choose the cluster
/// ```
///
/// Zero is what an empty slot holds, so a payload must not be zero. A type that uses all its values
/// stores them plus one, or sets a bit that it has to spare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Packed(u64);

impl Packed {
    /// How many bits there are.
    pub const BITS: u32 = 58;

    /// Takes the bits of a value.
    ///
    /// # Panics
    ///
    /// If they are all zero, or if there are more than 58. Where the compiler can see the widths of
    /// the fields, nothing is left of this check in the compiled code.
    #[inline]
    pub const fn new(bits: u64) -> Self {
        assert!(bits != 0, "a payload must not be zero: that is an empty slot");
        assert!(bits >> Self::BITS == 0, "a payload has at most 58 bits");
        Self::stored(bits)
    }

    /// The bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Bits that were in the table.
    #[inline]
    pub(crate) const fn stored(bits: u64) -> Self {
        Self(bits)
    }
}

/// A value that a [`Table`](crate::Table) can hold: anything that fits into 58 bits.
///
/// ```
/// use megatherium_tt::{Packed, Payload};
///
/// /// How many steps a number takes to reach one.
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Steps(u16);
///
/// impl Payload for Steps {
///     fn pack(self) -> Packed {
///         // On top, where it tells values apart; plus one, so that it is not zero.
///         Packed::new((u64::from(self.0) + 1) << 41)
///     }
///
///     fn unpack(packed: Packed) -> Self {
///         Steps((packed.bits() >> 41) as u16 - 1)
///     }
///
///     // Long sequences cost more to compute again.
///     fn rank(packed: Packed) -> i32 {
///         i32::from(Self::unpack(packed).0)
///     }
/// }
/// # assert_eq!(Steps::unpack(Steps(7).pack()), Steps(7));
/// ```
///
/// # Where the bits go
///
/// If a reader catches one word of one entry and the other word of another (a *torn* pair), the
/// pair belongs to the key `k ^ p₁ ^ p₂`. The high bits of a key choose its cluster. As long as the
/// two payloads differ in their high bits, that key lives in another cluster: no probe of this one
/// can accept the pair, and a store recognises the slot as dead and reuses it. So the bits that
/// differ most from one value to the next belong at the top, and what most values share at the
/// bottom. A payload that ignores this is still correct, but its torn pairs weigh like foreign
/// keys, and dead slots stay unnoticed. [`check_layout`](crate::check_layout) measures it; put it
/// into a test.
///
/// The payload must not depend on the key: what the table verifies is `key ^ payload`.
pub trait Payload: Copy + 'static {
    /// The bits of this value. The same bits must always mean the same value.
    fn pack(self) -> Packed;

    /// The value of these bits, which came from [`pack`](Payload::pack) or
    /// [`merge`](Payload::merge).
    ///
    /// It is called when somebody asks for the value ([`Hit::get`]), not when it is found. If it is
    /// inlined, a caller who needs one field pays for one field.
    fn unpack(packed: Packed) -> Self;

    /// How much it costs to lose this value, for [`ByRank`](crate::ByRank) and other policies: the
    /// depth of a search, the size of a subtree. 0 for all values unless this is implemented.
    #[inline]
    fn rank(packed: Packed) -> i32 {
        let _ = packed;
        0
    }

    /// What is stored when the key is already known: by default the new value. A search that found
    /// no best move keeps the known one here.
    #[inline]
    fn merge(new: Packed, known: Packed) -> Packed {
        let _ = known;
        new
    }
}

/// What a probe found: the bits of a value, unpacked when it is asked for.
///
/// An `Option<Hit>` fits into one register. The table never hands out references: another thread
/// may overwrite the slot at any moment.
pub struct Hit<V>(NonZeroU64, PhantomData<fn() -> V>);

impl<V: Payload> Hit<V> {
    /// The value.
    #[inline]
    pub fn get(self) -> V {
        V::unpack(self.packed())
    }

    /// The bits of the value.
    #[inline]
    pub fn packed(self) -> Packed {
        Packed(self.0.get())
    }

    /// A hit of these bits, which are zero only under a mutant.
    #[inline]
    pub(crate) fn of(packed: Packed) -> Option<Self> {
        NonZeroU64::new(packed.0).map(|bits| Self(bits, PhantomData))
    }
}

impl<V> Clone for Hit<V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Hit<V> {}

impl<V: Payload + fmt::Debug> fmt::Debug for Hit<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hit").field(&self.get()).finish()
    }
}
