//! What each thread publishes about its progress.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// The counters of one thread. Only the owner writes, with plain relaxed stores.
#[derive(Debug, Default)]
pub struct Counter {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
    depth: AtomicI32,
    /// Bits of the preferred move, and for how many iterations it has been that.
    opinion: AtomicU32,
}

/// What a thread thinks of the root after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// Bits of the move it prefers; 0 before its first iteration.
    pub mv: u16,
    /// Iterations since it began to prefer it.
    pub stable: u16,
}

impl Counter {
    /// Publishes the node count.
    #[inline]
    pub fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Publishes the depth of the iteration under way.
    pub fn set_depth(&self, depth: i32) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// Publishes the preferred move.
    pub fn set_opinion(&self, Opinion { mv, stable }: Opinion) {
        self.opinion.store(u32::from(mv) | u32::from(stable) << 16, Ordering::Relaxed);
    }

    /// The preferred move.
    pub fn opinion(&self) -> Opinion {
        let bits = self.opinion.load(Ordering::Relaxed);
        Opinion { mv: bits as u16, stable: (bits >> 16) as u16 }
    }

    /// Publishes the tablebase hits.
    pub fn set_tb_hits(&self, hits: u64) {
        self.tb_hits.store(hits, Ordering::Relaxed);
    }
}

/// One set of counters per thread, each on its own cache line.
#[derive(Debug)]
pub struct Counters(Box<[CachePadded<Counter>]>);

impl Counters {
    /// Counters of zero for `threads` threads.
    pub fn new(threads: usize) -> Counters {
        Counters((0..threads).map(|_| CachePadded::default()).collect())
    }

    /// The counters of thread `id`.
    #[inline]
    pub fn of(&self, id: usize) -> &Counter {
        &self.0[id]
    }

    /// Number of threads.
    #[inline]
    pub fn threads(&self) -> usize {
        self.0.len()
    }

    /// Threads whose iteration has at least this depth.
    pub fn searching(&self, depth: i32) -> usize {
        self.0.iter().filter(|counter| counter.depth.load(Ordering::Relaxed) >= depth).count()
    }

    /// What the threads think that have completed an iteration.
    pub fn opinions(&self) -> impl Iterator<Item = Opinion> + '_ {
        self.0.iter().map(|counter| counter.opinion()).filter(|opinion| opinion.mv != 0)
    }

    /// Nodes of all threads so far.
    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|counter| counter.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Nodes of each thread so far.
    pub fn nodes_by_thread(&self) -> Vec<u64> {
        self.0.iter().map(|counter| counter.nodes.load(Ordering::Relaxed)).collect()
    }

    /// Tablebase hits of all threads so far.
    pub fn tb_hits(&self) -> u64 {
        self.0.iter().map(|counter| counter.tb_hits.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_counts_for_itself_and_all_are_added() {
        let counters = Counters::new(3);
        assert_eq!((counters.threads(), counters.nodes(), counters.tb_hits()), (3, 0, 0));
        for id in 0..3 {
            counters.of(id).set_nodes(100 + id as u64);
            counters.of(id).set_tb_hits(10 + id as u64);
        }
        assert_eq!(counters.nodes_by_thread(), [100, 101, 102]);
        assert_eq!((counters.nodes(), counters.tb_hits()), (303, 33));
        counters.of(1).set_nodes(7);
        assert_eq!(counters.nodes(), 209, "what a thread publishes replaces what it had published");
    }

    #[test]
    fn opinions_are_heard_once_there_are_any() {
        let counters = Counters::new(3);
        assert_eq!(counters.opinions().count(), 0);
        let opinion = |mv, stable| Opinion { mv, stable };
        counters.of(2).set_opinion(opinion(0xfff1, 0xfff2));
        counters.of(0).set_opinion(opinion(7, 0));
        assert_eq!(
            counters.opinions().collect::<Vec<_>>(),
            [opinion(7, 0), opinion(0xfff1, 0xfff2)]
        );
    }

    #[test]
    fn threads_are_counted_by_the_depth_they_are_at() {
        let counters = Counters::new(4);
        assert_eq!(counters.searching(1), 0, "nobody has begun");
        for (id, depth) in [7, 8, 8, 9].into_iter().enumerate() {
            counters.of(id).set_depth(depth);
        }
        assert_eq!([7, 8, 9, 10].map(|depth| counters.searching(depth)), [4, 3, 1, 0]);
    }
}
