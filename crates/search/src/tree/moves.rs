//! Decisions about single moves: prune, extend, reduce; and history updates afterwards.

use megatherium_board::{Bitboard, Board, Move, SEE_VALUES};

use super::attacks::Attacks;
use super::entry::Bound;
use super::node::{NON_PV, Node};
use super::search::Search;
use crate::learning::{CaptureIndex, PieceTo, Played};
use crate::params::{PLY, Params};
use crate::score::{NONE, Score, is_decisive, is_win};

/// The table move is tested for singularity if its entry is at most this much shallower than the
/// node.
const SINGULAR_TABLE_DEPTH: i32 = 3;
/// Double extensions on one path: more would let forcing lines grow without end.
const DOUBLE_EXTENSIONS: u32 = 8;
/// Plies taken from a table move that is not singular and promises a cutoff, on a principal
/// variation and off it; the cheaper node can lose more.
const NOT_SINGULAR: [i32; 2] = [-2, -3];
/// Plies taken from a table move that is not singular at an expected cut node.
const NOT_SINGULAR_CUT: i32 = -2;
/// Cutoffs below siblings after which late moves are expected to fail, too.
const MANY_CUTOFFS: u32 = 3;
/// Largest change of a history by static evaluations: one swing must not outweigh searches.
const MAX_EVAL_BONUS: i32 = 600;
/// How much of a bonus continuation histories take after the moves 1, 2, 4 and 6 plies ago, in
/// 1/128: the nearer, the more the move was an answer to it.
const BY_DISTANCE: [i32; 4] = [128, 112, 96, 64];

/// An answer scores well below its side's static evaluation if it is this much less.
const BELOW_EVAL: Score = 97;

/// A move keeps more than its evaluation promised if no answer comes within this of it.
const ABOVE_HOPE: Score = 136;

/// A move about to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The move.
    pub mv: Move,
    /// Neither a capture nor a promotion.
    pub quiet: bool,
    /// It gives check.
    pub checks: bool,
    /// It is the killer move: it refuted a sibling node.
    pub killer: bool,
    /// Its history score.
    pub history: i32,
    /// Its place in the order, from 1.
    pub number: usize,
}

/// Whether to prune a move, or all quiet moves from here on.
pub(super) enum Skip {
    /// Search it.
    No,
    /// Prune it.
    Move,
    /// Prune this and all further quiet moves.
    Quiets,
}

/// The result of the singularity test of the table move.
pub(super) enum Singularity {
    /// Extend it by this many plies (or reduce it, if negative).
    Extend(i32),
    /// Several moves beat beta: the node is done.
    Cutoff(Score),
}

/// Moves that failed to raise alpha, for the malus: only the first few count.
#[derive(Default)]
pub(super) struct Tried {
    moves: [Option<Move>; 32],
    len: usize,
}

impl Tried {
    pub(super) fn push(&mut self, mv: Move) {
        if self.len < self.moves.len() {
            self.moves[self.len] = Some(mv);
            self.len += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }
}

impl Candidate {
    /// Step 13. Late moves at low depth rarely matter.
    pub(super) fn skip(
        &self,
        params: &Params,
        attacks: &Attacks<'_>,
        node: &Node,
        reduced_depth: i32,
        alpha: Score,
    ) -> Skip {
        let depth = node.depth;
        if self.quiet {
            // An evasion is one of few moves, and the static evaluation in check says nothing: only
            // the exchange below may prune it.
            if !node.in_check {
                // Late-move pruning: enough moves have been tried for this depth. Checks come first
                // among the quiet moves and are searched however many captures came before.
                let enough =
                    (params.late_move_base + depth * depth) / if node.improving { 1 } else { 2 };
                if self.number as i32 >= enough && !self.checks {
                    return Skip::Quiets;
                }
                // History pruning: moves that keep failing. Later moves may have a better history,
                // because the order looks at more than history.
                if reduced_depth <= params.history_pruning_depth
                    && self.history < params.history_pruning_slope * depth
                {
                    return Skip::Move;
                }
                // Futility: a quiet move will not raise the evaluation to alpha. Not once a mate is
                // known: everything would be futile, but a shorter mate is still worth finding.
                let hope = node.static_eval
                    + params.futility_base
                    + params.futility_slope * reduced_depth
                    + self.history / params.futility_history;
                if !self.checks
                    && reduced_depth <= params.futility_depth
                    && hope <= alpha
                    && !is_win(alpha)
                {
                    return Skip::Quiets;
                }
            }
            let loss = params.see_quiet_slope * reduced_depth * reduced_depth;
            if !attacks.quiet_see_ge(self.mv, loss) {
                return Skip::Move;
            }
        } else {
            let board = attacks.board;
            // Futility: even with the captured piece the evaluation stays below alpha.
            let victim = board.captured(self.mv).map_or(0, |victim| SEE_VALUES[victim.index()]);
            let hope = node.static_eval
                + params.capture_futility_base
                + params.capture_futility_slope * reduced_depth
                + victim
                + self.history / params.capture_futility_history;
            if !node.in_check
                && !self.checks
                && !self.mv.is_promotion()
                && reduced_depth <= params.capture_futility_depth
                && hope <= alpha
                && !is_win(alpha)
            {
                return Skip::Move;
            }
            if !board.see_ge(
                self.mv,
                params.see_noisy_slope * depth - self.history / params.see_noisy_history,
            ) {
                return Skip::Move;
            }
        }
        Skip::No
    }
}

impl Search<'_> {
    /// Step 14. Singular extension: if all other moves fail well below the table move's score, it
    /// is extended; if another one beats beta as well, the node is cut at once (multi-cut).
    pub(super) fn singularity(
        &mut self,
        board: &Board,
        node: &Node,
        mv: Move,
        beta: Score,
        pv_node: bool,
    ) -> Singularity {
        let (ply, depth) = (node.ply, node.depth);
        if depth < self.params.singular_depth
            || ply as i32 >= 2 * self.root_depth
            || node.table.depth < depth - SINGULAR_TABLE_DEPTH
            || !matches!(node.table.bound, Bound::Lower | Bound::Exact)
            || is_decisive(node.table.score)
        {
            return Singularity::Extend(0);
        }
        let singular_beta = node.table.score - self.params.singular_margin * depth / 64;
        self.stack[ply].excluded = Some(mv);
        let score = self.search::<NON_PV>(
            board,
            ply,
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            node.expect_cut,
        );
        self.stack[ply].excluded = None;
        if self.stopped {
            return Singularity::Cutoff(0);
        }
        if score < singular_beta {
            let mut plies = 1;
            if !pv_node && self.stack[ply].double_extensions <= DOUBLE_EXTENSIONS {
                plies += i32::from(score < singular_beta - self.params.double_extension_margin);
                plies += i32::from(
                    !node.table.noisy
                        && score < singular_beta - self.params.triple_extension_margin,
                );
            }
            return Singularity::Extend(plies);
        }
        if score >= beta && !is_win(score) {
            return Singularity::Cutoff(score);
        }
        if node.table.score >= beta {
            // Not singular: others come close, so a cutoff is likely anyway.
            return Singularity::Extend(NOT_SINGULAR[usize::from(!pv_node)]);
        }
        Singularity::Extend(if node.expect_cut { NOT_SINGULAR_CUT } else { 0 })
    }

    /// What to add to the base reduction of a late move, in 1/1024 ply.
    pub(super) fn adjust_reduction(
        &self,
        node: &Node,
        candidate: &Candidate,
        pv_node: bool,
    ) -> i32 {
        let mut change = 0;
        if node.expect_cut {
            change += self.params.lmr_cut_node;
            if node.table.mv.is_none() {
                change += self.params.lmr_no_table_move;
            }
        }
        if self.stack[node.ply].table_pv {
            change -= self.params.lmr_table_pv + if pv_node { PLY / 2 } else { 0 };
        }
        if !node.improving {
            change += self.params.lmr_not_improving;
        }
        if node.table.noisy && candidate.quiet {
            change += self.params.lmr_table_noisy;
        }
        if self.stack[node.ply + 1].cutoffs > MANY_CUTOFFS {
            change += self.params.lmr_cutoffs;
        }
        if candidate.checks {
            change -= self.params.lmr_check;
        }
        if candidate.killer {
            change -= self.params.lmr_killer;
        }
        change -= candidate.history * PLY
            / if candidate.quiet {
                self.params.lmr_quiet_history
            } else {
                self.params.lmr_noisy_history
            };
        if self.jitter {
            // Helpers look at slightly different trees: up to a sixteenth of a ply either way.
            change += ((self.nodes + 27 * self.seat as u64 + u64::from(candidate.mv.raw())) % 128)
                as i32
                - 64;
        }
        change
    }

    /// Adjusts the butterfly and pawn histories of a quiet move.
    pub(super) fn learn_quiet(&self, board: &Board, mv: Move, threats: Bitboard, bonus: i32) {
        self.histories.update_quiet(board, mv, threats, bonus);
        self.histories.update_pawn(board, mv, bonus * self.params.learn_pawn / 128);
    }

    /// Adjusts the continuation histories of a quiet move at `ply`.
    pub(super) fn learn_continuation(&mut self, board: &Board, ply: usize, mv: Move, bonus: i32) {
        let piece_to = PieceTo::new(board.moved(mv), mv.to());
        let bonus = bonus * self.params.learn_continuation / 128;
        for (earlier, weight) in self.earlier(ply).into_iter().zip(BY_DISTANCE) {
            self.histories.update_continuation(earlier, piece_to, bonus * weight / 128);
        }
    }

    /// Step 18. A bonus for the best move, a malus for those tried before it.
    pub(super) fn learn_from_cutoff(
        &mut self,
        attacks: &Attacks<'_>,
        node: &Node,
        best: Move,
        quiets: &Tried,
        captures: &Tried,
    ) {
        let board = attacks.board;
        let (ply, depth) = (node.ply, node.depth);
        let (bonus, malus) = (self.params.history_bonus(depth), self.params.history_malus(depth));
        if board.is_noisy(best) {
            self.histories.update_capture(CaptureIndex::new(board, best), bonus);
        } else {
            let threats = attacks.threats().all;
            self.stack[ply].killer = Some(best);
            self.learn_quiet(board, best, threats, bonus);
            self.learn_continuation(board, ply, best, bonus);
            let order = self.params.malus_order;
            for (index, mv) in quiets.iter().enumerate() {
                let malus = malus * order / (order + index as i32);
                self.learn_quiet(board, mv, threats, -malus);
                self.learn_continuation(board, ply, mv, -malus);
            }
        }
        for mv in captures.iter() {
            self.histories.update_capture(CaptureIndex::new(board, mv), -malus);
        }
        self.blame_previous_move(ply, depth);
    }

    /// Static evaluation history: the quiet move that led here gains or loses history by what it
    /// did to the static evaluation.
    pub(super) fn judge_previous_move(&mut self, static_eval: Score, ply: usize) {
        let previous = self.stack.back(ply, 1);
        if let (Some(index), true) = (previous.quiet, previous.static_eval != NONE) {
            let gain = -(previous.static_eval + static_eval);
            let bonus =
                (gain * self.params.eval_history_weight).clamp(-MAX_EVAL_BONUS, MAX_EVAL_BONUS);
            self.histories.update_butterfly(index, bonus);
        }
    }

    /// A move failed high, so the quiet move that led here was bad, if it was one of the first and
    /// not only tried because better ones had failed.
    fn blame_previous_move(&mut self, ply: usize, depth: i32) {
        let previous = self.stack.back(ply, 1);
        if previous.number <= 2
            && previous.quiet.is_some()
            && let Some(played) = previous.played
        {
            let malus = self.params.history_malus(depth) * self.params.blame / 128;
            self.learn_previous(ply, played, -malus);
        }
    }

    /// Every move failed low, with `best` as the best score, so the move that led here was good:
    /// the more surprisingly, the better.
    pub(super) fn credit_previous_move(&mut self, ply: usize, depth: i32, best: Score) {
        let (previous, params) = (*self.stack.back(ply, 1), &self.params);
        let bonus = params.history_bonus(depth);
        if let Some(index) = previous.capture {
            self.histories.update_capture(index, bonus * params.credit_capture / 128);
        }
        let (Some(index), Some(played)) = (previous.quiet, previous.played) else { return };
        let (here, hope) = (self.stack[ply].static_eval, previous.static_eval);
        let mut credit = params.credit
            + (params.credit_order * previous.number as i32).min(params.credit_order_max);
        if previous.is_table_move {
            credit += params.credit_table_move;
        }
        if here != NONE && best <= here - BELOW_EVAL {
            credit += params.credit_below_eval;
        }
        if hope != NONE && best <= -hope - ABOVE_HOPE {
            credit += params.credit_above_hope;
        }
        let bonus = bonus * credit / 128;
        self.histories.update_butterfly(index, bonus);
        self.learn_previous(ply, played, bonus);
    }

    /// Adjusts the continuation histories of the move that led to `ply`.
    fn learn_previous(&self, ply: usize, played: Played, bonus: i32) {
        for earlier in self.earlier(ply - 1) {
            self.histories.update_continuation(earlier, played.piece_to(), bonus);
        }
    }
}
