//! How the shared table served a search: the numbers the `tt` command shows.

/// Counts of one thread, or of all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Lookups.
    pub probes: u64,
    /// Lookups that found the position.
    pub hits: u64,
    /// Hits whose score ended the node.
    pub cutoffs: u64,
    /// Hits whose move was tried first.
    pub move_hints: u64,
    /// Hits that spared a network evaluation.
    pub evals_reused: u64,
    /// Network evaluations.
    pub evals: u64,
    /// Entries written.
    pub stores: u64,
}

impl TableStats {
    /// Adds another thread's counts.
    pub fn add(&mut self, other: &TableStats) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.cutoffs += other.cutoffs;
        self.move_hints += other.move_hints;
        self.evals_reused += other.evals_reused;
        self.evals += other.evals;
        self.stores += other.stores;
    }
}
