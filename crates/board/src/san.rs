//! Moves as people write them: `Nf3`, `exd5`, `O-O`, `e8=Q+`.

use crate::{Bitboard, Board, Move, MoveError, Piece, PieceType, Square};

/// What a SAN text says about a move, besides castling.
struct Wanted {
    piece_type: PieceType,
    /// Squares the piece may come from, as far as the text tells.
    from: Bitboard,
    to: Square,
    promotion: Option<PieceType>,
}

impl Board {
    /// A legal move in standard algebraic notation, with `+` or `#` where it gives check or mate.
    ///
    /// ```
    /// use megatherium_board::Board;
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
    /// assert_eq!(board.san(board.parse_uci("e1g1").unwrap()), "O-O");
    /// assert_eq!(board.san(board.parse_uci("a1a8").unwrap()), "Ra8+");
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let mut text = String::with_capacity(8);
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castling() {
            text.push_str(if to > from { "O-O" } else { "O-O-O" });
        } else {
            let capture = self.is_capture(mv);
            match self.moved(mv).piece_type() {
                PieceType::Pawn if capture => text.push((b'a' + from.file()) as char),
                PieceType::Pawn => {}
                piece_type => {
                    text.push(piece_type.letter().to_ascii_uppercase());
                    self.disambiguate(mv, &mut text);
                }
            }
            if capture {
                text.push('x');
            }
            text.push_str(&to.to_string());
            if let Some(promoted) = mv.promotion() {
                text.push('=');
                text.push(promoted.letter().to_ascii_uppercase());
            }
        }
        let after = self.after(mv);
        if after.in_check() {
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// Adds the file, the rank, or both, if another piece of the kind could go to the same square.
    fn disambiguate(&self, mv: Move, text: &mut String) {
        let from = mv.from();
        let rivals: Bitboard = self
            .legal_moves()
            .iter()
            .filter(|other| {
                other.to() == mv.to()
                    && !other.is_castling()
                    && self.moved(**other) == self.moved(mv)
            })
            .map(|other| other.from())
            .filter(|square| *square != from)
            .collect();
        if rivals.is_empty() {
            return;
        }
        let file_tells = !rivals.intersects(Bitboard::file(from.file()));
        let rank_tells = !rivals.intersects(Bitboard::rank(from.rank()));
        if file_tells || !rank_tells {
            text.push((b'a' + from.file()) as char);
        }
        if !file_tells {
            text.push((b'1' + from.rank()) as char);
        }
    }

    /// Reads a legal move in algebraic notation.
    ///
    /// More is accepted than [`Board::san`] writes: needless squares of origin (`Ng1f3`, `e2-e4`),
    /// missing signs for capture, check and mate, `0-0`, `e8Q` and `e8(Q)`, and comments like `!?`.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
        match text {
            "O-O" | "0-0" => return self.parse_castling(true),
            "O-O-O" | "0-0-0" => return self.parse_castling(false),
            _ => {}
        }
        let wanted = read_san(text).ok_or(MoveError::Malformed)?;
        let moves = self.legal_moves();
        let mut fitting = moves.iter().copied().filter(|mv| {
            !mv.is_castling()
                && mv.to() == wanted.to
                && mv.promotion() == wanted.promotion
                && wanted.from.contains(mv.from())
                && self.piece_from(*mv).map(Piece::piece_type) == Some(wanted.piece_type)
        });
        match (fitting.next(), fitting.next()) {
            (None, _) => Err(MoveError::Illegal),
            (Some(mv), None) => Ok(mv),
            (Some(_), Some(_)) => Err(MoveError::Ambiguous),
        }
    }

    fn parse_castling(&self, kingside: bool) -> Result<Move, MoveError> {
        let us = self.side_to_move();
        let rook = if kingside { self.kingside_rook(us) } else { self.queenside_rook(us) };
        rook.map(|rook| Move::new_castling(self.king(us), rook))
            .filter(|mv| self.is_legal(*mv))
            .ok_or(MoveError::Illegal)
    }
}

fn piece_type_of(letter: u8) -> Option<PieceType> {
    match letter {
        b'N' => Some(PieceType::Knight),
        b'B' => Some(PieceType::Bishop),
        b'R' => Some(PieceType::Rook),
        b'Q' => Some(PieceType::Queen),
        b'K' => Some(PieceType::King),
        _ => None,
    }
}

/// Parses a SAN text from both ends.
fn read_san(text: &str) -> Option<Wanted> {
    let mut rest = text.as_bytes();
    let mut piece_type = PieceType::Pawn;
    if let [first, tail @ ..] = rest
        && let Some(named) = piece_type_of(*first)
    {
        (piece_type, rest) = (named, tail);
    }

    let mut promotion = None;
    if let [head @ .., b'(', letter, b')'] | [head @ .., b'=', letter] | [head @ .., letter] = rest
        && let Some(promoted) = piece_type_of(*letter)
    {
        if promoted == PieceType::King {
            return None;
        }
        (promotion, rest) = (Some(promoted), head);
    }

    let (origin, target) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = core::str::from_utf8(target).ok()?.parse().ok()?;
    let origin = match origin {
        [head @ .., b'x' | b':' | b'-'] => head,
        all => all,
    };
    let from = match origin {
        [] => Bitboard::ALL,
        [file @ b'a'..=b'h'] => Bitboard::file(file - b'a'),
        [rank @ b'1'..=b'8'] => Bitboard::rank(rank - b'1'),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Square::new(file - b'a', rank - b'1').bitboard()
        }
        _ => return None,
    };
    Some(Wanted { piece_type, from, to, promotion })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap()
    }

    #[test]
    fn every_legal_move_reads_back() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
            "1k6/8/8/3Q1Q2/8/8/K7/3Q1Q2 w - - 0 1",
            "6k1/P7/8/8/8/8/8/K7 w - - 0 1",
            "1nrkr3/8/8/8/8/8/8/1RK4R w HBec - 0 1",
        ] {
            let board = board(fen);
            let mut seen = std::collections::HashSet::new();
            for mv in &board.legal_moves() {
                let text = board.san(*mv);
                assert_eq!(board.parse_san(&text), Ok(*mv), "{text} in {fen}");
                assert!(seen.insert(text.clone()), "{text} twice in {fen}");
            }
        }
    }

    #[test]
    fn only_needed_origins_are_written() {
        let four_queens = board("1k6/8/8/3Q1Q2/8/8/K7/3Q1Q2 w - - 0 1");
        for (uci, san) in [("d5e4", "Qde4"), ("d5d3", "Qd5d3"), ("f5g5", "Qg5"), ("d1h5", "Qdh5")] {
            assert_eq!(four_queens.san(four_queens.parse_uci(uci).unwrap()), san);
        }
        let start = Board::startpos();
        assert_eq!(start.san(start.parse_uci("e2e4").unwrap()), "e4");
        // The other knight is pinned, so the move is unambiguous.
        let pinned = board("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
        assert_eq!(pinned.san(pinned.parse_uci("g1e2").unwrap()), "Ne2");
        let rooks = board("4k3/8/8/R7/8/8/8/R3K3 w Q - 0 1");
        assert_eq!(rooks.san(rooks.parse_uci("a1a3").unwrap()), "R1a3");
        assert_eq!(rooks.san(rooks.parse_uci("e1a1").unwrap()), "O-O-O");
    }

    #[test]
    fn other_spellings_are_read() {
        let start = Board::startpos();
        for (text, uci) in [
            ("Nf3", "g1f3"),
            ("Ng1f3", "g1f3"),
            ("Ng1-f3!?", "g1f3"),
            ("Ngf3", "g1f3"),
            ("N1f3", "g1f3"),
            ("e2e4", "e2e4"),
            ("e2-e4", "e2e4"),
            ("e4+", "e2e4"),
        ] {
            assert_eq!(start.parse_san(text), start.parse_uci(uci), "{text}");
        }
        let promoting = board("3r3k/2P5/8/8/8/8/8/K7 w - - 0 1");
        for text in ["cxd8=Q+", "cxd8Q", "cd8(Q)#", "c7xd8=Q", "c:d8=Q"] {
            assert_eq!(promoting.parse_san(text), promoting.parse_uci("c7d8q"), "{text}");
        }
        let passing = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        for text in ["exd6", "exd6e.p.", "exd6 e.p.", "ed6"] {
            assert_eq!(passing.parse_san(text), passing.parse_uci("e5d6"), "{text}");
        }
    }

    #[test]
    fn wrong_texts_are_told_apart() {
        let start = Board::startpos();
        let two_knights = board("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1");
        assert_eq!(two_knights.parse_san("Nd2"), Err(MoveError::Ambiguous));
        for text in ["O-O", "Ke2", "e5", "e4=Q", "Nf6", "Qd8"] {
            assert_eq!(start.parse_san(text), Err(MoveError::Illegal), "{text}");
        }
        for text in [
            "", "N", "e", "e9", "Zf3", "Nxx", "Nf3f3f3", "=Q", "é4", "♘f3", "e8=K", "--", "x",
            "O-O-O-O",
        ] {
            assert_eq!(start.parse_san(text), Err(MoveError::Malformed), "{text}");
        }
    }
}
