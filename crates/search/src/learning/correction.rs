//! Correction history: how far the static evaluation was off in positions like this one.
//!
//! After a search the thread compares the result with the static evaluation and files the
//! difference under several keys: the pawns, the minor pieces, each side's pieces, and the last two
//! moves. The next time a position with one of these keys is evaluated, the average error is added.
//!
//! The entries are relaxed atomics, so that threads can share one history. On one thread a relaxed
//! load or store is an ordinary one. An update that another thread overwrites is lost, as in the
//! transposition table: it was a hint.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicI16, Ordering};

use megatherium_board::{Board, Color};
use megatherium_tt::prefetch;

use super::history::{PIECE_TO, PieceTo};
use super::table;
use crate::params::Params;
use crate::score::{MAX_EVAL, Score};

const SLOTS: usize = 16_384;

/// Entries stay within ±LIMIT; [`GRAIN`] of them make a centipawn (before weights).
const LIMIT: i32 = 1024;
const GRAIN: i32 = 96;

/// An average error in 1/[`GRAIN`] centipawns.
#[derive(Debug, Default)]
struct Cell(AtomicI16);

impl Cell {
    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, value: i32) {
        self.0.store(value as i16, Ordering::Relaxed);
    }
}

type Table = Box<[[Cell; 2]; SLOTS]>;

/// The error tables of one thread, or of several that share them.
pub struct Corrections {
    pawn: Table,
    minor: Table,
    non_pawn: [Table; 2],
    continuation: Box<[Cell; PIECE_TO * PIECE_TO]>,
}

/// The two moves before the position, newest first.
pub type LastMoves = [Option<PieceTo>; 2];

#[inline]
fn pair(before: PieceTo, newest: PieceTo) -> usize {
    before.index() * PIECE_TO + newest.index()
}

impl Corrections {
    /// Corrections of zero. Fails if the memory cannot be allocated.
    pub fn new() -> Result<Corrections, TryReserveError> {
        Ok(Corrections {
            pawn: table()?,
            minor: table()?,
            non_pawn: [table()?, table()?],
            continuation: table()?,
        })
    }

    /// Resets all corrections to zero.
    pub fn clear(&self) {
        // Plain loops over plain slices: the compiler makes one block write of each.
        let clear = |entries: &[Cell]| entries.iter().for_each(|entry| entry.set(0));
        for table in [&self.pawn, &self.minor, &self.non_pawn[0], &self.non_pawn[1]] {
            clear(table.as_flattened());
        }
        clear(&self.continuation[..]);
    }

    /// A static evaluation with the expected error added. The weights say how much of each table's
    /// average to believe.
    pub fn apply(
        &self,
        evaluation: Score,
        board: &Board,
        last: LastMoves,
        weights: &Params,
    ) -> Score {
        let side = board.side_to_move().index();
        let at = |table: &Table, key: u64| table[key as usize % SLOTS][side].get();
        let mut sum = weights.correction_pawn * at(&self.pawn, board.pawn_key())
            + weights.correction_minor * at(&self.minor, board.minor_key())
            + weights.correction_non_pawn
                * (at(&self.non_pawn[0], board.non_pawn_key(Color::White))
                    + at(&self.non_pawn[1], board.non_pawn_key(Color::Black)));
        if let [Some(newest), Some(before)] = last {
            sum += weights.correction_continuation * self.continuation[pair(before, newest)].get();
        }
        (evaluation + sum / (128 * GRAIN)).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Starts loading what [`apply`](Self::apply) will read: five places in as many tables, most of
    /// them not in the cache.
    #[inline]
    pub fn prefetch(&self, board: &Board, last: LastMoves) {
        let side = board.side_to_move().index();
        let at = |table: &Table, key: u64| prefetch(&table[key as usize % SLOTS][side]);
        at(&self.pawn, board.pawn_key());
        at(&self.minor, board.minor_key());
        at(&self.non_pawn[0], board.non_pawn_key(Color::White));
        at(&self.non_pawn[1], board.non_pawn_key(Color::Black));
        if let [Some(newest), Some(before)] = last {
            prefetch(&self.continuation[pair(before, newest)]);
        }
    }

    /// Learns that the search found `error` centipawns more than the evaluation said.
    pub fn update(&self, board: &Board, last: LastMoves, error: i32, depth: i32) {
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let learn = |entry: &Cell| {
            let value = entry.get();
            entry.set(value + bonus - value * bonus.abs() / LIMIT);
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
        let (board, params) = (Board::startpos(), Params::default());
        let corrections = Corrections::new().unwrap();
        assert_eq!(corrections.apply(17, &board, [None; 2], &params), 17);
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], 4000, 20);
        }
        let up = corrections.apply(0, &board, [None; 2], &params);
        let weights =
            params.correction_pawn + params.correction_minor + 2 * params.correction_non_pawn;
        assert!(up > 20 && up <= weights * LIMIT / (128 * GRAIN), "{up}");
        for _ in 0..10_000 {
            corrections.update(&board, [None; 2], -4000, 20);
        }
        assert!(corrections.apply(0, &board, [None; 2], &params) < -20);
        corrections.clear();
        assert_eq!(corrections.apply(0, &board, [None; 2], &params), 0);
    }
}
