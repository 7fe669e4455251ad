//! A training position in memory: 32 bytes, seen from the side to move.

use crate::data::{Game, NO_SCORE, Position};
use megatherium_board::{Board, Color, Piece, Square};
use megatherium_nnue::layout::{SCALE, View, output_bucket};

/// The most pieces a position has.
pub const PIECES: usize = 32;

/// A position with its training targets.
///
/// The board is flipped so that the side to move is White: the net does not distinguish colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// A nibble for each occupied square, in order: [`Piece::index`] with the mover as White.
    pieces: [u8; PIECES / 2],
    /// The search's score in centipawns.
    score: i16,
    /// 0 lost, 1 drawn, 2 won.
    doubled_result: u8,
    /// The squares of the mover's and of the other king.
    kings: [u8; 2],
    /// What the mover could expect from the rest of the game, in 1/65535: see [`outlooks`].
    outlook: u16,
    /// The score is a bound: a lower one for a result of 2, an upper one for 0, exact for 1.
    tree: bool,
}

/// The logistic function.
#[inline]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Plies over which an outlook averages.
const HORIZON: f32 = 10.0;

/// The outlook after each ply of a game, for White: what its later scores and its result say about
/// a position.
///
/// The score of a position is noisy, and so is the result of its game. The scores of the next few
/// moves know more: they come from searches that begin where this one ended. An outlook is their
/// mean, weighted by 0.9ⁿ for the nth ply ahead; what weight remains at the end goes to the result.
pub fn outlooks(game: &Game) -> Vec<f32> {
    let mut outlook = game.outcome.half_points(Color::White) as f32 / 2.0;
    let first = game.start.unpack().map_or(Color::White, |board| board.side_to_move());
    let mut outlooks = vec![outlook; game.plies.len()];
    for (number, ply) in game.plies.iter().enumerate().rev() {
        outlooks[number] = outlook;
        if ply.score != NO_SCORE {
            let expected = sigmoid(f32::from(ply.score) / SCALE as f32);
            let white = (number % 2 == 0) == (first == Color::White);
            let expected = if white { expected } else { 1.0 - expected };
            outlook += (expected - outlook) / HORIZON;
        }
    }
    outlooks
}

impl Sample {
    /// The sample of a position of a game, with its outlook for White.
    pub fn new(position: &Position, outlook: f32) -> Sample {
        let sample = Sample::of_board(&position.board, position.score, position.doubled_result);
        let white = position.board.side_to_move() == Color::White;
        let outlook = if white { outlook } else { 1.0 - outlook };
        Sample {
            outlook: (outlook * f32::from(u16::MAX)).round() as u16,
            tree: position.tree,
            ..sample
        }
    }

    /// The sample of a board alone; its outlook is its score.
    pub fn of_board(board: &Board, score: i16, doubled_result: u8) -> Sample {
        let mover = board.side_to_move();
        let flip = if mover == Color::White { 0 } else { 56 };
        let occupied = if mover == Color::White {
            board.occupied().0
        } else {
            board.occupied().0.swap_bytes()
        };
        let mut sample = Sample {
            occupied,
            pieces: [0; PIECES / 2],
            score,
            doubled_result,
            kings: [mover, !mover].map(|side| (board.king(side).index() ^ flip) as u8),
            outlook: (sigmoid(f32::from(score) / SCALE as f32) * f32::from(u16::MAX)) as u16,
            tree: false,
        };
        for (number, square) in squares(occupied).enumerate().take(PIECES) {
            let Some(piece) = board.piece_on(Square::from_index(square ^ flip)) else { continue };
            let color = if piece.color() == mover { Color::White } else { Color::Black };
            let code = Piece::new(color, piece.piece_type()).index() as u8;
            sample.pieces[number / 2] |= code << (4 * (number % 2));
        }
        sample
    }

    /// The number of pieces on the board.
    pub fn count(&self) -> usize {
        (self.occupied.count_ones() as usize).min(PIECES)
    }

    /// The output head that evaluates the position.
    pub fn bucket(&self) -> usize {
        output_bucket(self.occupied.count_ones())
    }

    /// The search's score in centipawns from the mover's view.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// Whether the sample is a node of a search tree: then it has no result, and its score is a
    /// lower bound (2), an upper one (0) or exact (1).
    pub fn bound(&self) -> Option<u8> {
        self.tree.then_some(self.doubled_result)
    }

    /// The result for the mover: 0, ½ or 1.
    pub fn result(&self) -> f32 {
        f32::from(self.doubled_result) / 2.0
    }

    /// What the mover could expect from the rest of the game, from 0 to 1.
    pub fn outlook(&self) -> f32 {
        f32::from(self.outlook) / f32::from(u16::MAX)
    }

    /// Writes the net's inputs as the mover sees the board, and as the other side does; returns
    /// their number.
    pub fn inputs(&self, inputs: &mut [[u16; PIECES]; 2], king_buckets: &[u8; 64]) -> usize {
        let views = [Color::White, Color::Black].map(|side| {
            let king = Square::from_index(self.kings[side.index()] as usize);
            View::with_buckets(side, king, king_buckets)
        });
        let mut count = 0;
        for (square, number) in squares(self.occupied).zip(0..PIECES) {
            let code = self.pieces[number / 2] >> (4 * (number % 2)) & 15;
            let (piece, square) = (Piece::ALL[code as usize], Square::from_index(square));
            inputs[0][number] = views[0].input(piece, square) as u16;
            inputs[1][number] = views[1].input(piece, square) as u16;
            count = number + 1;
        }
        count
    }
}

/// The squares of a set, in order.
fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        square
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Ending, PackedBoard, Ply};
    use megatherium_board::referee::Outcome;
    use megatherium_nnue::layout::KING_BUCKET_MAP;

    #[test]
    fn an_outlook_is_what_later_scores_say() {
        let board = Board::startpos();
        let plies = |scores: &[i16]| {
            let mut board = board;
            let mut ply = |&score| {
                let mv = board.legal_moves()[0];
                board.make(mv);
                Ply { mv, score }
            };
            scores.iter().map(&mut ply).collect::<Vec<Ply>>()
        };
        let game = |outcome, scores: &[i16]| Game {
            start: PackedBoard::pack(&board).unwrap(),
            outcome,
            ending: Ending::Played,
            net: 0,
            plies: plies(scores),
        };
        // The last ply sees the result alone; the one before a tenth of the last score, from
        // White's view.
        let found = outlooks(&game(Outcome::White, &[NO_SCORE, 0, 400, 400]));
        let black_is_ahead = 1.0 - sigmoid(1.0);
        let second = 1.0 + (black_is_ahead - 1.0) / 10.0;
        let first = second + (sigmoid(1.0) - second) / 10.0;
        let start = first + (0.5 - first) / 10.0;
        for (found, expected) in found.iter().zip([start, first, second, 1.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // What a long game's beginning sees are its scores, not its result.
        let long = outlooks(&game(Outcome::Black, &[0; 120]));
        assert!((long[0] - 0.5).abs() < 1e-4, "{}", long[0]);
    }

    #[test]
    fn a_sample_has_the_inputs_of_its_board() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/2KR3R b kq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let sample = Sample::of_board(&board, 17, 2);
            let mut found = [[0; PIECES]; 2];
            let count = sample.inputs(&mut found, &KING_BUCKET_MAP);
            assert_eq!(count, board.occupied().count() as usize);
            assert_eq!(count, sample.count());
            let mover = board.side_to_move();
            for (side, found) in [mover, !mover].into_iter().zip(&mut found) {
                let view = View::new(side, board.king(side));
                let mut expected: Vec<u16> = board
                    .occupied()
                    .into_iter()
                    .map(|square| view.input(board.piece_on(square).unwrap(), square) as u16)
                    .collect();
                expected.sort_unstable();
                let found = &mut found[..count];
                found.sort_unstable();
                assert_eq!(found, expected);
            }
        }
        assert_eq!(size_of::<Sample>(), 32);
    }
}
