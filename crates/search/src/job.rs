//! One search, as all its threads see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use megatherium_nnue::Network;
use megatherium_tt::Table;

use crate::baton::Baton;
use crate::control::{Control, SearchId};
use crate::engine::{Options, Root};
use crate::limits::Limits;
use crate::report::Sink;
use crate::syzygy::{Tablebases, TbRoot};
use crate::variant::{Standard, Variant};

/// What a thread publishes about its progress. Only the owner writes, with plain relaxed stores.
#[derive(Debug, Default)]
pub struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

impl Counters {
    /// Publishes the node count.
    #[inline]
    pub fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Publishes the tablebase hits.
    pub fn set_tb_hits(&self, hits: u64) {
        self.tb_hits.store(hits, Ordering::Relaxed);
    }
}

/// Everything the threads of one search share. What races here are the table, the control word and the counters;
/// the rest is read-only.
pub struct Job<V: Variant = Standard> {
    /// Names this search.
    pub id: SearchId,
    /// Stop state.
    pub control: Arc<Control>,
    /// The shared table.
    pub table: Arc<Table<V::Policy>>,
    /// The net.
    pub network: Arc<Network>,
    /// Endgame tables.
    pub tablebases: Arc<Tablebases>,
    /// What the tablebases say about the root, if it is in them.
    pub tb_root: Option<TbRoot>,
    /// Options of this search.
    pub options: Options,
    /// The position and its past.
    pub root: Root,
    /// When to stop.
    pub limits: Limits,
    /// When `go` arrived.
    pub started: Instant,
    /// Where reports go.
    pub sink: Arc<dyn Sink>,
    /// One set of counters per thread, each on a cache line of its own.
    pub counters: Box<[CachePadded<Counters>]>,
    /// Goes round if the threads take turns.
    pub baton: Option<Baton>,
}

impl<V: Variant> Job<V> {
    /// Counters for `threads` threads.
    pub fn counters(threads: usize) -> Box<[CachePadded<Counters>]> {
        (0..threads).map(|_| CachePadded::default()).collect()
    }

    /// Nodes searched by all threads so far.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Nodes searched by each thread so far.
    pub fn nodes_by_thread(&self) -> Vec<u64> {
        self.counters.iter().map(|counters| counters.nodes.load(Ordering::Relaxed)).collect()
    }

    /// Tablebase hits of all threads so far.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Ordering::Relaxed)).sum()
    }

    /// True once this search has been told to end, or has reached a limit.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.control.is_over(self.id)
    }

    /// Largest number of men to probe in the tree.
    pub fn tb_men(&self) -> u32 {
        self.tablebases.max_men().min(self.options.syzygy_probe_limit)
    }

    /// Number of threads at work.
    pub fn threads(&self) -> usize {
        self.counters.len()
    }
}
