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

/// Where a store looks for room before it evicts anyone, the most welcome first. A set of such slots is a
/// word with a bit at `way * SLOTS + slot` for each: its lowest bit is the best one.
const EMPTY: u32 = 0;
const DEAD: u32 = 1;

impl<W: Word> Cluster<W> {
    /// Four empty slots.
    pub(crate) fn new() -> Self {
        Self { slots: core::array::from_fn(|_| Slot::new()) }
    }

    /// The first slot that holds the entry of `key`, and what was seen there.
    #[inline]
    pub(crate) fn find<X: Protocol>(&self, key: u64) -> Option<(usize, Snapshot)> {
        find_in::<X>(key, |slot| self.slots[slot].read::<X>())
    }

    /// Stores an entry stamped with the current generation, if the policy finds room for it: eight loads,
    /// then two stores or none. `clusters` is the size of the table: it tells which keys belong here.
    #[inline]
    pub(crate) fn store<P: Policy, X: Protocol>(&self, key: u64, new: Data, clusters: usize) -> Placement {
        let seen = self.read::<X>();
        let (slot, data, placement) = if let Some((slot, known)) = find_in::<X>(key, |slot| seen[slot]) {
            if !P::updates(newcomer(key, new), resident::<X>(known.data, new.generation())) {
                return Placement::Kept;
            }
            let slot = &self.slots[slot];
            (slot, X::merge(slot, new, known), Placement::Updated)
        } else {
            let (slot, placement) = make_room::<P, X>(seen, key, new, clusters);
            if placement == Placement::Declined {
                return placement;
            }
            (&self.slots[slot], new, placement)
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

    /// What a policy would know about the entries here.
    pub(crate) fn residents<X: Protocol>(&self, generation: u64) -> impl Iterator<Item = Resident> {
        let seen = self.read::<X>().into_iter().map(|seen| seen.data);
        seen.filter(|&data| X::is_occupied(data)).map(move |data| resident::<X>(data, generation))
    }

    /// How many slots hold an entry that was stored or found in this generation.
    pub(crate) fn current<X: Protocol>(&self, generation: u64) -> usize {
        let is_current = |data: Data| X::is_occupied(data) && data.generation() == generation;
        self.slots.iter().filter(|slot| is_current(slot.read::<X>().data)).count()
    }
}

/// The first of four slots that holds the entry of `key`, and what `see` saw there.
///
/// All four are compared, and the answer is put together by conditional moves: whether and where a position
/// is found is close to random, and a loop that stops early would be mispredicted on most probes.
///
/// Whether the slot is occupied is asked once, of the one that matched; a search that matched nothing comes
/// to the same as one that matched an empty slot. An empty slot matches key 0 and could hide a later one that
/// holds it, but does so only while the store that filled it is not visible yet: empty slots are filled from
/// the first on, so the entry comes first.
#[inline]
fn find_in<X: Protocol>(key: u64, see: impl Fn(usize) -> Snapshot) -> Option<(usize, Snapshot)> {
    let mut found = (0, Snapshot::default());
    for slot in (0..SLOTS).rev() {
        let seen = see(slot);
        found = select_unpredictable(X::is_of(seen, key), (slot, seen), found);
    }
    X::is_occupied(found.1.data).then_some(found)
}

/// The slot for an entry whose position is not here yet, and what becomes of that slot.
///
/// Kept out of line, so that a store that finds its position does not pay for judging the others.
#[inline(never)]
fn make_room<P: Policy, X: Protocol>(
    seen: [Snapshot; SLOTS],
    key: u64,
    new: Data,
    clusters: usize,
) -> (usize, Placement) {
    let (cluster, generation) = (X::cluster_of(key, clusters), new.generation());
    let newcomer = newcomer(key, new);
    let mut room = 0u32;
    let mut worth = [0; SLOTS];
    for slot in 0..SLOTS {
        let (seen, bit) = (seen[slot], |way: u32| way as usize * SLOTS + slot);
        room |= u32::from(!X::is_occupied(seen.data)) << bit(EMPTY);
        room |= u32::from(X::is_dead(seen, cluster, clusters)) << bit(DEAD);
        worth[slot] = P::worth(resident::<X>(seen.data, generation), newcomer, slot);
    }
    let slot = X::choose(room, worth);
    let victim = resident::<X>(seen[slot].data, generation);
    let placement = match room.trailing_zeros() / SLOTS as u32 {
        EMPTY => Placement::Filled,
        DEAD => Placement::Healed,
        _ if !P::admits(newcomer, victim) => Placement::Declined,
        _ if victim.age != 0 => Placement::ReplacedOld,
        _ => Placement::ReplacedCurrent,
    };
    (slot, placement)
}

#[inline]
fn newcomer(key: u64, data: Data) -> Newcomer {
    Newcomer { depth: data.depth(), bound: data.bound(), lot: key as usize % SLOTS }
}

#[inline]
fn resident<X: Protocol>(data: Data, generation: u64) -> Resident {
    Resident { depth: data.depth(), age: X::age(data, generation), bound: data.bound() }
}
