//! The root: iterative deepening, aspiration windows, several lines, and when to stop.

use std::time::Duration;

use megatherium_board::Move;

use crate::job::Job;
use crate::lead::Conclusion;
use crate::negamax::ROOT;
use crate::report::{Info, Report, ScoreBound};
use crate::score::{INFINITY, MAX_PLY, Score, is_decisive, is_loss, is_mate, mate_in};
use crate::strength;
use crate::thread::Search;
use crate::variant::Variant;
use crate::walk::lengthen;
use crate::wdl::wdl;
use crate::worker::Worker;

/// From this time on, bounds and the current move are reported too.
const LONG_SEARCH: Duration = Duration::from_secs(3);

/// A move at the root, with what is known about it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score in this iteration; `-INFINITY` until it is known to be better than what came before.
    pub score: Score,
    /// Score in the last iteration.
    pub previous_score: Score,
    /// Running mean of the scores, the centre of the next window.
    pub average_score: Option<Score>,
    /// The line, beginning with the move.
    pub pv: Vec<Move>,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// Deepest ply reached below it.
    pub seldepth: i32,
    /// Nodes spent on it in the whole search.
    pub nodes: u64,
    /// Rank by tablebase: only the best rank is searched.
    pub tb_score: Option<Score>,
}

impl RootMove {
    /// The moves to search, as the limits and the tablebases allow.
    pub fn all<V: Variant>(job: &Job<V>) -> Vec<RootMove> {
        let wanted = &job.limits.search_moves;
        let legal = job.root.board.legal_moves();
        let allowed = |mv: Move| {
            (wanted.is_empty() || wanted.contains(&mv))
                && job.tb_root.as_ref().is_none_or(|tb| !wanted.is_empty() || tb.moves.contains(&mv))
        };
        legal
            .iter()
            .copied()
            .filter(|&mv| allowed(mv))
            .map(|mv| RootMove {
                mv,
                score: -INFINITY,
                previous_score: -INFINITY,
                average_score: None,
                pv: vec![mv],
                bound: ScoreBound::Exact,
                seldepth: 0,
                nodes: 0,
                tb_score: job.tb_root.as_ref().filter(|_| wanted.is_empty()).map(|tb| tb.score),
            })
            .collect()
    }

    /// The newest score there is.
    pub fn known_score(&self) -> Score {
        if self.score == -INFINITY { self.previous_score } else { self.score }
    }

    /// The score to show: what the tablebase says, unless a mate was found.
    fn shown_score(&self, score: Score) -> Score {
        self.tb_score.filter(|_| !is_mate(score)).unwrap_or(score)
    }
}

/// One thread's whole search.
pub fn think<V: Variant>(id: usize, job: &Job<V>, worker: &mut Worker<V>) -> Conclusion {
    // Under a baton everything from here to the return is one thread's turn, or several.
    let _turns = job.baton.as_ref().map(|baton| baton.join(id));
    let mut search = Search::new(id, job, worker);
    if search.root_moves.is_empty() {
        return Conclusion::none(id);
    }
    search.deepen();
    if id == 0 {
        // The others need not go on; and under `infinite` and `ponder` an answer may be ready long before it is wanted.
        job.control.finish(job.id);
        job.control.wait_for_release(job.id);
    }
    let stats = search.stats();
    let chosen =
        job.options.elo.filter(|_| id == 0).map_or(0, |elo| strength::choose(&search.root_moves, elo));
    let best = search.root_moves.swap_remove(chosen);
    let score = best.shown_score(best.known_score());
    if score == -INFINITY {
        // A helper that was stopped before it had looked at anything.
        return Conclusion { stats, ..Conclusion::none(id) };
    }
    Conclusion {
        thread: id,
        reported: search.shown == Some((best.mv, score)),
        score,
        bound: best.bound,
        pv: best.pv,
        depth: search.completed_depth,
        seldepth: best.seldepth,
        stats,
    }
}

impl<V: Variant> Search<'_, V> {
    /// Deeper and deeper, until a limit says stop.
    fn deepen(&mut self) {
        let limits = &self.job.limits;
        let max_depth = limits
            .depth
            .filter(|_| self.id == 0)
            .map_or(MAX_PLY as i32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1) as i32);
        let lines = self.lines();
        let mut stable_iterations = 0;
        let mut last_best = self.root_moves[0].mv;
        let mut last_scores = [None; 2];

        while self.root_depth < max_depth && !self.stopped {
            self.root_depth += 1;
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate();
                self.root_moves[..=index].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                break;
            }
            self.completed_depth = self.root_depth;
            if self.id != 0 {
                continue;
            }
            for index in 0..lines {
                self.report_line(index, ScoreBound::Exact);
            }

            let best = &self.root_moves[0];
            stable_iterations = if best.mv == last_best { stable_iterations + 1 } else { 0 };
            last_best = best.mv;
            let score = best.score;
            let drop = last_scores[0].map_or(0, |before: Score| before - score);
            last_scores = [last_scores[1], Some(score)];
            let share = best.nodes as f64 / self.nodes.max(1) as f64;
            if self.root_depth >= 6 {
                self.time.rescale(stable_iterations, if is_decisive(score) { 0 } else { drop }, share);
            }
            if self.is_enough(score) {
                break;
            }
        }
    }

    /// Lines to search: as many as asked for, more when a weaker move may have to be chosen.
    fn lines(&self) -> usize {
        let wanted = if self.job.options.elo.is_some() && self.id == 0 {
            self.job.options.multi_pv.max(strength::CANDIDATES)
        } else {
            self.job.options.multi_pv
        };
        wanted.clamp(1, self.root_moves.len())
    }

    /// Whether the iteration that just ended was the last one needed.
    fn is_enough(&self, score: Score) -> bool {
        let limits = &self.job.limits;
        if limits.mate.is_some_and(|moves| score >= mate_in((2 * moves.min(120) as usize).saturating_sub(1)))
        {
            return true;
        }
        if limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes)
            || self.job.options.elo.is_some_and(|elo| self.nodes >= strength::nodes(elo))
        {
            return true;
        }
        if limits.infinite || self.is_pondering() || !self.time.has_soft_limit() {
            return false;
        }
        let forced = self.root_moves.len() == 1 && self.root_depth >= 8;
        let mate_found = is_mate(score) && self.root_depth >= 2 * (crate::score::MATE - score.abs()) + 6;
        forced || mate_found || self.time.is_soft_limit_reached(self.job.started)
    }

    /// Searches the current line with a window around the expected score, widened until the score lies inside.
    fn aspirate(&mut self) {
        let expected = self.root_moves[self.pv_index].average_score;
        let (mut alpha, mut beta, mut delta) = (-INFINITY, INFINITY, INFINITY);
        if let (Some(expected), true) = (expected, self.root_depth >= self.params.aspiration_depth) {
            // Helpers start with slightly different windows, so that they do not all fail in the same way.
            delta = self.params.aspiration_delta + (self.id % 8) as Score + expected.abs().min(2000) / 100;
            alpha = (expected - delta).max(-INFINITY);
            beta = (expected + delta).min(INFINITY);
        }
        let mut fail_highs = 0;
        loop {
            let depth = (self.root_depth - fail_highs).max(1);
            let board = self.job.root.board;
            let score = self.search::<ROOT>(&board, 0, alpha, beta, depth, false);
            self.root_moves[self.pv_index..].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
            if self.stopped {
                return;
            }
            if score <= alpha && alpha > -INFINITY {
                beta = Score::midpoint(alpha, beta);
                alpha = (score - delta).max(-INFINITY);
                fail_highs = 0;
                self.report_bound(ScoreBound::Upper);
            } else if score >= beta && beta < INFINITY {
                beta = (score + delta).min(INFINITY);
                fail_highs = (fail_highs + 1).min(3);
                self.report_bound(ScoreBound::Lower);
            } else {
                return;
            }
            delta += delta / 2;
            if delta > 1500 || is_decisive(score) {
                (alpha, beta) = (if score <= alpha || is_loss(score) { -INFINITY } else { alpha }, INFINITY);
            }
        }
    }

    /// Step 16 at the root: what a finished move came to.
    pub(crate) fn update_root_move(
        &mut self,
        mv: Move,
        score: Score,
        move_count: usize,
        alpha: Score,
        beta: Score,
        nodes_before: u64,
    ) {
        let spent = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv) else { return };
        root_move.nodes += spent;
        if move_count == 1 || score > alpha {
            root_move.score = score;
            root_move.average_score =
                Some(root_move.average_score.map_or(score, |average| Score::midpoint(average, score)));
            root_move.seldepth = seldepth;
            root_move.bound = if score <= alpha {
                ScoreBound::Upper
            } else if score >= beta {
                ScoreBound::Lower
            } else {
                ScoreBound::Exact
            };
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(self.pv.line(1));
        } else {
            // Not better than the best: its place in the order stays, whatever the bound says.
            root_move.score = -INFINITY;
        }
    }

    fn report_line(&mut self, index: usize, bound: ScoreBound) {
        let job = self.job;
        let root_move = &self.root_moves[index];
        let score = root_move.known_score();
        if score == -INFINITY {
            return;
        }
        let mut pv = root_move.pv.clone();
        let score = root_move.shown_score(score);
        if bound == ScoreBound::Exact && !is_mate(score) {
            lengthen(&job.table, &job.root, &mut pv, self.root_depth as usize / 2);
        }
        if index == 0 {
            self.shown = Some((root_move.mv, score)).filter(|_| bound == ScoreBound::Exact);
        }
        job.sink.report(Report::Info(&Info {
            depth: self.root_depth as u32,
            seldepth: root_move.seldepth as u32,
            multipv: index + 1,
            score,
            bound,
            wdl: wdl(score, &job.root.board),
            nodes: job.nodes(),
            time: job.started.elapsed(),
            hashfull: job.table.hashfull(),
            tb_hits: job.tb_hits(),
            pv,
        }));
    }

    fn report_bound(&mut self, bound: ScoreBound) {
        if self.id == 0 && self.job.options.multi_pv == 1 && self.job.started.elapsed() >= LONG_SEARCH {
            self.report_line(self.pv_index, bound);
        }
    }

    /// Tells which root move is being searched, when the search is long enough for anyone to care.
    pub(crate) fn report_current_move(&mut self, mv: Move, number: usize) {
        if self.id == 0 && self.job.started.elapsed() >= LONG_SEARCH {
            let report =
                Report::CurrentMove { depth: self.root_depth as u32, mv, number: number + self.pv_index };
            self.job.sink.report(report);
        }
    }
}
