//! The protocol: every step of the table that touches shared words or decides what they mean.
//!
//! The rest of the crate is bookkeeping around these steps. They are the provided methods of a
//! trait so that a checker can change exactly one of them (a *mutant*) and show that it notices, or
//! narrow the words and try them all. [`Xor`] takes every step as it stands, and is the only
//! protocol there is outside the checkers.
//!
//! A *word* here is a data word: the payload in its upper bits, the generation in its lower ones.

use crate::payload::{Packed, Payload};
use crate::slot::{SLOTS, Slot, Snapshot};
use crate::word::Word;

/// The steps of probe, store, refresh and clear.
pub trait Protocol: 'static {
    /// How many bits of a word are in use. Fewer than 64 only in the exhaustive checks.
    const WIDTH: u32 = 64;

    /// How many of them, the lowest, are the generation.
    const GENERATION_BITS: u32 = 6;

    /// The bits of the generation: the only ones a refresh changes, and the only ones the check
    /// word does not cover.
    const GENERATION: u64 = (1 << Self::GENERATION_BITS) - 1;

    /// The bits that a key, and a word, may have.
    const KEY: u64 = u64::MAX >> (64 - Self::WIDTH);

    /// A word without its generation: what the check word covers.
    #[inline]
    fn payload(word: u64) -> u64 {
        word & !Self::GENERATION
    }

    /// The word of a value, stamped with a generation.
    #[inline]
    fn word(packed: Packed, generation: u64) -> u64 {
        packed.bits() << Self::GENERATION_BITS | generation
    }

    /// The value in an occupied word.
    #[inline]
    fn packed(word: u64) -> Packed {
        Packed::stored(word >> Self::GENERATION_BITS)
    }

    /// The generation a word was stored in, or last refreshed in.
    #[inline]
    fn generation(word: u64) -> u64 {
        word & Self::GENERATION
    }

    /// The check word of an entry: its key, with every bit of its payload folded in.
    ///
    /// The generation stays out, so that refreshing it changes one word and not two.
    #[inline]
    fn seal(key: u64, word: u64) -> u64 {
        key ^ Self::payload(word)
    }

    /// The key whose entry these two words are, whether or not they were ever stored together.
    #[inline]
    fn key_of(seen: Snapshot) -> u64 {
        seen.check ^ Self::payload(seen.data)
    }

    /// Whether a snapshot is the entry of `key`. All bits are compared.
    #[inline]
    fn is_of(seen: Snapshot, key: u64) -> bool {
        Self::key_of(seen) == key
    }

    /// Whether there is an entry in this word. Without this, an empty slot would be the entry of
    /// key 0.
    #[inline]
    fn is_occupied(word: u64) -> bool {
        Self::payload(word) != 0
    }

    /// Two loads. Their order does not matter.
    #[inline]
    fn read<W: Word>(slot: &Slot<W>) -> Snapshot {
        Snapshot { check: slot.check.load(), data: slot.data.load() }
    }

    /// The data word of a snapshot that was found to be the right one: the very word that was
    /// checked. Loading it again would hand out something that nobody has checked.
    #[inline]
    fn checked<W: Word>(slot: &Slot<W>, word: u64) -> u64 {
        let _ = slot;
        word
    }

    /// Two stores. Their order does not matter.
    #[inline]
    fn write<W: Word>(slot: &Slot<W>, entry: Snapshot) {
        slot.check.store(entry.check);
        slot.data.store(entry.data);
    }

    /// Stamps the entry with the generation, by a compare-exchange on the data word alone.
    ///
    /// If the data word is still the one that was seen, only its generation changes, which the
    /// check word does not cover: whatever the check word is by now, the pair means what it meant
    /// before. If it is another one, somebody has stored here since, and nothing happens.
    #[inline]
    fn refresh<W: Word>(slot: &Slot<W>, key: u64, seen: u64, generation: u64) {
        let _ = key;
        slot.data.compare_exchange(seen, Self::payload(seen) | generation);
    }

    /// Makes a slot empty.
    #[inline]
    fn erase<W: Word>(slot: &Slot<W>) {
        slot.check.store(0);
        slot.data.store(0);
    }

    /// Whether the key of a snapshot belongs elsewhere, so that no probe of this cluster can ever
    /// find it: two writers have torn the slot, and only a store can bring it back to life.
    #[inline]
    fn is_dead(seen: Snapshot, cluster: usize, clusters: usize) -> bool {
        cluster_of::<Self>(Self::key_of(seen), clusters) != cluster
    }

    /// How many generations ago an entry was last of use, on the circle of all generations.
    #[inline]
    fn age(word: u64, generation: u64) -> i32 {
        (generation.wrapping_sub(word) & Self::GENERATION) as i32
    }

    /// The generation after this one.
    #[inline]
    fn next_generation(generation: u64) -> u64 {
        (generation + 1) & Self::GENERATION
    }

    /// The word to write when the key is already known, with the generation of `new`.
    #[inline]
    fn merge<V: Payload, W: Word>(slot: &Slot<W>, new: u64, known: u64) -> u64 {
        let known = Self::checked(slot, known);
        let merged = V::merge(Self::packed(new), Self::packed(known));
        Self::word(merged, Self::generation(new))
    }

    /// The slot to store into: the first with `room`, as a set of bits; or else the slot of least
    /// worth, the first of several.
    #[inline]
    fn choose(room: u32, worth: [i32; SLOTS]) -> usize {
        // With the slot number in the low bits a minimum without branches finds both.
        let tagged = |slot: usize| worth[slot] << 2 | slot as i32;
        let least = tagged(0).min(tagged(1)).min(tagged(2).min(tagged(3))) as usize;
        (if room != 0 { room.trailing_zeros() as usize } else { least }) % SLOTS
    }
}

impl<W: Word> Slot<W> {
    /// Copies the two words.
    #[inline]
    pub fn read<X: Protocol>(&self) -> Snapshot {
        X::read(self)
    }

    /// Puts the entry of `key` here.
    #[inline]
    pub fn write<X: Protocol>(&self, key: u64, word: u64) {
        X::write(self, Snapshot { check: X::seal(key, word), data: word });
    }
}

/// The cluster of a key: the high half of a product, which scales the key, read as a fraction of
/// one, to the number of clusters. Less than `clusters`, whatever the key, unless there are none.
#[inline]
pub fn cluster_of<X: Protocol + ?Sized>(key: u64, clusters: usize) -> usize {
    ((u128::from(key & X::KEY) * clusters as u128) >> X::WIDTH) as usize
}

/// The protocol of the table: the check word is the key XOR the payload, everything is relaxed.
#[derive(Debug)]
pub enum Xor {}

impl Protocol for Xor {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crate::layout::mixed;
    use std::collections::BTreeSet;

    #[test]
    fn clusters_are_equal_ranges_of_keys() {
        for clusters in [1usize, 2, 3, 5, 1000, 16_384, 16_384 * 1000 + 7] {
            assert_eq!(cluster_of::<Xor>(0, clusters), 0);
            assert_eq!(cluster_of::<Xor>(u64::MAX, clusters), clusters - 1);
            let mut keys: Vec<u64> = (0..10_000).map(mixed).collect();
            keys.sort_unstable();
            assert!(keys.is_sorted_by_key(|&key| cluster_of::<Xor>(key, clusters)));
        }
    }

    #[test]
    fn hashed_keys_fill_all_clusters_alike() {
        for clusters in [100usize, 128, 1000] {
            let mut counts = vec![0u32; clusters];
            for number in 0..1000 * clusters as u64 {
                counts[cluster_of::<Xor>(mixed(number), clusters)] += 1;
            }
            // Six standard deviations around the mean of 1000.
            assert!(counts.iter().all(|count| (810..=1190).contains(count)), "{clusters} clusters");
        }
    }

    /// Every bit of the key is verified: an entry is not found with any one of them changed.
    #[test]
    fn verification_takes_all_bits() {
        #[derive(Clone, Copy)]
        struct Raw(u64);
        impl Payload for Raw {
            fn pack(self) -> Packed {
                Packed::new(self.0)
            }
            fn unpack(packed: Packed) -> Self {
                Raw(packed.bits())
            }
        }
        let table = Table::<Raw>::with_clusters(1).unwrap();
        for number in 0..100 {
            table.new_generation();
            let key = mixed(number);
            table.store(key, Raw(mixed(number + 100) >> 6 | 1));
            assert_eq!(table.probe(key).unwrap().get().0, mixed(number + 100) >> 6 | 1);
            assert!((0..64).all(|bit| table.probe(key ^ 1 << bit).is_none()));
        }
    }

    /// What is left to verify once the cluster is chosen. The index takes the upper bits of the
    /// key. A check of the upper 16 bits, as tables with a power-of-two mask on the lower bits make
    /// it, would be worth nothing here: all keys of a cluster are alike in them. The lower bits are
    /// all different, and each of them is set in half of the keys.
    #[test]
    fn index_and_verification_do_not_rest_on_the_same_bits() {
        let clusters = 1 << 16;
        let keys: Vec<u64> = (0..1 << 24)
            .map(mixed)
            .filter(|&key| cluster_of::<Xor>(key, clusters) == 4711)
            .collect();
        assert!((150..=370).contains(&keys.len()), "about 256 keys: {}", keys.len());
        assert_eq!(keys.iter().map(|key| key >> 48).collect::<BTreeSet<_>>().len(), 1);
        let low: BTreeSet<u64> = keys.iter().map(|key| key << 16 >> 16).collect();
        assert_eq!(low.len(), keys.len());
        for bit in 0..48 {
            let set = keys.iter().filter(|&&key| key >> bit & 1 == 1).count();
            assert!((keys.len() / 4..keys.len() * 3 / 4).contains(&set), "bit {bit}");
        }
    }

    #[test]
    fn the_first_slot_with_room_wins_then_the_first_of_least_worth() {
        let least = |worth: [i32; 4]| (0..4).min_by_key(|&slot| worth[slot]).unwrap();
        let worths = [-9, -8, 0, 5, 1 << 28, -(1 << 28)];
        for combination in 0..worths.len().pow(4) {
            let digit = |place: u32| worths[combination / worths.len().pow(place) % worths.len()];
            let worth = [digit(0), digit(1), digit(2), digit(3)];
            assert_eq!(Xor::choose(0, worth), least(worth), "{worth:?}");
        }
        for room in 1..16u32 {
            assert_eq!(Xor::choose(room, [3, 2, 1, 0]), room.trailing_zeros() as usize);
        }
    }

    /// On the circle of 64 generations, from every point to every other.
    #[test]
    fn ages_and_stamps() {
        let packed = Packed::new(u64::MAX >> 6);
        for stored in 0..64 {
            let word = Xor::word(packed, stored);
            assert_eq!((Xor::generation(word), Xor::packed(word)), (stored, packed));
            assert_eq!(Xor::payload(word), u64::MAX << 6);
            for age in 0..64 {
                assert_eq!(Xor::age(word, (stored + age) % 64), age as i32);
            }
        }
        assert_eq!((Xor::next_generation(0), Xor::next_generation(63)), (1, 0));
    }
}
