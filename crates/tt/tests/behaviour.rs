//! What the table does for one thread, seen from outside.

use megatherium_tt::{
    Counters, Hit, Newcomer, Packed, Payload, Placement, Policy, Resident, SizeError, Table,
    check_layout,
};

/// A payload with something to inherit and something to be ranked by.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Note {
    value: i16,
    hint: u16,
    rank: u8,
}

impl Payload for Note {
    fn pack(self) -> Packed {
        let value = u64::from(self.value as u16);
        Packed::new(value << 42 | u64::from(self.hint) << 26 | (u64::from(self.rank) + 1) << 8)
    }

    fn unpack(packed: Packed) -> Self {
        let bits = packed.bits();
        let (value, hint) = ((bits >> 42) as i16, (bits >> 26) as u16);
        Note { value, hint, rank: Self::rank(packed) as u8 }
    }

    fn rank(packed: Packed) -> i32 {
        (packed.bits() >> 8 & 0x1ff) as i32 - 1
    }

    fn merge(new: Packed, known: Packed) -> Packed {
        let note = Self::unpack(new);
        if note.hint != 0 { new } else { Note { hint: Self::unpack(known).hint, ..note }.pack() }
    }
}

fn note(hint: u16, rank: u8) -> Note {
    Note { value: 17, hint, rank }
}

/// Keys that fall into the first cluster of a small table, all different in their low bits.
fn key(n: u64) -> u64 {
    n << 8 | 0x5a
}

fn table(mebibytes: usize) -> Table<Note> {
    Table::new(mebibytes).unwrap()
}

fn value<V: Payload>(hit: Option<Hit<V>>) -> Option<V> {
    hit.map(Hit::get)
}

#[test]
fn a_stored_value_is_found() {
    let table = table(1);
    let stored = Note { value: -31_000, hint: 0xabcd, rank: 255 };
    table.store(7 << 60, stored);
    assert_eq!(value(table.probe(7 << 60)), Some(stored));
    assert_eq!(value(table.peek(7 << 60)), Some(stored));
    assert_eq!(table.probe(7 << 60).unwrap().packed(), stored.pack());
    assert_eq!(format!("{:?}", table.probe(7 << 60).unwrap()), format!("Hit({stored:?})"));
    assert!(table.probe(7 << 60 | 1).is_none());
}

#[test]
fn key_zero_is_a_key_like_any_other() {
    let table = table(1);
    assert!(table.probe(0).is_none(), "an empty slot is not the entry of key 0");
    table.store(0, note(0, 0));
    assert_eq!(value(table.probe(0)), Some(note(0, 0)));
    table.new_generation();
    assert_eq!(value(table.probe(0)), Some(note(0, 0)));
    assert!(table.probe(1).is_none());
}

#[test]
fn a_hit_is_one_register() {
    assert_eq!(size_of::<Option<Hit<Note>>>(), 8);
}

#[test]
#[should_panic(expected = "must not be zero")]
fn no_payload_is_zero() {
    let _ = Packed::new(0);
}

#[test]
#[should_panic(expected = "at most 58 bits")]
fn no_payload_is_too_long() {
    let _ = Packed::new(1 << 58);
}

#[test]
fn every_other_number_of_58_bits_is_a_payload() {
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
    assert_eq!(Resident::<Raw>::new(Packed::new(7), 3).rank(), 0, "unless it says otherwise");
    let table = Table::<Raw>::with_clusters(1).unwrap();
    for bits in (0..58).map(|bit| 1 << bit).chain([u64::MAX >> 6, 3, 0x2aa_aaaa_aaaa_aaaa]) {
        table.new_generation();
        table.store(99, Raw(bits));
        assert_eq!(value(table.probe(99)).map(|raw| raw.0), Some(bits));
    }
}

#[test]
fn a_store_merges_with_what_is_known_of_its_key() {
    let table = table(1);
    table.store(key(1), note(77, 5));
    table.store(key(1), note(0, 6));
    assert_eq!(value(table.probe(key(1))), Some(note(77, 6)));
    table.store(key(1), note(78, 7));
    assert_eq!(value(table.probe(key(1))), Some(note(78, 7)));
    table.store(key(2), note(0, 7));
    assert_eq!(value(table.probe(key(2))), Some(note(0, 7)), "nothing is lent between keys");
}

#[test]
fn four_keys_share_a_cluster_and_the_fifth_replaces_the_least() {
    let table = table(1);
    let mut counters = Counters::default();
    for (n, rank) in [(1, 9), (2, 4), (3, 6), (4, 8)] {
        table.store_with(key(n), note(n as u16, rank), &mut counters);
    }
    table.store_with(key(5), note(5, 1), &mut counters);
    let found = [1, 2, 3, 4, 5].map(|n| table.peek(key(n)).is_some());
    assert_eq!(found, [true, false, true, true, true]);
    assert_eq!(counters.placed(Placement::Filled), 4);
    assert_eq!(counters.placed(Placement::ReplacedCurrent), 1);
}

#[test]
fn what_a_generation_finds_useful_outlives_what_it_does_not() {
    let table = table(1);
    for n in 1..=4 {
        table.store(key(n), note(n as u16, 10));
    }
    table.new_generation();
    for n in [1, 2, 4] {
        assert!(table.probe(key(n)).is_some());
    }
    let mut counters = Counters::default();
    table.store_with(key(5), note(5, 3), &mut counters);
    assert!(table.peek(key(3)).is_none());
    assert_eq!(counters.placed(Placement::ReplacedOld), 1);
}

/// A generation of age weighs as much as eight ranks, unless the type says otherwise.
#[test]
fn rank_and_age_are_weighed_against_each_other() {
    fn survivor<P: Policy<Note>>(older: u8, younger: u8) -> u64 {
        let table = Table::<Note, P>::with_clusters(1).unwrap();
        table.store(key(1), note(1, older));
        table.new_generation();
        table.store(key(2), note(1, younger));
        table.store(key(3), note(1, 200));
        table.store(key(4), note(1, 200));
        table.store(key(5), note(1, 0));
        (1..=2).find(|&n| table.peek(key(n)).is_some()).expect("one of the two is left")
    }
    assert_eq!(survivor::<megatherium_tt::ByRank>(17, 10), 2);
    assert_eq!(survivor::<megatherium_tt::ByRank>(19, 10), 1);
    assert_eq!(survivor::<megatherium_tt::ByRank<2>>(13, 10), 1);
    assert_eq!(survivor::<megatherium_tt::ByRank<2>>(11, 10), 2);
}

#[test]
fn peeking_does_not_count_as_useful() {
    let table = table(1);
    for n in 1..=4 {
        table.store(key(n), note(n as u16, 10));
    }
    table.new_generation();
    assert!(table.peek(key(1)).is_some());
    assert_eq!(table.hashfull(), 0);
    assert!(table.probe(key(1)).is_some());
    assert_eq!(table.hashfull(), 1, "one slot of the thousand looked at");
}

/// The circle of 64 generations is crossed several times: age must not jump at the seam, and no
/// other bit may change.
#[test]
fn generations_go_round() {
    let table = table(1);
    for _ in 0..200 {
        for n in 1..=4 {
            table.store(key(n), note(n as u16, 20));
        }
        table.new_generation();
        table.store(key(4), note(4, 20));
        table.store(key(9), note(9, 13));
        let known = [1, 2, 3, 4].map(|n| value(table.peek(key(n))));
        assert_eq!(known.iter().flatten().count(), 3, "the newcomer replaced exactly one");
        assert_eq!(known[3], Some(note(4, 20)), "and not the one that is up to date");
        // Make room again: the newcomer is the least.
        for n in 1..=4 {
            table.store(key(n), note(n as u16, 20));
        }
    }
}

#[test]
fn ages_count_to_sixty_three() {
    let table = Table::<Note>::with_clusters(1).unwrap();
    table.store(1, note(1, 1));
    for age in 0..130 {
        table.survey(1, |resident| assert_eq!(resident.age, age % 64));
        let mut expected = [0; 64];
        expected[age as usize % 64] = 250;
        assert_eq!(table.fill_by_age(), expected, "one slot of four");
        assert_eq!(table.hashfull(), expected[0]);
        table.new_generation();
    }
}

#[test]
fn fill_by_age_begins_with_the_current_generation() {
    let table = Table::<Note>::with_clusters(1).unwrap();
    for n in [1, 2, 3] {
        table.store(n, note(1, 1));
        if n < 3 {
            table.new_generation();
        }
        if n == 1 {
            table.new_generation();
        }
    }
    assert_eq!(table.fill_by_age()[..5], [250, 250, 0, 250, 0]);
}

#[test]
fn probing_keeps_an_entry_young_and_untouched_through_many_generations() {
    let table = table(1);
    let stored = Note { value: -1, hint: 0xffff, rank: 255 };
    table.store(u64::MAX, stored);
    for _ in 0..130 {
        table.new_generation();
        assert_eq!(value(table.probe(u64::MAX)), Some(stored));
    }
}

#[test]
fn clear_forgets_everything_on_any_number_of_threads() {
    // Less of everything under Miri, which interprets every access.
    let (count, mebibytes, threads) =
        if cfg!(miri) { (100, 7, &[1, 2, 5][..]) } else { (50_000, 7, &[0, 1, 2, 5, 1000][..]) };
    let keys = || (0..count).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut table = table(mebibytes);
    for &threads in threads {
        for key in keys() {
            table.store(key, note(1, 1));
        }
        table.new_generation();
        table.store(3, note(1, 1));
        table.clear_with(threads);
        assert_eq!(table.fill_by_age(), [0; 64]);
        assert!(keys().all(|key| table.peek(key).is_none()));
        table.store(3, note(1, 1));
        table.clear();
        assert!(table.peek(3).is_none());
    }
}

#[test]
fn hashfull_is_a_share_of_the_current_generation() {
    let table = table(1);
    let mut filled = Counters::default();
    let mut n = 0u64;
    while filled.placed(Placement::Filled) < table.capacity() as u64 / 2 {
        n += 1;
        assert!(n < table.capacity() as u64, "the table does not fill");
        table.store_with(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), note(1, 1), &mut filled);
    }
    assert!((420..=580).contains(&table.hashfull()), "{}", table.hashfull());
    table.new_generation();
    assert_eq!(table.hashfull(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "a mebibyte is smaller under Miri")]
fn every_size_is_possible_not_only_powers_of_two() {
    assert_eq!(format!("{:?}", table(1)), "Table { clusters: 16384, .. }");
    for mebibytes in [1, 2, 3, 5, 7, 100] {
        let table = table(mebibytes);
        assert_eq!(table.mebibytes(), mebibytes);
        assert_eq!(table.capacity(), mebibytes << 16);
        for key in [0, 1, u64::MAX, u64::MAX - 1, u64::MAX / 2, u64::MAX / 3] {
            table.store(key, note(9, 9));
            assert_eq!(value(table.probe(key)), Some(note(9, 9)));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri ends when it cannot allocate")]
fn a_size_that_cannot_be_allocated_leaves_the_table_as_it_is() {
    let mut table = table(2);
    table.store(42, note(1, 1));
    let sizes = [usize::MAX as u64, u64::MAX >> 20, u64::MAX >> 21, 1 << 40, 1 << 28];
    for absurd in sizes.into_iter().filter_map(|size| usize::try_from(size).ok()) {
        let error = table.resize(absurd).unwrap_err();
        assert_eq!(error, SizeError::OutOfMemory { mebibytes: absurd });
        assert_eq!(error.to_string(), format!("cannot allocate a hash table of {absurd} MiB"));
        let error = Table::<Note>::without_huge_pages(absurd).unwrap_err();
        assert_eq!(error, SizeError::OutOfMemory { mebibytes: absurd });
    }
    assert_eq!(table.resize(0), Err(SizeError::Zero));
    assert_eq!(SizeError::Zero.to_string(), "a hash table needs at least 1 MiB");
    assert_eq!(table.mebibytes(), 2);
    assert_eq!(value(table.probe(42)), Some(note(1, 1)));
    table.new_generation();
    table.resize(1).unwrap();
    assert_eq!(table.mebibytes(), 1);
    assert!(table.probe(42).is_none());
}

/// A policy with an answer to every question, chosen at run time.
#[derive(Clone, Copy, Default)]
struct Choosy {
    admits: bool,
    updates: bool,
}

impl Policy<Note> for Choosy {
    fn worth(&self, resident: Resident<Note>, newcomer: Newcomer<Note>, slot: usize) -> i32 {
        assert_eq!(resident.get().hint, slot as u16 + 1, "slots are told by their numbers");
        i32::from(slot != newcomer.lot)
    }

    fn admits(&self, newcomer: Newcomer<Note>, victim: Resident<Note>) -> bool {
        assert_eq!((newcomer.get().hint, newcomer.rank()), (9, 3));
        assert_eq!(usize::from(victim.get().hint), newcomer.lot + 1);
        self.admits
    }

    fn updates(&self, newcomer: Newcomer<Note>, known: Resident<Note>) -> bool {
        assert_eq!((newcomer.get().hint, known.get().hint, known.rank()), (9, 2, 60));
        self.updates
    }
}

#[test]
fn a_policy_is_asked_and_obeyed() {
    for (admits, updates) in [(false, false), (false, true), (true, false), (true, true)] {
        for lot in 0..4 {
            let policy = Choosy { admits, updates };
            let table = Table::<Note, Choosy>::with_clusters(1).unwrap().with_policy(policy);
            for n in 0..4 {
                table.store(key(n), note(n as u16 + 1, 60));
            }
            let mut counters = Counters::default();
            // The lot is the low bits of the key.
            table.store_with(1 << 40 | lot, note(9, 3), &mut counters);
            let left = [0, 1, 2, 3].map(|n| table.peek(key(n)).is_some());
            let expected: [bool; 4] = core::array::from_fn(|n| !admits || n as u64 != lot);
            assert_eq!(left, expected);
            let placement = if admits { Placement::ReplacedCurrent } else { Placement::Declined };
            assert_eq!(counters.placed(placement), 1);

            let table = Table::<Note, Choosy>::with_clusters(1).unwrap().with_policy(policy);
            table.store(key(1), note(2, 60));
            table.store_with(key(1), note(9, 3), &mut counters);
            let expected = if updates { note(9, 3) } else { note(2, 60) };
            assert_eq!(value(table.peek(key(1))), Some(expected));
            let placement = if updates { Placement::Updated } else { Placement::Kept };
            assert_eq!(counters.placed(placement), 1);
        }
    }
}

#[test]
fn counters_add_up() {
    let table = table(1);
    let (mut one, mut two) = (Counters::default(), Counters::default());
    assert_eq!(one.hit_permille(), 0);
    table.store_with(3, note(1, 1), &mut one);
    assert!(table.probe_with(3, &mut one).is_some());
    assert!(table.probe_with(4, &mut two).is_none());
    table.new_generation();
    assert!(table.probe_with(3, &mut two).is_some());
    table.store_with(3, note(1, 1), &mut two);
    one += two;
    assert_eq!((one.probes, one.hits, one.refreshes, one.hit_permille()), (3, 2, 1, 666));
    assert_eq!(Placement::ALL.map(|placement| one.placed(placement)), [1, 0, 1, 0, 0, 0, 0]);
    one += one;
    assert_eq!((one.probes, one.hits, one.refreshes), (6, 4, 2));
    assert_eq!(one.stores, [2, 0, 2, 0, 0, 0, 0]);
}

/// The survey sees what is there, as a policy would, in the clusters asked for.
#[test]
fn a_survey_finds_every_entry() {
    let table = Table::<Note>::with_clusters(2).unwrap();
    table.store(1 << 40, note(1, 7));
    table.new_generation();
    table.store(1 << 63 | 5, note(2, 30));
    let survey = |clusters| {
        let mut seen = Vec::new();
        table.survey(clusters, |it| seen.push((it.rank(), it.age, it.get().hint)));
        seen
    };
    assert_eq!(survey(0), []);
    assert_eq!(survey(1), [(7, 1, 1)]);
    assert_eq!(survey(usize::MAX), [(7, 1, 1), (30, 0, 2)]);
}

#[test]
fn a_table_in_small_pages_is_a_table_all_the_same() {
    let table = Table::<Note>::without_huge_pages(4).unwrap();
    assert!(!table.huge_pages().advised);
    assert_eq!(table.mebibytes(), 4);
    table.store(key(3), note(9, 4));
    assert_eq!(value(table.probe(key(3))), Some(note(9, 4)));
    assert_eq!(Table::<Note>::without_huge_pages(0).unwrap_err(), SizeError::Zero);
}

/// Without `std`, and on other systems, nothing is asked of the system, and the table says so.
#[cfg(not(all(target_os = "linux", feature = "std")))]
#[test]
fn without_std_the_system_is_not_asked() {
    let table = table(4);
    assert_eq!(table.huge_pages(), megatherium_tt::HugePages::default());
    assert!(!table.interleave(&[0]));
}

#[test]
fn the_payload_of_these_tests_is_sound() {
    let notes: Vec<Note> = (0..if cfg!(miri) { 100 } else { 3000 })
        .map(|n| Note { value: n * 7 - 9000, hint: n as u16 % 5, rank: (n % 40) as u8 })
        .collect();
    assert!(check_layout(&notes, 64 << 14).is_ok());
}

/// Memory that fails: whichever bit of a table flips, an entry is found as it was stored or not at
/// all.
#[cfg(feature = "fault-injection")]
#[test]
fn every_flipped_bit_is_a_miss_or_changes_nothing() {
    let table = Table::<Note>::with_clusters(8).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let stored: Vec<_> = (0..32).map(|n| (next(), note(next() as u16 | 1, n))).collect();
    for &(key, note) in &stored {
        table.store(key, note);
    }
    let found = |key| value(table.peek(key));
    let before: Vec<_> = stored.iter().filter(|(key, _)| found(*key).is_some()).copied().collect();
    assert!(before.len() > 16, "most of them have a place");
    let (mut missed, mut kept) = (0, 0);
    for bit in 0..8 * 64 * 8 {
        table.flip_bit(bit);
        for &(key, note) in &before {
            match found(key) {
                None => missed += 1,
                seen => {
                    assert_eq!(seen, Some(note), "bit {bit}");
                    kept += 1;
                }
            }
        }
        table.flip_bit(bit);
    }
    // Each of an entry's 128 bits makes it a miss, but for the six of its generation.
    assert_eq!(missed, before.len() * (128 - 6));
    assert_eq!(missed + kept, before.len() * 8 * 64 * 8);
    assert!(before.iter().all(|&(key, note)| found(key) == Some(note)), "all bits are back");
}

/// A slot that two writers have torn belongs to no key of its cluster. It is used again before a
/// live entry is evicted, however much it seems to be worth.
#[cfg(feature = "fault-injection")]
#[test]
fn a_dead_slot_is_reused_first() {
    for slot in 0..4 {
        let table = Table::<Note>::with_clusters(2).unwrap();
        for n in 0..4 {
            table.store(key(n), note(n as u16 + 1, if n == slot { 200 } else { 3 }));
        }
        // The top bit of a check word: the key of the pair belongs to the other cluster.
        table.flip_bit(slot * 128 + 63);
        let mut counters = Counters::default();
        table.store_with(key(9), note(9, 0), &mut counters);
        assert_eq!(counters.placed(Placement::Healed), 1);
        for n in [0, 1, 2, 3, 9] {
            assert_eq!(table.peek(key(n)).is_some(), n != slot, "slot {slot}, key {n}");
        }
    }
}

/// Bits are counted slot by slot, the check word first. The first six bits of a data word are its
/// generation: flipping one loses nothing.
#[cfg(feature = "fault-injection")]
#[test]
fn bits_are_counted_check_word_first() {
    let table = Table::<Note>::with_clusters(1).unwrap();
    table.store(key(1), note(5, 9));
    for bit in 0..128 {
        table.flip_bit(bit);
        let is_generation = (64..70).contains(&bit);
        assert_eq!(table.peek(key(1)).is_some(), is_generation, "bit {bit}");
        table.flip_bit(bit);
    }
}
