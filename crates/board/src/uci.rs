//! Moves as UCI writes them: `e2e4`, `e7e8q`, and castling in two ways.

use core::fmt;

use crate::{Board, Move, PieceType, Square};

/// Why a text is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not a move at all.
    Malformed,
    /// It is a move, but not a legal one in this position.
    Illegal,
    /// It could be more than one legal move.
    Ambiguous,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a move",
            Self::Illegal => "not a legal move in this position",
            Self::Ambiguous => "could be several legal moves",
        })
    }
}

impl core::error::Error for MoveError {}

/// A move ready to be written for UCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UciMove {
    from: Square,
    to: Square,
    promotion: Option<PieceType>,
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(piece_type) => write!(f, "{}", piece_type.letter()),
            None => Ok(()),
        }
    }
}

/// Whether castling starts from the squares of standard chess, so that it can be written as the
/// king's move.
fn is_standard_castling(king: Square, rook: Square) -> bool {
    king.file() == 4 && (rook.file() == 0 || rook.file() == 7)
}

impl Board {
    /// A legal move for UCI. Castling is king takes rook if `chess960` is set or the set-up is not
    /// the standard one; otherwise it is the king's own move, e1g1.
    pub fn uci(&self, mv: Move, chess960: bool) -> UciMove {
        let (from, mut to) = (mv.from(), mv.to());
        if mv.is_castling() && !chess960 && is_standard_castling(from, to) {
            to = Self::castling_targets(from, to).0;
        }
        UciMove { from, to, promotion: mv.promotion() }
    }

    /// Reads a legal move. Castling may be king takes rook, or the king's two squares in the
    /// standard set-up.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let square = |range| text.get(range).and_then(|name: &str| name.parse::<Square>().ok());
        let (Some(from), Some(to)) = (square(0..2), square(2..4)) else {
            return Err(MoveError::Malformed);
        };
        let promotion = match text.get(4..).unwrap_or("?") {
            "" => None,
            "n" => Some(PieceType::Knight),
            "b" => Some(PieceType::Bishop),
            "r" => Some(PieceType::Rook),
            "q" => Some(PieceType::Queen),
            _ => return Err(MoveError::Malformed),
        };
        if from == to {
            return Err(MoveError::Illegal);
        }
        let mv = match promotion {
            Some(piece_type) => Move::new_promotion(from, to, piece_type),
            None => self.complete(from, to),
        };
        if self.is_legal(mv) { Ok(mv) } else { Err(MoveError::Illegal) }
    }

    /// The move between two squares, with the kind it has on this board.
    fn complete(&self, from: Square, to: Square) -> Move {
        let us = self.side_to_move();
        match self.piece_on(from).map(crate::Piece::piece_type) {
            Some(PieceType::King) if self.castling_rooks_of(us).contains(to) => {
                Move::new_castling(from, to)
            }
            Some(PieceType::King)
                if from.file().abs_diff(to.file()) == 2 && from.rank() == to.rank() =>
            {
                let corner = Square::new(if to > from { 7 } else { 0 }, from.rank());
                if is_standard_castling(from, corner) {
                    Move::new_castling(from, corner)
                } else {
                    Move::new(from, to)
                }
            }
            Some(PieceType::Pawn) if self.en_passant() == Some(to) && from.file() != to.file() => {
                Move::new_en_passant(from, to)
            }
            _ => Move::new(from, to),
        }
    }
}
