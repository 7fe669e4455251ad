//! The cluster: four slots that share a cache line.

use crate::payload::Payload;
use crate::policy::{Newcomer, Policy, Resident};
use crate::protocol::{Protocol, cluster_of};
use crate::record::Placement;
use crate::slot::{SLOTS, Slot, Snapshot};
use crate::word::Word;
use core::mem::{align_of, size_of};
use core::sync::atomic::AtomicU64;

/// All the places an entry can be in: four slots in one cache line, so that a probe waits for
/// memory once.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Cluster<W> {
    /// The slots.
    pub slots: [Slot<W>; SLOTS],
}

// One cluster is one cache line, no more and no less. `Lines` keeps them aligned in memory.
const _: () =
    assert!(size_of::<Cluster<AtomicU64>>() == 64 && align_of::<Cluster<AtomicU64>>() == 64);

impl<W: Word> Cluster<W> {
    /// Four empty slots.
    pub(crate) fn new() -> Self {
        Self { slots: core::array::from_fn(|_| Slot::new()) }
    }

    /// The first slot that holds the entry of `key`, and the data word seen there.
    #[inline]
    pub(crate) fn find<X: Protocol>(&self, key: u64) -> Option<(usize, u64)> {
        find_in::<X>(key, |slot| self.slots[slot].read::<X>())
    }

    /// Stores a word stamped with the current generation, if the policy finds room for it: eight
    /// loads, then two stores or none. `clusters` is the size of the table: it tells which keys
    /// belong here.
    #[inline(always)]
    pub(crate) fn store<V: Payload, P: Policy<V>, X: Protocol>(
        &self,
        key: u64,
        new: u64,
        clusters: usize,
        policy: P,
    ) -> Placement {
        let seen: [Snapshot; SLOTS] = core::array::from_fn(|slot| self.slots[slot].read::<X>());
        let newcomer = Newcomer::new(X::packed(new), key as usize % SLOTS);
        let (slot, word, placement) =
            if let Some((slot, known)) = find_in::<X>(key, |slot| seen[slot]) {
                if !policy.updates(newcomer, resident::<V, X>(known, X::generation(new))) {
                    return Placement::Kept;
                }
                (slot, X::merge::<V, W>(&self.slots[slot], new, known), Placement::Updated)
            } else {
                let generation = X::generation(new);
                let (slot, placement) =
                    make_room::<V, P, X>(&seen, key, newcomer, generation, clusters, policy);
                if placement == Placement::Declined {
                    return placement;
                }
                (slot, new, placement)
            };
        self.slots[slot].write::<X>(key, word);
        placement
    }

    /// Empties the cluster.
    #[inline]
    pub(crate) fn erase<X: Protocol>(&self) {
        for slot in &self.slots {
            X::erase(slot);
        }
    }

    /// The entries, as a policy sees them.
    pub(crate) fn residents<V: Payload, X: Protocol>(
        &self,
        generation: u64,
    ) -> impl Iterator<Item = Resident<V>> + '_ {
        let words = self.slots.iter().map(|slot| slot.read::<X>().data);
        words
            .filter(|&word| X::is_occupied(word))
            .map(move |word| resident::<V, X>(word, generation))
    }
}

/// The first slot that holds the entry of `key`, and the data word that `see` saw there.
///
/// All four are compared, and the answer is put together by conditional moves: whether and where a
/// key is found is close to random, and a loop that stops early would be mispredicted on most
/// probes.
///
/// Occupancy is tested once, of the slot that matched; no match is the same as a match of an empty
/// slot. An empty slot matches the key that equals its check word (key 0, unless the slot is half
/// written) and could hide a later one that holds it. With key 0 that happens only while the store
/// that filled it is not visible yet: empty slots are filled from the first on, so the entry comes
/// first. With another key it takes a coincidence of a check word with a key. Either way it is a
/// miss, not a wrong entry.
#[inline]
fn find_in<X: Protocol>(key: u64, see: impl Fn(usize) -> Snapshot) -> Option<(usize, u64)> {
    let mut found = (SLOTS - 1, 0);
    for slot in (0..SLOTS).rev() {
        let seen = see(slot);
        found = if X::is_of(seen, key) { (slot, seen.data) } else { found };
    }
    X::is_occupied(found.1).then_some(found)
}

/// The slot for an entry whose key is not here yet, and what becomes of that slot.
#[inline(always)]
fn make_room<V: Payload, P: Policy<V>, X: Protocol>(
    seen: &[Snapshot; SLOTS],
    key: u64,
    newcomer: Newcomer<V>,
    generation: u64,
    clusters: usize,
    policy: P,
) -> (usize, Placement) {
    let cluster = cluster_of::<X>(key, clusters);
    let mut dead = 0;
    let mut worth = [0; SLOTS];
    for slot in 0..SLOTS {
        if !X::is_occupied(seen[slot].data) {
            // A table in use is full: the branch is predicted.
            return (X::choose(1 << slot, worth), Placement::Filled);
        }
        dead |= u32::from(X::is_dead(seen[slot], cluster, clusters)) << slot;
        worth[slot] = policy.worth(resident::<V, X>(seen[slot].data, generation), newcomer, slot);
    }
    let slot = X::choose(dead, worth);
    let victim = resident::<V, X>(seen[slot].data, generation);
    let placement = match () {
        () if dead != 0 => Placement::Healed,
        () if !policy.admits(newcomer, victim) => Placement::Declined,
        () if victim.age != 0 => Placement::ReplacedOld,
        () => Placement::ReplacedCurrent,
    };
    (slot, placement)
}

#[inline]
fn resident<V: Payload, X: Protocol>(word: u64, generation: u64) -> Resident<V> {
    Resident::new(X::packed(word), X::age(word, generation))
}
