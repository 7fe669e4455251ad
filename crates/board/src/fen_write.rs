//! Writing FEN.

use core::fmt::Write;

use crate::{Board, Color, PieceType, Square};

impl Board {
    /// The FEN. Castling rights are written `KQkq`; where that would name another rook than the one
    /// with the right, the file of the rook is written instead, as X-FEN has it.
    pub fn fen(&self) -> String {
        self.write_fen(false)
    }

    /// The FEN with castling rights written as the files of the rooks: `HAha` at the start of a
    /// game.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(true)
    }

    fn write_fen(&self, shredder: bool) -> String {
        format!(
            "{} {} {}",
            self.write_position(shredder),
            self.halfmove_clock(),
            self.fullmove_number()
        )
    }

    /// The four fields that FEN and EPD share.
    pub(crate) fn write_position(&self, shredder: bool) -> String {
        let mut text = String::with_capacity(90);
        for rank in (0..8).rev() {
            let mut empty = 0u8;
            for file in 0..8 {
                match self.piece_on(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text.push((b'0' + empty) as char);
                            empty = 0;
                        }
                        text.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                text.push((b'0' + empty) as char);
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push_str(if self.side_to_move.is_white() { "w " } else { "b " });
        for color in Color::ALL {
            for (letter, rook) in
                [('K', self.kingside_rook(color)), ('Q', self.queenside_rook(color))]
            {
                if let Some(rook) = rook {
                    let letter = if shredder || !self.is_outermost(color, rook) {
                        (b'A' + rook.file()) as char
                    } else {
                        letter
                    };
                    text.push(if color.is_white() { letter } else { letter.to_ascii_lowercase() });
                }
            }
        }
        if self.castling_rooks.is_empty() {
            text.push('-');
        }
        match self.en_passant() {
            Some(square) => {
                // Writing to a string cannot fail.
                let _ = write!(text, " {square}");
            }
            None => text.push_str(" -"),
        }
        text
    }

    /// Whether no other rook of the side is farther from the king on the back rank, on the same
    /// wing.
    fn is_outermost(&self, color: Color, rook: Square) -> bool {
        let king = self.king(color);
        let rivals = self.pieces_of(color, PieceType::Rook) & crate::Bitboard::rank(rook.rank());
        !rivals.into_iter().any(|other| if rook > king { other > rook } else { other < rook })
    }
}
