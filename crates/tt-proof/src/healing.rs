//! Dead slots, and what becomes of them.

use crate::keys::hashed;
use crate::mutants::NoHealing;
use crate::sample::{Keep, Kind, Sample};
use megatherium_tt::internals::{Protocol, Xor};
use megatherium_tt::{Payload, Table};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const CLUSTERS: usize = 256;

fn entry(number: u64, rank: u8) -> Sample {
    let bits = hashed(number);
    let (extra, hint, value) = (bits as u16, (bits >> 16) as u16, (bits >> 32) as u16);
    Sample { extra, hint, value, rank, flag: false, kind: Kind::High }
}

/// All slots whose key belongs to another cluster.
fn dead<X: Protocol>(table: &Table<Sample, Keep, AtomicU64, X>) -> usize {
    let first_key = |cluster: usize| ((cluster as u128) << 64).div_ceil(CLUSTERS as u128) as u64;
    let is_dead = |cluster: usize, slot: usize| {
        let seen = table.cluster(first_key(cluster)).slots[slot].read::<X>();
        X::is_occupied(seen.data) && Xor::is_dead(seen, cluster, CLUSTERS)
    };
    (0..CLUSTERS).map(|cluster| (0..4).filter(|&slot| is_dead(cluster, slot)).count()).sum()
}

/// Fills a table, tears one slot in each cluster and makes it look deep, stores as many entries as
/// the table holds, and counts the dead slots before and after.
fn run<X: Protocol>() -> (usize, usize) {
    let table =
        Table::<Sample, Keep, AtomicU64, X>::with_clusters(CLUSTERS).expect("it fits anywhere");
    let slots = 4 * CLUSTERS as u64;
    for number in 0..8 * slots {
        table.store(hashed(number), entry(number, 5));
    }
    for cluster in 0..CLUSTERS as u64 {
        let slot = &table.cluster(cluster << 56).slots[cluster as usize % 4];
        // The data of another entry, differing in the bits that choose the cluster.
        let data = Sample::unpack(X::packed(slot.data.load(Relaxed)));
        let other = Sample { extra: data.extra ^ 0xa500, rank: 90, ..data };
        slot.data.store(X::word(other.pack(), 0), Relaxed);
    }
    let torn = dead(&table);
    for number in 0..slots {
        table.store(hashed(number + 1_000_000), entry(number, 5));
    }
    (torn, dead(&table))
}

#[test]
fn stores_bring_dead_slots_back_to_life() {
    let (torn, left) = run::<Xor>();
    assert_eq!(torn, CLUSTERS);
    // A cluster that nobody stored into in the meantime keeps its dead slot: with four stores to
    // each on average, one in e⁴.
    assert!(left < CLUSTERS / 20, "{left} dead slots are left");
}

#[test]
fn without_healing_they_stay_as_long_as_they_look_deep() {
    assert_eq!(run::<NoHealing>(), (CLUSTERS, CLUSTERS));
}
