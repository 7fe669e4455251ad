//! The start/stop/ponderhit protocol under loom: the shipped code of `control`, on loom's primitives.
//!
//! Each model asserts the exact set of outcomes it may have, so that a model which explored too little fails too.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::{Arc as StdArc, Mutex as StdMutex};

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use megatherium_search::baton::{Baton, VirtualSmp};
use megatherium_search::control::{Control, Gate, Primitives, SharedWord};

struct Loom;

impl Primitives for Loom {
    type Word = LoomWord;
    type Gate = LoomGate;
}

struct LoomWord(AtomicU64);

impl SharedWord for LoomWord {
    fn new(value: u64) -> Self {
        LoomWord(AtomicU64::new(value))
    }
    fn load(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
    fn store(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
    fn compare_exchange(&self, current: u64, new: u64) -> Result<u64, u64> {
        self.0.compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed)
    }
}

struct LoomGate {
    lock: Mutex<()>,
    changed: Condvar,
}

impl Gate for LoomGate {
    fn new() -> Self {
        LoomGate { lock: Mutex::new(()), changed: Condvar::new() }
    }
    fn wait_while(&self, mut closed: impl FnMut() -> bool) {
        let mut guard = self.lock.lock().unwrap();
        while closed() {
            guard = self.changed.wait(guard).unwrap();
        }
    }
    fn change<T>(&self, change: impl FnOnce() -> T) -> T {
        let guard = self.lock.lock().unwrap();
        let result = change();
        drop(guard);
        self.changed.notify_all();
        result
    }
}

/// Runs a model over every interleaving (up to three preemptions) and returns what it reported.
fn outcomes<T: Ord + Send + 'static>(
    name: &str,
    model: impl Fn() -> T + Sync + Send + 'static,
) -> BTreeSet<T> {
    let seen = StdArc::new(StdMutex::new((BTreeSet::new(), 0u64)));
    let log = StdArc::clone(&seen);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(move || {
        let outcome = model();
        let mut seen = log.lock().unwrap();
        seen.0.insert(outcome);
        seen.1 += 1;
    });
    let mut seen = seen.lock().unwrap();
    println!("{name}: {} iterations, {} outcomes", seen.1, seen.0.len());
    std::mem::take(&mut seen.0)
}

/// A search that waits at the gate is always released by a stop, however the two meet.
#[test]
fn a_stop_always_wakes_the_waiting_search() {
    let seen = outcomes("stop against wait", || {
        let control = Arc::new(Control::<Loom>::default());
        let id = control.begin(false, true);
        let waiter = {
            let control = Arc::clone(&control);
            thread::spawn(move || {
                control.wait_for_release(id);
                control.is_over(id)
            })
        };
        let ended = control.stop(id);
        // Loom fails the model as a deadlock if the waiter sleeps for ever.
        (ended, waiter.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(true, true)]));
}

/// The same for `ponderhit`; and a stop that races with it ends the search exactly once.
#[test]
fn ponder_hit_and_stop_both_release() {
    let seen = outcomes("ponderhit and stop against wait", || {
        let control = Arc::new(Control::<Loom>::default());
        let id = control.begin(true, false);
        let waiter = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.wait_for_release(id))
        };
        let hitter = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.ponder_hit(id))
        };
        let ended = control.stop(id);
        let hit = hitter.join().unwrap();
        waiter.join().unwrap();
        (ended, hit, control.is_over(id), control.is_pondering(id))
    });
    assert_eq!(seen, BTreeSet::from([(true, true, true, false)]));
}

/// A worker of the first search that delivers its stop late cannot end the second one.
#[test]
fn a_late_stop_does_not_reach_the_next_search() {
    let seen = outcomes("late stop against begin", || {
        let control = Arc::new(Control::<Loom>::default());
        let first = control.begin(false, false);
        let late = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.stop(first))
        };
        let second = control.begin(false, true);
        let early = control.is_over(second);
        let ended_first = late.join().unwrap();
        (ended_first, early, control.is_over(second), control.is_over(first))
    });
    // The first search is over either way; the second never is.
    assert_eq!(seen, BTreeSet::from([(false, false, false, true), (true, false, false, true)]));
}

/// A stop given right after `begin` is seen by a worker that wakes at any moment: it is not lost.
#[test]
fn an_early_stop_is_not_lost() {
    let seen = outcomes("begin, stop against a waking worker", || {
        let control = Arc::new(Control::<Loom>::default());
        let mailbox = Arc::new((Mutex::new(None), Condvar::new()));
        let worker = {
            let (control, mailbox) = (Arc::clone(&control), Arc::clone(&mailbox));
            thread::spawn(move || {
                let mut order = mailbox.0.lock().unwrap();
                let id = loop {
                    match order.take() {
                        Some(id) => break id,
                        None => order = mailbox.1.wait(order).unwrap(),
                    }
                };
                drop(order);
                control.wait_for_release(id);
                control.is_over(id)
            })
        };
        let id = control.begin(false, true);
        *mailbox.0.lock().unwrap() = Some(id);
        mailbox.1.notify_one();
        control.stop(id);
        worker.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([true]));
}

/// A search that finishes while it is being stopped or ponder-hit ends, is released, and is answered.
#[test]
fn finishing_neither_releases_nor_hides_a_stop() {
    let seen = outcomes("finish against stop and wait", || {
        let control = Arc::new(Control::<Loom>::default());
        let id = control.begin(false, true);
        let leader = {
            let control = Arc::clone(&control);
            thread::spawn(move || {
                control.finish(id);
                control.wait_for_release(id);
                control.is_over(id)
            })
        };
        let ended = control.stop(id);
        (ended, leader.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(true, true)]));
}

/// Two threads that both want to end a search: exactly one of them did.
#[test]
fn exactly_one_stop_counts() {
    let seen = outcomes("stop against stop", || {
        let control = Arc::new(Control::<Loom>::default());
        let id = control.begin(false, false);
        let other = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.stop(id))
        };
        let mine = control.stop(id);
        (mine, other.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(false, true), (true, false)]));
}

/// Three threads take turns under the baton, whoever arrives first: always the same order, each sees what was written before,
/// and nobody sleeps for ever, although one leaves early.
#[test]
fn the_baton_goes_round() {
    let seen = outcomes("three threads under a baton", || {
        let baton = Arc::new(Baton::<Loom>::new(VirtualSmp::default(), 3));
        let line = Arc::new(LoomWord::new(0));
        let take_part = |id: usize, turns: usize| {
            let (baton, line) = (Arc::clone(&baton), Arc::clone(&line));
            move || {
                let _turns = baton.join(id);
                for _ in 0..turns {
                    // Not atomic on purpose: a second holder, or an earlier write not seen, would show.
                    line.store(line.load() * 10 + id as u64 + 1);
                    baton.pass(id);
                }
            }
        };
        let first = thread::spawn(take_part(1, 1));
        let second = thread::spawn(take_part(2, 2));
        take_part(0, 2)();
        first.join().unwrap();
        second.join().unwrap();
        line.load()
    });
    assert_eq!(seen, BTreeSet::from([12_313]));
}
