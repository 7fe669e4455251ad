//! Legality of a single move, without generating others, and whether it gives check.

use crate::attacks;
use crate::moves::Kind;
use crate::{Bitboard, Board, Color, Move, Piece, PieceType, Square};

impl Board {
    /// Whether the move is legal. Any 16 bits may be passed; exactly the encodings that the
    /// generator makes are legal. Moves from the shared transposition table need this test.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else {
            return false;
        };
        if piece.color() != us || mv.promotion_bits() != 0 && !mv.is_promotion() {
            return false;
        }
        match mv.kind() {
            Kind::Castling => self.is_legal_castling(piece, from, to),
            Kind::EnPassant => {
                piece.piece_type() == PieceType::Pawn
                    && self.en_passant() == Some(to)
                    && attacks::pawn(us, from).contains(to)
                    && self.en_passant_is_legal(from, to)
            }
            Kind::Promotion | Kind::Ordinary => self.is_legal_step(piece, mv),
        }
    }

    fn is_legal_castling(&self, piece: Piece, king: Square, rook: Square) -> bool {
        piece.piece_type() == PieceType::King
            && self.checkers.is_empty()
            && self.castling_rooks_of(self.side_to_move).contains(rook)
            && self.can_castle(king, rook)
    }

    #[inline]
    fn is_legal_step(&self, piece: Piece, mv: Move) -> bool {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        if self.colors(us).contains(to) {
            return false;
        }
        let occupied = self.occupied();
        let promotes = piece.piece_type() == PieceType::Pawn && to.relative_rank(us) == 7;
        if mv.is_promotion() != promotes {
            return false;
        }
        let reaches = match piece.piece_type() {
            PieceType::Pawn => self.pawn_reaches(us, from, to),
            PieceType::King => {
                return attacks::king(from).contains(to)
                    && !self.is_attacked(to, !us, occupied ^ from.bitboard());
            }
            other => attacks::of(other, us, from, occupied).contains(to),
        };
        if !reaches {
            return false;
        }
        let king = self.king(us);
        if self.pinned.contains(from) && !attacks::line(king, from).contains(to) {
            return false;
        }
        match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.more_than_one() => false,
            Some(checker) => checker == to || attacks::between(king, checker).contains(to),
        }
    }

    /// Whether a pawn can go there by a push, a double push or an ordinary capture.
    #[inline]
    fn pawn_reaches(&self, us: Color, from: Square, to: Square) -> bool {
        if attacks::pawn(us, from).contains(to) {
            return self.colors(!us).contains(to);
        }
        let occupied = self.occupied();
        let forward = if us.is_white() { 1 } else { -1 };
        let step = from.bitboard().shift_ranks(forward) & !occupied;
        let double =
            if from.relative_rank(us) == 1 { step.shift_ranks(forward) & !occupied } else { step };
        (step | double).contains(to)
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else {
            return false;
        };
        let king = self.king(!us);
        let mut occupied = self.occupied() & !from.bitboard() | to.bitboard();
        match mv.kind() {
            Kind::Ordinary => {
                let direct = attacks::of(piece.piece_type(), us, to, occupied).contains(king);
                direct || self.uncovers(us, king, from, occupied)
            }
            Kind::Promotion => {
                attacks::of(mv.promoted(), us, to, occupied).contains(king)
                    || self.uncovers(us, king, from, occupied)
            }
            Kind::EnPassant => {
                occupied ^= to.en_passant_partner().bitboard();
                attacks::pawn(us, to).contains(king) || self.sliders_reach(us, king, occupied)
            }
            Kind::Castling => {
                let (king_to, rook_to) = Self::castling_targets(from, to);
                let movers = from.bitboard() | to.bitboard();
                let occupied = self.occupied() & !movers | king_to.bitboard() | rook_to.bitboard();
                attacks::rook(rook_to, occupied).contains(king)
                    || attacks::rook(king, occupied)
                        .intersects(self.orthogonal_sliders(us) & !movers)
            }
        }
    }

    /// Whether leaving `from` discovers a check by a slider of the same side.
    #[inline]
    fn uncovers(&self, us: Color, king: Square, from: Square, occupied: Bitboard) -> bool {
        let from = from.bitboard();
        if attacks::bishop_rays(king).intersects(from) {
            attacks::bishop(king, occupied).intersects(self.diagonal_sliders(us) & !from)
        } else if attacks::rook_rays(king).intersects(from) {
            attacks::rook(king, occupied).intersects(self.orthogonal_sliders(us) & !from)
        } else {
            false
        }
    }

    fn sliders_reach(&self, us: Color, king: Square, occupied: Bitboard) -> bool {
        attacks::bishop(king, occupied).intersects(self.diagonal_sliders(us))
            || attacks::rook(king, occupied).intersects(self.orthogonal_sliders(us))
    }
}
