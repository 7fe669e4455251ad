//! Staged move picking: moves one at a time, the most promising first, generated no earlier than
//! needed.
//!
//! Most nodes are cut off by the table move or a good capture, so quiet moves are often never
//! generated.

use std::collections::TryReserveError;

use megatherium_board::{Bitboard, Board, Move, MoveList, PieceType, SEE_VALUES};

use super::attacks::Attacks;
use crate::learning::{Context, Histories, PieceTo};
use crate::params::Params;
use crate::score::MAX_PLY;

/// Context for move ordering: the moves played 1, 2, 4 and 6 plies ago.
pub type Earlier = [Context; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    Killer,
    GenerateQuiets,
    Quiets,
    GenerateChecks,
    Checks,
    BadNoisy,
    Done,
}

/// Which moves a node wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// All legal moves.
    Main,
    /// Captures and promotions only.
    Noisy,
    /// Captures and promotions, then quiet checks that lose nothing.
    NoisyAndChecks,
    /// Captures and promotions that win at least this much.
    ProbCut(i32),
}

/// A generated move in one number, of which the best move has the largest: the score in the upper
/// half, then the place in the list, counted down, so that of equal scores the first is best, then
/// the move in the lowest 16 bits.
#[derive(Clone, Copy, Debug)]
struct Scored(i64);

/// The bits of the place.
const PLACE: i64 = 0xFFFF << 16;

impl Scored {
    #[inline]
    fn new(mv: Move, score: i32, place: usize) -> Scored {
        let place = PLACE - ((place as i64) << 16);
        Scored(i64::from(score) << 32 | place | i64::from(mv.raw()))
    }

    #[inline]
    fn mv(self) -> Option<Move> {
        Move::from_raw(self.0 as u16)
    }

    #[inline]
    fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }
}

/// The generated moves of all nodes on the current line, each node's above its parent's.
///
/// A list in every node would have to be initialised, which costs more than most nodes use of it.
pub struct MoveStack {
    /// What the generator writes to.
    generated: MoveList,
    scored: Vec<Scored>,
}

impl MoveStack {
    /// Room for the longest line. Fails if the memory cannot be allocated.
    pub fn new() -> Result<MoveStack, TryReserveError> {
        let mut scored = Vec::new();
        scored.try_reserve_exact(256 * MAX_PLY)?;
        Ok(MoveStack { generated: MoveList::new(), scored })
    }

    /// Empties the stack.
    pub fn clear(&mut self) {
        self.scored.clear();
    }

    /// Where the next node's moves begin.
    #[inline]
    pub fn top(&self) -> usize {
        self.scored.len()
    }
}

/// Hands out the legal moves of a position in order.
pub struct MovePicker {
    stage: Stage,
    mode: Mode,
    table_move: Option<Move>,
    killer: Option<Move>,
    /// Where this node's moves end in the [`MoveStack`]. What lies above belongs to nodes that are
    /// done.
    end: usize,
    next: usize,
    /// End of the deferred losing captures, which move into places already picked.
    bad: usize,
    next_bad: usize,
    skip_quiets: bool,
}

impl MovePicker {
    fn with_mode(
        mode: Mode,
        table_move: Option<Move>,
        killer: Option<Move>,
        floor: usize,
    ) -> MovePicker {
        MovePicker {
            stage: if table_move.is_some() { Stage::TableMove } else { Stage::GenerateNoisy },
            mode,
            table_move,
            killer,
            end: floor,
            next: floor,
            bad: floor,
            next_bad: floor,
            skip_quiets: false,
        }
    }

    /// All moves. `table_move` and `killer` must already be known to be legal here. `floor` is
    /// where the node's moves begin: the [`top`](MoveStack::top) when the node was entered.
    pub fn new(table_move: Option<Move>, killer: Option<Move>, floor: usize) -> MovePicker {
        let killer = killer.filter(|&killer| Some(killer) != table_move);
        MovePicker::with_mode(Mode::Main, table_move, killer, floor)
    }

    /// Captures and promotions, for quiescence. A table move must be legal, and noisy.
    pub fn noisy(table_move: Option<Move>, floor: usize) -> MovePicker {
        MovePicker::with_mode(Mode::Noisy, table_move, None, floor)
    }

    /// Captures and promotions, then quiet checks. A table move must be legal, and noisy.
    pub fn noisy_and_checks(table_move: Option<Move>, floor: usize) -> MovePicker {
        MovePicker::with_mode(Mode::NoisyAndChecks, table_move, None, floor)
    }

    /// Captures and promotions that win at least `threshold` by exchange.
    pub fn prob_cut(table_move: Option<Move>, threshold: i32, floor: usize) -> MovePicker {
        MovePicker::with_mode(Mode::ProbCut(threshold), table_move, None, floor)
    }

    /// Skips all further quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move, or `None` when there are no more.
    pub fn next(
        &mut self,
        moves: &mut MoveStack,
        attacks: &Attacks<'_>,
        params: &Params,
        histories: &Histories,
        earlier: Earlier,
    ) -> Option<Move> {
        let board = attacks.board;
        moves.scored.truncate(self.end);
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateNoisy;
                    return self.table_move;
                }
                Stage::GenerateNoisy => {
                    moves.generated.clear();
                    board.captures(&mut moves.generated);
                    score_noisy(moves, board, params, histories);
                    self.end = moves.top();
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    while let Some((mv, score)) = self.select(moves) {
                        if Some(mv) == self.table_move {
                            continue;
                        }
                        let threshold = match self.mode {
                            Mode::Main => -score / params.good_capture_divisor,
                            Mode::Noisy | Mode::NoisyAndChecks => return Some(mv),
                            Mode::ProbCut(threshold) => threshold,
                        };
                        if board.see_ge(mv, threshold) {
                            return Some(mv);
                        }
                        moves.scored[self.bad] = Scored::new(mv, 0, 0);
                        self.bad += 1;
                    }
                    self.stage = match self.mode {
                        Mode::Main => Stage::Killer,
                        Mode::NoisyAndChecks => Stage::GenerateChecks,
                        Mode::Noisy | Mode::ProbCut(_) => Stage::Done,
                    };
                }
                Stage::Killer => {
                    self.stage = Stage::GenerateQuiets;
                    if !self.skip_quiets && self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        moves.scored.truncate(self.bad);
                        self.next = self.bad;
                        moves.generated.clear();
                        board.quiets(&mut moves.generated);
                        score_quiets(moves, attacks, params, histories, earlier);
                        self.end = moves.top();
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets {
                        while let Some((mv, _)) = self.select(moves) {
                            if Some(mv) != self.table_move && Some(mv) != self.killer {
                                return Some(mv);
                            }
                        }
                    }
                    self.stage = Stage::BadNoisy;
                }
                Stage::GenerateChecks => {
                    board.quiet_checks(attacks.checks(), &mut moves.generated);
                    let checks = moves.generated.iter().map(|&mv| Scored::new(mv, 0, 0));
                    moves.scored.extend(checks);
                    self.end = moves.top();
                    self.stage = Stage::Checks;
                }
                Stage::Checks => {
                    while self.next < self.end
                        && let Some(mv) = moves.scored[self.next].mv()
                    {
                        self.next += 1;
                        if Some(mv) != self.table_move && board.see_ge(mv, 0) {
                            return Some(mv);
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::BadNoisy => {
                    if self.next_bad < self.bad {
                        self.next_bad += 1;
                        return moves.scored[self.next_bad - 1].mv();
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Takes the best remaining move: a selection sort that stops when the node does. The first of
    /// the rest moves to the place that becomes free.
    fn select(&mut self, moves: &mut MoveStack) -> Option<(Move, i32)> {
        let rest = moves.scored.get_mut(self.next..self.end)?;
        let first = *rest.first()?;
        let best = Scored(rest.iter().fold(first.0, |best, scored| best.max(scored.0)));
        let index = ((first.0 & PLACE) - (best.0 & PLACE)) >> 16;
        rest[index as usize] = Scored(first.0 & !PLACE | best.0 & PLACE);
        self.next += 1;
        Some((best.mv()?, best.score()))
    }
}

/// Most valuable victim first, plus capture history; queen promotions count as winning a queen.
fn score_noisy(moves: &mut MoveStack, board: &Board, params: &Params, histories: &Histories) {
    moves.scored.extend(moves.generated.iter().enumerate().map(|(place, &mv)| {
        let victim = board.captured(mv).map_or(0, |victim| SEE_VALUES[victim.index()]);
        let promotion = match mv.promotion() {
            Some(PieceType::Queen) => SEE_VALUES[PieceType::Queen.index()],
            Some(_) => -SEE_VALUES[PieceType::Queen.index()],
            None => 0,
        };
        let score = params.victim_weight * (victim + promotion) + histories.capture(board, mv);
        Scored::new(mv, score, place)
    }));
}

fn score_quiets(
    moves: &mut MoveStack,
    attacks: &Attacks<'_>,
    params: &Params,
    histories: &Histories,
    earlier: Earlier,
) {
    let (board, threats, checks) = (attacks.board, attacks.threats(), attacks.checks());
    let side = board.side_to_move();
    let [after_1, after_2, after_4, after_6] = earlier.map(|earlier| histories.after(earlier));
    let pawns = histories.with_pawns(board);
    // A piece attacked by a cheaper one should leave, and should not walk into such an attack.
    let minor = (threats.pawn, params.escape_minor);
    let rook = (threats.minor, params.escape_rook);
    let queen = (threats.rook, params.escape_queen);
    let by_type = [(Bitboard::EMPTY, 0), minor, minor, rook, queen, (Bitboard::EMPTY, 0)];
    // By piece: finding its type first would take a jump that is hard to predict.
    let dangers = [by_type; 2];
    moves.scored.extend(moves.generated.iter().enumerate().map(|(place, &mv)| {
        let piece = board.moved(mv);
        let piece_to = PieceTo::new(piece, mv.to());
        let mut score = (params.weight_butterfly * histories.quiet(side, mv, threats.all)
            + params.weight_pawn * pawns.get(piece_to)
            + params.weight_continuation_1 * after_1.get(piece_to)
            + params.weight_continuation_2 * after_2.get(piece_to)
            + params.weight_continuation_4 * after_4.get(piece_to)
            + params.weight_continuation_6 * after_6.get(piece_to))
            / 2;

        let (danger, bonus) = dangers.as_flattened()[piece.index()];
        score += bonus * i32::from(danger.contains(mv.from()));
        score -= bonus * i32::from(danger.contains(mv.to()));
        if checks.given_by(board, mv) && attacks.quiet_see_ge(mv, params.check_see) {
            score += params.check_bonus;
        }
        Scored::new(mv, score, place)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    fn all(mut picker: MovePicker, board: &Board, histories: &Histories) -> Vec<Move> {
        let (attacks, params) = (Attacks::new(board), Params::default());
        let mut moves = MoveStack::new().unwrap();
        std::iter::from_fn(|| {
            picker.next(&mut moves, &attacks, &params, histories, [Context::NONE; 4])
        })
        .collect()
    }

    #[test]
    fn every_legal_move_exactly_once() {
        let histories = Histories::new().unwrap();
        for fen in [
            KIWIPETE,
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let legal = board.legal_moves();
            for &table_move in &legal {
                for &killer in legal.iter().filter(|&&mv| !board.is_noisy(mv)) {
                    let mut picked =
                        all(MovePicker::new(Some(table_move), Some(killer), 0), &board, &histories);
                    assert_eq!(picked[0], table_move);
                    let mut expected: Vec<_> = legal.iter().copied().collect();
                    picked.sort_by_key(|mv| mv.raw());
                    expected.sort_by_key(|mv| mv.raw());
                    assert_eq!(picked, expected, "{fen}");
                }
            }
        }
    }

    #[test]
    fn losing_captures_come_last() {
        let board = Board::from_fen(KIWIPETE).unwrap();
        let picked = all(MovePicker::new(None, None, 0), &board, &Histories::new().unwrap());
        let rank =
            |uci: &str| picked.iter().position(|&mv| mv == board.parse_uci(uci).unwrap()).unwrap();
        let last_quiet = picked.iter().rposition(|&mv| !board.is_noisy(mv)).unwrap();
        assert!(rank("e2a6") < last_quiet);
        assert!(rank("f3f6") > last_quiet && rank("f3h3") > last_quiet);
    }

    #[test]
    fn quiet_checks_come_after_captures() {
        let board = Board::from_fen(KIWIPETE).unwrap();
        let picked = all(MovePicker::noisy_and_checks(None, 0), &board, &Histories::new().unwrap());
        let noisy = all(MovePicker::noisy(None, 0), &board, &Histories::new().unwrap());
        assert_eq!(picked, noisy, "no quiet move checks here");
        let board = Board::from_fen("6k1/5ppp/8/8/8/2n5/8/R5K1 w - - 0 1").unwrap();
        let picked = all(MovePicker::noisy_and_checks(None, 0), &board, &Histories::new().unwrap());
        assert_eq!(picked, [board.parse_uci("a1a8").unwrap()]);
    }

    #[test]
    fn quiets_can_be_skipped_midway() {
        let board = Board::from_fen(KIWIPETE).unwrap();
        let histories = Histories::new().unwrap();
        let mut picker = MovePicker::new(None, None, 0);
        let (attacks, params) = (Attacks::new(&board), Params::default());
        let mut moves = MoveStack::new().unwrap();
        while let Some(mv) =
            picker.next(&mut moves, &attacks, &params, &histories, [Context::NONE; 4])
        {
            assert!(!picker.skip_quiets || board.is_noisy(mv));
            if !board.is_noisy(mv) {
                picker.skip_quiets();
            }
        }
    }
}
