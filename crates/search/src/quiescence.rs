//! Quiescence: follow captures and promotions until the position is quiet enough to evaluate.

use megatherium_board::{Board, SEE_VALUES};
use megatherium_tt::{Bound, Record};

use crate::movepick::MovePicker;
use crate::negamax::Node;
use crate::score::{INFINITY, MAX_PLY, NONE, Score, is_decisive, is_loss, mated_in};
use crate::thread::{Search, table_key};
use crate::variant::Variant;

impl<V: Variant> Search<'_, V> {
    /// The value of a position once the captures are played out.
    ///
    /// The first node, with `CHECKS`, looks at quiet checks as well: a mate that needs one would otherwise stay
    /// invisible below any null move or reduction that ends here.
    #[expect(clippy::too_many_lines, reason = "one node, step by step")]
    pub fn quiesce<const CHECKS: bool>(
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
        if alpha < 0 && self.keys.upcoming_repetition(board, ply) {
            alpha = self.draw_score();
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 2. Transposition table lookup.
        let key = table_key(board);
        let entry = self.probe(key);
        let node = Node::recall(board, ply, entry);
        let table_pv = pv_node || entry.is_some_and(|entry| entry.pv);
        if !pv_node && node.table_score != NONE {
            let decides = match node.table_bound {
                Bound::Exact => true,
                Bound::Lower => node.table_score >= beta,
                Bound::Upper => node.table_score <= alpha,
                Bound::None => false,
            };
            if decides {
                self.stats.table.cutoff();
                return node.table_score;
            }
        }

        // Step 3. Stand pat: the side to move need not capture.
        let mut raw = NONE;
        let mut best_score = -INFINITY;
        let mut futility = -INFINITY;
        self.stack[ply].static_eval = NONE;
        if !in_check {
            raw = match entry.map(|entry| Score::from(entry.eval)).filter(|&eval| eval != NONE) {
                Some(eval) => {
                    self.stats.evals_reused += 1;
                    eval
                }
                None => self.evaluate(board),
            };
            best_score = self.corrected(raw, board, ply);
            self.stack[ply].static_eval = best_score;
            let sharper = match node.table_bound {
                Bound::Exact => true,
                Bound::Lower => node.table_score > best_score,
                Bound::Upper => node.table_score < best_score,
                Bound::None => false,
            };
            if sharper && !is_decisive(node.table_score) {
                best_score = node.table_score;
            }
            if best_score >= beta {
                if entry.is_none() {
                    self.store(key, None, best_score, raw, 0, false, Bound::Lower, ply);
                }
                return if is_decisive(best_score) { best_score } else { Score::midpoint(best_score, beta) };
            }
            alpha = alpha.max(best_score);
            futility = self.stack[ply].static_eval + self.params.quiescence_futility;
        }

        // Step 4. Captures and promotions, at the first node quiet checks; all moves when in check.
        let earlier = self.earlier(ply);
        let table_move = node.table_move.filter(|_| in_check || node.table_noisy);
        let mut picker = if in_check {
            MovePicker::new(table_move, None)
        } else if CHECKS && self.params.quiescence_checks != 0 {
            MovePicker::noisy_and_checks(table_move)
        } else {
            MovePicker::noisy(table_move)
        };
        let mut best_move = None;
        let mut move_count = 0;
        while let Some(mv) = picker.next(board, &self.params, self.histories, &earlier) {
            move_count += 1;
            if !is_loss(best_score) {
                if !in_check && board.is_capture(mv) && !mv.is_promotion() && !board.gives_check(mv) {
                    // Even winning the piece for nothing would not be enough.
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
                        break;
                    }
                    alpha = score;
                }
            }
            if in_check && !is_loss(best_score) {
                // One evasion that holds is enough; further quiet ones are left to the main search.
                picker.skip_quiets();
            }
        }

        if in_check && move_count == 0 {
            return mated_in(ply);
        }
        if best_score >= beta && !is_decisive(best_score) {
            best_score = (3 * best_score + beta) / 4;
        }

        // Step 5. Remember. Only a fail-high is proof of anything; the rest is an upper bound over the moves looked at.
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        self.store(key, best_move, best_score, raw, 0, table_pv, bound, ply);
        best_score
    }
}
