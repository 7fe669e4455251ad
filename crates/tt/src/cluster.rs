//! The cluster: four slots that share a cache line.

use crate::entry::Data;
use crate::policy::{Newcomer, Policy, Resident};
use crate::protocol::Protocol;
use crate::record::Placement;
use crate::slot::{Slot, Snapshot};
use crate::word::Word;
use core::hint::select_unpredictable;
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
    /// The packed entry, stamped with the current generation; and what the policy is told of it.
    pub data: Data,
    pub newcomer: Newcomer,
    /// The number of this cluster, and of all.
    pub cluster: usize,
    pub clusters: usize,
    /// The current generation.
    pub generation: u64,
}

/// Where a store looks for room before it evicts anyone, the most welcome first. A set of such slots is a word with a bit at
/// `way * SLOTS + slot` for each: its lowest bit is the best one.
const SAME_POSITION: u32 = 0;
const EMPTY: u32 = 1;
const DEAD: u32 = 2;

impl<W: Word> Cluster<W> {
    /// Four empty slots.
    pub(crate) fn new() -> Self {
        Self { slots: core::array::from_fn(|_| Slot::new()) }
    }

    /// The first slot that holds the entry of `key`, and what was seen there.
    ///
    /// All four slots are read and compared, and the answer is put together by conditional moves: whether and where a position
    /// is found is close to random, and a loop that stops early would be mispredicted on most probes.
    ///
    /// Whether the slot is occupied is asked once, of the one that matched; a search that matched nothing comes to the same as one that
    /// matched an empty slot. An empty slot matches key 0 and could hide a later one that holds it, but never does: empty
    /// slots are filled from the first on, so the entry comes first.
    #[inline]
    pub(crate) fn find<X: Protocol>(&self, key: u64) -> Option<(usize, Snapshot)> {
        let seen = self.read::<X>();
        let mut found = (0, Snapshot::default());
        for slot in (0..SLOTS).rev() {
            found = select_unpredictable(X::is_of(seen[slot], key), (slot, seen[slot]), found);
        }
        X::is_occupied(found.1.data).then_some(found)
    }

    /// Stores an entry, if the policy finds room for it: eight loads, then two stores or none.
    #[inline]
    pub(crate) fn store<P: Policy, X: Protocol>(&self, request: Request) -> Placement {
        let Request { key, data: new, newcomer, cluster, clusters, generation } = request;
        let seen = self.read::<X>();
        let mut room = 0u32;
        let mut worth = [0; SLOTS];
        for slot in 0..SLOTS {
            let (seen, bit) = (seen[slot], |way: u32| way as usize * SLOTS + slot);
            let is_occupied = X::is_occupied(seen.data);
            room |= u32::from(is_occupied & X::is_of(seen, key)) << bit(SAME_POSITION);
            room |= u32::from(!is_occupied) << bit(EMPTY);
            room |= u32::from(X::is_dead(seen, cluster, clusters)) << bit(DEAD);
            worth[slot] = P::worth(resident::<X>(seen.data, generation), newcomer, slot);
        }
        let chosen = X::choose(room, worth);
        let (slot, victim) = (&self.slots[chosen], seen[chosen]);
        let resident = resident::<X>(victim.data, generation);

        let (data, placement) = match room.trailing_zeros() / SLOTS as u32 {
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

    /// Copies all eight words.
    #[inline]
    fn read<X: Protocol>(&self) -> [Snapshot; SLOTS] {
        core::array::from_fn(|slot| self.slots[slot].read::<X>())
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

#[inline]
fn resident<X: Protocol>(data: Data, generation: u64) -> Resident {
    Resident { depth: data.depth(), age: X::age(data, generation), bound: data.bound() }
}
