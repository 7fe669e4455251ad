//! The tree search: principal variation search with pruning, reductions and extensions, step by
//! step.
//!
//! Steps 1–5 end a node early, step 6 evaluates it, steps 7–10 prune the whole node (`pruning.rs`),
//! step 11 reduces it, steps 12–16 search its moves (`moves.rs`), steps 17–19 learn and store.

use megatherium_board::{Board, Move};

use super::attacks::Attacks;
use super::entry::Bound;
use super::movepick::{Earlier, MovePicker};
use super::moves::{Candidate, Singularity, Skip, Tried};
use super::search::Search;
use super::table::{Finding, Recall, decides, table_key};
use crate::learning::{CaptureIndex, PieceTo, QuietIndex};
use crate::params::PLY;
use crate::score::{
    DRAW, INFINITY, MAX_PLY, NONE, Score, TB_WIN, is_decisive, is_loss, mate_in, mated_in,
};
use crate::tablebase::Wdl;

/// A node searched with a null window.
pub const NON_PV: u8 = 0;
/// A node on a principal variation.
pub const PV: u8 = 1;
/// The root.
pub const ROOT: u8 = 2;

/// A tablebase result is stored as if searched this much deeper: it needs no search, but a later
/// one must be able to replace it.
const TABLEBASE_DEPTH: i32 = 6;
/// Depths at which a raised alpha takes a ply from the remaining moves. Shallower nodes are cheap,
/// and deeper ones worth the full depth.
const RAISED_ALPHA_DEPTHS: std::ops::RangeInclusive<i32> = 4..=13;
/// From this halfmove clock on a stored score does not end a node: it was found with another clock,
/// and the 50-move rule is near.
const NO_CUTOFF_CLOCK: u32 = 90;
/// Up to this depth a node whose entry contradicts its expected type is searched again.
const CHEAP_DEPTH: i32 = 5;
/// Hindsight gives a ply back to moves that were reduced by this much...
const HINDSIGHT_DEEPER: i32 = 3 * PLY;
/// ... and takes another from those reduced by this much, ...
const HINDSIGHT_SHALLOWER: i32 = 2 * PLY;
/// ... unless that would leave only quiescence.
const HINDSIGHT_DEPTH: i32 = 2;

/// The static evaluation of a node.
#[derive(Clone, Copy, Debug)]
struct Evaluation {
    /// As the net gave it, or [`NONE`] in check.
    raw: Score,
    /// Corrected, or [`NONE`] in check.
    corrected: Score,
    /// Corrected, then sharpened by a table score.
    sharpened: Score,
    /// Better than two plies ago ("improving").
    improving: bool,
}

/// What is known about a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Distance from the root.
    pub ply: usize,
    /// Remaining depth.
    pub depth: i32,
    /// An expected cut node.
    pub expect_cut: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// The static evaluation is better than it was two plies ago.
    pub improving: bool,
    /// Raw static evaluation, or [`NONE`].
    pub raw_eval: Score,
    /// Corrected static evaluation, or [`NONE`].
    pub static_eval: Score,
    /// The same, sharpened by a table score.
    pub eval: Score,
    /// What the table knows.
    pub table: Recall,
}

impl Search<'_> {
    /// Searches `board` to `depth` within `(alpha, beta)`, from the side to move's view.
    #[expect(clippy::too_many_lines, reason = "one node, step by step")]
    pub fn search<const NODE: u8>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        cut_node: bool,
    ) -> Score {
        let pv_node = NODE != NON_PV;

        // Step 1. Leaves go to quiescence.
        if depth <= 0 {
            return self.quiescence::<true>(board, ply, alpha, beta, pv_node);
        }
        if !self.enter_node() {
            return 0;
        }
        if NODE == ROOT {
            self.moves.clear();
        }
        let floor = self.moves.top();
        if pv_node {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply as i32 + 1);
        }

        if NODE != ROOT {
            // Step 2. Draws, and the depth the stack has room for.
            if self.is_draw(board, ply) {
                return self.draw_score();
            }
            if ply >= MAX_PLY {
                return if board.in_check() { 0 } else { self.evaluate(board) };
            }
            // A side that can force a repetition has at least a draw.
            if alpha < 0 && self.keys.upcoming_repetition(board, ply) {
                alpha = self.draw_score();
                if alpha >= beta {
                    return alpha;
                }
            }
            // Step 3. Mate distance: nothing here can beat a mate already found nearer the root.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let in_check = board.in_check();
        let excluded = self.stack[ply].excluded;
        self.stack[ply + 1].excluded = None;
        self.stack[ply + 1].killer = None;
        self.stack[ply + 2].cutoffs = 0;
        self.stack[ply].double_extensions = self.stack.back(ply, 1).double_extensions;

        // Step 4. Transposition table lookup.
        let key = table_key(board);
        let mut table = match excluded {
            None => self.recall(key, board, ply),
            Some(_) => Recall::NOTHING,
        };
        if NODE == ROOT {
            let mv = self.root_moves[self.pv_index].mv;
            table.mv = Some(mv);
            table.noisy = board.is_noisy(mv);
        }
        if excluded.is_none() {
            self.stack[ply].table_pv = pv_node || table.pv;
        }
        if !pv_node
            && excluded.is_none()
            && self.table_cutoff(board, &table, ply, (alpha, beta), depth, cut_node)
        {
            return table.score;
        }

        // Step 5. Endgame tablebases.
        let mut max_score = INFINITY;
        let mut best_score = -INFINITY;
        if NODE != ROOT
            && excluded.is_none()
            && self.tb_men > 0
            && let Some((score, bound)) = self.probe_tablebases(board, ply, depth)
        {
            if decides(bound, score, alpha, beta) {
                let depth = (depth + TABLEBASE_DEPTH).min(MAX_PLY as i32 - 1);
                let pv = self.stack[ply].table_pv;
                self.store(key, ply, Finding { mv: None, score, bound, depth, eval: NONE, pv });
                return score;
            }
            if pv_node {
                if bound == Bound::Lower {
                    best_score = score;
                    alpha = alpha.max(score);
                } else {
                    max_score = score;
                }
            }
        }

        // Step 6. Static evaluation, from the table if it is there.
        let evaluation = self.evaluate_node(board, ply, in_check, excluded.is_some(), &table);
        if !table.found && excluded.is_none() && !in_check {
            // Store at least the evaluation.
            let (eval, pv) = (evaluation.raw, self.stack[ply].table_pv);
            let (score, bound) = (NONE, Bound::None);
            self.store(key, ply, Finding { mv: None, score, bound, depth: 0, eval, pv });
        }
        if !in_check && excluded.is_none() {
            self.judge_previous_move(evaluation.corrected, ply);
            depth = self.hindsight(evaluation.corrected, ply, depth);
        }
        let mut node = Node {
            ply,
            depth,
            expect_cut: cut_node,
            in_check,
            improving: evaluation.improving,
            raw_eval: evaluation.raw,
            static_eval: evaluation.corrected,
            eval: evaluation.sharpened,
            table,
        };

        if !pv_node
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(board, &node, alpha, beta, key)
        {
            return score;
        }

        // A side that is above beta already needs no improvement.
        node.improving |= !in_check && node.static_eval >= beta;

        // Step 11. Internal iterative reduction: without a good table move, a shallower search
        // finds one for the next visit, if there is a table to keep it in.
        if node.depth >= self.params.iir_depth
            && (pv_node || cut_node)
            && (table.mv.is_none() || table.depth + self.params.iir_table_depth < node.depth)
            && excluded.is_none()
            && self.has_table
        {
            node.depth -= 1;
        }

        // Step 12. Move loop.
        let earlier = self.earlier(ply);
        let attacks = Attacks::new(board);
        let killer = self.stack[ply]
            .killer
            .filter(|&mv| self.params.killers != 0 && !board.is_noisy(mv) && board.is_legal(mv));
        let mut picker = MovePicker::new(table.mv, killer, floor);
        let mut best_move = None;
        let mut move_count = 0;
        let mut quiets = Tried::default();
        let mut captures = Tried::default();
        let original_alpha = alpha;
        if table.mv.is_some() {
            self.stats.move_hints += 1;
        }

        while let Some(mv) =
            picker.next(self.moves, &attacks, &self.params, self.histories, earlier)
        {
            if Some(mv) == excluded {
                continue;
            }
            if NODE == ROOT && !self.root_moves[self.pv_index..].iter().any(|root| root.mv == mv) {
                continue;
            }
            move_count += 1;
            if NODE == ROOT {
                self.report_current_move(mv, move_count);
            }
            let quiet = !board.is_noisy(mv);
            let candidate = Candidate {
                mv,
                quiet,
                checks: attacks.gives_check(mv),
                killer: killer == Some(mv),
                history: self.history_of(&attacks, mv, quiet, earlier),
                number: move_count,
            };
            let mut reduction = self.reductions.base(&self.params, quiet, node.depth, move_count);

            // Step 13. Prune moves that are unlikely to matter.
            if NODE != ROOT
                && !is_loss(best_score)
                && board.has_non_pawn_material(board.side_to_move())
            {
                let reduced_depth = (node.depth * PLY - reduction
                    + candidate.history / self.params.prune_history)
                    .max(0)
                    / PLY;
                match candidate.skip(&self.params, &attacks, &node, reduced_depth, alpha) {
                    Skip::No => {}
                    Skip::Move => continue,
                    Skip::Quiets => {
                        picker.skip_quiets();
                        if quiet {
                            continue;
                        }
                    }
                }
            }

            // Step 14. Extensions.
            let mut extension = 0;
            if NODE != ROOT && Some(mv) == table.mv && excluded.is_none() {
                match self.singularity(board, &node, mv, beta, pv_node) {
                    Singularity::Extend(plies) => extension = plies,
                    Singularity::Cutoff(score) => return score,
                }
            }

            // Step 15. Make the move and search it, late moves with reduced depth first.
            let nodes_before = self.nodes;
            self.stack[ply].double_extensions += u32::from(extension >= 2);
            let child = self.make(board, mv, ply);
            let here = &mut self.stack[ply];
            here.number = move_count;
            here.is_table_move = Some(mv) == table.mv;
            if quiet {
                let side = board.side_to_move();
                here.quiet = Some(QuietIndex::new(side, mv, attacks.threats().all));
            } else {
                here.capture = Some(CaptureIndex::new(board, mv));
            }
            let new_depth = node.depth - 1 + extension;
            let mut score = -INFINITY;
            let game_over = NODE == ROOT && !child.has_legal_move();
            if game_over {
                // The game ends here. At depth 1 the leaf would be evaluated, not searched.
                self.pv.clear(ply + 1);
                score = if child.in_check() { mate_in(1) } else { DRAW };
            } else if node.depth >= self.params.lmr_depth
                && move_count > 1 + usize::from(NODE == ROOT)
            {
                reduction += self.adjust_reduction(&node, &candidate, pv_node);
                let reduced = (new_depth - reduction / PLY)
                    .clamp(1.min(new_depth), new_depth + i32::from(pv_node));
                self.stack[ply].reduction = (new_depth - reduced) * PLY;
                score = -self.search::<NON_PV>(&child, ply + 1, -alpha - 1, -alpha, reduced, true);
                self.stack[ply].reduction = 0;
                if score > alpha && reduced < new_depth {
                    // It failed high: search again without the reduction, a ply deeper or shallower
                    // by how much.
                    let deeper =
                        i32::from(score > best_score + self.params.lmr_deeper + 2 * new_depth);
                    let shallower = i32::from(score < best_score + self.params.lmr_shallower);
                    let full = new_depth + deeper - shallower;
                    if full > reduced {
                        score = -self.search::<NON_PV>(
                            &child,
                            ply + 1,
                            -alpha - 1,
                            -alpha,
                            full,
                            !cut_node,
                        );
                    }
                    if quiet {
                        let bonus = if score <= alpha {
                            -self.params.history_malus(full)
                        } else {
                            self.params.history_bonus(full)
                        };
                        self.learn_continuation(board, ply, mv, bonus);
                    }
                }
            } else if !pv_node || move_count > 1 {
                // A first move loses a ply if, as a late move, it would be reduced a lot.
                let reduction = reduction + self.adjust_reduction(&node, &candidate, pv_node);
                let lost = i32::from(reduction > self.params.first_move_reduction);
                score = -self.search::<NON_PV>(
                    &child,
                    ply + 1,
                    -alpha - 1,
                    -alpha,
                    new_depth - lost,
                    !cut_node,
                );
            }
            if pv_node && (move_count == 1 || score > alpha) && !game_over {
                // The expected line does not end in quiescence.
                let expected = Some(mv) == table.mv && table.depth > 1;
                let depth = if expected { new_depth.max(1) } else { new_depth };
                score = -self.search::<PV>(&child, ply + 1, -beta, -alpha, depth, false);
            }
            self.unmake();
            self.stack[ply].double_extensions = self.stack.back(ply, 1).double_extensions;
            if self.stopped {
                return 0;
            }

            // Step 16. Is it the best so far?
            if NODE == ROOT {
                self.update_root_move(mv, score, move_count == 1, (alpha, beta), nodes_before);
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if pv_node {
                        self.pv.set(ply, mv);
                    }
                    if score >= beta {
                        self.stack[ply].cutoffs += 1;
                        break;
                    }
                    alpha = score;
                    // A raised alpha makes the rest less likely to matter.
                    if RAISED_ALPHA_DEPTHS.contains(&node.depth) && !is_decisive(score) {
                        node.depth -= 1;
                    }
                }
            }
            if Some(mv) != best_move {
                if quiet { quiets.push(mv) } else { captures.push(mv) }
            }
        }

        // Step 17. No moves: mate, stalemate, or only the excluded one.
        if move_count == 0 {
            return if excluded.is_some() {
                alpha
            } else if in_check {
                mated_in(ply)
            } else {
                0
            };
        }
        if best_score >= beta && !is_decisive(best_score) && !is_decisive(beta) {
            // A fail-high at low depth overstates the score: move it towards beta.
            best_score = (best_score * node.depth + beta) / (node.depth + 1);
        }

        // Step 18. Learn from the outcome.
        if let Some(best) = best_move {
            self.learn_from_cutoff(&attacks, &node, best, &quiets, &captures);
        } else {
            self.credit_previous_move(ply, node.depth, best_score);
        }
        best_score = best_score.min(max_score);

        // Step 19. Store the result, update the correction history.
        if excluded.is_none() && !(NODE == ROOT && self.pv_index > 0) {
            let bound = if best_score >= beta {
                Bound::Lower
            } else if pv_node && best_score > original_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let (score, eval, depth) = (best_score, node.raw_eval, node.depth);
            // The parent's move may become its best after all: this node is close to the principal
            // variation.
            if bound == Bound::Upper && move_count > 2 && self.stack.back(ply, 1).table_pv {
                self.stack[ply].table_pv = true;
            }
            let pv = self.stack[ply].table_pv;
            self.store(key, ply, Finding { mv: best_move, score, bound, depth, eval, pv });
            let settled = best_move.is_some_and(|mv| board.is_noisy(mv))
                || bound == Bound::Lower && best_score <= node.static_eval
                || bound == Bound::Upper && best_score >= node.static_eval;
            if !in_check && !settled {
                let last = self.last_moves(ply);
                self.corrections.update(board, last, best_score - node.static_eval, node.depth);
            }
        }
        best_score
    }

    /// Step 4. Whether the stored score ends this node.
    fn table_cutoff(
        &mut self,
        board: &Board,
        table: &Recall,
        ply: usize,
        (alpha, beta): (Score, Score),
        depth: i32,
        expect_cut: bool,
    ) -> bool {
        // A fail-high from the same depth is not quite enough: one ply more makes it safer.
        let fails_high = table.score >= beta;
        if table.score == NONE
            || table.depth < depth + i32::from(fails_high)
            || board.halfmove_clock() >= NO_CUTOFF_CLOCK
        {
            return false;
        }
        // An expected cut node that the table calls an all node (or the reverse) is searched again
        // while that is cheap.
        if !decides(table.bound, table.score, alpha, beta)
            || (expect_cut != fails_high && depth <= CHEAP_DEPTH)
        {
            return false;
        }
        if fails_high
            && !table.noisy
            && let Some(mv) = table.mv
        {
            let threats = board.threats(!board.side_to_move()).all;
            self.learn_quiet(board, mv, threats, self.params.history_bonus(depth));
            self.learn_continuation(board, ply, mv, self.params.history_bonus(depth));
        }
        self.stats.cutoffs += 1;
        true
    }

    /// The exact value of a position with few men, if tables for it are loaded.
    fn probe_tablebases(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
    ) -> Option<(Score, Bound)> {
        let men = board.occupied().count();
        let eligible = men < self.tb_men
            || men == self.tb_men && depth >= self.job.options.syzygy_probe_depth as i32;
        if !eligible || board.halfmove_clock() != 0 || board.castling_rooks().any() {
            return None;
        }
        let wdl = self.job.tablebases.wdl(board)?;
        self.tb_hits += 1;
        self.job.counters.of(self.id).set_tb_hits(self.tb_hits);
        let fifty = self.job.options.syzygy_50_move_rule;
        Some(match wdl {
            Wdl::Win => (TB_WIN - ply as Score, Bound::Lower),
            Wdl::Loss => (ply as Score - TB_WIN, Bound::Upper),
            Wdl::CursedWin if !fifty => (TB_WIN - ply as Score, Bound::Lower),
            Wdl::BlessedLoss if !fifty => (ply as Score - TB_WIN, Bound::Upper),
            // Drawn by the 50-move rule, but one side keeps the upper hand.
            Wdl::CursedWin => (2, Bound::Exact),
            Wdl::BlessedLoss => (-2, Bound::Exact),
            Wdl::Draw => (0, Bound::Exact),
        })
    }

    /// Step 6. The static evaluation in its three forms.
    fn evaluate_node(
        &mut self,
        board: &Board,
        ply: usize,
        in_check: bool,
        excluding: bool,
        table: &Recall,
    ) -> Evaluation {
        if in_check {
            self.stack[ply].static_eval = NONE;
            return Evaluation { raw: NONE, corrected: NONE, sharpened: NONE, improving: false };
        }
        let raw = match (excluding, table.eval) {
            // The same position as a moment ago: its corrected evaluation is still on the stack.
            (true, _) => NONE,
            (false, NONE) => self.evaluate(board),
            (false, eval) => {
                self.stats.evals_reused += 1;
                eval
            }
        };
        if !excluding {
            self.stack[ply].static_eval = self.corrected(raw, board, ply);
        }
        let corrected = self.stack[ply].static_eval;
        let sharpens = table.sharpens(corrected) && !is_decisive(table.score);
        let before = self.stack.back(ply, 2).static_eval;
        let before = if before == NONE { self.stack.back(ply, 4).static_eval } else { before };
        Evaluation {
            raw,
            corrected,
            sharpened: if sharpens { table.score } else { corrected },
            improving: before != NONE && corrected > before,
        }
    }

    /// Hindsight adjustment: corrects the depth of a move that was reduced a lot, now that its
    /// static evaluation is known.
    fn hindsight(&self, static_eval: Score, ply: usize, depth: i32) -> i32 {
        let parent = self.stack.back(ply, 1);
        if self.params.hindsight == 0 || parent.static_eval == NONE {
            return depth;
        }
        let swing = static_eval + parent.static_eval;
        if parent.reduction >= HINDSIGHT_DEEPER && swing < 0 {
            depth + 1
        } else if parent.reduction >= HINDSIGHT_SHALLOWER
            && depth >= HINDSIGHT_DEPTH
            && swing > self.params.hindsight_margin
        {
            depth - 1
        } else {
            depth
        }
    }

    /// The combined history score of a move.
    fn history_of(&self, attacks: &Attacks<'_>, mv: Move, quiet: bool, earlier: Earlier) -> i32 {
        let board = attacks.board;
        if !quiet {
            return self.histories.capture(board, mv);
        }
        let piece_to = PieceTo::new(board.moved(mv), mv.to());
        self.histories.quiet(board.side_to_move(), mv, attacks.threats().all)
            + self.histories.after(earlier[0]).get(piece_to)
            + self.histories.after(earlier[1]).get(piece_to)
    }
}
