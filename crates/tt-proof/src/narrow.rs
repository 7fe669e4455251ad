//! Words so narrow that all of them can be tried: the shipped code, every key, every payload, every
//! pair of words.
//!
//! The protocol does four things with words: XOR, AND with a mask, comparison of whole words, and
//! the multiplication that chooses a cluster. The first three treat every bit position alike, so
//! whether a pair is accepted is a conjunction over positions: position i of `check ^ payload ^
//! key` is 0. A wrong acceptance among 64-bit words has an acceptance of the same kind at every
//! single position, and so among narrow words that keep one position where the payloads differ, one
//! where the keys differ, and one of the generation. Nothing happens with 64 bits that does not
//! happen with five. The choice of a cluster is not of this kind; it is tried for all keys and all
//! small tables, and proved in `Table::cluster`.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use megatherium_tt::internals::{Protocol, SLOTS, Slot, Snapshot, cluster_of};
use megatherium_tt::{ByRank, Hit, Packed, Payload, Table};

/// Words of `WIDTH` bits, of which the lowest `GENERATION` are the generation.
enum Narrow<const WIDTH: u32, const GENERATION: u32> {}

impl<const WIDTH: u32, const GENERATION: u32> Protocol for Narrow<WIDTH, GENERATION> {
    const WIDTH: u32 = WIDTH;
    const GENERATION_BITS: u32 = GENERATION;
}

/// A payload without any structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bits(u64);

impl Payload for Bits {
    fn pack(self) -> Packed {
        Packed::new(self.0)
    }

    fn unpack(packed: Packed) -> Self {
        Bits(packed.bits())
    }
}

/// Five bits: 32 keys, 15 payloads, two generations.
type Five = Narrow<5, 1>;
/// Eight bits: 256 keys, 63 payloads, four generations.
type Eight = Narrow<8, 2>;

type Shared<X> = Table<Bits, ByRank, AtomicU64, X>;

fn table<X: Protocol>(clusters: usize) -> Shared<X> {
    Table::with_clusters(clusters).expect("it fits anywhere")
}

fn set<X: Protocol>(table: &Shared<X>, slot: usize, seen: Snapshot) {
    let slot = &table.cluster(0).slots[slot];
    slot.check.store(seen.check, Relaxed);
    slot.data.store(seen.data, Relaxed);
}

fn slots<X: Protocol>(table: &Shared<X>) -> [Snapshot; SLOTS] {
    table.cluster(0).slots.each_ref().map(Slot::read::<X>)
}

fn words<X: Protocol>() -> impl Iterator<Item = u64> + Clone {
    0..=X::KEY
}

fn payloads<X: Protocol>() -> impl Iterator<Item = u64> + Clone {
    1..=X::KEY >> X::GENERATION_BITS
}

/// Every pair of words, torn or not, is the entry of exactly one key, or of none if it is
/// empty; and what a probe of that key returns is the payload of the pair.
#[test]
fn every_pair_of_words_belongs_to_one_key() {
    type X = Eight;
    let table = table::<X>(1);
    for check in words::<X>() {
        for data in words::<X>() {
            set(&table, 0, Snapshot { check, data });
            for key in words::<X>() {
                let belongs = X::payload(data) != 0 && check ^ X::payload(data) == key;
                let expected = belongs.then_some(Bits(data >> X::GENERATION_BITS));
                assert_eq!(
                    table.peek(key).map(Hit::get),
                    expected,
                    "{check:#x} {data:#x} {key:#x}"
                );
            }
        }
    }
}

/// Two writers of one slot, of any keys and payloads, and a reader of any key who sees any mixture
/// of what they store and what was there. It accepts what was stored for its key, and besides that
/// only the residue of the proof: a mixture whose keys differ in just the bits in which the
/// payloads differ.
#[test]
fn every_mixture_of_every_two_stores_is_right_or_residue() {
    type X = Five;
    let table = table::<X>(1);
    let (mut right, mut residue) = (0u64, 0u64);
    for one in payloads::<X>() {
        for other in payloads::<X>() {
            for (key, foreign) in words::<X>().flat_map(|a| words::<X>().map(move |b| (a, b))) {
                let stored = [(key, one), (foreign, other)];
                let [first, second] = stored.map(|(key, bits)| {
                    let data = X::word(Bits(bits).pack(), 0);
                    Snapshot { check: X::seal(key, data), data }
                });
                for check in [0, first.check, second.check] {
                    for data in [0, first.data, second.data] {
                        set(&table, 0, Snapshot { check, data });
                        for probed in words::<X>() {
                            let Some(hit) = table.peek(probed) else { continue };
                            if stored.contains(&(probed, hit.get().0)) {
                                right += 1;
                                continue;
                            }
                            // The key and payload that the check word was made of, if any.
                            let sealed = [(0, 0), (key, one), (foreign, other)];
                            let coincides = sealed.iter().any(|&(of, payload)| {
                                let tear = (payload ^ hit.get().0) << X::GENERATION_BITS;
                                of != probed && of ^ probed == tear
                            });
                            assert!(coincides, "{stored:?}: {probed} got {hit:?}");
                            residue += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{right} right answers, {residue} coincidences of a key with a payload");
    assert!(right > 0 && residue > 0);
}

/// A store, of any key and payload, into a cluster with any pair of words in any one slot: one
/// thread alone finds what it stored, and one slot changes: the key's own if it has one. The
/// exception is a slot without data whose check word equals the key, which hides the entry in a
/// later slot: key 0 and an empty slot, or a half-written slot and a coincidence. Then there is a
/// duplicate.
#[test]
fn every_store_is_found_by_its_own_thread() {
    type X = Five;
    let full = [3, 9, 17, 30].map(|key| (key, X::word(Bits(5).pack(), 1)));
    for odd in 0..SLOTS {
        let table = table::<X>(1);
        for (check, data) in words::<X>().flat_map(|a| words::<X>().map(move |b| (a, b))) {
            for (key, payload) in words::<X>().flat_map(|a| payloads::<X>().map(move |b| (a, b))) {
                for (slot, (key, data)) in full.into_iter().enumerate() {
                    set(&table, slot, Snapshot { check: X::seal(key, data), data });
                }
                set(&table, odd, Snapshot { check, data });
                let before = slots(&table);
                let holder = before.iter().position(|&seen| X::key_of(seen) == key);
                let holder = holder.filter(|&slot| X::payload(before[slot].data) != 0);
                table.store(key, Bits(payload));
                let after = slots(&table);
                let word = X::word(Bits(payload).pack(), 0);
                let new = Snapshot { check: X::seal(key, word), data: word };
                let changed: Vec<usize> =
                    (0..SLOTS).filter(|&slot| before[slot] != after[slot]).collect();
                assert_eq!(table.peek(key).map(Hit::get), Some(Bits(payload)));
                assert!(changed.len() <= 1, "only one slot is written");
                assert!(changed.iter().all(|&slot| after[slot] == new));
                assert!(holder.is_none_or(|slot| after[slot] == new), "the key's own slot");
            }
        }
    }
}

/// A refresh of any pair of words, from any generation to any other, changes the generation of the
/// entry that was found and nothing else.
#[test]
fn every_refresh_changes_a_generation_and_nothing_else() {
    type X = Eight;
    for generation in 0..=X::GENERATION {
        let table = table::<X>(1);
        (0..generation).for_each(|_| table.new_generation());
        for (check, data) in words::<X>().flat_map(|a| words::<X>().map(move |b| (a, b))) {
            let seen = Snapshot { check, data };
            set(&table, 0, seen);
            let key = X::key_of(seen);
            let hit = table.probe(key).is_some();
            let data = if hit { X::payload(data) | generation } else { data };
            assert_eq!(hit, X::payload(seen.data) != 0);
            assert_eq!(slots(&table)[0], Snapshot { check, data });
        }
    }
}

/// Every key has a cluster, in tables of any size, and clusters are ranges of keys of equal length.
#[test]
fn every_key_has_a_cluster() {
    for clusters in 1..=600 {
        let mut sizes = vec![0; clusters];
        let mut last = 0;
        for key in words::<Eight>() {
            let cluster = cluster_of::<Eight>(key, clusters);
            assert!(cluster < clusters && cluster >= last);
            sizes[cluster] += 1;
            last = cluster;
        }
        let (least, most) = (256 / clusters, 256_usize.div_ceil(clusters));
        assert!(sizes.iter().all(|size| (least..=most).contains(size)), "{clusters} clusters");
    }
    assert_eq!(cluster_of::<Five>(u64::MAX, 7), 6, "bits that no key has are not looked at");
}
