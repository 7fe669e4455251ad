//! Check squares and discovered checks: computed once for a position, queried for each move.

use crate::attacks;
use crate::moves::Kind;
use crate::{Bitboard, Board, Color, Move, Square};

/// Check squares and discovering pieces against the king of the side not to move.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// The squares from which a piece of each type attacks the king.
    squares: [Bitboard; 6],
    /// Single blockers between a slider of the side to move and the king: they discover a check by
    /// leaving the line.
    screens: Bitboard,
}

impl Checks {
    /// Whether an ordinary move gives check, directly or by discovery.
    #[inline]
    fn ordinary(&self, board: &Board, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        self.squares[board.moved(mv).piece_type().index()].contains(to)
            || self.screens.contains(from) && !attacks::line(self.king, from).contains(to)
    }

    /// Whether a legal move of `board`, the position these checks were computed for, gives check.
    #[inline]
    pub fn given_by(&self, board: &Board, mv: Move) -> bool {
        match mv.kind() {
            Kind::Ordinary => self.ordinary(board, mv),
            // Rare, and they change more of the board than one square.
            Kind::Promotion | Kind::EnPassant | Kind::Castling => board.gives_check(mv),
        }
    }

    /// Where the piece on `from` gives check, directly or by discovery, with an ordinary move.
    #[inline]
    pub(crate) fn targets(&self, board: &Board, from: Square) -> Bitboard {
        let direct = board
            .piece_on(from)
            .map_or(Bitboard::EMPTY, |piece| self.squares[piece.piece_type().index()]);
        let discovered = !attacks::line(self.king, from);
        direct | discovered.only_if(self.screens.contains(from))
    }
}

impl Board {
    /// Computes check squares and discovered checks against the opponent's king.
    pub fn checks(&self) -> Checks {
        let us = self.side_to_move;
        let (king, occupied) = (self.king(!us), self.occupied());
        let diagonal = attacks::bishop(king, occupied);
        let orthogonal = attacks::rook(king, occupied);
        let squares = [
            attacks::pawn(!us, king),
            attacks::knight(king),
            diagonal,
            orthogonal,
            diagonal | orthogonal,
            Bitboard::EMPTY,
        ];
        Checks { king, squares, screens: self.screens(us, king) }
    }

    /// Men of `color` that are the only blocker between a slider of their side and a king.
    fn screens(&self, color: Color, king: Square) -> Bitboard {
        let snipers = attacks::bishop_rays(king) & self.diagonal_sliders(color)
            | attacks::rook_rays(king) & self.orthogonal_sliders(color);
        let mut screens = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & self.occupied();
            if !between.more_than_one() {
                screens |= between;
            }
        }
        screens & self.colors(color)
    }
}
