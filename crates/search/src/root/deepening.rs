//! Iterative deepening, aspiration windows, several lines, and when to stop.

use std::cmp::Reverse;

use megatherium_board::SEE_VALUES;

use super::line::Line;
use super::strength;
use crate::report::ScoreBound;
use crate::score::{DRAW, INFINITY, MATE, MAX_PLY, Score, is_decisive, is_loss, is_mate, mate_in};
use crate::smp::Opinion;
use crate::time::Outlook;
use crate::tree::{LONG_SEARCH, ROOT, Search};

/// A lead of this many centipawns gives half of the greatest optimism.
const OPTIMISM_HALF: Score = 180;

impl Search<'_> {
    /// Iterative deepening, until a limit says stop.
    pub(super) fn deepen(&mut self) {
        let limits = &self.job.limits;
        let max_depth = limits
            .depth
            .filter(|_| self.id == 0)
            .map_or(MAX_PLY as i32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1) as i32);
        let last_depth =
            limits.depth.map_or(MAX_PLY as i32, |depth| depth.min(MAX_PLY as u32) as i32);
        self.root_depth = if self.seat % 2 == 1 { self.job.options.teamwork.ahead } else { 0 };
        let lines = self.lines();
        let mut stable_iterations = 0u16;
        let mut last_best = self.root_moves[0].mv;
        let before = *self.last_score;
        let mut last_scores = [None; 2];

        while self.root_depth < max_depth && !self.stopped {
            self.root_depth = self.next_depth().min(max_depth);
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate();
                self.root_moves[..=index].sort_by_key(|root_move| Reverse(root_move.score));
                if self.stopped {
                    break;
                }
            }
            if !self.stopped {
                self.publish(last_depth);
            } else if !self.take_over() {
                break;
            }
            self.completed_depth = self.root_depth;
            let best = &self.root_moves[0];
            stable_iterations = if best.mv == last_best { stable_iterations + 1 } else { 0 };
            last_best = best.mv;
            let opinion = Opinion { mv: best.mv.raw(), stable: stable_iterations };
            self.job.counters.of(self.id).set_opinion(opinion);
            if self.id != 0 {
                continue;
            }
            for index in 0..lines {
                self.report_line(index, ScoreBound::Exact);
            }

            let best = &self.root_moves[0];
            let score = best.score;
            let fall = |from: Option<Score>| from.map_or(0, |from| from - score);
            let drops = [fall(before), fall(last_scores[0])];
            last_scores = [last_scores[1], Some(score)];
            *self.last_score = (!is_decisive(score)).then_some(score);
            let best_move_share = best.nodes as f64 / self.nodes.max(1) as f64;
            if self.root_depth >= 6 {
                let (stable_iterations, disagreement) = self.stability(opinion);
                let score_drops = if is_decisive(score) { [0; 2] } else { drops };
                let outlook =
                    Outlook { stable_iterations, score_drops, best_move_share, disagreement };
                self.time.rescale(&outlook, &self.params);
            }
            if self.is_enough(score) {
                break;
            }
        }
    }

    /// For how many iterations the leader's move has been the best, averaged over the threads, and
    /// the share of the others that prefer another move. Alone, or if the leader decides alone, it
    /// is what the leader sees.
    fn stability(&self, leader: Opinion) -> (f64, Option<f64>) {
        let alone = (f64::from(leader.stable), None);
        if self.job.counters.threads() == 1 || !self.job.options.teamwork.decide_together {
            return alone;
        }
        let (mut threads, mut stable, mut against) = (0.0, 0.0, 0.0);
        for opinion in self.job.counters.opinions() {
            threads += 1.0;
            if opinion.mv == leader.mv {
                stable += f64::from(opinion.stable);
            } else {
                against += 1.0;
            }
        }
        if threads < 2.0 {
            return alone;
        }
        (stable / threads, Some(against / (threads - 1.0)))
    }

    /// If the search was stopped before its first root move was finished, ranks the moves without
    /// searching, so that the answer is a sensible move under any limit.
    pub(super) fn ensure_answer(&mut self) {
        if self.root_moves[0].known_score() != -INFINITY {
            return;
        }
        let board = self.job.root.board;
        for index in 0..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let child = self.make(&board, mv, 0);
            self.root_moves[index].score = if !child.has_legal_move() {
                if child.in_check() { mate_in(1) } else { DRAW }
            } else if self.is_draw(&child, 1) {
                DRAW
            } else {
                let hanging = if board.see_ge(mv, 0) {
                    0
                } else {
                    SEE_VALUES[board.moved(mv).piece_type().index()]
                };
                -self.evaluate(&child) - hanging
            };
            self.unmake();
        }
        self.root_moves.sort_by_key(|root_move| Reverse(root_move.score));
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
        if limits
            .mate
            .is_some_and(|moves| score >= mate_in((2 * moves.min(120) as usize).saturating_sub(1)))
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
        let mate_found = is_mate(score) && self.root_depth >= 2 * (MATE - score.abs()) + 6;
        forced || mate_found || self.time.is_soft_limit_reached(self.now())
    }

    /// Searches the current line with an aspiration window, widened until the score lies inside.
    fn aspirate(&mut self) {
        let expected = self.root_moves[self.pv_index].average_score;
        let lead = expected.unwrap_or(0);
        self.optimism = self.params.optimism * lead / (lead.abs() + OPTIMISM_HALF);
        let (mut alpha, mut beta, mut delta) = (-INFINITY, INFINITY, INFINITY);
        if let (Some(expected), true) = (expected, self.root_depth >= self.params.aspiration_depth)
        {
            // Helpers start with slightly different windows, so that they do not all fail alike.
            delta = self.params.aspiration_delta
                + if self.job.options.teamwork.windows_by_id {
                    (self.seat % 8) as Score
                } else {
                    0
                }
                + expected.abs().min(2000) / 100;
            alpha = (expected - delta).max(-INFINITY);
            beta = (expected + delta).min(INFINITY);
        }
        let mut fail_highs = 0;
        loop {
            let depth = (self.root_depth - fail_highs).max(1);
            let board = self.job.root.board;
            let score = self.search::<ROOT>(&board, 0, alpha, beta, depth, false);
            self.root_moves[self.pv_index..].sort_by_key(|root_move| Reverse(root_move.score));
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
                (alpha, beta) =
                    (if score <= alpha || is_loss(score) { -INFINITY } else { alpha }, INFINITY);
            }
        }
    }

    fn report_line(&mut self, index: usize, bound: ScoreBound) {
        let root_move = &self.root_moves[index];
        if root_move.known_score() == -INFINITY {
            return;
        }
        let line = Line {
            rank: index + 1,
            depth: self.root_depth as u32,
            seldepth: root_move.seldepth as u32,
            score: root_move.shown_score(),
            bound,
            pv: root_move.pv.clone(),
        };
        if index == 0 {
            let exact = bound == ScoreBound::Exact;
            self.shown = exact.then_some((root_move.mv, line.score));
        }
        line.lengthened(self.job, self.root_depth as usize / 2).report(self.job);
    }

    fn report_bound(&mut self, bound: ScoreBound) {
        if self.id == 0
            && self.job.options.multi_pv == 1
            && self.job.started.elapsed() >= LONG_SEARCH
        {
            self.report_line(self.pv_index, bound);
        }
    }
}
