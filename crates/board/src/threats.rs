//! What a side attacks.

use crate::attacks;
use crate::{Bitboard, Board, Color, PieceType};

/// The squares a side attacks, by the value of the attacker: a more valuable piece there is
/// threatened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Attacked by pawns.
    pub pawn: Bitboard,
    /// Attacked by pawns, knights or bishops.
    pub minor: Bitboard,
    /// Attacked by pawns, knights, bishops or rooks.
    pub rook: Bitboard,
    /// Attacked by anything.
    pub all: Bitboard,
}

impl Board {
    /// The squares `color` attacks, occupied or not: with pawns, with minor pieces or below, with
    /// rooks or below, with anything.
    pub fn threats(&self, color: Color) -> Threats {
        let occupied = self.occupied();
        let pawn = attacks::pawns(color, self.pieces_of(color, PieceType::Pawn));
        let mut minor = pawn;
        for square in self.pieces_of(color, PieceType::Knight) {
            minor |= attacks::knight(square);
        }
        for square in self.pieces_of(color, PieceType::Bishop) {
            minor |= attacks::bishop(square, occupied);
        }
        let mut rook = minor;
        for square in self.pieces_of(color, PieceType::Rook) {
            rook |= attacks::rook(square, occupied);
        }
        let mut all = rook | attacks::king(self.king(color));
        for square in self.pieces_of(color, PieceType::Queen) {
            all |= attacks::queen(square, occupied);
        }
        Threats { pawn, minor, rook, all }
    }
}
