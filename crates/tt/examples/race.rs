//! Threads that race in one small table, to be run under `ThreadSanitizer` (the command is in
//! `CONTRIBUTING.md` of the repository).
//!
//! With `--mutant` they race for a slot made of plain memory instead: the sanitizer must report
//! that, or its silence about the table means nothing.
//!
//! What is shared is leaked and the threads are plain, because the standard library is not
//! instrumented: what it synchronises by itself would be taken for races.

use core::cell::UnsafeCell;

use megatherium_tt::{Packed, Payload, Table};

const THREADS: u64 = 4;
const ROUNDS: u64 = 200_000;

/// Something for each thread to do, again and again, that counts what it found.
trait Arena: Sync + 'static {
    fn turn(&self, key: u64, round: u64) -> u64;
}

#[derive(Clone, Copy)]
struct Value(u32);

impl Payload for Value {
    fn pack(self) -> Packed {
        Packed::new(u64::from(self.0) << 26 | 1)
    }

    fn unpack(packed: Packed) -> Self {
        Value((packed.bits() >> 26) as u32)
    }
}

impl Arena for Table<Value> {
    fn turn(&self, key: u64, round: u64) -> u64 {
        self.prefetch(key);
        let hit = self.probe(key);
        assert!(hit.is_none_or(|hit| hit.get().0 == key as u32), "the value of another key");
        self.store(key, Value(key as u32));
        if round % 1000 == 0 {
            self.new_generation();
        }
        u64::from(hit.is_some())
    }
}

/// A slot without any protection: the mutant.
struct Plain(UnsafeCell<[u64; 2]>);

// SAFETY: there is none. This is the data race that the sanitizer is shown.
unsafe impl Sync for Plain {}

impl Arena for Plain {
    fn turn(&self, key: u64, _: u64) -> u64 {
        // SAFETY: the pointer is valid; that others write meanwhile is the point.
        let [check, data] = unsafe { *self.0.get() };
        let entry = [key ^ (key | 1), key | 1];
        // SAFETY: as above.
        unsafe { *self.0.get() = entry };
        u64::from(check ^ data == key)
    }
}

/// Runs the threads; returns the number of hits.
fn race(arena: &'static impl Arena) -> u64 {
    let work = move |thread: u64| {
        let mut state = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut hits = 0;
        for round in 0..ROUNDS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Few keys, so that the threads meet.
            hits += arena.turn((state % 512).wrapping_mul(0x9e37_79b9_7f4a_7c15), round);
        }
        hits
    };
    let threads: Vec<_> =
        (1..=THREADS).map(|thread| std::thread::spawn(move || work(thread))).collect();
    threads.into_iter().map(|thread| thread.join().expect("no thread fails")).sum()
}

fn main() {
    let hits = if std::env::args().any(|argument| argument == "--mutant") {
        race(Box::leak(Box::new(Plain(UnsafeCell::new([0; 2])))))
    } else {
        race(Box::leak(Box::new(Table::<Value>::with_clusters(64).expect("memory"))))
    };
    println!("{THREADS} threads, {ROUNDS} probes and stores each, {hits} hits");
}
