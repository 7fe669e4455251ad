//! The tree search: principal variation search with pruning, reductions and extensions, step by step.
//!
//! Steps 1–5 end a node before it begins, step 6 looks at the position itself, steps 7–11 try to do without its moves (7–10 are in
//! `prune.rs`), steps 12–16 search them (decisions about single moves are in `moves.rs`), steps 17–19 draw the conclusions.

use megatherium_board::{Bitboard, Board, Move};
use megatherium_tt::{Bound, Entry, Record};

use crate::history::PieceTo;
use crate::movepick::MovePicker;
use crate::params::PLY;
use crate::score::{
    INFINITY, MAX_PLY, NONE, Score, TB_WIN, from_table, is_decisive, is_loss, mate_in, mated_in,
};
use crate::syzygy::Wdl;
use crate::thread::{Search, table_key};
use crate::variant::Variant;

/// A node whose exact score matters less than whether it is above or below the window.
pub const NON_PV: u8 = 0;
/// A node on a principal variation.
pub const PV: u8 = 1;
/// The root.
pub const ROOT: u8 = 2;

/// What is known about a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Distance from the root.
    pub ply: usize,
    /// Remaining depth.
    pub depth: i32,
    /// A node where a cutoff is expected.
    pub expect_cut: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// The static evaluation is better than it was two plies ago.
    pub improving: bool,
    /// Corrected static evaluation, or [`NONE`].
    pub static_eval: Score,
    /// The same, sharpened by a table score.
    pub eval: Score,
    /// The table's move, known to be legal.
    pub table_move: Option<Move>,
    /// The table's score, relative to the root, or [`NONE`].
    pub table_score: Score,
    /// The table's depth.
    pub table_depth: i32,
    /// The table's bound.
    pub table_bound: Bound,
    /// The table move is a capture or promotion.
    pub table_noisy: bool,
    /// This search leaves out a move to test whether it is the only good one.
    pub excluding: bool,
}

impl Node {
    /// What the table says about the node, made safe to use: the move legal, the score relative to the root.
    pub fn recall(board: &Board, ply: usize, entry: Option<Entry>) -> Node {
        let table_move = entry.and_then(|entry| Move::from_raw(entry.mv)).filter(|&mv| board.is_legal(mv));
        let scored = entry.filter(|entry| entry.bound != Bound::None);
        Node {
            ply,
            depth: 0,
            expect_cut: false,
            in_check: false,
            improving: false,
            static_eval: NONE,
            eval: NONE,
            table_move,
            table_score: scored.map_or(NONE, |entry| from_table(entry.score, ply, board.halfmove_clock())),
            table_depth: scored.map_or(-1, |entry| i32::from(entry.depth)),
            table_bound: scored.map_or(Bound::None, |entry| entry.bound),
            table_noisy: table_move.is_some_and(|mv| board.is_noisy(mv)),
            excluding: false,
        }
    }
}

impl<V: Variant> Search<'_, V> {
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
            return self.quiesce::<true>(board, ply, alpha, beta, pv_node);
        }
        if !self.enter_node() {
            return 0;
        }
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
        let entry = if excluded.is_none() { self.probe(key) } else { None };
        let mut node = Node::recall(board, ply, entry);
        node.in_check = in_check;
        node.expect_cut = cut_node;
        node.excluding = excluded.is_some();
        if NODE == ROOT {
            node.table_move = Some(self.root_moves[self.pv_index].mv);
            node.table_noisy = node.table_move.is_some_and(|mv| board.is_noisy(mv));
        }
        if excluded.is_none() {
            self.stack[ply].table_pv = pv_node || entry.is_some_and(|entry| entry.pv);
        }
        if !pv_node && self.table_decides(board, &node, alpha, beta, depth) {
            return node.table_score;
        }

        // Step 5. Endgame tablebases.
        let mut max_score = INFINITY;
        let mut best_score = -INFINITY;
        if NODE != ROOT
            && excluded.is_none()
            && self.tb_men > 0
            && let Some((score, bound)) = self.probe_tablebases(board, ply, depth)
        {
            let cuts = match bound {
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                _ => true,
            };
            if cuts {
                let pv = self.stack[ply].table_pv;
                self.store(key, None, score, NONE, (depth + 6).min(MAX_PLY as i32 - 1), pv, bound, ply);
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
        let raw_eval = self.evaluate_node(board, &mut node, entry, excluded.is_some());
        if entry.is_none() && excluded.is_none() && !in_check {
            // Remember at least the evaluation.
            let pv = self.stack[ply].table_pv;
            self.store(key, None, NONE, raw_eval, 0, pv, Bound::None, ply);
        }
        depth = self.second_thoughts(&node, ply, depth);

        if !pv_node && !in_check && excluded.is_none() {
            node.depth = depth;
            if let Some(score) = self.prune_node(board, &node, alpha, beta, key, raw_eval) {
                return score;
            }
        }

        // Step 11. Internal iterative reduction: without a move to start with, a shallower look finds one (if there is
        // a table to keep it in).
        if depth >= self.params.iir_depth
            && (pv_node || cut_node)
            && node.table_move.is_none()
            && excluded.is_none()
            && self.has_table
        {
            depth -= 1;
        }
        node.depth = depth;

        // Step 12. The moves, one by one.
        let earlier = self.earlier(ply);
        let threats = board.attacked_by(!board.side_to_move());
        let killer = self.stack[ply]
            .killer
            .filter(|&mv| self.params.killers != 0 && !board.is_noisy(mv) && board.is_legal(mv));
        let mut picker = MovePicker::new(node.table_move, killer);
        let mut best_move = None;
        let mut move_count = 0;
        let mut quiets = Tried::default();
        let mut captures = Tried::default();
        let original_alpha = alpha;
        if node.table_move.is_some() {
            self.stats.table.move_hint();
        }

        while let Some(mv) = picker.next(board, &self.params, self.histories, &earlier) {
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
                checks: board.gives_check(mv),
                killer: killer == Some(mv),
                history: self.history_of(board, mv, quiet, threats, &earlier),
                number: move_count,
            };
            let mut reduction = self.reductions.base(&self.params, quiet, depth, move_count);

            // Step 13. Leave out moves that are not going to matter.
            if NODE != ROOT && !is_loss(best_score) && board.has_non_pawn_material(board.side_to_move()) {
                let reduced_depth = (depth * PLY - reduction + candidate.history / 16).max(0) / PLY;
                match candidate.skip(&self.params, board, &node, reduced_depth, alpha) {
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
            if NODE != ROOT && Some(mv) == node.table_move && excluded.is_none() {
                match self.singularity(board, &node, mv, beta, pv_node) {
                    Singularity::Extend(plies) => extension = plies,
                    Singularity::Cutoff(score) => return score,
                }
            }

            // Step 15. Make the move and search it, late moves with reduced depth first.
            let nodes_before = self.nodes;
            self.stack[ply].double_extensions += u32::from(extension >= 2);
            let child = self.make(board, mv, ply);
            let new_depth = depth - 1 + extension;
            let mut score = -INFINITY;
            if depth >= self.params.lmr_depth && move_count > 1 + usize::from(NODE == ROOT) {
                reduction += self.adjust_reduction(&node, &candidate, pv_node);
                let reduced =
                    (new_depth - reduction / PLY).clamp(1.min(new_depth), new_depth + i32::from(pv_node));
                self.stack[ply].reduction = reduction;
                score = -self.search::<NON_PV>(&child, ply + 1, -alpha - 1, -alpha, reduced, true);
                self.stack[ply].reduction = 0;
                if score > alpha && reduced < new_depth {
                    // Better than thought: look again without the reduction, a little deeper or shallower by how much.
                    let deeper = i32::from(score > best_score + self.params.lmr_deeper + 2 * new_depth);
                    let shallower = i32::from(score < best_score + 8);
                    let full = new_depth + deeper - shallower;
                    if full > reduced {
                        score = -self.search::<NON_PV>(&child, ply + 1, -alpha - 1, -alpha, full, !cut_node);
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
                score = -self.search::<NON_PV>(&child, ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
            }
            if pv_node && (move_count == 1 || score > alpha) {
                score = -self.search::<PV>(&child, ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            self.stack[ply].double_extensions = self.stack.back(ply, 1).double_extensions;
            if self.stopped {
                return 0;
            }

            // Step 16. Is it the best so far?
            if NODE == ROOT {
                self.update_root_move(mv, score, move_count, alpha, beta, nodes_before);
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
                    if depth > 3 && depth < 14 && !is_decisive(score) {
                        depth -= 1;
                        node.depth = depth;
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
            // A shallow fail-high overstates: move towards the bound.
            best_score = (best_score * depth + beta) / (depth + 1);
        }

        // Step 18. Learn from the outcome.
        if let Some(best) = best_move {
            self.learn_from_cutoff(board, &node, best, threats, &quiets, &captures);
        } else {
            self.credit_previous_move(ply, depth);
        }
        best_score = best_score.min(max_score);

        // Step 19. Remember.
        if excluded.is_none() && !(NODE == ROOT && self.pv_index > 0) {
            let bound = if best_score >= beta {
                Bound::Lower
            } else if pv_node && best_score > original_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let pv = self.stack[ply].table_pv;
            self.store(key, best_move, best_score, raw_eval, depth, pv, bound, ply);
            let settled = best_move.is_some_and(|mv| board.is_noisy(mv))
                || bound == Bound::Lower && best_score <= node.static_eval
                || bound == Bound::Upper && best_score >= node.static_eval;
            if !in_check && !settled {
                let last = self.last_moves(ply);
                self.corrections.update(board, last, best_score - node.static_eval, depth);
            }
        }
        best_score
    }

    /// Whether the stored score answers the question this node asks.
    fn table_decides(&mut self, board: &Board, node: &Node, alpha: Score, beta: Score, depth: i32) -> bool {
        if node.excluding
            || node.table_score == NONE
            || node.table_depth < depth
            || board.halfmove_clock() >= 90
        {
            return false;
        }
        let fails_high = node.table_score >= beta;
        let bound_fits = match node.table_bound {
            Bound::Exact => true,
            Bound::Lower => fails_high,
            Bound::Upper => node.table_score <= alpha,
            Bound::None => false,
        };
        // An expected cut node that the table calls an all node (or the reverse) is worth another look while it is cheap.
        if !bound_fits || (node.expect_cut != fails_high && depth <= 5) {
            return false;
        }
        if fails_high
            && !node.table_noisy
            && let Some(mv) = node.table_move
        {
            let threats = board.attacked_by(!board.side_to_move());
            self.histories.update_quiet(board, mv, threats, self.params.history_bonus(depth));
            self.learn_continuation(board, node.ply, mv, self.params.history_bonus(depth));
        }
        self.stats.table.cutoff();
        true
    }

    /// The exact value of a position with few men, if tables for it are loaded.
    fn probe_tablebases(&mut self, board: &Board, ply: usize, depth: i32) -> Option<(Score, Bound)> {
        let men = board.occupied().count();
        let eligible =
            men < self.tb_men || men == self.tb_men && depth >= self.job.options.syzygy_probe_depth as i32;
        if !eligible || board.halfmove_clock() != 0 || board.castling_rooks().any() {
            return None;
        }
        let wdl = self.job.tablebases.wdl(board)?;
        self.tb_hits += 1;
        self.job.counters[self.id].set_tb_hits(self.tb_hits);
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

    /// Fills in the evaluations of the node and returns the raw one, for the table.
    fn evaluate_node(
        &mut self,
        board: &Board,
        node: &mut Node,
        entry: Option<Entry>,
        excluding: bool,
    ) -> Score {
        let ply = node.ply;
        if node.in_check {
            self.stack[ply].static_eval = NONE;
            return NONE;
        }
        let mut raw = NONE;
        if excluding {
            // Same position as a moment ago.
            node.static_eval = self.stack[ply].static_eval;
        } else {
            raw = match entry.map(|entry| Score::from(entry.eval)).filter(|&eval| eval != NONE) {
                Some(eval) => {
                    self.stats.evals_reused += 1;
                    eval
                }
                None => self.evaluate(board),
            };
            node.static_eval = self.corrected(raw, board, ply);
            self.stack[ply].static_eval = node.static_eval;
        }
        node.eval = node.static_eval;
        let sharper = match node.table_bound {
            Bound::Exact => true,
            Bound::Lower => node.table_score > node.eval,
            Bound::Upper => node.table_score < node.eval,
            Bound::None => false,
        };
        if sharper && !is_decisive(node.table_score) {
            node.eval = node.table_score;
        }
        let before = self.stack.back(ply, 2).static_eval;
        let before = if before == NONE { self.stack.back(ply, 4).static_eval } else { before };
        node.improving = before != NONE && node.static_eval > before;
        raw
    }

    /// A late move that was reduced a lot is looked at again in the light of its static evaluation.
    fn second_thoughts(&self, node: &Node, ply: usize, depth: i32) -> i32 {
        let parent = self.stack.back(ply, 1);
        if self.params.second_thoughts == 0 || node.in_check || node.excluding || parent.static_eval == NONE {
            return depth;
        }
        let swing = node.static_eval + parent.static_eval;
        if parent.reduction >= 3 * PLY && swing < 0 {
            depth + 1
        } else if parent.reduction >= 2 * PLY && depth >= 2 && swing > 180 {
            depth - 1
        } else {
            depth
        }
    }

    /// How often a move has worked before.
    fn history_of(
        &self,
        board: &Board,
        mv: Move,
        quiet: bool,
        threats: Bitboard,
        earlier: &[Option<PieceTo>; 4],
    ) -> i32 {
        if !quiet {
            return self.histories.capture(board, mv);
        }
        let piece_to = PieceTo::new(board.moved(mv), mv.to());
        self.histories.quiet(board.side_to_move(), mv, threats)
            + self.histories.continuation(earlier[0], piece_to)
            + self.histories.continuation(earlier[1], piece_to)
    }
}

/// A move about to be searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The move.
    pub mv: Move,
    /// Neither a capture nor a promotion.
    pub quiet: bool,
    /// It gives check.
    pub checks: bool,
    /// It refuted a sibling node.
    pub killer: bool,
    /// How often it has worked before.
    pub history: i32,
    /// Its place in the order, from 1.
    pub number: usize,
}

/// Whether to leave out a move, or all quiet moves from here on.
pub(crate) enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    Move,
    /// Leave out this and all further quiet moves.
    Quiets,
}

/// What testing the table move for singularity came to.
pub(crate) enum Singularity {
    /// Search it with this many plies more (or fewer).
    Extend(i32),
    /// Several moves beat beta: the node is done.
    Cutoff(Score),
}

/// Moves tried without success; more than these few are not worth remembering.
#[derive(Default)]
pub(crate) struct Tried {
    moves: [Option<Move>; 32],
    len: usize,
}

impl Tried {
    fn push(&mut self, mv: Move) {
        if self.len < self.moves.len() {
            self.moves[self.len] = Some(mv);
            self.len += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }
}
