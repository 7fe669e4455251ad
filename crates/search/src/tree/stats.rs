//! Statistics of the shared table: the numbers the `tt` command shows.

use std::ops::AddAssign;

use megatherium_nnue::Counters as NetCounters;
use megatherium_tt::Counters as TableCounters;

/// Counts of one thread, or summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Probes, hits, and where stores went.
    pub table: TableCounters,
    /// Nodes that returned the score of an entry.
    pub cutoffs: u64,
    /// Nodes that could not use a score, but tried the move of an entry first.
    pub move_hints: u64,
    /// Static evaluations found in the table instead of computed.
    pub evals_reused: u64,
    /// Network evaluations, and how their hidden layers were made.
    pub net: NetCounters,
}

impl AddAssign for TableStats {
    fn add_assign(&mut self, other: TableStats) {
        self.table += other.table;
        self.cutoffs += other.cutoffs;
        self.move_hints += other.move_hints;
        self.evals_reused += other.evals_reused;
        self.net.evaluations += other.net.evaluations;
        self.net.updates += other.net.updates;
        self.net.refreshes += other.net.refreshes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number of the sum is a sum. All are different, so that none stands in for another.
    #[test]
    fn every_field_is_added() {
        let stats = |n: u64| TableStats {
            table: TableCounters {
                probes: n,
                hits: 2 * n,
                refreshes: 3 * n,
                stores: [4 * n, 5 * n, 6 * n, 7 * n, 8 * n, 9 * n, 10 * n],
            },
            cutoffs: 11 * n,
            move_hints: 12 * n,
            evals_reused: 13 * n,
            net: NetCounters { evaluations: 14 * n, updates: 15 * n, refreshes: 16 * n },
        };
        let mut sum = stats(1);
        sum += stats(100);
        assert_eq!(sum, stats(101));
    }
}
