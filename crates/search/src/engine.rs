//! The engine: a pool of workers, the table they share, and the options between searches.

use std::collections::TryReserveError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use megatherium_nnue::Network;
use megatherium_tt::{SizeError, Table};
use parking_lot::Mutex;

use crate::learning::{Corrections, Histories};
use crate::report::{Outcome, Report, Sink};
use crate::request::{Limits, Options, Root, TakeOver};
use crate::root::{self, Ending, LastSearch};
use crate::smp::vote::Ballot;
use crate::smp::{
    Baton, Control, Counters, Groups, Lead, NumaPolicy, Placement, Pool, SearchId, Topology,
};
use crate::tablebase::{Inventory, TablebaseError, Tablebases};
use crate::tree::{Allies, Entry, Job, Replacement, Replicas, TableStats, Worker};

/// Memory that a thread at work uses, in MiB, rounded up: correction history, accumulators, stack.
/// A test measures it.
pub const THREAD_MEBIBYTES: usize = 3;

/// Most threads that share one set of histories: cache lines with many writers are slow.
const GROUP: usize = 32;

/// Memory of the histories that a group of threads shares, in MiB, rounded up.
const GROUP_MEBIBYTES: usize = 6;

/// Memory that threads at work use, in MiB.
pub const fn memory_of_threads(threads: usize) -> usize {
    let own = threads.saturating_mul(THREAD_MEBIBYTES);
    own.saturating_add(threads.div_ceil(GROUP).saturating_mul(GROUP_MEBIBYTES))
}

/// Why a change of the engine failed. The previous state is kept.
#[derive(Debug)]
pub enum EngineError {
    /// The table could not be allocated.
    Table(SizeError),
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

/// A complete chess engine without I/O: it reports through a [`Sink`].
///
/// Methods that change what a search uses (`&mut self`) first wait for a running search to end, so
/// the table and the net cannot change under it. Call [`stop`](Engine::stop) first to keep the wait
/// short.
pub struct Engine {
    pool: Pool<Worker>,
    /// Which memory node each thread is bound to.
    placement: Placement,
    numa: NumaPolicy,
    table: Arc<Table<Entry, Replacement>>,
    networks: Arc<Replicas>,
    tablebases: Arc<Tablebases>,
    control: Arc<Control>,
    current: Option<SearchId>,
    last: Arc<Mutex<LastSearch>>,
    /// The correction history, if the options share it between threads.
    corrections: Option<Arc<Corrections>>,
    /// Whether the threads share their move histories.
    shares: bool,
    allies: Option<Arc<dyn Allies>>,
    /// Options of the next search.
    pub options: Options,
}

impl Engine {
    /// An engine with its own table and threads.
    pub fn new(threads: usize, mebibytes: usize) -> Result<Engine, EngineError> {
        Self::build(threads, mebibytes, Self::pool)
    }

    /// An engine without threads, for many short searches: it searches on the thread that starts
    /// the search, and [`start`](Self::start) returns after the answer. So nobody can stop it, and
    /// its limits have to end it: not for `infinite` or `ponder`. The caller needs a stack of
    /// [`STACK_BYTES`](crate::smp::STACK_BYTES).
    pub fn here(mebibytes: usize) -> Result<Engine, EngineError> {
        Self::build(1, mebibytes, |_, network, placement, shares| {
            Pool::here(Self::hire(1, network, placement, shares)).map_err(EngineError::Thread)
        })
    }

    fn build(
        threads: usize,
        mebibytes: usize,
        pool: impl Fn(usize, &Arc<Network>, &Placement, bool) -> Result<Pool<Worker>, EngineError>,
    ) -> Result<Engine, EngineError> {
        let network = Network::embedded();
        let numa = NumaPolicy::default();
        let placement = Self::place(&numa, threads);
        let options = Options::default();
        let shares = options.teamwork.shared_histories;
        let table = Table::with_mebibytes(mebibytes).map_err(EngineError::Table)?;
        let engine = Engine {
            pool: pool(threads, &network, &placement, shares)?,
            networks: Arc::new(Replicas::new(network, placement.nodes())),
            placement,
            numa,
            table: Arc::new(table),
            tablebases: Arc::new(Tablebases::none()),
            control: Arc::default(),
            current: None,
            last: Arc::default(),
            corrections: None,
            shares,
            allies: None,
            options,
        };
        engine.spread_table();
        Ok(engine)
    }

    /// Spreads the table over the memory nodes, if there are several. If the system refuses, the
    /// table stays where it is: slower, but correct.
    fn spread_table(&self) {
        let nodes = self.placement.memory_nodes();
        if !nodes.is_empty() {
            self.table.interleave(nodes);
        }
    }

    /// Starts the threads.
    fn pool(
        threads: usize,
        network: &Arc<Network>,
        placement: &Placement,
        shares: bool,
    ) -> Result<Pool<Worker>, EngineError> {
        Pool::new(threads, Self::hire(threads, network, placement, shares))
            .map_err(EngineError::Thread)
    }

    /// Makes the memory of a thread. The thread is bound to its node before it touches it.
    fn hire(
        threads: usize,
        network: &Arc<Network>,
        placement: &Placement,
        shares: bool,
    ) -> impl Fn(usize) -> Result<Worker, TryReserveError> + Clone + Send + use<> {
        let (network, placement) = (Arc::clone(network), placement.clone());
        let size = if shares { GROUP } else { 1 };
        let groups = Arc::new(Groups::new(|id| placement.node_of(id), threads.max(1), size));
        move |id| {
            placement.bind(id);
            Worker::new(placement.node_of(id), &network, groups.join(id, Histories::new)?)
        }
    }

    /// A single thread is not bound under `auto`, so the topology need not be read for it.
    fn place(policy: &NumaPolicy, threads: usize) -> Placement {
        let topology = if *policy != NumaPolicy::None && threads > 1 {
            Topology::of_system()
        } else {
            Topology::default()
        };
        Placement::new(policy, &topology, threads)
    }

    /// Restarts the threads if their number or placement changes. On failure the old ones stay.
    fn reorganise(&mut self, policy: NumaPolicy, threads: usize) -> Result<(), EngineError> {
        self.wait();
        let placement = Self::place(&policy, threads);
        let shares = self.options.teamwork.shared_histories;
        if threads != self.pool.workers()
            || placement != self.placement
            || threads > 1 && shares != self.shares
        {
            self.pool = Self::pool(threads, self.network(), &placement, shares)?;
            self.shares = shares;
            let network = Arc::clone(self.network());
            self.networks = Arc::new(Replicas::new(network, placement.nodes()));
            self.placement = placement;
            self.spread_table();
        }
        self.numa = policy;
        Ok(())
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.workers()
    }

    /// Changes the number of threads and clears the histories. On failure the old pool stays.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.reorganise(self.numa.clone(), threads)
    }

    /// Changes how threads are placed on memory nodes. If the placement changes, the histories are
    /// cleared.
    pub fn set_numa_policy(&mut self, policy: NumaPolicy) -> Result<(), EngineError> {
        self.reorganise(policy, self.threads())
    }

    /// Which memory node each thread is bound to.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Size of the table.
    pub fn hash_mebibytes(&self) -> usize {
        self.table.mebibytes()
    }

    /// Replaces the table by an empty one of another size. On failure the old table stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.table_mut().resize(mebibytes).map_err(EngineError::Table)?;
        self.spread_table();
        Ok(())
    }

    /// Replaces the table by an empty one with another replacement policy, to compare policies. On
    /// failure the old table stays.
    pub fn set_replacement(&mut self, replacement: Replacement) -> Result<(), EngineError> {
        self.wait();
        let table = Table::with_mebibytes(self.hash_mebibytes()).map_err(EngineError::Table)?;
        self.table = Arc::new(table.with_policy(replacement));
        Ok(())
    }

    /// Replaces the table by one without huge pages, to measure what they gain.
    pub fn set_hash_without_huge_pages(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.wait();
        self.table = Arc::new(Table::without_huge_pages(mebibytes).map_err(EngineError::Table)?);
        Ok(())
    }

    /// Clears the table with as many threads as search, or as many as the system lets it start.
    pub fn clear_hash(&mut self) {
        let threads = self.threads();
        self.table_mut().clear_with(threads);
        self.tell_forgotten();
    }

    /// Replaces the table by a single cluster, which keeps next to nothing: to measure what a table
    /// gains. Internal iterative reduction, which relies on a table, is then off.
    pub fn disable_table(&mut self) -> Result<(), EngineError> {
        self.shrink_table(1)
    }

    /// Replaces the table by one of `clusters` cache lines. Short searches fill it as long ones
    /// fill a large table.
    pub fn shrink_table(&mut self, clusters: usize) -> Result<(), EngineError> {
        self.wait();
        self.table = Arc::new(Table::with_clusters(clusters).map_err(EngineError::Table)?);
        Ok(())
    }

    /// Forgets the game: table and histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        if let Some(corrections) = &self.corrections {
            corrections.clear();
        }
        self.pool.start(|_, worker| worker.forget());
        self.pool.wait();
    }

    /// Evaluates with another net from the next search on.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.wait();
        self.networks = Arc::new(Replicas::new(network, self.placement.nodes()));
        self.tell_forgotten();
    }

    /// Searches together with other processes from the next search on.
    pub fn set_allies(&mut self, allies: Arc<dyn Allies>) {
        self.wait();
        self.allies = Some(allies);
    }

    fn tell_forgotten(&self) {
        if let Some(allies) = &self.allies {
            allies.forgotten(self.network());
        }
    }

    /// The net in use.
    pub fn network(&self) -> &Arc<Network> {
        self.networks.original()
    }

    /// Probes the tablebases of an inventory from the next search on. On failure those in use stay.
    /// Nothing happens if they are in use already, unchanged.
    pub fn set_tablebases(&mut self, inventory: Inventory) -> Result<(), TablebaseError> {
        self.wait();
        if inventory == *self.tablebases.inventory() {
            return Ok(());
        }
        Tablebases::replace(&mut self.tablebases, inventory)
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// The shared table, read-only.
    pub fn table(&self) -> &Table<Entry, Replacement> {
        &self.table
    }

    /// Table statistics of the last search, summed over threads.
    pub fn table_stats(&self) -> TableStats {
        self.last.lock().stats
    }

    /// Nodes of each thread in the last search.
    pub fn nodes_by_thread(&self) -> Vec<u64> {
        self.last.lock().nodes.clone()
    }

    /// What each thread voted for in the last search, the leader first.
    pub fn ballots(&self) -> Vec<Ballot> {
        self.last.lock().ballots.clone()
    }

    /// Starts a search and returns at once. A running search is stopped, and answers first.
    pub fn start(&mut self, root: Root, limits: Limits, sink: Arc<dyn Sink>) -> SearchId {
        let started = Instant::now();
        self.stop();
        self.wait();
        if self.options.teamwork.shared_histories != self.shares {
            // If new threads cannot be started, the old ones search.
            let _ = self.reorganise(self.numa.clone(), self.threads());
        }
        let id = self.control.begin(limits.ponder, limits.infinite);
        self.current = Some(id);
        self.table.new_generation();
        *self.last.lock() = LastSearch::default();
        let tb_root = self.tablebases.rank_root(&root, &self.options);
        if let Some(allies) = &self.allies {
            allies.begin(&limits, &self.options);
        }
        let job = Job {
            id,
            control: Arc::clone(&self.control),
            table: Arc::clone(&self.table),
            networks: Arc::clone(&self.networks),
            tablebases: Arc::clone(&self.tablebases),
            tb_root,
            corrections: self.shared_corrections(),
            options: self.options.clone(),
            root,
            limits,
            started,
            sink,
            counters: Counters::new(self.pool.workers()),
            baton: self
                .options
                .virtual_smp
                .map(|settings| Baton::new(settings, self.pool.workers())),
            lead: self.takes_over().then(Lead::default),
            allies: self.allies.clone(),
        };
        let ending = Ending::new(Arc::clone(&self.last));
        self.pool.start(move |id, worker| root::run(id, &job, &ending, worker));
        id
    }

    /// Whether a thread may end an iteration with another's result. That result is a single line,
    /// so `MultiPV` rules it out.
    fn takes_over(&self) -> bool {
        let alone = self.pool.workers() == 1 && self.allies.is_none();
        let one_line = self.options.multi_pv == 1 && self.options.elo.is_none();
        self.options.teamwork.take_over != TakeOver::Never && one_line && !alone
    }

    /// The correction history of the next search, if its threads share one. If it cannot be
    /// allocated, each keeps its own.
    fn shared_corrections(&mut self) -> Option<Arc<Corrections>> {
        if !self.options.teamwork.shared_corrections {
            return None;
        }
        if self.corrections.is_none() {
            self.corrections = Corrections::new().ok().map(Arc::new);
        }
        self.corrections.clone()
    }

    /// Searches and returns the answer, reporting to `sink` on the way.
    pub fn search(&mut self, root: Root, limits: Limits, sink: impl Sink + 'static) -> Outcome {
        let outcome = Arc::new(Mutex::new(None));
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

    /// Searches and returns the answer; ends early if `stop` is set, within a few hundredths of a
    /// second.
    pub fn search_until(&mut self, root: Root, limits: Limits, stop: &AtomicBool) -> Outcome {
        let (sender, receiver) = channel();
        let sink = move |report: Report<'_>| {
            if let Report::Done(done) = report {
                // The receiver listens until the answer.
                let _ = sender.send(done.clone());
            }
        };
        self.start(root, limits, Arc::new(sink));
        loop {
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok(outcome) => {
                    self.wait();
                    return outcome;
                }
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => self.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("every search reports Done"),
            }
        }
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

    /// The table, for changing it: no search runs, and no worker holds a reference.
    fn table_mut(&mut self) -> &mut Table<Entry, Replacement> {
        self.pool.wait();
        Arc::get_mut(&mut self.table).expect("idle workers hold no reference to the table")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use megatherium_board::Board;

    use super::*;
    use crate::tablebase::knight;
    use crate::tree::Scene;

    #[test]
    fn corrections_are_shared_only_if_asked_and_kept() {
        let mut engine = Engine::new(2, 1).unwrap();
        assert!(engine.shared_corrections().is_none());
        engine.options.teamwork.shared_corrections = true;
        let first = engine.shared_corrections().unwrap();
        assert!(Arc::ptr_eq(&first, &engine.shared_corrections().unwrap()));
    }

    /// The system is asked about its nodes only for several threads that may be bound.
    #[test]
    fn the_nodes_of_the_system_are_those_of_a_placement() {
        let policy = NumaPolicy::Nodes(vec![[0].into()]);
        let system = Topology::of_system();
        assert_eq!(Engine::place(&policy, 2), Placement::new(&policy, &system, 2));
        assert_eq!(Engine::place(&policy, 1), Placement::new(&policy, &Topology::default(), 1));
    }

    /// Threads are placed on two pretended nodes. The system spreads the table over those it has.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_table_is_spread_over_the_nodes_of_the_threads() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("online", "0-1"), ("node0/cpulist", "0"), ("node1/cpulist", "1")] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let topology = Topology::read(folder.path()).unwrap();
        let policy = NumaPolicy::Nodes(vec![[0].into(), [1].into()]);
        let spread = || {
            let maps = std::fs::read_to_string("/proc/self/numa_maps").unwrap_or_default();
            maps.lines().filter(|line| line.contains("interleave")).count()
        };
        let mut engine = Engine::new(1, 4).unwrap();
        let before = spread();
        engine.placement = Placement::new(&policy, &topology, 2);
        engine.spread_table();
        assert!(spread() > before || !engine.table.interleave(&[0, 1]));
    }

    /// The library holds one set of tables per process, so this is one test.
    #[test]
    fn tablebases_are_replaced_and_bounded_by_the_options() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("KNvK.rtbw"), knight()).unwrap();
        let path = folder.path().to_str().unwrap();
        let take = |path| Inventory::take(path, &Inventory::default(), &AtomicBool::new(false));
        let inventory = take(path).unwrap();
        let mut engine = Engine::new(1, 1).unwrap();
        match engine.set_tablebases(inventory.clone()) {
            Err(TablebaseError::Unsupported) => return,
            result => result.unwrap(),
        }
        assert_eq!(engine.tablebases().max_men(), 3);
        let tables = Arc::as_ptr(&engine.tablebases);
        engine.set_tablebases(inventory).unwrap();
        assert_eq!(Arc::as_ptr(&engine.tablebases), tables, "in use already");
        let men = |limit| {
            let fen = Board::startpos().fen();
            let mut scene = Scene::new(&fen, 1, Limits::default());
            scene.job.tablebases = Arc::clone(&engine.tablebases);
            scene.job.options.syzygy_probe_limit = limit;
            scene.job.tb_men()
        };
        assert_eq!([0, 2, 3, 7].map(men), [0, 2, 3, 3]);
        engine.set_tablebases(Inventory::default()).unwrap();
        assert_eq!(engine.tablebases().max_men(), 0);
    }
}
