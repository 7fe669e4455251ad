//! Correction history: how far the static evaluation was off in positions like this one.
//!
//! After a search the thread compares the result with the static evaluation and files the difference under several
//! keys that say what the position has in common with others: its pawns, its minor pieces, each side's pieces, and the last
//! two moves. The next time such a position is evaluated the average error is added.

use megatherium_board::{Board, Color};

use crate::history::{PIECE_TO, PieceTo, zeroed};
use crate::score::{MAX_EVAL, Score};

const SLOTS: usize = 16_384;

/// Entries stay within ±LIMIT; [`GRAIN`] of them make a centipawn (before weights).
const LIMIT: i32 = 1024;
const GRAIN: i32 = 96;

type Table = Box<[[i16; 2]; SLOTS]>;

/// The error tables of one thread.
pub struct Corrections {
    pawn: Table,
    minor: Table,
    non_pawn: [Table; 2],
    continuation: Box<[[i16; PIECE_TO]; PIECE_TO]>,
}

impl Default for Corrections {
    fn default() -> Self {
        Corrections {
            pawn: zeroed(&[0; 2]),
            minor: zeroed(&[0; 2]),
            non_pawn: [zeroed(&[0; 2]), zeroed(&[0; 2])],
            continuation: vec![[0; PIECE_TO]; PIECE_TO].into_boxed_slice().try_into().expect("PIECE_TO rows"),
        }
    }
}

/// The two moves before the position, newest first.
pub type LastMoves = [Option<PieceTo>; 2];

impl Corrections {
    /// The correction for a position, in centipawns times [`GRAIN`].
    pub fn raw(&self, board: &Board, last: LastMoves) -> i32 {
        let side = board.side_to_move().index();
        let at = |table: &Table, key: u64| i32::from(table[key as usize % SLOTS][side]);
        let mut sum = at(&self.pawn, board.pawn_key())
            + at(&self.minor, board.minor_key())
            + at(&self.non_pawn[0], board.non_pawn_key(Color::White))
            + at(&self.non_pawn[1], board.non_pawn_key(Color::Black));
        if let [Some(newest), Some(before)] = last {
            sum += i32::from(self.continuation[before.index()][newest.index()]);
        }
        sum
    }

    /// A static evaluation with the expected error added.
    pub fn apply(&self, evaluation: Score, board: &Board, last: LastMoves) -> Score {
        (evaluation + self.raw(board, last) / GRAIN).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Learns that the search found `error` centipawns more than the evaluation said.
    pub fn update(&mut self, board: &Board, last: LastMoves, error: i32, depth: i32) {
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let learn = |entry: &mut i16| {
            let value = i32::from(*entry);
            *entry = (value + bonus - value * bonus.abs() / LIMIT) as i16;
        };
        learn(&mut self.pawn[board.pawn_key() as usize % SLOTS][side]);
        learn(&mut self.minor[board.minor_key() as usize % SLOTS][side]);
        learn(&mut self.non_pawn[0][board.non_pawn_key(Color::White) as usize % SLOTS][side]);
        learn(&mut self.non_pawn[1][board.non_pawn_key(Color::Black) as usize % SLOTS][side]);
        if let [Some(newest), Some(before)] = last {
            learn(&mut self.continuation[before.index()][newest.index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_the_sign_and_stays_bounded() {
        let board = Board::startpos();
        let mut corrections = Corrections::default();
        assert_eq!(corrections.apply(17, &board, [None; 2]), 17);
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], 4000, 20);
        }
        let up = corrections.apply(0, &board, [None; 2]);
        assert!(up > 20 && up <= 4 * LIMIT / GRAIN, "{up}");
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], -4000, 20);
        }
        assert!(corrections.apply(0, &board, [None; 2]) < -20);
    }
}
