//! How many instructions each operation of the table takes, counted by callgrind.
//!
//! ```text
//! RUSTFLAGS="-C target-cpu=x86-64" \
//!     cargo bench -p megatherium-benches --bench instructions --no-run
//! target/release/deps/instructions-… | sh      # or the path that cargo printed
//! ```
//!
//! Without an argument the program prints a script that runs it once under callgrind for each
//! operation and shows what one call cost: all instructions from the call of a function that is not
//! inlined to its return. Counts, unlike times, are the same on a busy machine.
#![forbid(unsafe_code)]

use std::hint::black_box;

use megatherium_search::{Bound, DepthAge, Entry};
use megatherium_tt::{Hit, Table};

type Shared = Table<Entry, DepthAge>;

const CALLS: u64 = 10_000;
const OPERATIONS: [&str; 7] =
    ["miss", "hit", "hit_and_refresh", "hit_and_unpack", "update", "fill", "replace"];

/// A hash of a number.
fn key(number: u64) -> u64 {
    let sum = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (sum ^ sum >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

const ENTRY: Entry = Entry { mv: 5, score: 7, eval: 9, depth: 31, pv: false, bound: Bound::Lower };

#[inline(never)]
fn counted_probe(table: &Shared, key: u64) -> Option<Hit<Entry>> {
    table.probe(key)
}

#[inline(never)]
fn counted_unpack(table: &Shared, key: u64) -> Option<Entry> {
    table.probe(key).map(Hit::get)
}

#[inline(never)]
fn counted_store(table: &Shared, key: u64) {
    table.store(key, ENTRY);
}

fn run(operation: &str) {
    let table = Shared::with_mebibytes(1).expect("memory for a small table");
    let stored = |numbers: std::ops::Range<u64>| {
        numbers.map(key).for_each(|key| table.store(black_box(key), ENTRY));
    };
    let probe = |number: u64| {
        black_box(counted_probe(&table, key(number)));
    };
    match operation {
        "miss" => (0..CALLS).for_each(probe),
        "hit" => {
            stored(0..CALLS);
            (0..CALLS).for_each(probe);
        }
        "hit_and_refresh" => {
            stored(0..CALLS);
            table.new_generation();
            (0..CALLS).for_each(probe);
        }
        "hit_and_unpack" => {
            stored(0..CALLS);
            (0..CALLS).for_each(|number| {
                black_box(counted_unpack(&table, key(number)));
            });
        }
        "update" => {
            stored(0..CALLS);
            (0..CALLS).for_each(|number| counted_store(&table, key(number)));
        }
        "fill" => (0..CALLS).for_each(|number| counted_store(&table, key(number))),
        "replace" => {
            stored(CALLS..60 * CALLS);
            (0..CALLS).for_each(|number| counted_store(&table, key(number)));
        }
        _ => eprintln!("no such operation"),
    }
}

fn main() {
    if let Some(operation) = std::env::args().nth(1).filter(|argument| argument != "--bench") {
        return run(&operation);
    }
    let program = std::env::current_exe().expect("this program has a path");
    let program = program.display();
    for operation in OPERATIONS {
        println!(
            "valgrind -q --tool=callgrind --callgrind-out-file=/tmp/callgrind.out \
             --toggle-collect='*counted_*' {program} {operation} 2>&1 >/dev/null; \
             callgrind_annotate /tmp/callgrind.out | awk '/PROGRAM TOTALS/ {{ gsub(\",\", \"\"); \
             printf \"%-16s %.1f\\n\", \"{operation}\", $1 / {CALLS} }}'"
        );
    }
}
