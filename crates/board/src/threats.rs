//! What a side attacks.

use crate::attacks;
use crate::{Bitboard, Board, Color, PieceType};

/// The squares a side attacks with cheap pieces: a dearer piece there stands badly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Attacked by pawns.
    pub pawn: Bitboard,
    /// Attacked by pawns, knights or bishops.
    pub minor: Bitboard,
    /// Attacked by pawns, knights, bishops or rooks.
    pub rook: Bitboard,
}

impl Board {
    /// The squares `color` attacks with pawns, with minor pieces or below, and with rooks or below.
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
        Threats { pawn, minor, rook }
    }

    /// All squares `color` attacks, occupied or not.
    pub fn attacked_by(&self, color: Color) -> Bitboard {
        let occupied = self.occupied();
        let mut all = self.threats(color).rook | attacks::king(self.king(color));
        for square in self.pieces_of(color, PieceType::Queen) {
            all |= attacks::queen(square, occupied);
        }
        all
    }
}
