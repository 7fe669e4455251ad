//! What can be wrong with a FEN, and where.

use core::fmt;

use crate::{Color, Square};

/// A part of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FenField {
    Pieces,
    SideToMove,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pieces => "pieces",
            Self::SideToMove => "side to move",
            Self::Castling => "castling",
            Self::EnPassant => "en passant",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "fullmove number",
        })
    }
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Problem {
    Missing,
    TrailingText,
    NotAPiece(char),
    LongRank { rank: u8 },
    ShortRank { rank: u8, squares: u8 },
    TooManyRanks,
    TooFewRanks { ranks: u8 },
    PawnOnEdge(Square),
    Kings { color: Color, kings: u32 },
    TooManyMen { color: Color, men: u32 },
    NotASide,
    EnemyInCheck(Color),
    NotACastlingRight(char),
    NoRookToCastle(char),
    RepeatedRight(char),
    NotASquare,
    EnPassantRank { rank: u8 },
    NoPawnToCapture(Square),
    EnPassantBlocked(Square),
    NotANumber,
    NumberTooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |color: &Color| if color.is_white() { "White" } else { "Black" };
        match self {
            Self::Missing => f.write_str("the text ends before this field"),
            Self::TrailingText => f.write_str("text after the last field"),
            Self::NotAPiece(letter) => {
                write!(f, "{letter:?} is neither a piece nor a number from 1 to 8")
            }
            Self::LongRank { rank } => write!(f, "rank {rank} has more than 8 squares"),
            Self::ShortRank { rank, squares } => {
                write!(f, "rank {rank} has only {squares} squares")
            }
            Self::TooManyRanks => f.write_str("more than 8 ranks"),
            Self::TooFewRanks { ranks } => write!(f, "only {ranks} ranks"),
            Self::PawnOnEdge(square) => write!(f, "a pawn cannot stand on {square}"),
            Self::Kings { color, kings } => {
                write!(f, "{} has {kings} kings instead of one", name(color))
            }
            Self::TooManyMen { color, men } => {
                write!(f, "{} has {men} men, more than 16", name(color))
            }
            Self::NotASide => f.write_str("the side to move is neither w nor b"),
            Self::EnemyInCheck(color) => write!(f, "{} is in check but not to move", name(color)),
            Self::NotACastlingRight(letter) => write!(f, "{letter:?} is not a castling right"),
            Self::NoRookToCastle(letter) => {
                write!(f, "no king and rook stand on the back rank for the right {letter:?}")
            }
            Self::RepeatedRight(letter) => {
                write!(f, "{letter:?} gives a second castling right on the same wing")
            }
            Self::NotASquare => f.write_str("neither a square nor -"),
            Self::EnPassantRank { rank } => write!(f, "the square must be on rank {rank}"),
            Self::NoPawnToCapture(square) => write!(f, "there is no pawn to capture on {square}"),
            Self::EnPassantBlocked(square) => {
                write!(f, "the pawn cannot have come over {square}, which is occupied")
            }
            Self::NotANumber => f.write_str("not a number"),
            Self::NumberTooLarge => f.write_str("the number is too large"),
        }
    }
}

/// What is wrong with a FEN, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FenError {
    /// The field that is wrong.
    pub field: FenField,
    /// The position in the text, in characters from 1.
    pub column: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, column {}: {}", self.field, self.column, self.problem)
    }
}

impl core::error::Error for FenError {}
