//! A move in 16 bits.

use core::fmt;
use core::num::NonZeroU16;

use crate::{PieceType, Square};

/// A move in 16 bits. Zero is not a move, so `Option<Move>` has 16 bits too.
///
/// ```text
///  15 14 | 13 12     | 11 … 6 | 5 … 0
///  kind  | promotion |   to   | from
///  kind: 0 ordinary, 1 promotion, 2 en passant, 3 castling
///  promotion: 0 knight, 1 bishop, 2 rook, 3 queen; 0 for every other kind
/// ```
/// Castling is written king takes own rook in every variant: e1h1, not e1g1. That is the one
/// notation that is unambiguous in Chess960. Zero would be a1a1, which no piece can play.
///
/// Any other 16 bits are a `Move` as well, because moves come out of a table that many threads
/// write to; [`Board::is_legal`](crate::Board::is_legal) decides what may be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

/// The kind of move in bits 14 and 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Ordinary = 0,
    Promotion = 1,
    EnPassant = 2,
    Castling = 3,
}

const PROMOTION: u16 = 1 << 14;
const EN_PASSANT: u16 = 2 << 14;
const CASTLING: u16 = 3 << 14;

impl Move {
    /// a1b1: a filler for arrays.
    pub(crate) const FILLER: Self = Self::pack(Square::A1, Square::B1, 0);

    #[inline]
    const fn pack(from: Square, to: Square, kind: u16) -> Self {
        match NonZeroU16::new(from.index() as u16 | (to.index() as u16) << 6 | kind) {
            Some(bits) => Self(bits),
            // Only a1a1 gets here, which no generator makes.
            None => Self(NonZeroU16::MAX),
        }
    }

    /// An ordinary move or capture.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0)
    }

    /// The same from a square other than a1: that it is not zero need not be checked again for
    /// every target.
    #[inline(always)]
    pub(crate) fn ordinary(from: NonZeroU16, to: Square) -> Self {
        Self(from | (to.index() as u16) << 6)
    }

    /// A promotion, with or without capture. Only knight, bishop, rook and queen can be written;
    /// the others become a queen.
    #[inline]
    pub const fn new_promotion(from: Square, to: Square, piece_type: PieceType) -> Self {
        let choice = match piece_type {
            PieceType::Knight => 0,
            PieceType::Bishop => 1,
            PieceType::Rook => 2,
            _ => 3,
        };
        Self::pack(from, to, PROMOTION | choice << 12)
    }

    /// A pawn takes en passant.
    #[inline]
    pub const fn new_en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, EN_PASSANT)
    }

    /// The king castles with the rook on `rook`.
    #[inline]
    pub const fn new_castling(king: Square, rook: Square) -> Self {
        Self::pack(king, rook, CASTLING)
    }

    /// The 16 bits.
    #[inline]
    pub const fn raw(self) -> u16 {
        self.0.get()
    }

    /// The move of 16 bits; `None` for zero only.
    #[inline]
    pub const fn from_raw(raw: u16) -> Option<Self> {
        match NonZeroU16::new(raw) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// The origin square.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.raw() as usize)
    }

    /// The target square; for castling, the square of the castling rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.raw() >> 6) as usize)
    }

    #[inline]
    pub(crate) const fn kind(self) -> Kind {
        match self.raw() >> 14 {
            0 => Kind::Ordinary,
            1 => Kind::Promotion,
            2 => Kind::EnPassant,
            _ => Kind::Castling,
        }
    }

    /// The promotion bits, whatever the kind of move.
    #[inline]
    pub(crate) const fn promotion_bits(self) -> u16 {
        self.raw() >> 12 & 3
    }

    /// The piece promoted to, if this is a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        if self.is_promotion() { Some(self.promoted()) } else { None }
    }

    /// What a promotion makes; a knight for other moves.
    #[inline]
    pub(crate) const fn promoted(self) -> PieceType {
        match self.promotion_bits() {
            0 => PieceType::Knight,
            1 => PieceType::Bishop,
            2 => PieceType::Rook,
            _ => PieceType::Queen,
        }
    }

    /// Whether the kind is castling.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.raw() >> 14 == 3
    }

    /// Whether the kind is en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.raw() >> 14 == 2
    }

    /// Whether the kind is promotion.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.raw() >> 14 == 1
    }
}

impl fmt::Display for Move {
    /// The squares and the promotion: `e2e4`, `e7e8q`, and king takes rook for castling.
    ///
    /// A GUI wants e1g1 in standard chess: that is [`Board::uci`](crate::Board::uci).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(piece_type) => write!(f, "{}", piece_type.letter()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        match self.kind() {
            Kind::EnPassant => f.write_str(" e.p."),
            Kind::Castling => f.write_str(" castling"),
            Kind::Ordinary | Kind::Promotion => Ok(()),
        }
    }
}
