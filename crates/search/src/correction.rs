//! Correction history: how far the static evaluation was off in positions like this one.
//!
//! After a search the thread compares the result with the static evaluation and files the difference under several
//! keys that say what the position has in common with others: its pawns, its minor pieces, each side's pieces, and the last
//! two moves. The next time such a position is evaluated the average error is added.

use megatherium_board::{Board, Color};

use crate::history::{PIECE_TO, PieceTo};
use crate::score::{MAX_EVAL, Score};
use crate::variant::CorrectionCell;

const SLOTS: usize = 16_384;

/// Entries stay within ±LIMIT; [`GRAIN`] of them make a centipawn (before weights).
const LIMIT: i32 = 1024;
const GRAIN: i32 = 96;

type Table<C> = Box<[[C; 2]; SLOTS]>;

/// The error tables of one thread, or of several that share them: `C` says which.
pub struct Corrections<C> {
    pawn: Table<C>,
    minor: Table<C>,
    non_pawn: [Table<C>; 2],
    continuation: Box<[C; PIECE_TO * PIECE_TO]>,
}

/// A table of fresh entries, built without passing through the stack.
#[expect(clippy::unnecessary_box_returns, reason = "too large for the stack")]
fn fresh<T: Default, const N: usize>() -> Box<[T; N]> {
    let entries: Vec<T> = (0..N).map(|_| T::default()).collect();
    match entries.into_boxed_slice().try_into() {
        Ok(table) => table,
        Err(_) => unreachable!("there are N entries"),
    }
}

impl<C: CorrectionCell> Default for Corrections<C> {
    fn default() -> Self {
        Corrections { pawn: fresh(), minor: fresh(), non_pawn: [fresh(), fresh()], continuation: fresh() }
    }
}

/// The two moves before the position, newest first.
pub type LastMoves = [Option<PieceTo>; 2];

#[inline]
fn pair(before: PieceTo, newest: PieceTo) -> usize {
    before.index() * PIECE_TO + newest.index()
}

impl<C: CorrectionCell> Corrections<C> {
    /// Forgets everything.
    pub fn clear(&self) {
        // Plain loops over plain slices: the compiler makes one block write of each.
        let clear = |entries: &[C]| entries.iter().for_each(|entry| entry.set(0));
        for table in [&self.pawn, &self.minor, &self.non_pawn[0], &self.non_pawn[1]] {
            clear(table.as_flattened());
        }
        clear(&self.continuation[..]);
    }

    /// The correction for a position, in units of which `GRAIN` make a centipawn.
    pub fn raw(&self, board: &Board, last: LastMoves) -> i32 {
        let side = board.side_to_move().index();
        let at = |table: &Table<C>, key: u64| i32::from(table[key as usize % SLOTS][side].get());
        let mut sum = at(&self.pawn, board.pawn_key())
            + at(&self.minor, board.minor_key())
            + at(&self.non_pawn[0], board.non_pawn_key(Color::White))
            + at(&self.non_pawn[1], board.non_pawn_key(Color::Black));
        if let [Some(newest), Some(before)] = last {
            sum += i32::from(self.continuation[pair(before, newest)].get());
        }
        sum
    }

    /// A static evaluation with the expected error added.
    /// `weight` says how much of it to believe, in 1/128.
    pub fn apply(&self, evaluation: Score, board: &Board, last: LastMoves, weight: i32) -> Score {
        (evaluation + self.raw(board, last) * weight / (128 * GRAIN)).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Learns that the search found `error` centipawns more than the evaluation said.
    pub fn update(&self, board: &Board, last: LastMoves, error: i32, depth: i32) {
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let learn = |entry: &C| {
            let value = i32::from(entry.get());
            entry.set((value + bonus - value * bonus.abs() / LIMIT) as i16);
        };
        learn(&self.pawn[board.pawn_key() as usize % SLOTS][side]);
        learn(&self.minor[board.minor_key() as usize % SLOTS][side]);
        learn(&self.non_pawn[0][board.non_pawn_key(Color::White) as usize % SLOTS][side]);
        learn(&self.non_pawn[1][board.non_pawn_key(Color::Black) as usize % SLOTS][side]);
        if let [Some(newest), Some(before)] = last {
            learn(&self.continuation[pair(before, newest)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_the_sign_and_stays_bounded() {
        let board = Board::startpos();
        let corrections = Corrections::<std::cell::Cell<i16>>::default();
        assert_eq!(corrections.apply(17, &board, [None; 2], 128), 17);
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], 4000, 20);
        }
        let up = corrections.apply(0, &board, [None; 2], 128);
        assert!(up > 20 && up <= 4 * LIMIT / GRAIN, "{up}");
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], -4000, 20);
        }
        assert!(corrections.apply(0, &board, [None; 2], 128) < -20);
        corrections.clear();
        assert_eq!(corrections.apply(0, &board, [None; 2], 128), 0);
    }
}
