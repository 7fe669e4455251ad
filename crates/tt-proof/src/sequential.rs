//! One thread, against a reference model of the table.
//!
//! The reference model knows nothing of words, XOR or bits: it keeps a hash map from clusters to
//! four places, each empty, dead, or the entry of some key. After every call the two must agree
//! about everything that can be seen from outside.

use crate::sample::{Keep, Kind, Sample};
use megatherium_tt::internals::{Protocol, Xor};
use megatherium_tt::{Hit, Payload, Table};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    Store(u64, Sample),
    Probe(u64),
    Peek(u64),
    NewGeneration,
    Clear,
    /// Does to a slot of a key's cluster what two writers may do: gives it the data word of another
    /// entry.
    Tear(u64, usize, Sample),
}

/// A place in the description of a cluster.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    Empty,
    Dead,
    Live { key: u64, entry: Sample, search: u64 },
}

const CLUSTERS: usize = 3;

/// What the table should be like.
#[derive(Default)]
struct Description {
    clusters: HashMap<u64, [Place; 4]>,
    search: u64,
}

impl Description {
    /// The cluster of a key: all keys are cut into as many equal ranges as there are clusters.
    fn cluster(&mut self, key: u64) -> &mut [Place; 4] {
        let ends = [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, u64::MAX];
        let cluster = ends.iter().position(|&end| key <= end).unwrap_or(0);
        self.clusters.entry(cluster as u64).or_insert([Place::Empty; 4])
    }

    fn find(&mut self, key: u64) -> Option<(Sample, &mut u64)> {
        self.cluster(key).iter_mut().find_map(|place| match place {
            Place::Live { key: found, entry, search } if *found == key => Some((*entry, search)),
            _ => None,
        })
    }

    fn store(&mut self, key: u64, mut entry: Sample) {
        let now = self.search;
        let age = |search: u64| (now - search) % 64;
        let cluster = self.cluster(key);
        for place in cluster.iter_mut() {
            let Place::Live { key: known, entry: old, search } = *place else { continue };
            if known != key {
                continue;
            }
            let less = entry.kind == Kind::Empty && old.kind != Kind::Empty;
            let shallow =
                entry.kind != Kind::Exact && age(search) == 0 && entry.rank + 4 <= old.rank;
            if !less && !shallow {
                entry.hint = if entry.hint == 0 { old.hint } else { entry.hint };
                *place = Place::Live { key, entry, search: now };
            }
            return;
        }
        let worth = |place: &Place| match *place {
            Place::Empty => -20_000,
            Place::Dead => -10_000,
            Place::Live { entry, search, .. } => i64::from(entry.rank) - 8 * age(search) as i64,
        };
        let victim = (0..4).min_by_key(|&place| worth(&cluster[place])).unwrap_or(0);
        cluster[victim] = Place::Live { key, entry, search: now };
    }

    /// Dead slots count as well, with the generation they carry: `hashfull` does not verify.
    fn hashfull(&self) -> u32 {
        let is_current = |place: &&Place| match **place {
            Place::Empty => false,
            Place::Dead => self.search.is_multiple_of(64),
            Place::Live { search, .. } => (self.search - search).is_multiple_of(64),
        };
        (1000 * self.clusters.values().flatten().filter(is_current).count() / (4 * CLUSTERS)) as u32
    }
}

/// Plays the calls on a table and on the description; fails at the first difference.
pub(crate) fn check<X: Protocol>(calls: &[Call]) -> Result<(), String> {
    let mut table = Table::<Sample, Keep, AtomicU64, X>::with_clusters(CLUSTERS)
        .map_err(|error| error.to_string())?;
    let mut described = Description::default();
    for (number, &call) in calls.iter().enumerate() {
        let differs = |what: &str| Err(format!("call {number}, {call:?}: {what}"));
        match call {
            Call::Store(key, entry) => {
                table.store(key, entry);
                described.store(key, entry);
            }
            Call::Probe(key) => {
                let now = described.search;
                let expected = described.find(key).map(|(entry, search)| {
                    *search = now;
                    entry
                });
                if table.probe(key).map(Hit::get) != expected {
                    return differs("wrong answer");
                }
            }
            Call::Peek(key) => {
                if table.peek(key).map(Hit::get) != described.find(key).map(|(entry, _)| entry) {
                    return differs("wrong answer");
                }
            }
            Call::NewGeneration => {
                table.new_generation();
                described.search += 1;
            }
            Call::Clear => {
                table.clear();
                described = Description { search: described.search, ..Description::default() };
            }
            Call::Tear(key, slot, entry) => {
                let data = X::word(entry.pack(), 0);
                let words = &table.cluster(key).slots[slot];
                let check = words.check.load(Relaxed);
                let place = &mut described.cluster(key)[slot];
                // Only what leaves a dead slot behind: entries of this cluster's own keys are what
                // stores are for.
                let implied = check ^ X::payload(data);
                let stays = core::ptr::eq(table.cluster(implied), table.cluster(key));
                if *place != Place::Empty && !stays {
                    words.data.store(data, Relaxed);
                    *place = Place::Dead;
                }
            }
        }
        if table.hashfull() != described.hashfull() {
            return differs("hashfull");
        }
    }
    Ok(())
}

/// Few keys, so that they meet; some alike in their upper or their lower half, and key 0.
fn keys() -> impl Strategy<Value = u64> {
    let part =
        prop::sample::select(vec![0u64, 1, 0x5555_5555, 0x5555_5556, 0xaaaa_aaab, 0xffff_ffff]);
    (part.clone(), part).prop_map(|(high, low)| high << 32 | low)
}

fn calls() -> impl Strategy<Value = Call> {
    let kind = prop::sample::select(vec![Kind::Empty, Kind::Low, Kind::High, Kind::Exact]);
    let entry = (any::<u16>(), 0..3u16, 0..5u16, 0..24u8, any::<bool>(), kind).prop_map(
        |(extra, hint, value, rank, flag, kind)| Sample { extra, hint, value, rank, flag, kind },
    );
    prop_oneof![
        8 => (keys(), entry.clone()).prop_map(|(key, entry)| Call::Store(key, entry)),
        6 => keys().prop_map(Call::Probe),
        4 => keys().prop_map(Call::Peek),
        3 => Just(Call::NewGeneration),
        1 => (keys(), 0..4usize, entry).prop_map(|(key, slot, entry)| Call::Tear(key, slot, entry)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_table_does_what_is_described(
        early in prop::collection::vec(calls(), 0..300),
        late in prop::collection::vec(calls(), 0..100),
    ) {
        let calls = [early, vec![Call::Clear], late].concat();
        prop_assert_eq!(check::<Xor>(&calls), Ok(()));
    }
}

/// A fixed sequence of many calls, the same for every protocol that is put to the test.
pub(crate) fn drill() -> Vec<Call> {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let random = (0..20_000)
        .map(|_| calls().new_tree(&mut runner).expect("nothing is filtered out").current());
    let fill = (0..64).flat_map(|n| {
        [Call::Peek(n << 58), Call::Store(n << 58, Sample { value: 3, ..Sample::default() })]
    });
    fill.clone().chain([Call::Clear]).chain(random).chain([Call::Clear]).chain(fill).collect()
}

#[test]
fn the_drill_is_passed() {
    assert_eq!(check::<Xor>(&drill()), Ok(()));
}
