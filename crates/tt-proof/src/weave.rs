//! The same programs under loom.
//!
//! loom runs real code on its own scheduler and its own atomics, again and again, until it has
//! tried all interleavings and all values that a load may return. It is the tool the Rust world
//! trusts. But it has blind spots, some of them in the very shape this table has, and
//! [`litmus`](crate::litmus) reproduces them. So the models are set up to avoid them:
//!
//! * All threads are spawned, the readers too; the main thread only waits for them. (A reader in
//!   the main thread is overlooked.)
//! * The number of preemptions is bounded. (Without a bound loom tries *fewer* interleavings of a
//!   load followed by a store.)
//! * Nothing may cut the exploration short: loom would report success. The limits that the
//!   environment can set are taken off.
//! * The set of outcomes is compared with the exact checker's, both ways. A model that explored too
//!   little cannot pass.

use crate::program::{Explored, Program, outcome};
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
use megatherium_tt::internals::{Backed, Cluster, Word};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A word made of loom's atomic.
#[derive(Debug)]
pub(crate) struct LoomWord(AtomicU64);

impl Backed for LoomWord {
    type Memory = Box<[Cluster<Self>]>;
}

impl Word for LoomWord {
    fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }

    fn load(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn store(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    fn compare_exchange(&self, current: u64, new: u64) -> bool {
        self.0.compare_exchange(current, new, Relaxed, Relaxed).is_ok()
    }
}

/// Runs a program under loom, with at most this many preemptions in each execution.
pub(crate) fn explore<P: Program>(program: Arc<P>, preemptions: Option<usize>) -> Explored {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 100_000;
    // Whatever the environment says: a model that was cut short proves nothing.
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.checkpoint_file = None;
    let found = Arc::new(Mutex::new(Explored { outcomes: BTreeSet::new(), effort: 0 }));
    let log = found.clone();
    builder.check(move || {
        let shared = Arc::new(program.before::<LoomWord>());
        let threads: Vec<_> = (0..program.threads())
            .map(|thread| {
                let (program, shared) = (program.clone(), shared.clone());
                loom::thread::spawn(move || program.thread(&shared, thread))
            })
            .collect();
        let saw: Vec<String> = threads
            .into_iter()
            .map(|thread| thread.join().expect("threads of a model do not panic"))
            .collect();
        let outcome = outcome(&saw, &program.after(&shared));
        let mut log = log.lock().expect("nobody panics with the lock");
        log.effort += 1;
        log.outcomes.insert(outcome);
    });
    Arc::into_inner(found).expect("loom is done").into_inner().expect("nobody panicked")
}
