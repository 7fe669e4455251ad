//! What a search is asked: the position with its game, the limits, the options.

mod limits;
mod options;
mod teamwork;

use megatherium_board::{Board, KeyHistory, Move};

pub use limits::Limits;
pub use options::Options;
pub use teamwork::{TakeOver, TeamRule, Teamwork, TeamworkError};

/// A position with the game that led to it.
#[derive(Clone)]
pub struct Root {
    /// The position to search.
    pub board: Board,
    /// Keys of the positions before it, for repetitions.
    pub history: KeyHistory,
}

impl Root {
    /// A position without a past.
    pub fn new(board: Board) -> Root {
        Root { board, history: KeyHistory::new() }
    }

    /// Plays a legal move of the game. Positions that a pawn move or capture makes unreachable are
    /// forgotten.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.board.key());
        self.board.make(mv);
        if self.board.halfmove_clock() == 0 {
            self.history.clear();
        }
    }
}
