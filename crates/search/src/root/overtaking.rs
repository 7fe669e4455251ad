//! Threads that take over an iteration which another one has completed.

use std::cmp::Reverse;

use crate::report::ScoreBound;
use crate::request::TakeOver;
use crate::score::{INFINITY, Score};
use crate::smp::Lead;
use crate::tree::{Search, Verdict};

/// Depths over which the first threads of several processes are spread.
const PROCESS_DEPTHS: usize = 4;

impl Search<'_> {
    /// Depth of the next iteration. A helper skips one that enough others are searching: what it
    /// finds beyond is in the table when they get there.
    pub(super) fn next_depth(&self) -> i32 {
        let next = self.root_depth + 1;
        let counters = &self.job.counters;
        let threads = counters.threads();
        let skipped = if !self.job.options.teamwork.skip_depths {
            0
        } else if self.id != 0 {
            i32::from(2 * counters.searching(next) >= threads)
        } else if self.shares_entries() {
            // What other processes search is known too late, so their numbers spread them out.
            (self.seat / threads % PROCESS_DEPTHS) as i32
        } else {
            // Processes that only vote find nothing in the table for each other.
            0
        };
        counters.of(self.id).set_depth(next + skipped);
        next + skipped
    }

    /// Tells the other threads that this one has completed an iteration, if they take over results.
    pub(super) fn publish(&self, last_depth: i32) {
        if let Some(lead) = self.job.lead.as_ref().filter(|_| self.root_depth <= last_depth) {
            let best = &self.root_moves[0];
            let (depth, bound) = (self.root_depth, ScoreBound::Exact);
            let (score, seldepth) = (best.score, best.seldepth);
            let result = || Verdict { pv: best.pv.clone(), score, bound, depth, seldepth };
            if lead.publish(depth, best.mv.raw(), result)
                && let Some(allies) = &self.job.allies
            {
                allies.completed(result());
            }
        }
    }

    /// Whether this thread should give up its iteration because another has completed it.
    pub fn is_overtaken(&self) -> bool {
        let Some(lead) = self.job.lead.as_ref().map(Lead::standing) else { return false };
        if lead.depth != self.root_depth {
            return lead.depth > self.root_depth;
        }
        match self.job.options.teamwork.take_over {
            TakeOver::Never => false,
            TakeOver::First => true,
            TakeOver::Agreed => 2 * lead.finished > self.job.team() || self.prefers(lead.tag),
        }
    }

    /// Whether the move with these bits is the best so far in this iteration. Before the first move
    /// is finished that is the best of the last iteration; while the search fails low, there is
    /// none.
    fn prefers(&self, bits: u16) -> bool {
        let best = self.root_moves.iter().min_by_key(|root_move| Reverse(root_move.score));
        best.is_some_and(|best| best.bound != ScoreBound::Upper && best.mv.raw() == bits)
    }

    /// If the iteration was aborted because another thread has completed it, adopts that thread's
    /// result.
    pub(super) fn take_over(&mut self) -> bool {
        if !std::mem::take(&mut self.overtaken) || self.job.is_over() {
            return false;
        }
        let Some((depth, result)) = self.job.lead.as_ref().and_then(Lead::get) else {
            return false;
        };
        self.stopped = false;
        self.root_depth = depth;
        for root_move in &mut self.root_moves {
            root_move.score = -INFINITY;
            if root_move.mv == result.pv[0] {
                root_move.score = result.score;
                root_move.average_score = Some(
                    root_move
                        .average_score
                        .map_or(result.score, |average| Score::midpoint(average, result.score)),
                );
                root_move.bound = ScoreBound::Exact;
                root_move.seldepth = result.seldepth;
                root_move.pv.clone_from(&result.pv);
            }
        }
        self.root_moves.sort_by_key(|root_move| Reverse(root_move.score));
        true
    }
}
