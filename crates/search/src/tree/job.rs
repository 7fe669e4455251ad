//! One search, as all its threads see it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use megatherium_board::Move;
use megatherium_tt::Table;

use super::allies::{Allies, Verdict};
use super::entry::Entry;
use super::replacement::Replacement;
use super::replicas::Replicas;
use super::root_moves::RootMove;
use crate::learning::Corrections;
use crate::report::{Report, Sink};
use crate::request::{Limits, Options, Root};
use crate::smp::{Baton, Control, Counters, Lead, SearchId};
use crate::tablebase::{Tablebases, TbRoot};

/// Everything the threads of one search share. The table, the control word, the counters, the lead
/// and shared corrections are written by several threads; the rest is read-only.
pub struct Job {
    /// Names this search.
    pub id: SearchId,
    /// The stop word.
    pub control: Arc<Control>,
    /// The shared table.
    pub table: Arc<Table<Entry, Replacement>>,
    /// The net, on every memory node.
    pub networks: Arc<Replicas>,
    /// Endgame tables.
    pub tablebases: Arc<Tablebases>,
    /// What the tablebases say about the root, if it is in them.
    pub tb_root: Option<TbRoot>,
    /// The correction history, if all threads share one.
    pub corrections: Option<Arc<Corrections>>,
    /// Options of this search.
    pub options: Options,
    /// The position and the game before it.
    pub root: Root,
    /// When to stop.
    pub limits: Limits,
    /// When `go` arrived.
    pub started: Instant,
    /// Where reports go.
    pub sink: Arc<dyn Sink>,
    /// Progress of each thread.
    pub counters: Counters,
    /// The baton, if the threads take turns (virtual SMP).
    pub baton: Option<Baton>,
    /// The deepest iteration any thread has completed, if threads take over from each other.
    pub lead: Option<Lead<Verdict>>,
    /// Other processes that search the same position.
    pub allies: Option<Arc<dyn Allies>>,
}

impl Job {
    /// Hands a report to the sink. A sink that panics loses the report, not the search.
    pub fn report(&self, report: Report<'_>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.sink.report(report)));
    }

    /// True once this search was stopped or has reached a limit.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.control.is_over(self.id)
    }

    /// Nodes of all threads so far, those of allies included.
    pub fn nodes(&self) -> u64 {
        self.counters.nodes() + self.allies.as_ref().map_or(0, |allies| allies.nodes())
    }

    /// Tablebase hits of all threads so far, those of allies included.
    pub fn tb_hits(&self) -> u64 {
        self.counters.tb_hits() + self.allies.as_ref().map_or(0, |allies| allies.tb_hits())
    }

    /// Threads that may complete an iteration; another process counts as one.
    pub fn team(&self) -> usize {
        self.counters.threads() + self.allies.as_ref().map_or(0, |allies| allies.others())
    }

    /// Whether a line from another process can be played here, within the limits.
    pub fn is_playable(&self, verdict: &Verdict) -> bool {
        let first = verdict.pv.first();
        let mut board = self.root.board;
        let mut play = |&mv: &Move| {
            let legal = board.is_legal(mv);
            if legal {
                board.make(mv);
            }
            legal
        };
        self.limits.depth.is_none_or(|depth| verdict.depth <= depth as i32)
            && first.is_some_and(|mv| RootMove::all(self).iter().any(|root| root.mv == *mv))
            && verdict.pv.iter().all(&mut play)
    }

    /// Takes in an iteration that another process has completed.
    pub fn take_in(&self, iteration: Verdict) {
        if let Some(lead) = &self.lead
            && self.is_playable(&iteration)
        {
            lead.publish(iteration.depth, iteration.pv[0].raw(), || iteration);
        }
    }

    /// Largest number of men to probe in the tree.
    pub fn tb_men(&self) -> u32 {
        self.tablebases.max_men().min(self.options.syzygy_probe_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Quiet, START, Scene};

    #[test]
    fn another_process_counts_as_a_thread() {
        let alone = Scene::new(START, 3, Limits::default());
        assert_eq!(alone.job.team(), 3);
        assert_eq!(alone.with_allies(&Arc::new(Quiet::default())).job.team(), 5);
    }
}
