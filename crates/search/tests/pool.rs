//! The thread pool with real threads: what its users rely on. The models in `protocol.rs` have the
//! interleavings.

#![forbid(unsafe_code)]

use std::collections::TryReserveError;
use std::hint::black_box;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};

use megatherium_search::smp::Pool;

/// A pool whose workers keep a list of numbers.
fn pool(threads: usize) -> Pool<Vec<usize>> {
    Pool::new(threads, |id| Ok(vec![id])).unwrap()
}

/// What each worker has in its list.
fn lists(pool: &Pool<Vec<usize>>) -> Vec<Vec<usize>> {
    let found = Arc::new(parking_lot::Mutex::new(vec![Vec::new(); pool.workers()]));
    let shared = Arc::clone(&found);
    pool.start(move |id, list| shared.lock()[id].clone_from(list));
    pool.wait();
    Arc::into_inner(found).expect("an idle pool holds nothing of its task").into_inner()
}

#[test]
fn every_worker_runs_every_task_once_with_its_own_memory() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        assert_eq!(pool.workers(), threads);
        for task in 100..103 {
            pool.start(move |id, list| list.push(10 * task + id));
            pool.wait();
        }
        let expected = |id| vec![id, 1000 + id, 1010 + id, 1020 + id];
        assert_eq!(lists(&pool), (0..threads).map(expected).collect::<Vec<_>>());
    }
    assert_eq!(pool(0).workers(), 1, "somebody has to search");
}

/// The pool is busy until the last worker has finished, and idle then.
#[test]
fn one_busy_worker_keeps_the_pool_busy() {
    let pool = pool(3);
    assert!(pool.is_idle(), "new workers have nothing to do");
    for last in 0..3 {
        let (begin, end) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let (begun, ended) = (Arc::clone(&begin), Arc::clone(&end));
        pool.start(move |id, _| {
            if id == last {
                begun.wait();
                ended.wait();
            }
        });
        begin.wait();
        assert!(!pool.is_idle(), "worker {last} is at work");
        end.wait();
        pool.wait();
        assert!(pool.is_idle());
    }
}

/// A panic ends the task of that worker and nothing else.
#[test]
fn a_panic_leaves_the_pool_idle_and_whole() {
    let pool = pool(3);
    for failing in 0..3 {
        pool.start(move |id, list| {
            assert_ne!(id, failing, "this panic belongs to the test");
            list.push(failing);
        });
        pool.wait();
        assert!(pool.is_idle());
    }
    assert_eq!(lists(&pool), [vec![0, 1, 2], vec![1, 0, 2], vec![2, 0, 1]]);
}

/// A pool that is dropped lets its workers finish, and its threads and their memory are gone after.
#[test]
fn dropping_a_pool_ends_its_threads() {
    let alive = Arc::new(());
    let finished = Arc::new(AtomicUsize::new(0));
    let hired = Arc::clone(&alive);
    let pool = Pool::new(4, move |_| Ok(Arc::clone(&hired))).unwrap();
    // One reference for the test and one for each worker: the closure has been dropped.
    assert_eq!(Arc::strong_count(&alive), 5);
    let (begin, done) = (Arc::new(Barrier::new(5)), Arc::clone(&finished));
    let begun = Arc::clone(&begin);
    pool.start(move |_, _| {
        begun.wait();
        std::thread::yield_now();
        done.fetch_add(1, Relaxed);
    });
    begin.wait();
    drop(pool);
    assert_eq!(finished.load(Relaxed), 4);
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// If the memory of one worker cannot be allocated, that is an error and the others end.
#[test]
fn a_worker_that_cannot_be_hired_ends_the_others() {
    fn refusal() -> TryReserveError {
        Vec::<u64>::new().try_reserve(usize::MAX).unwrap_err()
    }
    for failing in 0..4 {
        let alive = Arc::new(());
        let hired = Arc::clone(&alive);
        let pool =
            Pool::new(
                4,
                move |id| {
                    if id == failing { Err(refusal()) } else { Ok(Arc::clone(&hired)) }
                },
            );
        let error = pool.err().expect("one of the workers has no memory");
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::OutOfMemory, refusal().to_string())
        );
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}

/// A pool without threads runs tasks on the thread that starts them, and is idle when that returns.
#[test]
fn a_pool_without_threads_works_on_the_caller() {
    let pool = Pool::here(|id| Ok(vec![id])).unwrap();
    assert_eq!(pool.workers(), 1);
    let caller = std::thread::current().id();
    let seen = Arc::new(parking_lot::Mutex::new(None));
    let see = Arc::clone(&seen);
    pool.start(move |id, list| {
        list.push(10 + id);
        *see.lock() = Some(std::thread::current().id());
    });
    assert!(pool.is_idle());
    pool.wait();
    assert_eq!(*seen.lock(), Some(caller));
    // A panic is as harmless as on another thread, and the memory is kept.
    pool.start(|_, _| panic!("this panic belongs to the test"));
    assert_eq!(lists(&pool), [[0, 10]]);

    let refusal = || Vec::<u64>::new().try_reserve(usize::MAX).unwrap_err();
    let error = Pool::<Vec<usize>>::here(|_| Err(refusal())).err().expect("there is no memory");
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::OutOfMemory, refusal().to_string()));
}

/// A deep search needs a deep stack: far more than a thread has by default.
#[test]
fn workers_have_room_for_deep_recursion() {
    fn deep(level: usize) -> usize {
        let mut room = [0u8; 16 << 10];
        black_box(&mut room)[level] = 1;
        if level > 0 { deep(level - 1) + usize::from(black_box(&room)[level]) } else { 0 }
    }
    let pool = pool(2);
    pool.start(|_, list| list.push(deep(512)));
    pool.wait();
    assert_eq!(lists(&pool), [[0, 512], [1, 512]]);
}
