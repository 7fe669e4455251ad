//! Real threads on real memory: what they find must be right, however often they meet.
//!
//! Such a run proves nothing; it only fails to disprove. But it is the only check that runs on the
//! machine itself, and it shows how often what the models say *can* happen does happen.

use crate::keys::hashed;
use crate::mutants::NoXor;
use crate::sample::{Keep, Kind, Sample};
use megatherium_tt::internals::{Protocol, Slot, Xor};
use megatherium_tt::{Hit, Table};
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::AtomicU64;

const CLUSTERS: usize = 2;
const THREADS: u64 = 4;
/// Few under Miri, which is slow but tries many schedules.
const CALLS: u64 = if cfg!(miri) { 200 } else { 200_000 };

/// How often the threads run. Miri varies their order by its seed.
const ROUNDS: u64 = if cfg!(miri) { 1 } else { 5 };

/// The entry number `version` of a key. Every part of it can be told from every other.
fn entry(key: u64, version: u64) -> Sample {
    let mixed = hashed(key ^ version);
    Sample {
        extra: (mixed >> 16) as u16,
        hint: mixed as u16 | 1,
        value: version as u16,
        rank: (mixed >> 32) as u8 % 100,
        flag: mixed >> 40 & 1 == 1,
        kind: Kind::Exact,
    }
}

/// The result of a run.
#[derive(Debug)]
struct Summary {
    hits: u64,
    wrong: u64,
    dead: usize,
    duplicates: usize,
}

/// Runs the threads on a few clusters, then inspects what they left.
fn run<X: Protocol>() -> (Table<Sample, Keep, AtomicU64, X>, Summary) {
    let table = Table::<Sample, Keep, AtomicU64, X>::with_clusters(CLUSTERS)
        .expect("two clusters fit anywhere");
    let keys: Vec<u64> = (0..6 * CLUSTERS as u64).map(hashed).collect();
    let start = Barrier::new(THREADS as usize);
    let (table_ref, keys_ref, start) = (&table, &keys, &start);
    let thread = |thread: u64| {
        start.wait();
        let (mut hits, mut wrong) = (0, 0);
        for call in 0..CALLS {
            let random = hashed(call * THREADS + thread);
            let key = keys_ref[random as usize % keys_ref.len()];
            if random >> 32 & 1 == 0 {
                table_ref.store(key, entry(key, random >> 40 & 0x7fff));
            } else if let Some(found) = table_ref.probe(key) {
                hits += 1;
                let found = found.get();
                wrong += u64::from(found != entry(key, u64::from(found.value)));
            }
            if thread == 0 && call.is_multiple_of(CALLS / 200) {
                table_ref.new_generation();
            }
        }
        (hits, wrong)
    };
    let results: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..THREADS).map(|number| scope.spawn(move || thread(number))).collect();
        handles.into_iter().map(|handle| handle.join().expect("threads do not panic")).collect()
    });

    let mut summary = Summary { hits: 0, wrong: 0, dead: 0, duplicates: 0 };
    for (hits, wrong) in results {
        summary.hits += hits;
        summary.wrong += wrong;
    }
    for cluster in 0..CLUSTERS {
        let first_key = (u64::MAX / CLUSTERS as u64 + 1) * cluster as u64;
        let slots = table.cluster(first_key).slots.each_ref().map(Slot::read::<X>);
        let known: Vec<u64> =
            slots.iter().map(|&seen| X::key_of(seen)).filter(|key| keys.contains(key)).collect();
        summary.dead += slots.iter().filter(|&&seen| !keys.contains(&X::key_of(seen))).count();
        summary.duplicates += known.len() - known.iter().collect::<BTreeSet<_>>().len();
    }
    (table, summary)
}

#[test]
fn threads_find_what_was_stored_or_nothing() {
    for round in 0..ROUNDS {
        let (table, summary) = run::<Xor>();
        println!("round {round}: {summary:?}");
        assert_eq!(summary.wrong, 0);
        assert!(summary.hits > 0);
        // And the table is as good as new: one thread alone reads what it writes, in every cluster,
        // whatever was left in the slots.
        for key in
            (0..CLUSTERS as u64).map(|cluster| (u64::MAX / CLUSTERS as u64 + 1) * cluster + 99)
        {
            table.new_generation();
            table.store(key, entry(key, 7));
            assert_eq!(table.probe(key).map(Hit::get), Some(entry(key, 7)));
        }
    }
}

/// The same without the XOR, for comparison. Whether threads meet is up to the machine, so nothing
/// is asserted about the number of wrong answers: on an idle machine with two cores there are some,
/// on a busy one often none. That is what such tests are worth.
#[test]
fn without_the_xor_they_find_each_others() {
    for round in 0..ROUNDS {
        let (_, summary) = run::<NoXor>();
        println!("without XOR, round {round}: {summary:?}");
        assert!(summary.hits > 0);
    }
}
