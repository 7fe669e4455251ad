//! What the table does for one thread, seen from outside.

use megatherium_tt::policy::{Always, DepthPreferred};
use megatherium_tt::{Bound, Counters, Entry, Placement, SizeError, Table};

fn entry(mv: u16, depth: u8) -> Entry {
    Entry { mv, score: 17, eval: -4, depth, pv: false, bound: Bound::Lower }
}

/// Keys that fall into the first cluster of a small table, all different in their low bits.
fn key(n: u64) -> u64 {
    n << 8 | 0x5a
}

#[test]
fn a_stored_entry_is_found() {
    let table = Table::new(1).unwrap();
    let stored =
        Entry { mv: 0xabcd, score: -31_000, eval: 31_000, depth: 126, pv: true, bound: Bound::Exact };
    table.store(7 << 60, stored);
    assert_eq!(table.probe(7 << 60), Some(stored));
    assert_eq!(table.peek(7 << 60), Some(stored));
    assert_eq!(table.probe(7 << 60 | 1), None);
}

#[test]
fn key_zero_is_a_key_like_any_other() {
    let table = Table::new(1).unwrap();
    assert_eq!(table.probe(0), None, "an empty slot is not the entry of key 0");
    table.store(0, Entry::eval_only(0));
    assert_eq!(table.probe(0), Some(Entry::eval_only(0)));
    table.new_search();
    assert_eq!(table.probe(0), Some(Entry::eval_only(0)));
    assert_eq!(table.probe(1), None);
}

#[test]
fn an_evaluation_alone_is_an_entry_but_does_not_replace_a_score() {
    let table = Table::new(1).unwrap();
    table.store(5, Entry::eval_only(8));
    assert_eq!(table.probe(5), Some(Entry::eval_only(8)));
    table.store(5, entry(3, 0));
    table.store(5, Entry::eval_only(9));
    assert_eq!(table.probe(5), Some(entry(3, 0)));
}

#[test]
fn a_store_without_a_move_keeps_the_known_one() {
    let table = Table::new(1).unwrap();
    table.store(key(1), entry(77, 5));
    table.store(key(1), entry(0, 6));
    assert_eq!(table.probe(key(1)), Some(entry(77, 6)));
    table.store(key(1), entry(78, 7));
    assert_eq!(table.probe(key(1)), Some(entry(78, 7)));
    table.store(key(2), entry(0, 7));
    assert_eq!(table.probe(key(2)).unwrap().mv, 0, "moves are not lent between positions");
}

#[test]
fn four_positions_share_a_cluster_and_the_fifth_replaces_the_shallowest() {
    let table = Table::new(1).unwrap();
    let mut counters = Counters::default();
    for (n, depth) in [(1, 9), (2, 4), (3, 6), (4, 8)] {
        table.store_with(key(n), entry(n as u16, depth), &mut counters);
    }
    table.store_with(key(5), entry(5, 1), &mut counters);
    assert_eq!([1, 2, 3, 4, 5].map(|n| table.peek(key(n)).is_some()), [true, false, true, true, true]);
    assert_eq!(counters.placed(Placement::Filled), 4);
    assert_eq!(counters.placed(Placement::ReplacedCurrent), 1);
}

#[test]
fn what_a_search_finds_useful_outlives_what_it_does_not() {
    let table = Table::new(1).unwrap();
    for n in 1..=4 {
        table.store(key(n), entry(n as u16, 10));
    }
    table.new_search();
    for n in [1, 2, 4] {
        assert!(table.probe(key(n)).is_some());
    }
    let mut counters = Counters::default();
    table.store_with(key(5), entry(5, 3), &mut counters);
    assert_eq!(table.peek(key(3)), None);
    assert_eq!(counters.placed(Placement::ReplacedOld), 1);
}

#[test]
fn peeking_does_not_count_as_useful() {
    let table = Table::new(1).unwrap();
    for n in 1..=4 {
        table.store(key(n), entry(n as u16, 10));
    }
    table.new_search();
    assert!(table.peek(key(1)).is_some());
    assert_eq!(table.hashfull(), 0);
    assert!(table.probe(key(1)).is_some());
    assert_eq!(table.hashfull(), 1, "one slot of the thousand looked at");
}

/// The circle of 64 generations is crossed several times: age must not jump at the seam, and no other bit may
/// change.
#[test]
fn generations_go_round() {
    let table = Table::new(1).unwrap();
    for _ in 0..200 {
        for n in 1..=4 {
            table.store(key(n), entry(n as u16, 20));
        }
        table.new_search();
        table.store(key(4), entry(4, 20));
        table.store(key(9), entry(9, 13));
        let known = [1, 2, 3, 4].map(|n| table.peek(key(n)));
        assert_eq!(known.iter().flatten().count(), 3, "the newcomer replaced exactly one");
        assert_eq!(known[3], Some(entry(4, 20)), "and not the one that is up to date");
        // Make room again: the newcomer is the shallowest.
        for n in 1..=4 {
            table.store(key(n), entry(n as u16, 20));
        }
    }
}

#[test]
fn probing_keeps_an_entry_young_and_untouched_through_many_searches() {
    let table = Table::new(1).unwrap();
    let stored = Entry { mv: 0xffff, score: -1, eval: -1, depth: 126, pv: true, bound: Bound::Exact };
    table.store(u64::MAX, stored);
    for _ in 0..130 {
        table.new_search();
        assert_eq!(table.probe(u64::MAX), Some(stored));
    }
}

#[test]
fn clear_forgets_everything() {
    let mut table = Table::new(3).unwrap();
    let keys = || (0..50_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for key in keys() {
        table.store(key, entry(1, 1));
    }
    assert!(table.hashfull() > 100);
    table.clear();
    assert_eq!(table.hashfull(), 0);
    assert!(keys().all(|key| table.peek(key).is_none()));
}

#[test]
fn hashfull_is_a_share_of_the_current_generation() {
    let table = Table::new(1).unwrap();
    let mut filled = Counters::default();
    let mut n = 0u64;
    while filled.placed(Placement::Filled) < table.capacity() as u64 / 2 {
        n += 1;
        table.store_with(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1, 1), &mut filled);
    }
    assert!((420..=580).contains(&table.hashfull()), "{}", table.hashfull());
    table.new_search();
    assert_eq!(table.hashfull(), 0);
}

#[test]
fn every_size_is_possible_not_only_powers_of_two() {
    for mebibytes in [1, 2, 3, 5, 7, 100] {
        let table = Table::new(mebibytes).unwrap();
        assert_eq!(table.mebibytes(), mebibytes);
        assert_eq!(table.capacity(), mebibytes << 16);
        for key in [0, 1, u64::MAX, u64::MAX - 1, u64::MAX / 2, u64::MAX / 3] {
            table.store(key, entry(9, 9));
            assert_eq!(table.probe(key), Some(entry(9, 9)));
        }
    }
}

#[test]
fn a_size_that_cannot_be_had_leaves_the_table_as_it_is() {
    let mut table = Table::new(2).unwrap();
    table.store(42, entry(1, 1));
    for absurd in [usize::MAX, usize::MAX >> 20, usize::MAX >> 21, 1 << 40, 1 << 28] {
        let error = table.resize(absurd).unwrap_err();
        assert_eq!(error, SizeError::OutOfMemory { mebibytes: absurd });
        assert_eq!(error.to_string(), format!("cannot allocate a hash table of {absurd} MiB"));
    }
    assert_eq!(table.resize(0), Err(SizeError::Zero));
    assert_eq!(table.mebibytes(), 2);
    assert_eq!(table.probe(42), Some(entry(1, 1)));
    table.resize(1).unwrap();
    assert_eq!(table.mebibytes(), 1);
    assert_eq!(table.probe(42), None);
}

#[test]
fn other_policies_are_a_type_parameter_away() {
    let table = Table::<Always>::with_clusters(1).unwrap();
    let preferred = Table::<DepthPreferred>::with_clusters(1).unwrap();
    for n in 1..=5 {
        table.store(key(n) + n, entry(n as u16, 60 - n as u8));
        preferred.store(key(n) + n, entry(n as u16, 60 - n as u8));
    }
    assert!(table.peek(key(5) + 5).is_some());
    assert!(preferred.peek(key(5) + 5).is_none());
}

#[test]
fn counters_add_up() {
    let table = Table::new(1).unwrap();
    let (mut one, mut two) = (Counters::default(), Counters::default());
    table.store_with(3, entry(1, 1), &mut one);
    assert!(table.probe_with(3, &mut one).is_some());
    assert!(table.probe_with(4, &mut two).is_none());
    table.new_search();
    assert!(table.probe_with(3, &mut two).is_some());
    one += two;
    assert_eq!((one.probes, one.hits, one.refreshes, one.hit_permille()), (3, 2, 1, 666));
}

/// Memory that fails: whichever bit of a table flips, an entry is found as it was stored or not at all.
#[test]
fn every_flipped_bit_is_a_miss_or_changes_nothing() {
    let table: Table = Table::with_clusters(8).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let stored: Vec<_> = (0..32).map(|n| (next(), entry(next() as u16 | 1, n))).collect();
    for &(key, entry) in &stored {
        table.store(key, entry);
    }
    let found = |key| table.peek(key);
    let before: Vec<_> = stored.iter().filter(|(key, _)| found(*key).is_some()).copied().collect();
    assert!(before.len() > 16, "most of them have a place");
    let (mut missed, mut kept) = (0, 0);
    for bit in 0..8 * 64 * 8 {
        table.flip_bit(bit);
        for &(key, entry) in &before {
            match found(key) {
                None => missed += 1,
                seen => {
                    assert_eq!(seen, Some(entry), "bit {bit}");
                    kept += 1;
                }
            }
        }
        table.flip_bit(bit);
    }
    // Each of an entry's 128 bits makes it a miss, but for the six of its generation.
    assert_eq!(missed, before.len() * (128 - 6));
    assert_eq!(missed + kept, before.len() * 8 * 64 * 8);
    assert!(before.iter().all(|&(key, entry)| found(key) == Some(entry)), "all bits are back");
}

/// The survey sees what is there, as a policy would: depth, age and bound of every entry in the clusters asked for.
#[test]
fn a_survey_finds_every_entry() {
    let table = <Table>::with_clusters(2).unwrap();
    let (low, high) = (1 << 40, 1 << 63 | 5);
    table.store(low, entry(1, 7));
    table.new_search();
    table.store(high, Entry { bound: Bound::Exact, ..entry(2, 30) });
    let survey = |clusters| {
        let mut seen = Vec::new();
        table.survey(clusters, |resident| seen.push((resident.depth, resident.age, resident.bound)));
        seen
    };
    assert_eq!(survey(0), []);
    assert_eq!(survey(1), [(7, 1, Bound::Lower)]);
    assert_eq!(survey(usize::MAX), [(7, 1, Bound::Lower), (30, 0, Bound::Exact)]);
}

#[test]
fn a_table_in_small_pages_is_a_table_all_the_same() {
    let table = <Table>::without_huge_pages(4).unwrap();
    assert!(!table.huge_pages().advised);
    assert_eq!(table.mebibytes(), 4);
    table.store(key(3), entry(9, 4));
    assert_eq!(table.probe(key(3)), Some(entry(9, 4)));
    assert_eq!(<Table>::without_huge_pages(0).unwrap_err(), SizeError::Zero);
}
