//! Mutants: the protocol with one step changed. Each is a mistake one could make, or that somebody has made.
//!
//! Every checker is worth what it catches. [`verdicts`](super::verdicts) runs them all on all of these.

use crate::cluster::SLOTS;
use crate::entry::Data;
use crate::protocol::{Protocol, Xor};
use crate::slot::{Slot, Snapshot};
use crate::word::Word;

/// Stores the key as it is: nothing ties the two words together.
pub(super) enum NoXor {}

impl Protocol for NoXor {
    fn seal(key: u64, _: Data) -> u64 {
        key
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check
    }
}

/// Folds only the lower half of the data into the check word, as with 32-bit signatures.
pub(super) enum LowerHalf {}

impl Protocol for LowerHalf {
    fn seal(key: u64, data: Data) -> u64 {
        key ^ data.payload() & 0xffff_ffff
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ seen.data.payload() & 0xffff_ffff
    }
}

/// Folds only the upper half.
pub(super) enum UpperHalf {}

impl Protocol for UpperHalf {
    fn seal(key: u64, data: Data) -> u64 {
        key ^ data.payload() >> 32 << 32
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ seen.data.payload() >> 32 << 32
    }
}

/// Checks one load of the data word and hands out another.
pub(super) enum DoubleRead {}

impl Protocol for DoubleRead {
    fn checked<W: Word>(slot: &Slot<W>, _: Snapshot) -> Data {
        Data(slot.data.load())
    }
}

/// Compares the upper 16 bits of the key only. They also choose the cluster.
pub(super) enum NarrowCompare {}

impl Protocol for NarrowCompare {
    fn is_of(seen: Snapshot, key: u64) -> bool {
        Self::key_of(seen) >> 48 == key >> 48
    }
}

/// Takes every slot for occupied.
pub(super) enum NoValidBit {}

impl Protocol for NoValidBit {
    fn is_occupied(_: Data) -> bool {
        true
    }
}

/// Leaves the generation in the XOR, and refreshes the data word alone.
pub(super) enum CoveredGeneration {}

impl Protocol for CoveredGeneration {
    fn seal(key: u64, data: Data) -> u64 {
        key ^ data.0
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ seen.data.0
    }
}

/// Leaves the generation out when it stores, but not when it compares.
pub(super) enum UnmaskedCompare {}

impl Protocol for UnmaskedCompare {
    fn is_of(seen: Snapshot, key: u64) -> bool {
        seen.check ^ seen.data.0 == key
    }
}

/// Refreshes by writing both words again.
pub(super) enum PairRefresh {}

impl Protocol for PairRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, seen: Snapshot, generation: u64) {
        Self::write(slot, Snapshot { data: seen.data.with_generation(generation), ..seen });
    }
}

/// Refreshes by a plain store to the data word.
pub(super) enum StoreRefresh {}

impl Protocol for StoreRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, seen: Snapshot, generation: u64) {
        slot.data.store(seen.data.with_generation(generation).0);
    }
}

/// Flips bits of a word in one step, made of exchanges. It gives up some time, for the sake of checkers that let it
/// fail for ever.
fn fetch_xor<W: Word>(word: &W, flip: u64) {
    for _ in 0..3 {
        let value = word.load();
        if word.compare_exchange(value, value ^ flip) {
            break;
        }
    }
}

/// Refreshes by flipping the bits in which the generations differ, whatever they are by now.
pub(super) enum XorRefresh {}

impl Protocol for XorRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, seen: Snapshot, generation: u64) {
        fetch_xor(&slot.data, seen.data.0 ^ seen.data.with_generation(generation).0);
    }
}

/// Leaves the generation in the XOR, and refreshes by flipping bits in both words.
pub(super) enum CoveredXorRefresh {}

impl Protocol for CoveredXorRefresh {
    fn seal(key: u64, data: Data) -> u64 {
        CoveredGeneration::seal(key, data)
    }

    fn key_of(seen: Snapshot) -> u64 {
        CoveredGeneration::key_of(seen)
    }

    fn refresh<W: Word>(slot: &Slot<W>, seen: Snapshot, generation: u64) {
        let flip = seen.data.0 ^ seen.data.with_generation(generation).0;
        fetch_xor(&slot.check, flip);
        fetch_xor(&slot.data, flip);
    }
}

/// Refreshes the entry it finds when it comes to write, which may be another one than it has read.
pub(super) enum BlindRefresh {}

impl Protocol for BlindRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, _: Snapshot, generation: u64) {
        let data = Data(slot.data.load());
        slot.data.compare_exchange(data.0, data.with_generation(generation).0);
    }
}

/// Writes the slot beside the one that was chosen.
pub(super) enum WrongSlot {}

impl Protocol for WrongSlot {
    fn choose(room: u32, worth: [i32; SLOTS]) -> usize {
        (Xor::choose(room, worth) + 1) % SLOTS
    }
}

/// Evicts the least worth, even if there is an empty slot or a dead one.
pub(super) enum SeesNoRoom {}

impl Protocol for SeesNoRoom {
    fn choose(_: u32, worth: [i32; SLOTS]) -> usize {
        Xor::choose(0, worth)
    }
}

/// Does not write the check word of a slot in use, as if its key stayed the same and the XOR did not matter.
pub(super) enum LazyCheck {}

impl Protocol for LazyCheck {
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        if slot.data.load() == 0 {
            slot.check.store(entry.check);
        }
        slot.data.store(entry.data.0);
    }
}

/// Empties the check word and leaves the data.
pub(super) enum HalfErase {}

impl Protocol for HalfErase {
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.check.store(0);
    }
}

/// Judges torn slots by another number of clusters than it stores by, as after a resize it has not heard of.
pub(super) enum StaleIndex {}

impl Protocol for StaleIndex {
    fn is_dead(seen: Snapshot, cluster: usize, clusters: usize) -> bool {
        Self::cluster_of(Self::key_of(seen), 2 * clusters) != cluster
    }
}

/// Does not know a dead slot when it sees one.
pub(super) enum NoHealing {}

impl Protocol for NoHealing {
    fn is_dead(_: Snapshot, _: usize, _: usize) -> bool {
        false
    }
}

/// Lets the generation grow beyond its six bits.
pub(super) enum GenerationOverflow {}

impl Protocol for GenerationOverflow {
    fn next_generation(generation: u64) -> u64 {
        generation + 1
    }
}

/// Takes an entry from before the generation went round for a new one.
pub(super) enum LinearAge {}

impl Protocol for LinearAge {
    fn age(data: Data, generation: u64) -> i32 {
        generation.saturating_sub(data.generation()) as i32
    }
}

/// Forgets the known move when it stores without one.
pub(super) enum LosesTheMove {}

impl Protocol for LosesTheMove {
    fn merge<W: Word>(_: &Slot<W>, new: Data, _: Snapshot) -> Data {
        new
    }
}

/// Takes over the move of whatever the slot holds by now.
pub(super) enum MoveOfAnother {}

impl Protocol for MoveOfAnother {
    fn merge<W: Word>(slot: &Slot<W>, new: Data, _: Snapshot) -> Data {
        new.or_move_of(Data(slot.data.load()))
    }
}

/// Equivalent: the two stores of a write in the other order.
pub(super) enum SwappedStores {}

impl Protocol for SwappedStores {
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        slot.data.store(entry.data.0);
        slot.check.store(entry.check);
    }
}

/// Equivalent: the two loads of a read in the other order.
pub(super) enum SwappedLoads {}

impl Protocol for SwappedLoads {
    fn read<W: Word>(slot: &Slot<W>) -> Snapshot {
        let data = Data(slot.data.load());
        Snapshot { check: slot.check.load(), data }
    }
}

/// Equivalent: the depth bits alone tell an entry from none, as no entry has a depth field of 0.
pub(super) enum OccupiedByDepth {}

impl Protocol for OccupiedByDepth {
    fn is_occupied(data: Data) -> bool {
        data.depth() >= 0
    }
}

/// Empties the data word and leaves the check word. To every thread that is alone with the table it is the
/// same; beside a probe it is even safe, since a slot without data is empty whatever its check word is.
pub(super) enum DataErase {}

impl Protocol for DataErase {
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.data.store(0);
    }
}
