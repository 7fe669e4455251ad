//! Attack information of a node: computed on first use, then cached for all its moves.

use std::cell::OnceCell;

use megatherium_board::{Board, Checks, Move, Threats};

/// Attacks in the position of one node. Most nodes are cut off before any of this is needed.
pub(super) struct Attacks<'a> {
    /// The position.
    pub board: &'a Board,
    threats: OnceCell<Threats>,
    checks: OnceCell<Checks>,
}

impl<'a> Attacks<'a> {
    /// An empty cache for a position.
    #[inline]
    pub fn new(board: &'a Board) -> Self {
        Attacks { board, threats: OnceCell::new(), checks: OnceCell::new() }
    }

    /// The squares the opponent attacks.
    #[inline]
    pub fn threats(&self) -> &Threats {
        self.threats.get_or_init(|| self.board.threats(!self.board.side_to_move()))
    }

    /// Squares from which each piece type checks the opponent's king, and discovered checks.
    #[inline]
    pub fn checks(&self) -> &Checks {
        self.checks.get_or_init(|| self.board.checks())
    }

    /// Whether a quiet move loses at most `-threshold` by exchange, for a threshold of at most 0.
    /// Most quiet moves cannot be captured: nothing attacks the target, and no slider attacks it
    /// through the square the move leaves.
    #[inline]
    pub fn quiet_see_ge(&self, mv: Move, threshold: i32) -> bool {
        let squares = mv.from().bitboard() | mv.to().bitboard();
        !self.threats().all.intersects(squares) || self.board.see_ge(mv, threshold)
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        self.checks().given_by(self.board, mv)
    }
}
