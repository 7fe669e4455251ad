//! Loom models of control word, monitor, pool and baton: the shipped code on loom's primitives.
//!
//! Each model asserts the exact set of its outcomes, so a model that explores too little fails too.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::{Arc as StdArc, Mutex as StdMutex};

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
use loom::thread;
use megatherium_search::smp::pool::{Office, Task};
use megatherium_search::smp::{Baton, Control, Lead, Monitor, Primitives, SharedWord, VirtualSmp};

/// Loom's primitives without any logic: everything under test is shipped code.
struct Loom;

impl Primitives for Loom {
    type Word = LoomWord;
    type Mutex<T: Send> = Mutex<T>;
    type Guard<'a, T: Send + 'a> = MutexGuard<'a, T>;
    type Condvar = Condvar;

    fn mutex<T: Send>(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
    fn lock<T: Send>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }
    fn condvar() -> Condvar {
        Condvar::new()
    }
    fn wait<'a, T: Send>(condvar: &Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        condvar.wait(guard).unwrap()
    }
    fn notify_all(condvar: &Condvar) {
        condvar.notify_all();
    }
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
}

/// Runs a model over every interleaving with up to three preemptions (or `LOOM_MAX_PREEMPTIONS`),
/// and returns its outcomes.
fn outcomes<T: Ord + Send + 'static>(
    name: &str,
    model: impl Fn() -> T + Sync + Send + 'static,
) -> BTreeSet<T> {
    let seen = StdArc::new(StdMutex::new((BTreeSet::new(), 0u64)));
    let log = StdArc::clone(&seen);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
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

/// A stop always releases a search that waits at the gate, under every interleaving.
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
        // If the waiter slept forever loom would report a deadlock.
        (ended, waiter.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(true, true)]));
}

/// `ponderhit` releases it too, and a racing stop ends the search exactly once.
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

/// A late stop of the first search cannot end the second one.
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

/// A search that has been replaced is released, although the next one is held: its leader would
/// wait for a stop that is meant for another search.
#[test]
fn the_next_search_does_not_hold_the_one_before() {
    let seen = outcomes("begin against wait", || {
        let control = Arc::new(Control::<Loom>::default());
        let first = control.begin(true, true);
        let leader = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.wait_for_release(first))
        };
        let second = control.begin(true, true);
        // If the leader slept forever loom would report a deadlock.
        leader.join().unwrap();
        (control.is_pondering(first), control.is_pondering(second))
    });
    assert_eq!(seen, BTreeSet::from([(false, true)]));
}

/// A worker sees a stop that came right after `begin`, whenever it wakes: no stop is lost.
#[test]
fn an_early_stop_is_not_lost() {
    let seen = outcomes("begin, stop against a waking worker", || {
        let control = Arc::new(Control::<Loom>::default());
        let mailbox = Arc::new(Monitor::<_, Loom>::new(None));
        let worker = {
            let (control, mailbox) = (Arc::clone(&control), Arc::clone(&mailbox));
            thread::spawn(move || {
                let id = mailbox.wait_for(Option::take);
                control.wait_for_release(id);
                control.is_over(id)
            })
        };
        let id = control.begin(false, true);
        mailbox.change(|mail| *mail = Some(id));
        control.stop(id);
        worker.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([true]));
}

/// A search that finishes while a stop arrives is over and is released.
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

/// If two threads stop a search, exactly one call returns true.
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

/// Three threads take turns under the baton in a fixed order, whoever arrives first. Each sees all
/// earlier writes, and nobody sleeps forever although one leaves early.
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
                    // Not atomic on purpose: a second holder or a missed write would show.
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

/// Two workers, two tasks, then close: every worker runs every task once, drops it before the pool
/// counts as idle, and returns at the end.
#[test]
fn the_pool_is_idle_only_when_every_task_is_done() {
    let seen = outcomes("two workers, two tasks", || {
        let office = Arc::new(Office::<u64, Loom>::new(2));
        let workers: Vec<_> = (0..2)
            .map(|id| {
                let office = Arc::clone(&office);
                thread::spawn(move || {
                    let mut memory = 0;
                    office.serve(id, &mut memory);
                    memory
                })
            })
            .collect();
        for _ in 0..2 {
            let task: Task<u64> = StdArc::new(|id, memory: &mut u64| *memory += id as u64 + 1);
            office.assign(&task);
            office.wait();
            assert!(office.is_idle());
            assert_eq!(StdArc::strong_count(&task), 1, "a worker still holds its task");
        }
        office.close();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(seen, BTreeSet::from([vec![2, 4]]));
}

/// Two threads complete the same depth at once: the first result stays, for everybody who has seen
/// it and for ever, the polled word names it, and both threads are counted.
#[test]
fn the_first_result_of_a_depth_stays() {
    let seen = outcomes("publish against publish", || {
        let lead = Arc::new(Lead::<u64, Loom>::default());
        let publish = |tag: u16| {
            let lead = Arc::clone(&lead);
            move || {
                lead.publish(3, tag, || u64::from(tag));
                let standing = lead.standing();
                assert_eq!(standing.depth, 3);
                assert_eq!(lead.get(), Some((3, u64::from(standing.tag))));
                standing.tag
            }
        };
        let other = thread::spawn(publish(2));
        let (mine, theirs) = (publish(1)(), other.join().unwrap());
        assert_eq!(mine, theirs);
        assert_eq!(lead.standing().finished, 2);
        mine
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}
