//! The thread pool: workers that live as long as the engine and sleep between searches.
//!
//! Each worker has a mailbox it parks on. Thread 0 leads: it reports, watches the clock, and when it has finished stops the
//! others, waits for them, lets them vote and answers. A worker lets go of the search (and so of the table) *before* it
//! counts as idle, which is why the engine can take the table by `&mut` whenever the pool is idle.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use parking_lot::{Condvar, Mutex};

use crate::job::Job;
use crate::lead::{Conclusion, answer};
use crate::report::Report;
use crate::table_stats::TableStats;
use crate::variant::{Standard, Variant};
use crate::worker::Worker;

/// Deep recursion with a board per ply needs more than the default.
const STACK_BYTES: usize = 16 << 20;

/// Memory that a thread at work uses, in MiB, rounded up: histories, accumulators, stack. A test measures it.
pub const THREAD_MEBIBYTES: usize = 4;

enum Order<V: Variant> {
    Search(Arc<Job<V>>),
    Forget,
    Quit,
}

struct Mailbox<V: Variant> {
    order: Mutex<Option<Order<V>>>,
    arrived: Condvar,
}

impl<V: Variant> Mailbox<V> {
    fn put(&self, order: Order<V>) {
        *self.order.lock() = Some(order);
        self.arrived.notify_one();
    }

    fn take(&self) -> Order<V> {
        let mut order = self.order.lock();
        loop {
            match order.take() {
                Some(order) => return order,
                None => self.arrived.wait(&mut order),
            }
        }
    }
}

/// What the workers of one pool share.
#[derive(Default)]
struct Hall<C> {
    /// Workers that have an order they have not finished.
    busy: Mutex<usize>,
    all_idle: Condvar,
    /// What each helper concluded, handed to thread 0 when all are in.
    conclusions: Mutex<Vec<Conclusion>>,
    helper_done: Condvar,
    stats: Mutex<TableStats>,
    /// Nodes of each thread in the last search.
    nodes: Mutex<Vec<u64>>,
    /// What the variant lets its threads share.
    common: C,
}

/// Search threads, asleep or at work.
pub struct Pool<V: Variant = Standard> {
    hall: Arc<Hall<V::Common>>,
    mailboxes: Vec<Arc<Mailbox<V>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<V: Variant> Pool<V> {
    /// Starts `threads` workers (at least one). If one cannot be started, those that were are ended again.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        let mut pool = Pool { hall: Arc::default(), mailboxes: Vec::new(), handles: Vec::new() };
        for id in 0..threads.max(1) {
            let hall = Arc::clone(&pool.hall);
            let mailbox = Arc::new(Mailbox { order: Mutex::new(None), arrived: Condvar::new() });
            let own = Arc::clone(&mailbox);
            let builder = Builder::new().name(format!("search-{id}")).stack_size(STACK_BYTES);
            pool.handles.push(builder.spawn(move || work::<V>(id, &hall, &own))?);
            pool.mailboxes.push(mailbox);
        }
        Ok(pool)
    }

    /// Number of workers.
    pub fn len(&self) -> usize {
        self.mailboxes.len()
    }

    /// Wakes all workers for a search. The pool must be idle.
    pub fn start(&self, job: Job<V>) {
        *self.hall.stats.lock() = TableStats::default();
        let job = Arc::new(job);
        self.order(|| Order::Search(Arc::clone(&job)));
    }

    /// Clears what the workers have learnt.
    pub fn forget(&self) {
        self.wait();
        self.order(|| Order::Forget);
        self.wait();
    }

    /// Whether no worker has anything to do.
    pub fn is_idle(&self) -> bool {
        *self.hall.busy.lock() == 0
    }

    /// Sleeps until no worker has anything to do.
    pub fn wait(&self) {
        let mut busy = self.hall.busy.lock();
        while *busy > 0 {
            self.hall.all_idle.wait(&mut busy);
        }
    }

    /// Table statistics of the last search.
    pub fn table_stats(&self) -> TableStats {
        *self.hall.stats.lock()
    }

    /// Nodes of each thread in the last search.
    pub fn nodes_by_thread(&self) -> Vec<u64> {
        self.hall.nodes.lock().clone()
    }

    fn order(&self, order: impl Fn() -> Order<V>) {
        *self.hall.busy.lock() = self.len();
        for mailbox in &self.mailboxes {
            mailbox.put(order());
        }
    }
}

impl<V: Variant> Drop for Pool<V> {
    fn drop(&mut self) {
        self.wait();
        for mailbox in &self.mailboxes {
            mailbox.put(Order::Quit);
        }
        for handle in self.handles.drain(..) {
            // A worker that died outside a search has nothing left to say.
            let _ = handle.join();
        }
    }
}

/// The life of a worker.
fn work<V: Variant>(id: usize, hall: &Hall<V::Common>, mailbox: &Mailbox<V>) {
    let mut worker = Worker::new(&hall.common);
    loop {
        match mailbox.take() {
            Order::Search(job) => search(id, hall, &job, &mut worker),
            Order::Forget => worker.forget(),
            Order::Quit => return,
        }
        let mut busy = hall.busy.lock();
        *busy -= 1;
        if *busy == 0 {
            hall.all_idle.notify_all();
        }
    }
}

/// One search, from one worker's side. A panic is caught: what the thread had learnt is suspect and forgotten, and the
/// others' results still make an answer.
fn search<V: Variant>(id: usize, hall: &Hall<V::Common>, job: &Job<V>, worker: &mut Worker<V>) {
    let conclusion = match catch_unwind(AssertUnwindSafe(|| V::think(id, job, worker))) {
        Ok(conclusion) => conclusion,
        Err(panic) => {
            *worker = Worker::new(&hall.common);
            let what = panic.downcast_ref::<&str>().map(ToString::to_string);
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            job.sink.report(Report::Error(&format!("search thread {id} failed and is left out: {what}")));
            Conclusion::none(id)
        }
    };
    let mut conclusions = hall.conclusions.lock();
    if id != 0 {
        conclusions.push(conclusion);
        hall.helper_done.notify_one();
        return;
    }
    drop(conclusions);
    // A leader that failed has not waited for permission to answer.
    job.control.wait_for_release(job.id);
    job.control.stop(job.id);
    conclusions = hall.conclusions.lock();
    while conclusions.len() + 1 < job.threads() {
        hall.helper_done.wait(&mut conclusions);
    }
    let mut all = std::mem::take(&mut *conclusions);
    drop(conclusions);
    all.push(conclusion);
    all.sort_by_key(|conclusion| conclusion.thread);
    let mut stats = TableStats::default();
    for conclusion in &all {
        stats += conclusion.stats;
    }
    *hall.stats.lock() = stats;
    *hall.nodes.lock() = job.nodes_by_thread();
    answer(job, &all);
}
