//! Quiescence search: captures and promotions until the position is quiet enough to evaluate.

use megatherium_board::{Board, Move, SEE_VALUES};

use super::attacks::Attacks;
use super::entry::Bound;
use super::movepick::MovePicker;
use super::search::Search;
use super::table::{Finding, decides, table_key};
use crate::learning::CaptureIndex;
use crate::score::{INFINITY, MAX_PLY, NONE, Score, is_decisive, is_loss, mated_in};

/// Nodes after which a quiescence search returns static evaluations. The largest one of `bench` has
/// 218 nodes; a board full of queens would take hours.
const MAX_NODES: u64 = 2048;

impl Search<'_> {
    /// The value of a position once the captures are played out, within [`MAX_NODES`].
    pub fn quiescence<const CHECKS: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        alpha: Score,
        beta: Score,
        pv_node: bool,
    ) -> Score {
        self.quiescence_end = self.nodes + MAX_NODES;
        self.quiesce::<CHECKS>(board, ply, alpha, beta, pv_node)
    }

    /// One node of the quiescence search.
    ///
    /// The first node, with `CHECKS`, also searches quiet checks: a mate that needs one would
    /// otherwise stay invisible below any null move or reduction that ends here.
    #[expect(clippy::too_many_lines, reason = "one node, step by step")]
    fn quiesce<const CHECKS: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        beta: Score,
        pv_node: bool,
    ) -> Score {
        if !self.enter_node() {
            return 0;
        }
        let floor = self.moves.top();
        if pv_node {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply as i32 + 1);
        }

        // Step 1. Draws.
        if self.is_draw(board, ply) {
            return self.draw_score();
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.evaluate(board) };
        }
        if self.nodes > self.quiescence_end {
            return self.evaluate(board);
        }
        if alpha < 0 && self.keys.upcoming_repetition(board, ply) {
            alpha = self.draw_score();
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 2. Transposition table lookup.
        let key = table_key(board);
        let table = self.recall(key, board, ply);
        if !pv_node && table.score != NONE && decides(table.bound, table.score, alpha, beta) {
            self.stats.cutoffs += 1;
            return table.score;
        }

        // Step 3. Stand pat: the side to move need not capture.
        let mut raw = NONE;
        let mut best_score = -INFINITY;
        let mut futility = -INFINITY;
        self.stack[ply].static_eval = NONE;
        if !in_check {
            raw = if table.eval == NONE {
                self.evaluate(board)
            } else {
                self.stats.evals_reused += 1;
                table.eval
            };
            best_score = self.corrected(raw, board, ply);
            self.stack[ply].static_eval = best_score;
            if table.sharpens(best_score) && !is_decisive(table.score) {
                best_score = table.score;
            }
            if best_score >= beta {
                if !table.found {
                    let (score, bound) = (best_score, Bound::Lower);
                    let finding =
                        Finding { mv: None, score, bound, depth: 0, eval: raw, pv: false };
                    self.store(key, ply, finding);
                }
                return if is_decisive(best_score) {
                    best_score
                } else {
                    Score::midpoint(best_score, beta)
                };
            }
            alpha = alpha.max(best_score);
            futility = self.stack[ply].static_eval + self.params.quiescence_futility;
        }

        // Step 4. Captures and promotions, at the first node quiet checks; all moves when in check.
        let earlier = self.earlier(ply);
        let table_move = table.mv.filter(|_| in_check || table.noisy);
        let mut picker = if in_check {
            MovePicker::new(table_move, None, floor)
        } else if CHECKS && self.params.quiescence_checks != 0 {
            MovePicker::noisy_and_checks(table_move, floor)
        } else {
            MovePicker::noisy(table_move, floor)
        };
        let mut best_move = None;
        let mut move_count = 0;
        let recapture = self.stack.back(ply, 1).mv.map(Move::to);
        let attacks = Attacks::new(board);
        while let Some(mv) =
            picker.next(self.moves, &attacks, &self.params, self.histories, earlier)
        {
            move_count += 1;
            if !is_loss(best_score) {
                if !in_check
                    && board.is_capture(mv)
                    && !mv.is_promotion()
                    && !attacks.gives_check(mv)
                    && Some(mv.to()) != recapture
                {
                    // The first captures decide; later ones only matter as checks or recaptures.
                    if move_count > self.params.quiescence_moves {
                        continue;
                    }
                    // Even winning the piece outright would not raise alpha.
                    let victim = board.captured(mv).map_or(0, |victim| SEE_VALUES[victim.index()]);
                    if futility + victim <= alpha {
                        best_score = best_score.max(futility + victim);
                        continue;
                    }
                    // Enough without winning anything.
                    if futility <= alpha && !board.see_ge(mv, 1) {
                        best_score = best_score.max(futility);
                        continue;
                    }
                }
                if !board.see_ge(mv, self.params.quiescence_see) {
                    continue;
                }
            }
            let child = self.make(board, mv, ply);
            let score = -self.quiesce::<false>(&child, ply + 1, -beta, -alpha, pv_node);
            self.unmake();
            if self.stopped {
                return 0;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if pv_node {
                        self.pv.set(ply, mv);
                    }
                    if score >= beta {
                        if board.is_noisy(mv) {
                            let index = CaptureIndex::new(board, mv);
                            self.histories.update_capture(index, self.params.quiescence_bonus);
                        }
                        break;
                    }
                    alpha = score;
                }
            }
            if self.nodes > self.quiescence_end {
                break;
            }
            if in_check && !is_loss(best_score) {
                // One evasion that avoids mate is enough; the main search tries further quiet ones.
                picker.skip_quiets();
            }
        }

        if in_check && move_count == 0 {
            return mated_in(ply);
        }
        if best_score >= beta && !is_decisive(best_score) {
            best_score = (3 * best_score + beta) / 4;
        }

        // Step 5. Store. Only a fail-high proves anything; the rest is an upper bound over the
        // moves searched.
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let (score, pv) = (best_score, pv_node || table.pv);
        self.store(key, ply, Finding { mv: best_move, score, bound, depth: 0, eval: raw, pv });
        best_score
    }
}
