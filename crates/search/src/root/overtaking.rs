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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::request::Limits;
    use crate::tree::{Quiet, START, Scene};

    /// The next depth of a thread of eight after depth 7, if this many others are at depth 8; and
    /// how many threads are then at depth 9.
    fn next(id: usize, others: usize, skip_depths: bool) -> (i32, usize) {
        let mut scene = Scene::new(START, 8, Limits::default());
        scene.job.options.teamwork.skip_depths = skip_depths;
        for other in 0..others {
            scene.job.counters.of(7 - other).set_depth(8);
        }
        let mut search = scene.search(id);
        search.root_depth = 7;
        (search.next_depth(), search.job.counters.searching(9))
    }

    #[test]
    fn helpers_skip_what_half_of_the_threads_search() {
        assert_eq!(next(1, 3, true), (8, 0));
        assert_eq!(next(1, 4, true), (9, 1));
        assert_eq!(next(1, 4, false), (8, 0));
        assert_eq!(next(0, 4, true), (8, 0), "not the leader");
    }

    #[test]
    fn leaders_are_spread_by_the_number_of_their_process() {
        let next = |seats_before| {
            let quiet = Arc::new(Quiet { seats_before, ..Quiet::default() });
            let mut scene = Scene::new(START, 2, Limits::default()).with_allies(&quiet);
            let next = scene.search(0).next_depth();
            (next, scene.job.counters.searching(next), scene.job.counters.searching(next + 1))
        };
        let expected = [1, 2, 3, 4, 1].map(|depth| (depth, 1, 0));
        assert_eq!([0, 2, 4, 6, 8].map(next), expected);
    }

    /// Whether a thread at depth 8 is overtaken by a team of eight with this many results of a
    /// depth. Its best move so far has index 3.
    fn overtaken(rule: TakeOver, depth: i32, finished: usize, index: usize) -> bool {
        let mut scene = Scene::new(START, 8, Limits::default());
        scene.job.options.teamwork.take_over = rule;
        let lead = Lead::default();
        let tag = scene.job.root.board.legal_moves()[index].raw();
        for _ in 0..finished {
            lead.publish(depth, tag, || result(&scene));
        }
        scene.job.lead = Some(lead);
        let mut search = scene.search(1);
        search.root_depth = 8;
        search.root_moves[3].score = 20;
        search.root_moves[5].score = 10;
        search.is_overtaken()
    }

    fn result(scene: &Scene) -> Verdict {
        let pv = scene.line(&["d2d4", "d7d5"]);
        Verdict { pv, score: 33, bound: ScoreBound::Exact, depth: 12, seldepth: 40 }
    }

    #[test]
    fn deeper_results_overtake_and_equal_ones_by_the_rule() {
        for rule in [TakeOver::Never, TakeOver::First, TakeOver::Agreed] {
            assert!(
                overtaken(rule, 9, 1, 5) && !overtaken(rule, 7, 8, 3) && !overtaken(rule, 0, 0, 3)
            );
        }
        assert!(!overtaken(TakeOver::Never, 8, 8, 3));
        assert!(overtaken(TakeOver::First, 8, 1, 5));
        // More than half of the team, or the same move.
        assert!(!overtaken(TakeOver::Agreed, 8, 1, 5) && overtaken(TakeOver::Agreed, 8, 1, 3));
        assert!(!overtaken(TakeOver::Agreed, 8, 4, 5) && overtaken(TakeOver::Agreed, 8, 5, 5));
    }

    #[test]
    fn nobody_leads_without_a_lead() {
        let mut scene = Scene::new(START, 8, Limits::default());
        assert!(!scene.search(1).is_overtaken());
    }

    #[test]
    fn a_thread_that_fails_low_prefers_nothing() {
        let mut scene = Scene::new(START, 2, Limits::default());
        let mut search = scene.search(1);
        search.root_moves[2].score = 20;
        let (best, other) = (search.root_moves[2].mv.raw(), search.root_moves[0].mv.raw());
        assert!(search.prefers(best) && !search.prefers(other));
        search.root_moves[2].bound = ScoreBound::Upper;
        assert!(!search.prefers(best) && !search.prefers(other));
    }

    #[test]
    fn a_result_is_adopted_while_the_search_goes_on() {
        let taken = |overtaken: bool, over: bool, published: bool| {
            let mut scene = Scene::new(START, 2, Limits::default());
            let lead = Lead::default();
            if published {
                lead.publish(12, 7, || result(&scene));
            }
            scene.job.lead = Some(lead);
            let expected = result(&scene);
            let mut search = scene.search(1);
            (search.stopped, search.overtaken, search.root_depth) = (true, overtaken, 9);
            search.root_moves[1].score = 50;
            if over {
                search.job.control.stop(search.job.id);
            }
            let taken = search.take_over();
            let best = &search.root_moves[0];
            let adopted = best.pv == expected.pv
                && (best.mv, best.score, best.seldepth) == (best.pv[0], 33, 40)
                && search.root_moves[1..].iter().all(|other| other.score == -INFINITY);
            let resumed = !search.stopped && search.root_depth == 12;
            assert!(taken == adopted && taken == resumed && !search.overtaken);
            taken
        };
        assert!(taken(true, false, true));
        assert!(!taken(false, false, true) && !taken(true, true, true));
        assert!(!taken(false, true, true) && !taken(true, false, false));
    }
}
