//! An evaluation piece by piece, for the `eval` command.

use crate::layout::{OUTPUT_BUCKETS, output_bucket};
use crate::network::{Network, pieces};
use megatherium_board::{Board, Color, PieceType, Square};

/// The net's evaluation of a position, all in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The evaluation from the side to move's view.
    pub score: i32,
    /// The evaluation from White's view.
    pub white_score: i32,
    /// The output head in use.
    pub bucket: usize,
    /// The evaluation of every head, from the side to move's view.
    pub buckets: [i32; OUTPUT_BUCKETS],
    /// What each piece adds to White's evaluation: the evaluation with it less the evaluation
    /// without it, with the output head unchanged. Empty squares and kings have none. Indexed by
    /// square, a1 first.
    pub pieces: [Option<i32>; 64],
}

impl Network {
    /// Evaluates a position piece by piece.
    pub fn explain(&self, board: &Board) -> Explanation {
        let mover = board.side_to_move();
        let bucket = output_bucket(board.occupied().count());
        let without = |gone: Option<Square>, bucket: usize| {
            let sums = Color::ALL.map(|side| {
                let staying = pieces(board).filter(|&(_, square)| Some(square) != gone);
                self.accumulate(side, board.king(side), staying)
            });
            self.output(&sums[mover.index()], &sums[(!mover).index()], bucket)
        };
        let score = without(None, bucket);
        let sign = if mover == Color::White { 1 } else { -1 };
        let mut values = [None; 64];
        for (piece, square) in pieces(board) {
            if piece.piece_type() != PieceType::King {
                values[square.index()] = Some(sign * (score - without(Some(square), bucket)));
            }
        }
        Explanation {
            score,
            white_score: sign * score,
            bucket,
            buckets: std::array::from_fn(|bucket| without(None, bucket)),
            pieces: values,
        }
    }
}
