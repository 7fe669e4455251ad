//! Reading FEN: four, five or six fields, with castling as FEN, X-FEN or Shredder-FEN write it.

use core::str::FromStr;

use crate::clocks::Clocks;
use crate::fen_error::{FenError, FenField, Problem};
use crate::{Bitboard, Board, Color, Piece, PieceType, Square};

/// A field and where it starts in the text, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

/// The fields of a text, separated by white space.
pub(crate) fn fields(text: &str) -> impl Iterator<Item = Field<'_>> {
    let mut rest = text;
    core::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let start = text.len() - rest.len();
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (field, after) = rest.split_at(end);
        rest = after;
        (!field.is_empty()).then_some(Field { start, text: field })
    })
}

/// Puts the place of a problem into an error.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn error(&self, field: FenField, byte: usize, problem: Problem) -> FenError {
        let column = self.0.char_indices().take_while(|(start, _)| *start < byte).count() + 1;
        FenError { field, column, problem }
    }
}

impl FromStr for Board {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }
}

impl Board {
    /// Reads a FEN of four, five or six fields; missing clocks are `0 1`.
    ///
    /// Positions that could not be searched soundly are refused: a side without exactly one king or
    /// with more than 16 men, pawns on the first or last rank, the side not to move in check,
    /// castling rights without king and rook in place, en passant without the pawn.
    ///
    /// ```
    /// use megatherium_board::Board;
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    /// assert_eq!(board.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    /// let error = Board::from_fen("4k3/8/8/9/8/8/8/4K2R w K - 0 1").unwrap_err();
    /// let problem = "pieces, column 9: '9' is neither a piece nor a number from 1 to 8";
    /// assert_eq!(error.to_string(), problem);
    /// ```
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let (mut board, end) = Self::from_position_fields(text)?;
        let reader = Reader(text);
        let mut clocks =
            fields(&text[end..]).map(|field| Field { start: field.start + end, ..field });
        let (mut halfmoves, mut number) = (0, 1);
        if let Some(field) = clocks.next() {
            halfmoves = read_clock(&reader, FenField::HalfmoveClock, field)?;
        }
        if let Some(field) = clocks.next() {
            number = read_clock(&reader, FenField::FullmoveNumber, field)?;
        }
        if let Some(field) = clocks.next() {
            return Err(reader.error(FenField::FullmoveNumber, field.start, Problem::TrailingText));
        }
        board.set_clocks(halfmoves, number);
        Ok(board)
    }

    /// Sets the clocks.
    pub(crate) fn set_clocks(&mut self, halfmove_clock: u16, fullmove_number: u16) {
        self.clocks = Clocks::new(halfmove_clock, fullmove_number, self.side_to_move);
    }

    /// Reads the four fields that FEN and EPD share, and tells in which byte they end.
    pub(crate) fn from_position_fields(text: &str) -> Result<(Self, usize), FenError> {
        let reader = Reader(text);
        let mut fields = fields(text);
        let mut next = |name| {
            fields
                .next()
                .ok_or_else(|| reader.error(name, text.trim_ascii_end().len(), Problem::Missing))
        };
        let pieces = next(FenField::Pieces)?;
        let side = next(FenField::SideToMove)?;
        let castling = next(FenField::Castling)?;
        let en_passant = next(FenField::EnPassant)?;
        let board = Self::read_position(&reader, [pieces, side, castling, en_passant])?;
        Ok((board, en_passant.start + en_passant.text.len()))
    }

    fn read_position(reader: &Reader<'_>, fields: [Field<'_>; 4]) -> Result<Self, FenError> {
        let [pieces, side, castling, en_passant] = fields;
        let mut board = Self::bare();
        board.read_pieces(reader, pieces)?;
        board.side_to_move = match side.text {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(reader.error(FenField::SideToMove, side.start, Problem::NotASide)),
        };
        let mover = board.side_to_move;
        if board.is_attacked(board.king(!mover), mover, board.occupied()) {
            return Err(reader.error(
                FenField::SideToMove,
                side.start,
                Problem::EnemyInCheck(!mover),
            ));
        }
        board.read_castling(reader, castling)?;
        board.read_en_passant(reader, en_passant)?;
        board.set_clocks(0, 1);
        board.find_checkers_and_pinned();
        let keys = board.compute_keys();
        board.key = keys.full;
        board.part_keys = keys.parts;
        Ok(board)
    }

    fn read_pieces(&mut self, reader: &Reader<'_>, field: Field<'_>) -> Result<(), FenError> {
        let error =
            |at: usize, problem| Err(reader.error(FenField::Pieces, field.start + at, problem));
        let (mut file, mut rank) = (0u8, 7u8);
        for (at, letter) in field.text.char_indices() {
            match letter {
                '/' if file < 8 => {
                    return error(at, Problem::ShortRank { rank: rank + 1, squares: file });
                }
                '/' if rank == 0 => return error(at, Problem::TooManyRanks),
                '/' => (file, rank) = (0, rank - 1),
                '1'..='8' => file += letter as u8 - b'0',
                _ => {
                    let Some(piece) = Piece::from_letter(letter) else {
                        return error(at, Problem::NotAPiece(letter));
                    };
                    if file < 8 {
                        let square = Square::new(file, rank);
                        if piece.piece_type() == PieceType::Pawn && (rank == 0 || rank == 7) {
                            return error(at, Problem::PawnOnEdge(square));
                        }
                        self.toggle(piece, square);
                        self.mailbox[square.index()] = Some(piece);
                    }
                    file += 1;
                }
            }
            if file > 8 {
                return error(at, Problem::LongRank { rank: rank + 1 });
            }
        }
        if file < 8 {
            return error(field.text.len(), Problem::ShortRank { rank: rank + 1, squares: file });
        }
        if rank > 0 {
            return error(field.text.len(), Problem::TooFewRanks { ranks: 8 - rank });
        }
        for color in Color::ALL {
            let kings = self.pieces_of(color, PieceType::King).count();
            if kings != 1 {
                return error(0, Problem::Kings { color, kings });
            }
            let men = self.colors(color).count();
            if men > 16 {
                return error(0, Problem::TooManyMen { color, men });
            }
        }
        Ok(())
    }

    fn read_castling(&mut self, reader: &Reader<'_>, field: Field<'_>) -> Result<(), FenError> {
        if field.text == "-" {
            return Ok(());
        }
        for (at, letter) in field.text.char_indices() {
            let error = |problem| reader.error(FenField::Castling, field.start + at, problem);
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let back_rank = if color.is_white() { 0 } else { 7 };
            let king = self.king(color);
            let rooks = if king.rank() == back_rank {
                self.pieces_of(color, PieceType::Rook) & Bitboard::rank(back_rank)
            } else {
                Bitboard::EMPTY
            };
            let rook = match letter.to_ascii_lowercase() {
                // The outermost rook on the king's side or the queen's side.
                'k' => rooks.into_iter().filter(|rook| *rook > king).last(),
                'q' => rooks.into_iter().find(|rook| *rook < king),
                file @ 'a'..='h' => {
                    let square = Square::new(file as u8 - b'a', back_rank);
                    rooks.contains(square).then_some(square)
                }
                _ => return Err(error(Problem::NotACastlingRight(letter))),
            };
            let rook = rook.ok_or_else(|| error(Problem::NoRookToCastle(letter)))?;
            let wing = self
                .castling_rooks_of(color)
                .into_iter()
                .any(|other| (other > king) == (rook > king));
            if wing {
                return Err(error(Problem::RepeatedRight(letter)));
            }
            self.castling_rooks |= rook.bitboard();
        }
        Ok(())
    }

    /// Stores the en passant square only if a capture is legal, but checks that a pawn can have
    /// passed it.
    fn read_en_passant(&mut self, reader: &Reader<'_>, field: Field<'_>) -> Result<(), FenError> {
        if field.text == "-" {
            return Ok(());
        }
        let error = |problem| Err(reader.error(FenField::EnPassant, field.start, problem));
        let Ok(target) = field.text.parse::<Square>() else {
            return error(Problem::NotASquare);
        };
        let pusher = !self.side_to_move;
        if target.relative_rank(pusher) != 2 {
            return error(Problem::EnPassantRank { rank: if pusher.is_white() { 3 } else { 6 } });
        }
        let pushed = target.en_passant_partner();
        let start = Square::from_index(target.index() ^ 0b01_1000);
        if self.piece_on(pushed) != Some(Piece::new(pusher, PieceType::Pawn)) {
            return error(Problem::NoPawnToCapture(pushed));
        }
        if let Some(blocked) =
            [target, start].into_iter().find(|square| self.piece_on(*square).is_some())
        {
            return error(Problem::EnPassantBlocked(blocked));
        }
        if self.double_push_allows_capture(start, pushed) {
            self.en_passant = target;
        }
        Ok(())
    }
}

fn read_clock(reader: &Reader<'_>, name: FenField, field: Field<'_>) -> Result<u16, FenError> {
    let digits = field.text.bytes().all(|byte| byte.is_ascii_digit());
    match field.text.parse::<u16>() {
        Ok(number) if digits => Ok(number),
        _ if digits => Err(reader.error(name, field.start, Problem::NumberTooLarge)),
        _ => Err(reader.error(name, field.start, Problem::NotANumber)),
    }
}
