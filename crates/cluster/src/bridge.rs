//! Queues between the search threads of a rank and its protocol thread.
//!
//! The search threads put entries and progress here and take what other ranks have sent, without
//! waiting. Only [`gather`](Allies::gather) waits, once per search and at most for the grace.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crossbeam_queue::ArrayQueue;
use megatherium_board::Move;
use megatherium_cli::MAX_THREADS;
use megatherium_nnue::Network;
use megatherium_search::{Allies, Entry, Limits, Options, Progress, SearchTable, Verdict, take_in};
use parking_lot::{Condvar, Mutex};

use crate::message::Keyed;
use crate::sharing::{DEPTHS, Outbox, Share};

/// Received entries that wait for a search thread to take them; more are dropped.
const INBOX: usize = 1 << 14;

/// Iterations of other ranks that wait likewise; the oldest are dropped.
const COMPLETED: usize = 64;

/// Entries a thread takes in at one poll: few, so that no thread is kept from searching.
const BATCH: usize = 256;

/// The default of `Cluster Grace`.
pub const GRACE: Duration = Duration::from_millis(5);

/// What the other threads of a rank tell its protocol thread.
#[derive(Debug)]
pub enum Event {
    /// Rank 0 begins the search of this number: nodes of all ranks, and moves to consider.
    Begin(u64, Option<u64>, Vec<Move>),
    /// Rank 0 has finished that search and wants the others' conclusions.
    End(u64),
    /// The position of the next search, as a command.
    Position(String),
    /// An option that followers take over: name and line.
    Option(&'static str, String),
    /// Everything is to be forgotten.
    Forget,
    /// Answer when all ranks have taken over the settings.
    Ready(Sender<()>),
    /// A line for every rank: how many entries it has sent and received.
    Traffic(Sender<String>),
    /// A follower's search is over.
    Concluded(Option<Verdict>, Progress),
    /// The conversation is over.
    Quit,
}

/// What the leader knows of the others in a search.
#[derive(Debug, Default)]
struct Collected {
    /// Names the search: what belongs to another is ignored.
    search: u64,
    /// Nodes and tablebase hits of the others.
    progress: [u64; 2],
    /// Followers that may still answer; `None` until the leader has asked them.
    missing: Option<usize>,
    verdicts: Vec<(usize, Verdict)>,
}

/// What the search threads and the protocol thread of a rank share.
pub struct Bridge {
    rank: usize,
    events: Sender<Event>,
    /// What goes out.
    pub outbox: Outbox,
    inbox: ArrayQueue<Keyed>,
    /// Nodes and tablebase hits by thread.
    progress: Box<[[AtomicU64; 2]]>,
    seats_before: AtomicUsize,
    share: Mutex<Share>,
    grace: Mutex<Duration>,
    net: AtomicU64,
    /// How many ranks there are beside this one.
    others: usize,
    /// The deepest iteration that was completed here and has not been sent.
    pub completed: Mutex<Option<Verdict>>,
    completed_elsewhere: ArrayQueue<Verdict>,
    collected: Mutex<Collected>,
    collecting: Condvar,
    searching: AtomicBool,
}

impl Bridge {
    /// The bridge of a rank, and the receiver of its events.
    pub fn new(rank: usize, ranks: usize) -> (Bridge, Receiver<Event>) {
        let (events, received) = channel();
        let bridge = Bridge {
            rank,
            events,
            outbox: Outbox::default(),
            inbox: ArrayQueue::new(INBOX),
            progress: (0..MAX_THREADS).map(|_| Default::default()).collect(),
            seats_before: AtomicUsize::new(0),
            share: Mutex::default(),
            grace: Mutex::new(GRACE),
            net: AtomicU64::new(Network::embedded().checksum()),
            others: ranks - 1,
            completed: Mutex::default(),
            completed_elsewhere: ArrayQueue::new(COMPLETED),
            collected: Mutex::default(),
            collecting: Condvar::new(),
            searching: AtomicBool::new(false),
        };
        (bridge, received)
    }

    /// Sends an event to the protocol thread.
    pub fn event(&self, event: Event) {
        // The receiver is dropped only at the end of the process.
        let _ = self.events.send(event);
    }

    /// Sets the option `Cluster Share`.
    pub fn set_share(&self, share: Share) {
        *self.share.lock() = share;
    }

    /// The option `Cluster Share`.
    pub fn share(&self) -> Share {
        *self.share.lock()
    }

    /// Sets the option `Cluster Grace`.
    pub fn set_grace(&self, grace: Duration) {
        *self.grace.lock() = grace;
    }

    /// Says how many threads the ranks before this one have.
    pub fn set_seats_before(&self, seats: usize) {
        self.seats_before.store(seats, Ordering::Relaxed);
    }

    /// Checksum of the net in use.
    pub fn net(&self) -> u64 {
        self.net.load(Ordering::Relaxed)
    }

    /// Puts received entries, and an iteration of the search under way, where the search threads
    /// find them.
    pub fn deliver(&self, entries: Vec<Keyed>, completed: Option<Verdict>) {
        if self.searching.load(Ordering::Relaxed) {
            if let Some(iteration) = completed {
                self.completed_elsewhere.force_push(iteration);
            }
            for entry in entries {
                // An entry that does not fit is dropped: at worst one cutoff fewer.
                let _ = self.inbox.push(entry);
            }
        }
    }

    /// Nodes and tablebase hits of this rank's threads.
    pub fn own_progress(&self) -> [u64; 2] {
        let sum = |which: usize| {
            self.progress.iter().map(|thread| thread[which].load(Ordering::Relaxed)).sum()
        };
        [sum(0), sum(1)]
    }

    /// Sets the progress of the other ranks in a search.
    pub fn set_others(&self, search: u64, progress: [u64; 2]) {
        let mut collected = self.collected.lock();
        if collected.search == search {
            collected.progress = progress;
        }
    }

    /// Records the verdicts that have arrived for a search, and how many are missing.
    pub fn collect(&self, search: u64, missing: usize, verdicts: Vec<(usize, Verdict)>) {
        let mut collected = self.collected.lock();
        if collected.search == search {
            collected.missing = Some(missing);
            collected.verdicts = verdicts;
            self.collecting.notify_all();
        }
    }

    /// Resets everything for a new search, and names it.
    fn reset(&self) -> u64 {
        self.searching.store(true, Ordering::Relaxed);
        while self.inbox.pop().is_some() {}
        while self.completed_elsewhere.pop().is_some() {}
        *self.completed.lock() = None;
        for word in self.progress.iter().flatten() {
            word.store(0, Ordering::Relaxed);
        }
        self.outbox.begin(self.share());
        let mut collected = self.collected.lock();
        *collected = Collected { search: collected.search + 1, ..Collected::default() };
        collected.search
    }
}

impl Allies for Bridge {
    fn begin(&self, limits: &Limits, options: &Options) {
        let search = self.reset();
        // Limited strength must not grow with the number of machines.
        if self.rank == 0 && options.elo.is_none() {
            self.event(Event::Begin(search, limits.nodes, limits.search_moves.clone()));
        }
    }

    fn seats_before(&self) -> usize {
        self.seats_before.load(Ordering::Relaxed)
    }

    fn least_depth(&self) -> i32 {
        match self.share() {
            Share::Auto => *DEPTHS.start(),
            Share::Off => i32::MAX,
            Share::From(depth) => depth,
        }
    }

    fn stored(&self, thread: usize, key: u64, entry: Entry) {
        self.outbox.push(thread, (key, entry));
    }

    fn poll(&self, progress: Progress, table: &SearchTable) -> bool {
        if let Some([nodes, hits]) = self.progress.get(progress.thread) {
            nodes.store(progress.nodes, Ordering::Relaxed);
            hits.store(progress.tb_hits, Ordering::Relaxed);
        }
        let mut batch = [None; BATCH];
        for place in &mut batch {
            let Some(entry) = self.inbox.pop() else { break };
            // The cache line arrives while the rest of the batch is taken.
            table.prefetch(entry.0);
            *place = Some(entry);
        }
        for (key, entry) in batch.into_iter().flatten() {
            take_in(table, key, entry);
        }
        true
    }

    fn others(&self) -> usize {
        self.others
    }

    fn completed(&self, iteration: Verdict) {
        if self.share() != Share::Off {
            *self.completed.lock() = Some(iteration);
        }
    }

    fn next_completed(&self) -> Option<Verdict> {
        self.completed_elsewhere.pop()
    }

    fn nodes(&self) -> u64 {
        self.collected.lock().progress[0]
    }

    fn tb_hits(&self) -> u64 {
        self.collected.lock().progress[1]
    }

    fn overhead(&self) -> Duration {
        if self.rank == 0 { *self.grace.lock() } else { Duration::ZERO }
    }

    fn gather(&self) -> Vec<Verdict> {
        self.searching.store(false, Ordering::Relaxed);
        if self.rank != 0 {
            return Vec::new();
        }
        let deadline = Instant::now() + *self.grace.lock();
        let mut collected = self.collected.lock();
        self.event(Event::End(collected.search));
        while collected.missing != Some(0)
            && !self.collecting.wait_until(&mut collected, deadline).timed_out()
        {}
        let mut verdicts = std::mem::take(&mut collected.verdicts);
        verdicts.sort_by_key(|&(rank, _)| rank);
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }

    fn elected(&self, verdict: Option<&Verdict>, total: Progress) {
        if self.rank != 0 {
            self.event(Event::Concluded(verdict.cloned(), total));
        }
    }

    fn forgotten(&self, network: &Network) {
        self.net.store(network.checksum(), Ordering::Relaxed);
        if self.rank == 0 {
            self.event(Event::Forget);
        }
    }
}
