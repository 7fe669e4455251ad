//! The engine: a pool of workers, the table they share, and the options between searches.

use std::sync::Arc;
use std::time::Instant;

use megatherium_board::{Board, KeyHistory, Move};
use megatherium_nnue::Network;
use megatherium_tt::{Table, give_back_large_blocks};

use crate::baton::{Baton, VirtualSmp};
use crate::control::{Control, SearchId};
use crate::job::Job;
use crate::limits::Limits;
use crate::params::Params;
use crate::pool::Pool;
use crate::report::{Outcome, Report, Sink};
use crate::syzygy::{TablebaseError, Tablebases};
use crate::table_stats::TableStats;
use crate::variant::{Standard, Variant};

/// A position with the game that led to it.
#[derive(Clone)]
pub struct Root {
    /// The position to search.
    pub board: Board,
    /// Keys of the positions before it, for repetitions.
    pub history: KeyHistory,
}

impl Root {
    /// A position without a past.
    pub fn new(board: Board) -> Root {
        Root { board, history: KeyHistory::new() }
    }

    /// Plays a legal move of the game. What a pawn move or capture makes unreachable is forgotten.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.board.key());
        self.board.make(mv);
        if self.board.halfmove_clock() == 0 {
            self.history.clear();
        }
    }
}

/// What a search is told besides its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Time lost between the engine and the clock, taken off every budget.
    pub move_overhead: std::time::Duration,
    /// The opponent's time is thought on too, so a move may take a little more of one's own.
    pub ponder: bool,
    /// Play like a weaker opponent of about this rating.
    pub elo: Option<u32>,
    /// Shallowest remaining depth at which tablebases are probed in the tree.
    pub syzygy_probe_depth: u32,
    /// Largest number of men to probe.
    pub syzygy_probe_limit: u32,
    /// Whether the 50-move rule counts in tablebase results.
    pub syzygy_50_move_rule: bool,
    /// Let the threads take turns instead of running at once: see [`VirtualSmp`]. A search limited by depth or nodes is then the
    /// same every time.
    pub virtual_smp: Option<VirtualSmp>,
    /// The numbers of the search.
    pub params: Params,
    /// A thread that shall fail on purpose, to show that the others answer without it.
    pub failing_thread: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            multi_pv: 1,
            move_overhead: std::time::Duration::from_millis(10),
            ponder: false,
            elo: None,
            syzygy_probe_depth: 1,
            syzygy_probe_limit: 7,
            syzygy_50_move_rule: true,
            virtual_smp: None,
            params: Params::default(),
            failing_thread: None,
        }
    }
}

/// Why the engine could not do as it was told. The previous state is kept.
#[derive(Debug)]
pub enum EngineError {
    /// The table could not be allocated.
    Table(megatherium_tt::SizeError),
    /// A worker thread could not be started.
    Thread(std::io::Error),
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineError::Table(error) => write!(f, "hash table: {error}"),
            EngineError::Thread(error) => write!(f, "cannot start a search thread: {error}"),
        }
    }
}

impl std::error::Error for EngineError {}

/// A complete chess engine, without a voice: it reports through a [`Sink`].
///
/// Methods that change what a search uses (`&mut self`) first wait for a running search to end, so the table and the net
/// cannot change under it; callers that do not want to wait call [`stop`](Engine::stop) before.
pub struct Engine<V: Variant = Standard> {
    pool: Pool<V>,
    table: Arc<Table<V::Policy>>,
    network: Arc<Network>,
    tablebases: Arc<Tablebases>,
    control: Arc<Control>,
    current: Option<SearchId>,
    /// Options of the next search.
    pub options: Options,
}

impl Engine {
    /// An engine with its own table and threads.
    pub fn new(threads: usize, mebibytes: usize) -> Result<Engine, EngineError> {
        Self::variant(threads, mebibytes)
    }
}

impl<V: Variant> Engine<V> {
    /// An engine of any variant.
    pub fn variant(threads: usize, mebibytes: usize) -> Result<Self, EngineError> {
        give_back_large_blocks();
        Ok(Engine {
            pool: Pool::new(threads).map_err(EngineError::Thread)?,
            table: Arc::new(Table::with_mebibytes(mebibytes).map_err(EngineError::Table)?),
            network: Network::embedded(),
            tablebases: Arc::new(Tablebases::none()),
            control: Arc::default(),
            current: None,
            options: Options::default(),
        })
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Changes the number of threads; histories start afresh. On failure the old pool stays.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.wait();
        if threads != self.pool.len() {
            self.pool = Pool::new(threads).map_err(EngineError::Thread)?;
        }
        Ok(())
    }

    /// Size of the table.
    pub fn hash_mebibytes(&self) -> usize {
        self.table.mebibytes()
    }

    /// Replaces the table by an empty one of another size. On failure the old table stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.table_mut().resize(mebibytes).map_err(EngineError::Table)
    }

    /// The same, in a table that does not ask the system for huge pages: for measuring what they are worth.
    pub fn set_hash_without_huge_pages(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.wait();
        self.table = Arc::new(Table::without_huge_pages(mebibytes).map_err(EngineError::Table)?);
        Ok(())
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.table_mut().clear();
    }

    /// Replaces the table by a single cluster, which remembers next to nothing: for measuring what a table is worth. Reductions
    /// that rely on a table are then not made: they would make the tree smaller for no good reason.
    pub fn disable_table(&mut self) -> Result<(), EngineError> {
        self.wait();
        self.table = Arc::new(Table::with_clusters(1).map_err(EngineError::Table)?);
        Ok(())
    }

    /// Forgets the game: table and histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.forget();
    }

    /// Evaluates with another net from the next search on.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.wait();
        self.network = network;
    }

    /// The net in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Probes the tablebases found on `path` from the next search on; an empty path means none.
    /// On failure those in use stay.
    pub fn load_tablebases(&mut self, path: &str) -> Result<(), TablebaseError> {
        self.wait();
        Tablebases::replace(&mut self.tablebases, path)
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// The shared table, for looking at.
    pub fn table(&self) -> &Table<V::Policy> {
        &self.table
    }

    /// Table statistics of the last search, summed over threads.
    pub fn table_stats(&self) -> TableStats {
        self.pool.table_stats()
    }

    /// Nodes of each thread in the last search.
    pub fn nodes_by_thread(&self) -> Vec<u64> {
        self.pool.nodes_by_thread()
    }

    /// Starts a search and returns at once. If one is running it is stopped first, and answers first.
    pub fn start(&mut self, root: Root, limits: Limits, sink: Arc<dyn Sink>) -> SearchId {
        let started = Instant::now();
        self.stop();
        self.wait();
        let id = self.control.begin(limits.ponder, limits.infinite);
        self.current = Some(id);
        self.table.new_search();
        let tb_root = self.tablebases.rank_root(&root, &self.options);
        let job = Job {
            id,
            control: Arc::clone(&self.control),
            table: Arc::clone(&self.table),
            network: Arc::clone(&self.network),
            tablebases: Arc::clone(&self.tablebases),
            tb_root,
            options: self.options.clone(),
            root,
            limits,
            started,
            sink,
            counters: Job::<V>::counters(self.pool.len()),
            baton: self.options.virtual_smp.map(|settings| Baton::new(settings, self.pool.len())),
        };
        self.pool.start(job);
        id
    }

    /// Searches and returns the answer, reporting to `sink` on the way.
    pub fn search(&mut self, root: Root, limits: Limits, sink: impl Sink + 'static) -> Outcome {
        let outcome = Arc::new(parking_lot::Mutex::new(None));
        let keep = Arc::clone(&outcome);
        let relay = move |report: Report<'_>| {
            if let Report::Done(done) = report {
                *keep.lock() = Some(done.clone());
            }
            sink.report(report);
        };
        self.start(root, limits, Arc::new(relay));
        self.wait();
        outcome.lock().take().expect("every search reports Done exactly once")
    }

    /// Ends the running search, if any. Its answer follows.
    pub fn stop(&self) {
        if let Some(id) = self.current {
            self.control.stop(id);
        }
    }

    /// The opponent played the move that is being pondered on.
    pub fn ponder_hit(&self) {
        if let Some(id) = self.current {
            self.control.ponder_hit(id);
        }
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        !self.pool.is_idle()
    }

    /// Waits until no search is running. Does not stop one.
    pub fn wait(&self) {
        self.pool.wait();
    }

    /// The table, for changing it: no search runs, and the workers have let go of it.
    fn table_mut(&mut self) -> &mut Table<V::Policy> {
        self.pool.wait();
        Arc::get_mut(&mut self.table).expect("idle workers hold no reference to the table")
    }
}

impl<V: Variant> Drop for Engine<V> {
    fn drop(&mut self) {
        self.stop();
    }
}
