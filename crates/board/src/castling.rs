//! Castling by the rules of Chess960; standard chess is the case with the king on e1 and the rooks
//! in the corners.

use crate::attacks;
use crate::{Bitboard, Board, Color, Move, Piece, PieceType, Square};

impl Board {
    /// The rook with which `color` may still castle towards the h-file.
    #[inline]
    pub fn kingside_rook(&self, color: Color) -> Option<Square> {
        let king = self.king(color);
        self.castling_rooks_of(color).into_iter().find(|rook| *rook > king)
    }

    /// The rook with which `color` may still castle towards the a-file.
    #[inline]
    pub fn queenside_rook(&self, color: Color) -> Option<Square> {
        let king = self.king(color);
        self.castling_rooks_of(color).into_iter().find(|rook| *rook < king)
    }

    /// The rooks of both sides that may still castle.
    #[inline]
    pub const fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    /// The rooks of a side that may still castle.
    #[inline]
    pub(crate) fn castling_rooks_of(&self, color: Color) -> Bitboard {
        let back_rank = Bitboard::rank(if color.is_white() { 0 } else { 7 });
        self.castling_rooks & back_rank
    }

    /// Whether a castling right exists that standard chess does not have.
    pub fn is_chess960(&self) -> bool {
        let corners =
            (Bitboard::file(0) | Bitboard::file(7)) & (Bitboard::rank(0) | Bitboard::rank(7));
        !self.castling_rooks.is_subset(corners)
            || Color::ALL
                .into_iter()
                .any(|color| self.castling_rooks_of(color).any() && self.king(color).file() != 4)
    }

    /// Where king and rook land: the king on the c- or g-file, the rook beside it towards the
    /// middle.
    #[inline]
    pub(crate) const fn castling_targets(king: Square, rook: Square) -> (Square, Square) {
        let rank = king.rank();
        if rook.index() > king.index() {
            (Square::new(6, rank), Square::new(5, rank))
        } else {
            (Square::new(2, rank), Square::new(3, rank))
        }
    }

    /// The rights that a move ends: those of a rook that moves or is captured, and both of a king
    /// that moves.
    #[inline]
    pub(crate) fn castling_rooks_lost(&self, piece: Piece, mv: Move) -> Bitboard {
        let touched = mv.from().bitboard() | mv.to().bitboard();
        let back_rank = Bitboard::rank(if piece.color().is_white() { 0 } else { 7 });
        let both = back_rank.only_if(piece.piece_type() == PieceType::King);
        (touched | both) & self.castling_rooks
    }

    /// Whether the side to move, which is not in check, can castle with this rook, which has the
    /// right to.
    #[inline]
    pub(crate) fn can_castle(&self, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = Self::castling_targets(king, rook);
        let king_path = attacks::between(king, king_to) | king_to.bitboard();
        let rook_path = attacks::between(rook, rook_to) | rook_to.bitboard();
        let movers = king.bitboard() | rook.bitboard();
        let occupied = self.occupied();
        if ((king_path | rook_path) & !movers).intersects(occupied) {
            return false;
        }
        let enemy = !self.side_to_move;
        if (king_path & !king.bitboard())
            .into_iter()
            .any(|square| self.is_attacked(square, enemy, occupied))
        {
            return false;
        }
        // The rook that leaves may have shielded the king's new square along the back rank.
        let after = occupied & !movers | king_to.bitboard() | rook_to.bitboard();
        !attacks::rook(king_to, after)
            .intersects(self.orthogonal_sliders(enemy) & Bitboard::rank(king.rank()))
    }
}
