//! The cluster: four slots that share a cache line.

use crate::entry::Data;
use crate::policy::{Newcomer, Policy, Resident};
use crate::protocol::Protocol;
use crate::record::Placement;
use crate::slot::{Slot, Snapshot};
use crate::word::Word;
use core::sync::atomic::AtomicU64;

/// The slots of a cluster.
pub const SLOTS: usize = 4;

/// All the places an entry can be in: four slots in one cache line, so that a probe waits for memory once.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Cluster<W> {
    pub(crate) slots: [Slot<W>; SLOTS],
}

// One cluster is one cache line, no more and no less. `Lines` keeps them aligned in memory.
const _: () = assert!(size_of::<Cluster<AtomicU64>>() == 64 && align_of::<Cluster<AtomicU64>>() == 64);

/// Who wants to store, and where: what the choice of a slot depends on beside the cluster itself.
#[derive(Clone, Copy)]
pub struct Request {
    pub key: u64,
    pub newcomer: Newcomer,
    /// The number of this cluster, and of all.
    pub cluster: usize,
    pub clusters: usize,
    /// The current generation.
    pub generation: u64,
}

/// Ranks below the worth of any live entry: the order in which a store looks for room.
const SAME_POSITION: i32 = i16::MIN as i32 - 3;
const EMPTY: i32 = SAME_POSITION + 1;
const DEAD: i32 = SAME_POSITION + 2;

impl<W: Word> Cluster<W> {
    /// Four empty slots.
    pub(crate) fn new() -> Self {
        Self { slots: core::array::from_fn(|_| Slot::new()) }
    }

    /// The first slot that holds the entry of `key`, and what was seen there.
    ///
    /// All four slots are read and compared, and the answer is put together by conditional moves: whether and where a position is found
    /// is close to random, and a loop that stops early would be mispredicted on most probes.
    #[inline]
    pub(crate) fn find<X: Protocol>(&self, key: u64) -> Option<(usize, Snapshot)> {
        let mut found = (SLOTS, Snapshot::default());
        for slot in (0..SLOTS).rev() {
            let seen = self.slots[slot].read::<X>();
            if X::is_of(seen, key) & X::is_occupied(seen.data) {
                found = (slot, seen);
            }
        }
        (found.0 != SLOTS).then_some(found)
    }

    /// Stores an entry, if the policy finds room for it: eight loads, then two stores or none.
    #[inline]
    pub(crate) fn store<P: Policy, X: Protocol>(&self, request: Request) -> Placement {
        let Request { key, newcomer, generation, .. } = request;
        let seen: [Snapshot; SLOTS] = core::array::from_fn(|slot| self.slots[slot].read::<X>());
        let ranks = core::array::from_fn(|slot| rank::<P, X>(seen[slot], slot, request));
        let chosen = X::choose(ranks);
        let (slot, victim) = (&self.slots[chosen], seen[chosen]);
        let resident = resident::<X>(victim.data, generation);
        let new = Data::pack(newcomer.entry, generation);

        let (data, placement) = match ranks[chosen] {
            SAME_POSITION if !P::updates(newcomer, resident) => return Placement::Kept,
            SAME_POSITION => (X::merge(slot, new, victim), Placement::Updated),
            EMPTY => (new, Placement::Filled),
            DEAD => (new, Placement::Healed),
            _ if !P::admits(newcomer, resident) => return Placement::Declined,
            _ if resident.age != 0 => (new, Placement::ReplacedOld),
            _ => (new, Placement::ReplacedCurrent),
        };
        slot.write::<X>(key, data);
        placement
    }

    /// Empties the cluster.
    #[inline]
    pub(crate) fn erase<X: Protocol>(&self) {
        for slot in &self.slots {
            slot.erase::<X>();
        }
    }

    /// How many slots hold an entry that was stored or found in this generation.
    pub(crate) fn current<X: Protocol>(&self, generation: u64) -> usize {
        let is_current = |data: Data| X::is_occupied(data) && data.generation() == generation;
        self.slots.iter().filter(|slot| is_current(slot.read::<X>().data)).count()
    }
}

/// How willingly a slot is given to the newcomer: the least rank is taken.
#[inline]
fn rank<P: Policy, X: Protocol>(seen: Snapshot, slot: usize, request: Request) -> i32 {
    let Request { key, newcomer, cluster, clusters, generation } = request;
    let worth = P::worth(resident::<X>(seen.data, generation), newcomer, slot) as i32;
    let rank = if X::is_dead(seen, cluster, clusters) { DEAD } else { worth };
    let rank = if X::is_of(seen, key) { SAME_POSITION } else { rank };
    if X::is_occupied(seen.data) { rank } else { EMPTY }
}

#[inline]
fn resident<X: Protocol>(data: Data, generation: u64) -> Resident {
    Resident { depth: data.depth(), age: X::age(data, generation), bound: data.bound() }
}
