//! Which entry is evicted: replacement policies.

use crate::payload::{Packed, Payload};
use core::marker::PhantomData;

/// An entry in the table, as a policy sees it.
pub struct Resident<V> {
    packed: Packed,
    /// How many generations ago it was stored or last found: 0 is the current one, 63 the most.
    pub age: i32,
    _value: PhantomData<fn() -> V>,
}

/// The value to be stored, as a policy sees it.
pub struct Newcomer<V> {
    packed: Packed,
    /// A slot, 0 to 3, drawn from bits of the key that had no part in choosing the cluster.
    pub lot: usize,
    _value: PhantomData<fn() -> V>,
}

impl<V: Payload> Resident<V> {
    /// A resident, for trying a policy out.
    #[inline]
    pub fn new(packed: Packed, age: i32) -> Self {
        Self { packed, age, _value: PhantomData }
    }

    /// Its value.
    #[inline]
    pub fn get(&self) -> V {
        V::unpack(self.packed)
    }

    /// Its [rank](Payload::rank).
    #[inline]
    pub fn rank(&self) -> i32 {
        V::rank(self.packed)
    }
}

impl<V: Payload> Newcomer<V> {
    /// A newcomer, for trying a policy out.
    #[inline]
    pub fn new(packed: Packed, lot: usize) -> Self {
        Self { packed, lot, _value: PhantomData }
    }

    /// Its value.
    #[inline]
    pub fn get(&self) -> V {
        V::unpack(self.packed)
    }

    /// Its [rank](Payload::rank).
    #[inline]
    pub fn rank(&self) -> i32 {
        V::rank(self.packed)
    }
}

impl<V> Clone for Resident<V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Resident<V> {}

impl<V> Clone for Newcomer<V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Newcomer<V> {}

/// How to choose between entries when there is not room for all.
///
/// Some decisions are not up to a policy. A new value first goes to the slot of its own key, then
/// to an empty slot, then to a dead one, and only then is a live entry of another key evicted. A
/// policy answers the questions that are left. Every answer is a pure function of the policy and
/// its arguments, so policies can be compared on recorded probes and stores. Most policies are
/// types without data; one that is chosen at run time is an `enum`.
pub trait Policy<V: Payload>: Copy + Default + Send + Sync + 'static {
    /// What it is worth to keep `resident`, an entry of another key in this `slot` (0 to 3). The
    /// entry of least worth is evicted, the first of several. Within ±2²⁸.
    fn worth(&self, resident: Resident<V>, newcomer: Newcomer<V>, slot: usize) -> i32;

    /// Whether the entry of least worth is evicted at all. If not, the newcomer is not stored.
    #[inline]
    fn admits(&self, newcomer: Newcomer<V>, victim: Resident<V>) -> bool {
        let _ = (newcomer, victim);
        true
    }

    /// Whether the newcomer takes the place of `known`, an entry of the same key.
    #[inline]
    fn updates(&self, newcomer: Newcomer<V>, known: Resident<V>) -> bool {
        let _ = (newcomer, known);
        true
    }
}

/// The default policy: evicts the least of [rank](Payload::rank) − `PENALTY` · age.
///
/// One generation of age weighs as much as `PENALTY` ranks: costly values survive for a few
/// generations, useless ones do not survive for ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByRank<const PENALTY: i32 = 8>;

impl<V: Payload, const PENALTY: i32> Policy<V> for ByRank<PENALTY> {
    #[inline]
    fn worth(&self, resident: Resident<V>, _: Newcomer<V>, _: usize) -> i32 {
        resident.rank() - PENALTY * resident.age
    }
}
