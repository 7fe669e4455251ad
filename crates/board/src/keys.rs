//! The Zobrist keys of a position: updated incrementally, and computed from scratch.
//!
//! Besides the full key there are keys of parts of the placement: the pawns, the other pieces of
//! each side, and the minor pieces. They index a search's correction history: the error of the
//! evaluation in positions that share such a part.

use crate::{Board, Color, Move, Piece, PieceType, zobrist};

/// Places in [`Board::part_keys`].
pub(crate) const PAWN: usize = 0;
const NON_PAWN: usize = 1;
pub(crate) const MINOR: usize = 3;

/// For each piece, which part keys it belongs to: all ones where it does. The pawns have a key,
/// each side's other pieces have one, and knights, bishops and kings share one more.
static PARTS: [[u64; 4]; 12] = {
    let mut parts = [[0; 4]; 12];
    let mut piece = 0;
    while piece < 12 {
        let part = if piece % 6 == 0 { PAWN } else { NON_PAWN + piece / 6 };
        parts[piece][part] = !0;
        if matches!(piece % 6, 1 | 2 | 5) {
            parts[piece][MINOR] = !0;
        }
        piece += 1;
    }
    parts
};

impl Board {
    /// The key: placement, side to move, castling rights, and en passant only when such a capture
    /// is legal. The clocks are not in it.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key of the pawns of both sides.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.part_keys[PAWN]
    }

    /// The key of a side's pieces other than pawns, king included.
    #[inline]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.part_keys[NON_PAWN + color.index()]
    }

    /// The key of knights, bishops and kings of both sides.
    #[inline]
    pub const fn minor_key(&self) -> u64 {
        self.part_keys[MINOR]
    }

    /// XORs a piece's number into the part keys. The full key is left to the caller.
    #[inline]
    pub(crate) fn toggle_part_keys(&mut self, piece: Piece, number: u64) {
        let parts = &PARTS[piece.index()];
        for (key, part) in self.part_keys.iter_mut().zip(parts) {
            *key ^= part & number;
        }
    }

    /// Computes all keys from scratch: the definition that the incremental keys must meet.
    pub fn compute_keys(&self) -> Keys {
        let mut scratch = Self::bare();
        let mut full = 0;
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                let number = zobrist::piece(piece, square);
                full ^= number;
                scratch.toggle_part_keys(piece, number);
            }
        }
        for rook in self.castling_rooks {
            full ^= zobrist::castling(rook);
        }
        full ^= zobrist::en_passant(self.en_passant);
        if self.side_to_move == Color::Black {
            full ^= zobrist::SIDE;
        }
        Keys { full, parts: scratch.part_keys }
    }

    /// All keys as maintained incrementally.
    pub const fn keys(&self) -> Keys {
        Keys { full: self.key, parts: self.part_keys }
    }

    /// The key after a null move.
    #[inline]
    pub fn key_after_null(&self) -> u64 {
        self.key ^ zobrist::SIDE ^ zobrist::en_passant(self.en_passant)
    }

    /// The key after a legal move, without making it: the table entry of the next position can be
    /// fetched while the move is still being made. It is exact for every legal move.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else {
            return self.key;
        };
        let us = self.side_to_move;
        let mut key = self.key_after_null() ^ zobrist::piece(piece, from);
        let lost = self.castling_rooks_lost(piece, mv);
        for rook in lost {
            key ^= zobrist::castling(rook);
        }
        if mv.is_castling() {
            let (king_to, rook_to) = Self::castling_targets(from, to);
            let rook = Piece::new(us, PieceType::Rook);
            return key
                ^ zobrist::piece(piece, king_to)
                ^ zobrist::piece(rook, to)
                ^ zobrist::piece(rook, rook_to);
        }
        if let Some(captured) = self.piece_on(to) {
            key ^= zobrist::piece(captured, to);
        }
        if piece.piece_type() == PieceType::Pawn {
            if let Some(promoted) = mv.promotion() {
                return key ^ zobrist::piece(Piece::new(us, promoted), to);
            }
            if mv.is_en_passant() {
                key ^= zobrist::piece(Piece::new(!us, PieceType::Pawn), to.en_passant_partner());
            } else if from.index().abs_diff(to.index()) == 16
                && self.double_push_allows_capture(from, to)
            {
                key ^= zobrist::en_passant(to.en_passant_partner());
            }
        }
        key ^ zobrist::piece(piece, to)
    }
}

/// All keys of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The key of the position.
    pub full: u64,
    /// Pawns, White's pieces, Black's pieces, minor pieces and kings.
    pub parts: [u64; 4],
}
