//! The thread pool: workers that live as long as the engine and sleep between tasks.
//!
//! Each worker owns a `W`, its private memory, and has a mailbox it sleeps at. A task is a function
//! that every worker runs once with its own number and its own `W`. A worker drops its task
//! *before* it counts as idle, so whatever the task shared is free again once the pool is idle.
//!
//! A pool can also do without threads: then its one worker is the thread that starts the task.

use std::collections::TryReserveError;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

use parking_lot::Mutex;

use super::monitor::Monitor;
use super::primitives::{Native, Primitives};

/// Stack of a thread that searches: deep recursion with a board per ply needs more than the
/// default.
pub const STACK_BYTES: usize = 16 << 20;

/// What the workers run: the number of the worker, and its memory.
pub type Task<W> = Arc<dyn Fn(usize, &mut W) + Send + Sync>;

enum Order<W> {
    Run(Task<W>),
    Quit,
}

/// What a pool and its workers share: a mailbox for each worker, and the count of busy ones.
pub struct Office<W, P: Primitives = Native> {
    mailboxes: Box<[Monitor<Option<Order<W>>, P>]>,
    /// Workers that have not finished their last task.
    busy: Monitor<usize, P>,
}

impl<W, P: Primitives> Office<W, P> {
    /// An office for `workers` workers, all idle.
    pub fn new(workers: usize) -> Self {
        Office {
            mailboxes: (0..workers).map(|_| Monitor::default()).collect(),
            busy: Monitor::default(),
        }
    }

    /// Gives every worker the task. The office must be idle.
    pub fn assign(&self, task: &Task<W>) {
        self.busy.change(|busy| *busy = self.mailboxes.len());
        for mailbox in &self.mailboxes {
            mailbox.change(|order| *order = Some(Order::Run(Arc::clone(task))));
        }
    }

    /// Tells every worker to return from [`serve`](Self::serve).
    pub fn close(&self) {
        for mailbox in &self.mailboxes {
            mailbox.change(|order| *order = Some(Order::Quit));
        }
    }

    /// Whether no worker has anything to do.
    pub fn is_idle(&self) -> bool {
        self.busy.read(|&busy| busy == 0)
    }

    /// Sleeps until no worker has anything to do.
    pub fn wait(&self) {
        self.busy.wait_for(|&mut busy| (busy == 0).then_some(()));
    }

    /// The loop of worker `id`. A panic ends the task, not the worker.
    pub fn serve(&self, id: usize, worker: &mut W) {
        while let Order::Run(task) = self.mailboxes[id].wait_for(Option::take) {
            let _idle_afterwards = Busy(&self.busy);
            // A task that must not lose its result catches its own panics.
            let _ = catch_unwind(AssertUnwindSafe(|| task(id, worker)));
            drop(task);
        }
    }
}

/// Counts a worker as busy until dropped, whatever happens meanwhile.
struct Busy<'a, P: Primitives>(&'a Monitor<usize, P>);

impl<P: Primitives> Drop for Busy<'_, P> {
    fn drop(&mut self) {
        self.0.change(|busy| *busy -= 1);
    }
}

/// Threads, asleep or at work.
pub struct Pool<W> {
    office: Arc<Office<W>>,
    handles: Vec<JoinHandle<()>>,
    /// The memory of the only worker of a pool without threads.
    here: Option<Mutex<W>>,
}

impl<W: 'static> Pool<W> {
    /// Starts `threads` workers (at least one). `hire` makes the memory of the worker of a number
    /// on the worker's own thread, so that it lies near the core that uses it. If a thread cannot
    /// be started or its memory cannot be allocated, the others end and the error is returned.
    pub fn new(
        threads: usize,
        hire: impl Fn(usize) -> Result<W, TryReserveError> + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let office = Arc::new(Office::new(threads.max(1)));
        let mut pool = Pool { office, handles: Vec::new(), here: None };
        let (hired, results) = mpsc::channel();
        for id in 0..pool.workers() {
            let (office, hire, hired) = (Arc::clone(&pool.office), hire.clone(), hired.clone());
            let builder = Builder::new().name(format!("search-{id}")).stack_size(STACK_BYTES);
            let handle = builder.spawn(move || {
                let worker = hire(id);
                let failed = worker.as_ref().err().cloned();
                // The receiver is gone only if another thread has failed already.
                let _ = hired.send(failed);
                drop((hire, hired));
                if let Ok(mut worker) = worker {
                    office.serve(id, &mut worker);
                }
            });
            pool.handles.push(handle?);
        }
        drop(hired);
        match results.into_iter().flatten().next() {
            Some(error) => Err(io::Error::new(io::ErrorKind::OutOfMemory, error)),
            None => Ok(pool),
        }
    }

    /// A pool without threads. [`start`](Self::start) runs the task on the thread that calls it and
    /// returns when it is done, which saves two switches between threads a task.
    pub fn here(hire: impl Fn(usize) -> Result<W, TryReserveError>) -> io::Result<Self> {
        let worker = hire(0).map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        let office = Arc::new(Office::new(1));
        Ok(Pool { office, handles: Vec::new(), here: Some(Mutex::new(worker)) })
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.office.mailboxes.len()
    }

    /// Lets every worker run `task` once. The pool must be idle.
    pub fn start(&self, task: impl Fn(usize, &mut W) + Send + Sync + 'static) {
        if let Some(worker) = &self.here {
            // A panic ends the task, as on a thread of its own.
            let _ = catch_unwind(AssertUnwindSafe(|| task(0, &mut worker.lock())));
            return;
        }
        let task: Task<W> = Arc::new(task);
        self.office.assign(&task);
    }

    /// Whether no worker has anything to do.
    pub fn is_idle(&self) -> bool {
        self.office.is_idle()
    }

    /// Sleeps until no worker has anything to do.
    pub fn wait(&self) {
        self.office.wait();
    }
}

impl<W> Drop for Pool<W> {
    fn drop(&mut self) {
        self.office.wait();
        self.office.close();
        for handle in self.handles.drain(..) {
            // Workers do not panic: tasks are caught, and a worker has nothing else to do.
            let _ = handle.join();
        }
    }
}
