//! The protocol on one page: every step of the table that touches shared words or decides what they mean.
//!
//! The rest of the crate is bookkeeping around these steps. They are the provided methods of a trait so that
//! a test can change exactly one of them and show that the checkers notice: see `proof::mutants`. [`Xor`]
//! takes them all as they stand, and is the only protocol that can be had from outside.

use crate::cluster::SLOTS;
use crate::entry::Data;
use crate::slot::{Slot, Snapshot};
use crate::word::Word;
use core::hint::select_unpredictable;

/// The steps of probe, store, refresh and clear.
pub trait Protocol: 'static {
    /// The check word of an entry: its key, with every bit of its payload folded in.
    ///
    /// The generation stays out, so that refreshing it is a change of one word, not of two.
    #[inline]
    fn seal(key: u64, data: Data) -> u64 {
        key ^ data.payload()
    }

    /// The key whose entry these two words are, whether or not they were ever stored together.
    #[inline]
    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ seen.data.payload()
    }

    /// Whether a snapshot is the entry of `key`. All 64 bits are compared.
    #[inline]
    fn is_of(seen: Snapshot, key: u64) -> bool {
        Self::key_of(seen) == key
    }

    /// Whether there is an entry in this data word. Without this, an empty slot would be the entry of key 0.
    #[inline]
    fn is_occupied(data: Data) -> bool {
        data.is_occupied()
    }

    /// Two loads. Their order does not matter.
    #[inline]
    fn read<W: Word>(slot: &Slot<W>) -> Snapshot {
        Snapshot { check: slot.check.load(), data: Data(slot.data.load()) }
    }

    /// The data word of a snapshot that was found to be the right one: the very word that was checked.
    /// Loading it anew would hand out something nobody has checked.
    #[inline]
    fn checked<W: Word>(_slot: &Slot<W>, seen: Snapshot) -> Data {
        seen.data
    }

    /// Two stores. Their order does not matter.
    #[inline]
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        slot.check.store(entry.check);
        slot.data.store(entry.data.0);
    }

    /// Stamps the entry with the generation, by a compare-exchange on the data word alone.
    ///
    /// If the data word is still the one that was seen, then only its generation changes, which the check
    /// word does not cover: whatever the check word is by now, the pair means what it meant before. If it is
    /// another one, then someone has stored here since, and nothing happens.
    #[inline]
    fn refresh<W: Word>(slot: &Slot<W>, seen: Snapshot, generation: u64) {
        slot.data.compare_exchange(seen.data.0, seen.data.with_generation(generation).0);
    }

    /// Makes a slot empty.
    #[inline]
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.check.store(0);
        slot.data.store(0);
    }

    /// The cluster of a key: the high half of a 128-bit product, which scales the key, read as a fraction of
    /// 2⁶⁴, to the number of clusters.
    #[inline]
    fn cluster_of(key: u64, clusters: usize) -> usize {
        ((u128::from(key) * clusters as u128) >> 64) as usize
    }

    /// Whether the key of a snapshot belongs elsewhere, so that no probe of this cluster can ever find it:
    /// two writers have torn the slot, and only a store can bring it back to life.
    #[inline]
    fn is_dead(seen: Snapshot, cluster: usize, clusters: usize) -> bool {
        Self::cluster_of(Self::key_of(seen), clusters) != cluster
    }

    /// How many searches ago an entry was last of use, on the circle of 64 generations.
    #[inline]
    fn age(data: Data, generation: u64) -> i32 {
        (generation.wrapping_sub(data.generation()) & 63) as i32
    }

    /// The generation after this one.
    #[inline]
    fn next_generation(generation: u64) -> u64 {
        (generation + 1) & 63
    }

    /// What is written when the position is already known: the new entry, with the old move if it brings
    /// none.
    #[inline]
    fn merge<W: Word>(slot: &Slot<W>, new: Data, old: Snapshot) -> Data {
        new.or_move_of(Self::checked(slot, old))
    }

    /// The slot to store into: the best of those that have `room`, as a set of bits of which every fourth is
    /// about the same slot; or else the slot of least worth, the first of them if there are several.
    #[inline]
    fn choose(room: u32, worth: [i32; SLOTS]) -> usize {
        // With the slot number in the low bits a minimum without branches finds both.
        let tagged = |slot: usize| worth[slot] << 2 | slot as i32;
        let least = tagged(0).min(tagged(1)).min(tagged(2).min(tagged(3))) as usize;
        select_unpredictable(room != 0, room.trailing_zeros() as usize, least) % SLOTS
    }
}

/// The protocol of the table: the check word is the key XOR the data, everything is relaxed.
#[derive(Debug)]
pub enum Xor {}

impl Protocol for Xor {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::keys::hashed;
    use crate::{Bound, Entry, Table};
    use std::collections::BTreeSet;

    #[test]
    fn clusters_are_equal_ranges_of_keys() {
        for clusters in [1usize, 2, 3, 5, 1000, 16_384, 16_384 * 1000 + 7] {
            assert_eq!(Xor::cluster_of(0, clusters), 0);
            assert_eq!(Xor::cluster_of(u64::MAX, clusters), clusters - 1);
            let mut keys: Vec<u64> = (0..10_000).map(hashed).collect();
            keys.sort_unstable();
            assert!(keys.is_sorted_by_key(|&key| Xor::cluster_of(key, clusters)));
        }
    }

    #[test]
    fn hashed_keys_fill_all_clusters_alike() {
        for clusters in [100usize, 128, 1000] {
            let mut counts = vec![0u32; clusters];
            for number in 0..1000 * clusters as u64 {
                counts[Xor::cluster_of(hashed(number), clusters)] += 1;
            }
            // Six standard deviations around the mean of 1000.
            assert!(counts.iter().all(|count| (810..=1190).contains(count)), "{clusters} clusters");
        }
    }

    /// Every bit of the key is verified: an entry is not found with any one of them changed.
    #[test]
    fn verification_takes_all_bits() {
        let table = <Table>::with_clusters(1).unwrap();
        for number in 0..100 {
            let key = hashed(number);
            table.store(key, Entry { depth: 1 + number as u8, bound: Bound::Exact, ..Entry::default() });
            assert!(table.probe(key).is_some());
            assert!((0..64).all(|bit| table.probe(key ^ 1 << bit).is_none()));
        }
    }

    /// What is left to verify once the cluster is chosen. The index takes the upper bits of the key. A check
    /// of the upper 16 bits, as tables with a power-of-two mask on the lower bits make it, would be worth
    /// nothing here: all keys of a cluster are alike in them. The lower bits are all different, and each of
    /// them is set in half of the keys.
    #[test]
    fn index_and_verification_do_not_rest_on_the_same_bits() {
        let clusters = 1 << 16;
        let keys: Vec<u64> =
            (0..1 << 24).map(hashed).filter(|&key| Xor::cluster_of(key, clusters) == 4711).collect();
        assert!((150..=370).contains(&keys.len()), "about 256 keys: {}", keys.len());
        let different =
            |shift: u32| keys.iter().map(|key| key << 16 >> 16 >> shift).collect::<BTreeSet<_>>().len();
        assert_eq!(keys.iter().map(|key| key >> 48).collect::<BTreeSet<_>>().len(), 1);
        assert_eq!(different(0), keys.len());
        for bit in 0..48 {
            let set = keys.iter().filter(|&&key| key >> bit & 1 == 1).count();
            assert!((keys.len() / 4..keys.len() * 3 / 4).contains(&set), "bit {bit}");
        }
    }
}
