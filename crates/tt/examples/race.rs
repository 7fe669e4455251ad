//! Threads that race for one small table, to be run under `ThreadSanitizer` (the command is in `docs/reliability.md`).
//!
//! With `--mutant` the table is made of plain memory instead of atomic words: the sanitizer must report that, or its silence
//! about the real table means nothing.
//!
//! The table is leaked and the threads are plain, because the standard library is not instrumented: what it synchronises by itself
//! would be taken for races.

use core::cell::UnsafeCell;

use megatherium_tt::policy::DepthAge;
use megatherium_tt::{Bound, Cluster, Entry, Table, Word};

const THREADS: u64 = 4;
const ROUNDS: u64 = 200_000;

/// A word without any protection: the mutant.
struct Plain(UnsafeCell<u64>);

// SAFETY: there is none. This is the data race that the sanitizer is shown, in an example that does nothing else.
unsafe impl Sync for Plain {}

impl Word for Plain {
    type Memory = Box<[Cluster<Self>]>;

    fn new(value: u64) -> Self {
        Plain(UnsafeCell::new(value))
    }

    fn load(&self) -> u64 {
        // SAFETY: the pointer is valid; that others write meanwhile is the point.
        unsafe { *self.0.get() }
    }

    fn store(&self, value: u64) {
        // SAFETY: as above.
        unsafe { *self.0.get() = value }
    }

    fn compare_exchange(&self, current: u64, new: u64) -> bool {
        let same = self.load() == current;
        if same {
            self.store(new);
        }
        same
    }
}

/// Hammers a table from several threads; returns how many probes found something.
fn race<W: Word>(table: &'static Table<DepthAge, W>) -> u64 {
    let work = move |thread: u64| {
        let mut state = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut hits = 0;
        for round in 0..ROUNDS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Few keys, so that the threads meet.
            let key = (state % 512).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mv = key as u16 | 1;
            table.prefetch(key);
            if let Some(entry) = table.probe(key) {
                assert_eq!(entry.mv, mv, "the entry of another key");
                hits += 1;
            }
            let depth = (state >> 40) as u8 % 60;
            table.store(key, Entry { mv, score: 1, eval: 2, depth, pv: false, bound: Bound::Exact });
            if round % 1000 == 0 && thread == 1 {
                table.new_search();
            }
        }
        hits
    };
    let threads: Vec<_> = (1..=THREADS).map(|thread| std::thread::spawn(move || work(thread))).collect();
    threads.into_iter().map(|thread| thread.join().expect("no thread fails")).sum()
}

fn main() {
    let clusters = 64;
    let hits = if std::env::args().any(|argument| argument == "--mutant") {
        race(Box::leak(Box::new(Table::<DepthAge, Plain>::with_clusters(clusters).expect("memory"))))
    } else {
        race(Box::leak(Box::new(Table::<DepthAge>::with_clusters(clusters).expect("memory"))))
    };
    println!("{THREADS} threads, {ROUNDS} probes and stores each, {hits} hits");
}
