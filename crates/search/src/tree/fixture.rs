//! A search set up by hand, for tests of its parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use megatherium_board::{Board, Move};
use megatherium_nnue::Network;
use parking_lot::Mutex;

use super::allies::{Allies, Progress, SearchTable, Verdict};
use super::entry::{Bound, Entry};
use super::job::Job;
use super::replicas::Replicas;
use super::search::Search;
use super::table::table_key;
use super::worker::Worker;
use crate::learning::Histories;
use crate::report::{Info, Report};
use crate::request::{Limits, Options, Root};
use crate::smp::{Control, Counters};
use crate::tablebase::Tablebases;

/// Where games begin.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A job, what it has reported, and the memory of a thread.
pub struct Scene {
    pub job: Job,
    pub told: Arc<Mutex<Vec<Info>>>,
    worker: Worker,
}

impl Scene {
    /// A job for this many threads, which has just begun.
    pub fn new(fen: &str, threads: usize, limits: Limits) -> Scene {
        let network = Network::embedded();
        let histories = Arc::new(Histories::new().unwrap());
        let worker = Worker::new(0, &network, histories).unwrap();
        let control = Arc::new(Control::default());
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&told);
        let sink = move |report: Report<'_>| {
            if let Report::Info(info) = report {
                tell.lock().push(info.clone());
            }
        };
        let job = Job {
            id: control.begin(limits.ponder, limits.infinite),
            control,
            table: Arc::new(SearchTable::with_mebibytes(1).unwrap()),
            networks: Arc::new(Replicas::new(network, 1)),
            tablebases: Arc::new(Tablebases::none()),
            tb_root: None,
            corrections: None,
            options: Options::default(),
            root: Root::new(Board::from_fen(fen).unwrap()),
            limits,
            started: Instant::now(),
            sink: Arc::new(sink),
            counters: Counters::new(threads),
            baton: None,
            lead: None,
            allies: None,
        };
        Scene { job, told, worker }
    }

    /// The same with other processes.
    pub fn with_allies(mut self, allies: &Arc<Quiet>) -> Scene {
        self.job.allies = Some(Arc::clone(allies) as Arc<dyn Allies>);
        self
    }

    /// The search of a thread.
    pub fn search(&mut self, id: usize) -> Search<'_> {
        Search::new(id, &self.job, &mut self.worker)
    }

    /// The moves of a line from the root.
    pub fn line(&self, words: &[&str]) -> Vec<Move> {
        let mut board = self.job.root.board;
        let play = |word: &&str| {
            let mv = board.parse_uci(word).unwrap();
            board.make(mv);
            mv
        };
        words.iter().map(play).collect()
    }

    /// Lets the table know a line.
    pub fn know(&self, words: &[&str], bound: Bound) {
        let mut board = self.job.root.board;
        for mv in self.line(words) {
            let entry = Entry { mv: mv.raw(), depth: 5, bound, ..Entry::default() };
            self.job.table.store(table_key(&board), entry);
            board.make(mv);
        }
    }
}

/// Two other processes that say nothing. The polls are counted.
#[derive(Default)]
pub struct Quiet {
    pub seats_before: usize,
    pub polls: AtomicU64,
    /// What happens in a poll after this many nodes.
    pub when_polled: Option<Box<dyn Fn(u64) + Send + Sync>>,
}

impl Allies for Quiet {
    fn begin(&self, _: &Limits, _: &Options) {}

    fn seats_before(&self) -> usize {
        self.seats_before
    }

    fn least_depth(&self) -> i32 {
        3
    }

    fn stored(&self, _: usize, _: u64, _: Entry) {}

    fn poll(&self, progress: Progress, _: &SearchTable) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed);
        if let Some(happen) = &self.when_polled {
            happen(progress.nodes);
        }
        true
    }

    fn others(&self) -> usize {
        2
    }

    fn completed(&self, _: Verdict) {}

    fn next_completed(&self) -> Option<Verdict> {
        None
    }

    fn nodes(&self) -> u64 {
        0
    }

    fn tb_hits(&self) -> u64 {
        0
    }

    fn overhead(&self) -> Duration {
        Duration::ZERO
    }

    fn gather(&self) -> Vec<Verdict> {
        Vec::new()
    }

    fn elected(&self, _: Option<&Verdict>, _: Progress) {}

    fn forgotten(&self, _: &Network) {}
}
