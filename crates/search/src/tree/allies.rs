//! Other processes that search the same position: what a search tells them, and what it asks them.
//!
//! Without allies this costs nothing. With them a search does at its regular polls what threads do
//! through their shared memory: it sends deep entries and completed iterations, and takes in those
//! it receives.

use std::time::Duration;

use megatherium_board::Move;
use megatherium_nnue::Network;
use megatherium_tt::Table;

use super::entry::{Bound, Entry};
use super::replacement::Replacement;
use crate::report::ScoreBound;
use crate::request::{Limits, Options};
use crate::score::Score;

/// The table that the threads of a process share.
pub type SearchTable = Table<Entry, Replacement>;

/// Stores an entry of another process. It arrives late, so a local entry of at least its depth
/// stays.
pub fn take_in(table: &SearchTable, key: u64, entry: Entry) {
    let outdone = |known: Entry| known.bound != Bound::None && known.depth >= entry.depth;
    if !table.peek(key).is_some_and(|known| outdone(known.get())) {
        table.store(key, entry);
    }
}

/// What one process concluded: the line that its threads elected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The line; never empty.
    pub pv: Vec<Move>,
    /// Its score.
    pub score: Score,
    /// Whether that score is exact.
    pub bound: ScoreBound,
    /// Last finished iteration.
    pub depth: i32,
    /// Deepest ply reached.
    pub seldepth: i32,
}

/// Progress of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of the thread.
    pub thread: usize,
    /// Nodes it has searched.
    pub nodes: u64,
    /// Its tablebase hits.
    pub tb_hits: u64,
}

/// The other processes of a search, as this one sees them.
///
/// All calls but [`gather`](Allies::gather) must return at once: search threads make them.
pub trait Allies: Send + Sync {
    /// A search begins. Its threads sleep until this returns.
    fn begin(&self, limits: &Limits, options: &Options);

    /// About how many threads the lower-numbered processes have. Threads vary their search by their
    /// global index, so that no two of them do the same work.
    fn seats_before(&self) -> usize;

    /// The smallest depth of entries to share; queried once by each thread.
    fn least_depth(&self) -> i32;

    /// A thread has stored an entry of at least that depth.
    fn stored(&self, thread: usize, key: u64, entry: Entry);

    /// A thread polls its limits, every few hundred nodes. Received entries go into the table here.
    /// False ends the search.
    fn poll(&self, progress: Progress, table: &SearchTable) -> bool;

    /// How many other processes there are.
    fn others(&self) -> usize;

    /// This process has completed an iteration, with this result.
    fn completed(&self, iteration: Verdict);

    /// An iteration that another process has completed; each is returned once.
    fn next_completed(&self) -> Option<Verdict>;

    /// Nodes of the other processes, as last reported.
    fn nodes(&self) -> u64;

    /// Tablebase hits of the other processes, as last reported.
    fn tb_hits(&self) -> u64;

    /// How long [`gather`](Allies::gather) may take: it is subtracted from every time budget.
    fn overhead(&self) -> Duration;

    /// The search of this process is over: stops the others and returns their conclusions. A late
    /// one is left out.
    fn gather(&self) -> Vec<Verdict>;

    /// What this process concluded, before the others are considered; `None` if it has no line.
    fn elected(&self, verdict: Option<&Verdict>, total: Progress);

    /// The table was cleared or the net replaced: entries received earlier are stale.
    fn forgotten(&self, network: &Network);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_late_does_not_displace_what_is_known_as_well() {
        let entry = |depth, bound| Entry { mv: 1, score: 2, eval: 3, depth, pv: false, bound };
        let table = SearchTable::with_mebibytes(1).unwrap();
        let depth = || table.peek(7).unwrap().get().depth;
        take_in(&table, 7, entry(5, Bound::Upper));
        assert_eq!(depth(), 5, "nothing was known");
        for (late, known) in [(4, 5), (5, 5), (6, 6), (3, 6)] {
            take_in(&table, 7, entry(late, Bound::Exact));
            assert_eq!(depth(), known, "{late}");
        }
        assert_eq!(table.peek(7).unwrap().get().bound, Bound::Exact);
        table.store(8, entry(0, Bound::None));
        take_in(&table, 8, entry(0, Bound::Lower));
        assert_eq!(table.peek(8).unwrap().get().bound, Bound::Lower, "a score is more than none");
    }
}
