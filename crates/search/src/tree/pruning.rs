//! Whole-node pruning, steps 7–10: off the principal variation and out of check.

use megatherium_board::Board;

use super::attacks::Attacks;
use super::entry::Bound;
use super::movepick::MovePicker;
use super::node::{NON_PV, Node};
use super::search::Search;
use super::table::Finding;
use crate::score::{NONE, Score, is_decisive, is_loss, is_win};

/// Reverse futility returns beta and one part in this many of the excess: all of it would be a
/// score that no search has confirmed.
const FUTILITY_SHARE: i32 = 3;
/// Most plies by which a good evaluation deepens the reduction of a null move.
const NULL_EVAL_MAX: i32 = 3;
/// The verification of a null move forbids null moves in the first three quarters of its depth.
const NULL_VERIFIED_QUARTERS: i32 = 3;
/// Plies by which `ProbCut` reduces the search after the capture.
const PROBCUT_REDUCTION: i32 = 4;
/// The same for the node itself: the capture is one ply.
const PROBCUT_NODE_REDUCTION: i32 = PROBCUT_REDUCTION - 1;

impl Search<'_> {
    /// A score for the node without searching its moves, if one of the techniques gives one.
    pub(super) fn prune_node(
        &mut self,
        board: &Board,
        node: &Node,
        alpha: Score,
        beta: Score,
        key: u64,
    ) -> Option<Score> {
        let (ply, depth) = (node.ply, node.depth);

        // Step 7. Razoring: hopeless positions drop to quiescence.
        if depth <= self.params.razor_depth
            && node.eval < alpha - self.params.razor_base - self.params.razor_slope * depth * depth
            && !is_decisive(alpha)
        {
            let score = self.quiescence::<true>(board, ply, alpha, alpha + 1, false);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }

        // Step 8. Reverse futility: a position this good will not fall below beta.
        let before = self.stack.back(ply, 1).static_eval;
        let worsening = before != NONE && node.static_eval > -before;
        let margin = self.params.reverse_futility_slope * depth
            - self.params.reverse_futility_improving * i32::from(node.improving)
            - self.params.reverse_futility_worsening * i32::from(worsening)
            + self.params.reverse_futility_table_pv * i32::from(self.stack[ply].table_pv) * depth;
        if depth <= self.params.reverse_futility_depth
            && node.eval - margin >= beta
            && !is_decisive(node.eval)
            && !is_loss(beta)
            && (node.table.mv.is_none() || node.table.noisy)
        {
            return Some(beta + (node.eval - beta) / FUTILITY_SHARE);
        }

        // Step 9. Null move: if even passing is good enough, so is the best move.
        if node.expect_cut
            && depth >= self.params.null_depth
            && node.eval >= beta
            && node.static_eval
                >= beta - self.params.null_margin_slope * depth + self.params.null_margin
            && ply >= self.null_move_from
            && self.stack.back(ply, 1).mv.is_some()
            && board.has_non_pawn_material(board.side_to_move())
            && !is_loss(beta)
            && let Some(score) = self.null_move(board, node, beta)
        {
            return Some(score);
        }

        // Step 10. ProbCut: a capture that beats beta by a margin at reduced depth will beat it at
        // full depth.
        let prob_beta = beta + self.params.probcut_margin
            - self.params.probcut_improving * i32::from(node.improving);
        let table_objects = node.table.score != NONE
            && node.table.score < prob_beta
            && node.table.depth >= depth - PROBCUT_NODE_REDUCTION;
        if depth >= self.params.probcut_depth && !is_decisive(beta) && !table_objects {
            return self.prob_cut(board, node, beta, prob_beta, key);
        }
        None
    }

    fn null_move(&mut self, board: &Board, node: &Node, beta: Score) -> Option<Score> {
        let (ply, depth) = (node.ply, node.depth);
        let reduction = self.params.null_base
            + depth / self.params.null_depth_divisor
            + ((node.eval - beta) / self.params.null_eval_divisor).clamp(0, NULL_EVAL_MAX);
        let child = self.make_null(board, ply);
        let score =
            -self.search::<NON_PV>(&child, ply + 1, -beta, -beta + 1, depth - reduction, false);
        self.unmake();
        if self.stopped {
            return Some(0);
        }
        if score < beta {
            return None;
        }
        // A mate found by passing is not one.
        let score = if is_win(score) { beta } else { score };
        if self.null_move_from > 0 || depth < self.params.null_verify_depth {
            return Some(score);
        }
        // A zugzwang at high depth would cost too much: verify without null moves.
        self.null_move_from =
            ply + (NULL_VERIFIED_QUARTERS * (depth - reduction) / 4).max(1) as usize;
        let verified = self.search::<NON_PV>(board, ply, beta - 1, beta, depth - reduction, false);
        self.null_move_from = 0;
        (verified >= beta || self.stopped).then_some(score)
    }

    fn prob_cut(
        &mut self,
        board: &Board,
        node: &Node,
        beta: Score,
        prob_beta: Score,
        key: u64,
    ) -> Option<Score> {
        let (ply, depth) = (node.ply, node.depth);
        let table_move = node
            .table
            .mv
            .filter(|&mv| board.is_noisy(mv) && board.see_ge(mv, prob_beta - node.static_eval));
        let mut picker =
            MovePicker::prob_cut(table_move, prob_beta - node.static_eval, self.moves.top());
        let earlier = self.earlier(ply);
        let attacks = Attacks::new(board);
        while let Some(mv) =
            picker.next(self.moves, &attacks, &self.params, self.histories, earlier)
        {
            let child = self.make(board, mv, ply);
            let mut score =
                -self.quiescence::<false>(&child, ply + 1, -prob_beta, -prob_beta + 1, false);
            if score >= prob_beta {
                score = -self.search::<NON_PV>(
                    &child,
                    ply + 1,
                    -prob_beta,
                    -prob_beta + 1,
                    depth - PROBCUT_REDUCTION,
                    !node.expect_cut,
                );
            }
            self.unmake();
            if self.stopped {
                return Some(0);
            }
            if score >= prob_beta {
                let (eval, pv) = (node.raw_eval, self.stack[ply].table_pv);
                let (bound, depth) = (Bound::Lower, depth - PROBCUT_NODE_REDUCTION);
                self.store(key, ply, Finding { mv: Some(mv), score, bound, depth, eval, pv });
                return Some(if is_decisive(score) { score } else { score - (prob_beta - beta) });
            }
        }
        None
    }
}
