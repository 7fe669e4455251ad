//! Mutants: the protocol with one step changed. Each is a mistake one could make, or that somebody
//! has made.
//!
//! Every checker is worth what it catches. The module `verdicts` runs them all on all of
//! these.

use megatherium_tt::Payload;
use megatherium_tt::internals::{Protocol, SLOTS, Slot, Snapshot, Word, Xor, cluster_of};

/// Hands the names of all mutants that some checker catches to a macro.
#[cfg(test)]
macro_rules! every_mutant {
    ($use:ident) => {
        $use![
            NoXor,
            LowerHalf,
            UpperHalf,
            DoubleRead,
            NarrowCompare,
            NoValidBit,
            CoveredGeneration,
            UnmaskedCompare,
            PairRefresh,
            StoreRefresh,
            XorRefresh,
            CoveredXorRefresh,
            BlindRefresh,
            WrongSlot,
            SeesNoRoom,
            LazyCheck,
            HalfErase,
            StaleIndex,
            NoHealing,
            GenerationOverflow,
            LinearAge,
            LosesTheHint,
            HintOfAnother,
        ]
    };
}
#[cfg(test)]
pub(crate) use every_mutant;

/// A word with another generation.
fn stamped(word: u64, generation: u64) -> u64 {
    Xor::payload(word) | generation
}

/// Stores the key as it is: nothing ties the two words together.
pub enum NoXor {}

impl Protocol for NoXor {
    fn seal(key: u64, _: u64) -> u64 {
        key
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check
    }
}

/// Folds only the lower half of the data into the check word, as with 32-bit signatures.
pub enum LowerHalf {}

impl Protocol for LowerHalf {
    fn seal(key: u64, data: u64) -> u64 {
        key ^ Self::payload(data) & 0xffff_ffff
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ Self::payload(seen.data) & 0xffff_ffff
    }
}

/// Folds only the upper half.
pub enum UpperHalf {}

impl Protocol for UpperHalf {
    fn seal(key: u64, data: u64) -> u64 {
        key ^ Self::payload(data) >> 32 << 32
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ Self::payload(seen.data) >> 32 << 32
    }
}

/// Checks one load of the data word and hands out another.
pub enum DoubleRead {}

impl Protocol for DoubleRead {
    fn checked<W: Word>(slot: &Slot<W>, _: u64) -> u64 {
        slot.data.load()
    }
}

/// Compares the upper 16 bits of the key only. They also choose the cluster.
pub enum NarrowCompare {}

impl Protocol for NarrowCompare {
    fn is_of(seen: Snapshot, key: u64) -> bool {
        Self::key_of(seen) >> 48 == key >> 48
    }
}

/// Takes every slot for occupied.
pub enum NoValidBit {}

impl Protocol for NoValidBit {
    fn is_occupied(_: u64) -> bool {
        true
    }
}

/// Leaves the generation in the XOR, and refreshes the data word alone.
pub enum CoveredGeneration {}

impl Protocol for CoveredGeneration {
    fn seal(key: u64, data: u64) -> u64 {
        key ^ data
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ seen.data
    }
}

/// Leaves the generation out when it stores, but not when it compares.
pub enum UnmaskedCompare {}

impl Protocol for UnmaskedCompare {
    fn is_of(seen: Snapshot, key: u64) -> bool {
        seen.check ^ seen.data == key
    }
}

/// Refreshes by writing both words again.
pub enum PairRefresh {}

impl Protocol for PairRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, key: u64, seen: u64, generation: u64) {
        let data = stamped(seen, generation);
        Self::write(slot, Snapshot { check: Self::seal(key, data), data });
    }
}

/// Refreshes by a plain store to the data word.
pub enum StoreRefresh {}

impl Protocol for StoreRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, _: u64, seen: u64, generation: u64) {
        slot.data.store(stamped(seen, generation));
    }
}

/// Flips bits of a word in one step, made of exchanges. It eventually gives up, for the sake of
/// checkers that let it fail for ever.
fn fetch_xor<W: Word>(word: &W, flip: u64) {
    for _ in 0..2 {
        let value = word.load();
        if word.compare_exchange(value, value ^ flip) {
            break;
        }
    }
}

/// Refreshes by flipping the bits in which the generations differ, whatever they are by now.
pub enum XorRefresh {}

impl Protocol for XorRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, _: u64, seen: u64, generation: u64) {
        fetch_xor(&slot.data, seen ^ stamped(seen, generation));
    }
}

/// Leaves the generation in the XOR, and refreshes by flipping bits in both words.
pub enum CoveredXorRefresh {}

impl Protocol for CoveredXorRefresh {
    fn seal(key: u64, data: u64) -> u64 {
        CoveredGeneration::seal(key, data)
    }

    fn key_of(seen: Snapshot) -> u64 {
        CoveredGeneration::key_of(seen)
    }

    fn refresh<W: Word>(slot: &Slot<W>, _: u64, seen: u64, generation: u64) {
        let flip = seen ^ stamped(seen, generation);
        fetch_xor(&slot.check, flip);
        fetch_xor(&slot.data, flip);
    }
}

/// Refreshes the entry it finds when it comes to write, which may be another one than it has read.
pub enum BlindRefresh {}

impl Protocol for BlindRefresh {
    fn refresh<W: Word>(slot: &Slot<W>, _: u64, _: u64, generation: u64) {
        let data = slot.data.load();
        slot.data.compare_exchange(data, stamped(data, generation));
    }
}

/// Writes the slot beside the one that was chosen.
pub enum WrongSlot {}

impl Protocol for WrongSlot {
    fn choose(room: u32, worth: [i32; SLOTS]) -> usize {
        (Xor::choose(room, worth) + 1) % SLOTS
    }
}

/// Evicts the least worth, even if there is an empty slot or a dead one.
pub enum SeesNoRoom {}

impl Protocol for SeesNoRoom {
    fn choose(_: u32, worth: [i32; SLOTS]) -> usize {
        Xor::choose(0, worth)
    }
}

/// Does not write the check word of a slot in use, as if its key stayed the same and the XOR did
/// not matter.
pub enum LazyCheck {}

impl Protocol for LazyCheck {
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        if slot.data.load() == 0 {
            slot.check.store(entry.check);
        }
        slot.data.store(entry.data);
    }
}

/// Empties the check word and leaves the data.
pub enum HalfErase {}

impl Protocol for HalfErase {
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.check.store(0);
    }
}

/// Judges torn slots by another number of clusters than it stores by, as after a resize it has not
/// heard of.
pub enum StaleIndex {}

impl Protocol for StaleIndex {
    fn is_dead(seen: Snapshot, cluster: usize, clusters: usize) -> bool {
        cluster_of::<Self>(Self::key_of(seen), 2 * clusters) != cluster
    }
}

/// Does not know a dead slot when it sees one.
pub enum NoHealing {}

impl Protocol for NoHealing {
    fn is_dead(_: Snapshot, _: usize, _: usize) -> bool {
        false
    }
}

/// Lets the generation grow beyond its six bits.
pub enum GenerationOverflow {}

impl Protocol for GenerationOverflow {
    fn next_generation(generation: u64) -> u64 {
        generation + 1
    }
}

/// Takes an entry from before the generation went round for a new one.
pub enum LinearAge {}

impl Protocol for LinearAge {
    fn age(word: u64, generation: u64) -> i32 {
        generation.saturating_sub(Self::generation(word)) as i32
    }
}

/// Forgets the known hint when it stores without one.
pub enum LosesTheHint {}

impl Protocol for LosesTheHint {
    fn merge<V: Payload, W: Word>(_: &Slot<W>, new: u64, _: u64) -> u64 {
        new
    }
}

/// Takes over the hint of whatever the slot holds by now.
pub enum HintOfAnother {}

impl Protocol for HintOfAnother {
    fn merge<V: Payload, W: Word>(slot: &Slot<W>, new: u64, _: u64) -> u64 {
        Xor::merge::<V, W>(slot, new, slot.data.load())
    }
}

/// Equivalent: the two stores of a write in the other order.
pub enum SwappedStores {}

impl Protocol for SwappedStores {
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        slot.data.store(entry.data);
        slot.check.store(entry.check);
    }
}

/// Equivalent: the two loads of a read in the other order.
pub enum SwappedLoads {}

impl Protocol for SwappedLoads {
    fn read<W: Word>(slot: &Slot<W>) -> Snapshot {
        let data = slot.data.load();
        Snapshot { check: slot.check.load(), data }
    }
}

/// Equivalent: the rank bits alone tell a sample from none, as no sample has a rank field of 0.
pub enum OccupiedByRank {}

impl Protocol for OccupiedByRank {
    fn is_occupied(word: u64) -> bool {
        word >> 9 & 0x7f != 0
    }
}

/// Empties the data word and leaves the check word. To every thread that is alone with the table it
/// is the same; beside a probe it is even safe, since a slot without data is empty whatever its
/// check word is.
pub enum DataErase {}

impl Protocol for DataErase {
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.data.store(0);
    }
}

thread_local! {
    /// The bits that [`Uncovered`] leaves out, on this thread.
    pub static LEFT_OUT: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Leaves some bits of the payload out of the XOR: those in [`LEFT_OUT`].
pub enum Uncovered {}

impl Protocol for Uncovered {
    fn seal(key: u64, word: u64) -> u64 {
        key ^ Self::payload(word) & !LEFT_OUT.get()
    }

    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ Self::payload(seen.data) & !LEFT_OUT.get()
    }
}

/// The shipped protocol with a generation of a single bit: so few that the order-free checker comes
/// to an end where generations are counted on.
pub enum TwoGenerations {}

impl Protocol for TwoGenerations {
    const GENERATION_BITS: u32 = 1;
}
