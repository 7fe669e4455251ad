//! A small alpha-beta search: just enough of an engine to produce the table traffic of one.
//!
//! It has what shapes the traffic of a table: iterative deepening, null windows, null moves,
//! reductions, killers and history, and a quiescence search that probes and stores too. It leaves
//! out what does not.

use megatherium_board::{Board, Color, Move, MoveList, PieceType};
use megatherium_search::{Bound, Entry};

use crate::memory::{Memory, Question};

/// The score of being mated. Without the distance to it: this search need not find the shortest
/// way.
const MATE: i32 = 30_000;

/// No line is followed further than this.
const MAX_PLY: usize = 64;

/// A searcher and all it remembers beside its table.
pub struct Search<M> {
    /// The table.
    pub memory: M,
    /// Positions visited so far.
    pub nodes: u64,
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
    /// By side, origin and destination.
    history: Vec<[[i32; 64]; 64]>,
    path: Vec<u64>,
}

impl<M: Memory> Search<M> {
    /// A searcher that knows nothing yet.
    pub fn new(memory: M) -> Self {
        Self {
            memory,
            nodes: 0,
            killers: [[None; 2]; MAX_PLY + 1],
            history: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Searches to one depth after the other until `enough` says so, given the depth just finished
    /// and the nodes of this search. Returns the best move and the last depth.
    pub fn deepen(
        &mut self,
        board: &Board,
        enough: impl Fn(i32, u64) -> bool,
    ) -> (Option<Move>, i32) {
        self.memory.new_search();
        self.killers = [[None; 2]; MAX_PLY + 1];
        self.history = vec![[[0; 64]; 64]; 2];
        let before = self.nodes;
        let mut best = None;
        for depth in 1.. {
            self.path.clear();
            best = self.root(board, depth).or(best);
            if enough(depth, self.nodes - before) {
                return (best, depth);
            }
        }
        unreachable!("some depth is enough")
    }

    /// The move remembered for a position, or any.
    pub fn answer(&mut self, board: &Board) -> Option<Move> {
        let question = Question { depth: 0, alpha: -MATE, beta: MATE };
        let known =
            self.memory.probe(board.key(), question).and_then(|entry| Move::from_raw(entry.mv));
        known.filter(|&mv| board.is_legal(mv)).or_else(|| board.legal_moves().first().copied())
    }

    fn root(&mut self, board: &Board, depth: i32) -> Option<Move> {
        self.visit(board, depth, -MATE, MATE, 0, false);
        let entry = self.memory.probe(board.key(), Question { depth, alpha: -MATE, beta: MATE })?;
        Move::from_raw(entry.mv).filter(|&mv| board.is_legal(mv))
    }

    /// The value of a position, exact within the window and a bound outside it.
    fn visit(
        &mut self,
        board: &Board,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        after_null: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiesce(board, alpha, beta, ply);
        }
        self.nodes += 1;
        let before = self.nodes;
        if ply > 0 && (self.path.contains(&board.key()) || board.is_insufficient_material()) {
            return 0;
        }
        let known = self.memory.probe(board.key(), Question { depth, alpha, beta });
        if let Some(score) = known.and_then(|entry| cutoff(entry, depth, alpha, beta)) {
            return score;
        }
        let in_check = board.in_check();
        let eval = evaluate(board);
        if ply >= MAX_PLY {
            return eval;
        }
        let null_window = beta - alpha == 1;
        let us = board.side_to_move();
        if null_window
            && !in_check
            && !after_null
            && depth >= 3
            && eval >= beta
            && board.has_non_pawn_material(us)
        {
            let mut next = *board;
            next.make_null();
            self.path.push(board.key());
            let score = -self.visit(&next, depth - 3 - depth / 4, -beta, 1 - beta, ply + 1, true);
            self.path.pop();
            if score >= beta && score < MATE {
                return score;
            }
        }

        let hint = known.and_then(|entry| Move::from_raw(entry.mv));
        let moves = self.ordered(board, &board.legal_moves(), hint, ply);
        if moves.is_empty() {
            return if in_check { -MATE } else { 0 };
        }
        let (mut best, mut best_move, mut floor) = (-MATE, None, alpha);
        self.path.push(board.key());
        for (number, &mv) in moves.iter().enumerate() {
            let quiet = !board.is_noisy(mv);
            let mut next = *board;
            next.make(mv);
            let extension = i32::from(next.in_check() && depth <= 2);
            let full = depth - 1 + extension;
            let reduced = if quiet && number >= 3 && depth >= 3 && !in_check && !next.in_check() {
                full - 1 - i32::from(number >= 12) - i32::from(depth >= 7)
            } else {
                full
            };
            // The first move gets the window; the others have to show that they are better before
            // they get it.
            let mut score = 0;
            if number > 0 {
                score = -self.visit(&next, reduced, -floor - 1, -floor, ply + 1, false);
                if score > floor && reduced < full {
                    score = -self.visit(&next, full, -floor - 1, -floor, ply + 1, false);
                }
            }
            if number == 0 || (score > floor && score < beta && !null_window) {
                score = -self.visit(&next, full, -beta, -floor, ply + 1, false);
            }
            if score > best {
                best = score;
                if score > floor {
                    floor = score;
                    best_move = Some(mv);
                }
                if score >= beta {
                    if quiet {
                        self.reward(us, mv, depth, ply);
                    }
                    break;
                }
            }
        }
        self.path.pop();
        let entry = summary(best_move, best, eval, depth, (alpha, beta));
        self.memory.store(board.key(), entry, self.nodes - before + 1);
        best
    }

    /// Follows captures until the position is quiet.
    fn quiesce(&mut self, board: &Board, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.nodes += 1;
        let before = self.nodes;
        let known = self.memory.probe(board.key(), Question { depth: 0, alpha, beta });
        if let Some(score) = known.and_then(|entry| cutoff(entry, 0, alpha, beta)) {
            return score;
        }
        let in_check = board.in_check();
        let eval = evaluate(board);
        if ply >= MAX_PLY {
            return eval;
        }
        let mut best = if in_check { -MATE } else { eval };
        let mut floor = alpha.max(best);
        let mut best_move = None;
        if best < beta {
            let mut moves = MoveList::new();
            if in_check {
                moves = board.legal_moves();
            } else {
                board.captures(&mut moves);
            }
            let hint = known.and_then(|entry| Move::from_raw(entry.mv));
            for mv in self.ordered(board, &moves, hint, ply) {
                if !in_check && !board.see_ge(mv, 0) {
                    continue;
                }
                let mut next = *board;
                next.make(mv);
                let score = -self.quiesce(&next, -beta, -floor, ply + 1);
                if score > best {
                    best = score;
                    if score > floor {
                        floor = score;
                        best_move = Some(mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        let entry = summary(best_move, best, eval, 0, (alpha, beta));
        self.memory.store(board.key(), entry, self.nodes - before + 1);
        best
    }

    fn reward(&mut self, us: Color, mv: Move, depth: i32, ply: usize) {
        if self.killers[ply][0] != Some(mv) {
            self.killers[ply][1] = self.killers[ply][0];
            self.killers[ply][0] = Some(mv);
        }
        let history = &mut self.history[us.index()][mv.from().index()][mv.to().index()];
        *history += depth * depth - *history / 64;
    }

    /// The moves, most promising first.
    fn ordered(
        &self,
        board: &Board,
        moves: &MoveList,
        hint: Option<Move>,
        ply: usize,
    ) -> Vec<Move> {
        let us = board.side_to_move().index();
        let mut ranked: Vec<(i32, Move)> = moves
            .iter()
            .map(|&mv| {
                let rank = if Some(mv) == hint {
                    4_000_000
                } else if board.is_noisy(mv) {
                    let victim = board.captured(mv).map_or(0, |victim| 8 * value(victim));
                    let gain = victim - value(board.moved(mv).piece_type())
                        + mv.promotion().map_or(0, value);
                    if board.see_ge(mv, 0) { 2_000_000 + gain } else { -2_000_000 + gain }
                } else if self.killers[ply].contains(&Some(mv)) {
                    1_000_000
                } else {
                    self.history[us][mv.from().index()][mv.to().index()]
                };
                (rank, mv)
            })
            .collect();
        ranked.sort_by_key(|&(rank, _)| -rank);
        ranked.into_iter().map(|(_, mv)| mv).collect()
    }
}

/// What is to be remembered of a search.
fn summary(
    best: Option<Move>,
    score: i32,
    eval: i32,
    depth: i32,
    (alpha, beta): (i32, i32),
) -> Entry {
    let bound = if score >= beta {
        Bound::Lower
    } else if score > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    };
    Entry {
        mv: best.map_or(0, Move::raw),
        score: score as i16,
        eval: eval as i16,
        depth: depth as u8,
        pv: beta - alpha > 1,
        bound,
    }
}

/// The score of an entry, if it answers the question. Only null windows are answered from the
/// table, so that the main line is always searched.
pub fn cutoff(entry: Entry, depth: i32, alpha: i32, beta: i32) -> Option<i32> {
    let score = i32::from(entry.score);
    let proves = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
        Bound::None => false,
    };
    (beta - alpha == 1 && i32::from(entry.depth) >= depth && proves).then_some(score)
}

fn value(piece: PieceType) -> i32 {
    [100, 320, 330, 500, 900, 0][piece.index()]
}

/// Material, and pieces towards the centre: enough to tell good moves from bad ones.
pub fn evaluate(board: &Board) -> i32 {
    let side = |color: Color| -> i32 {
        PieceType::ALL
            .iter()
            .map(|&piece| {
                let squares = board.pieces_of(color, piece);
                let places: i32 = squares
                    .into_iter()
                    .map(|square| {
                        let edge = |x: u8| i32::from(x.min(7 - x));
                        let centre = edge(square.file()) + edge(square.rank());
                        let rank = i32::from(square.relative_rank(color));
                        match piece {
                            PieceType::Pawn => rank * rank + centre,
                            PieceType::Knight => 6 * centre,
                            PieceType::Bishop | PieceType::Queen => 3 * centre,
                            PieceType::Rook => 4 * i32::from(rank == 6) + centre,
                            PieceType::King => {
                                -4 * centre * i32::from(board.occupied().count() > 14)
                            }
                        }
                    })
                    .sum();
                squares.count() as i32 * value(piece) + places
            })
            .sum()
    };
    let us = board.side_to_move();
    side(us) - side(!us) + 10
}
