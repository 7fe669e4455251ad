//! What a node knows about attacks: computed when first asked for, then kept for all its moves.

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
    /// Nothing is computed yet.
    #[inline]
    pub fn new(board: &'a Board) -> Self {
        Attacks { board, threats: OnceCell::new(), checks: OnceCell::new() }
    }

    /// The squares the opponent attacks.
    #[inline]
    pub fn threats(&self) -> &Threats {
        self.threats.get_or_init(|| self.board.threats(!self.board.side_to_move()))
    }

    /// What it takes to check the opponent's king.
    #[inline]
    pub fn checks(&self) -> &Checks {
        self.checks.get_or_init(|| self.board.checks())
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        self.checks().given_by(self.board, mv)
    }
}
