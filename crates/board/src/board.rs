//! The position: its fields and accessors.

use core::fmt;

use crate::attacks;
use crate::clocks::Clocks;
use crate::{Bitboard, Color, Move, Piece, PieceType, Square};

/// A chess position, standard or Chess960, with everything a search needs at every node.
///
/// The board is copy-make: a search keeps the position before a move and makes the move on a copy.
/// There is no unmake and no undo record to keep in step.
///
/// ```
/// use megatherium_board::Board;
/// let mut board = Board::startpos();
/// let mv = board.parse_uci("e2e4").unwrap();
/// let before = board;
/// board.make(mv);
/// assert_eq!(board.key(), before.key_after(mv));
/// assert_eq!(before.legal_moves().len(), 20);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
// Aligned, so that no wide load or store of a copy crosses a cache line.
#[repr(align(32))]
pub struct Board {
    /// Squares of each kind of piece, then of each side.
    pub(crate) sets: [Bitboard; 8],
    /// The mailbox: what stands on each square, the same as the bitboards above.
    pub(crate) mailbox: [Option<Piece>; 64],
    /// The Zobrist key: everything that matters for the rest of the game except the clocks.
    pub(crate) key: u64,
    /// Keys of parts of the placement, in the order of [`crate::keys`].
    pub(crate) part_keys: [u64; 4],
    /// Enemy pieces that give check.
    pub(crate) checkers: Bitboard,
    /// Absolutely pinned pieces of the side to move.
    pub(crate) pinned: Bitboard,
    /// Castling rights, as the rooks that may still castle. The rank gives the side and the king's
    /// square the wing; any move from or to a rook's square ends its right.
    pub(crate) castling_rooks: Bitboard,
    pub(crate) clocks: Clocks,
    pub(crate) side_to_move: Color,
    /// The square where a pawn can be captured en passant, only if such a capture is legal;
    /// otherwise a1, whose number in the key is zero.
    pub(crate) en_passant: Square,
}

impl Board {
    /// The first position of a game of standard chess.
    pub fn startpos() -> Self {
        const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        Self::from_fen(FEN).unwrap_or_else(|_| Self::bare())
    }

    /// An empty board, from which a position is built.
    pub(crate) const fn bare() -> Self {
        Self {
            sets: [Bitboard::EMPTY; 8],
            mailbox: [None; 64],
            key: 0,
            part_keys: [0; 4],
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling_rooks: Bitboard::EMPTY,
            clocks: Clocks::new(0, 1, Color::White),
            side_to_move: Color::White,
            en_passant: Square::A1,
        }
    }

    /// The side to move.
    #[inline]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.sets[6] | self.sets[7]
    }

    /// The squares of one side.
    #[inline]
    pub const fn colors(&self, color: Color) -> Bitboard {
        self.sets[6 + color.index()]
    }

    /// The squares of one kind of piece, of both sides.
    #[inline]
    pub const fn pieces(&self, piece_type: PieceType) -> Bitboard {
        self.sets[piece_type.index()]
    }

    /// The squares of one side's pieces of one kind.
    #[inline]
    pub fn pieces_of(&self, color: Color, piece_type: PieceType) -> Bitboard {
        self.colors(color) & self.pieces(piece_type)
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // Every board has both kings; from_index makes a square of an empty set's 64 as well.
        Square::from_index(self.pieces_of(color, PieceType::King).0.trailing_zeros() as usize)
    }

    /// Bishops and queens of a side.
    #[inline]
    pub(crate) fn diagonal_sliders(&self, color: Color) -> Bitboard {
        (self.pieces(PieceType::Bishop) | self.pieces(PieceType::Queen)) & self.colors(color)
    }

    /// Rooks and queens of a side.
    #[inline]
    pub(crate) fn orthogonal_sliders(&self, color: Color) -> Bitboard {
        (self.pieces(PieceType::Rook) | self.pieces(PieceType::Queen)) & self.colors(color)
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of `color` that are pinned to their own king. Stored for the side to move,
    /// computed for the other.
    #[inline]
    pub fn pinned(&self, color: Color) -> Bitboard {
        if color == self.side_to_move { self.pinned } else { self.find_pinned(color) }
    }

    /// Computes the absolutely pinned pieces of `color`: each alone between its king and an enemy
    /// slider.
    fn find_pinned(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let occupied = self.occupied();
        let snipers = attacks::bishop_rays(king) & self.diagonal_sliders(!color)
            | attacks::rook_rays(king) & self.orthogonal_sliders(!color);
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.more_than_one() {
                pinned |= blockers;
            }
        }
        pinned & self.colors(color)
    }

    /// Computes checkers and pins of the side to move, in one pass over the enemy sliders aligned
    /// with its king.
    #[inline]
    pub(crate) fn find_checkers_and_pinned(&mut self) {
        let us = self.side_to_move;
        let king = self.king(us);
        let occupied = self.occupied();
        let enemies = self.colors(!us);
        let mut checkers = enemies
            & (attacks::knight(king) & self.pieces(PieceType::Knight)
                | attacks::pawn(us, king) & self.pieces(PieceType::Pawn));
        let mut pinned = Bitboard::EMPTY;
        let snipers = attacks::bishop_rays(king) & self.diagonal_sliders(!us)
            | attacks::rook_rays(king) & self.orthogonal_sliders(!us);
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            checkers |= sniper.bitboard().only_if(blockers.is_empty());
            pinned |= blockers.only_if(!blockers.more_than_one());
        }
        self.checkers = checkers;
        self.pinned = pinned & self.colors(us);
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u32 {
        self.clocks.halfmove_clock()
    }

    /// The full-move number: 1 at the start, incremented after each move of Black.
    #[inline]
    pub const fn fullmove_number(&self) -> u32 {
        self.clocks.fullmove_number()
    }

    /// How many plies back a repetition can lie: the plies since the last capture, pawn move, null
    /// move, or the position that was set up.
    #[inline]
    pub const fn reversible_plies(&self) -> u32 {
        self.clocks.reversible_plies()
    }

    /// The square a pawn can capture on en passant, only if such a capture is legal.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        if self.en_passant.index() == 0 { None } else { Some(self.en_passant) }
    }

    /// Pieces of both sides that attack a square when `occupied` are the occupied squares.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.pieces(PieceType::Queen);
        attacks::knight(square) & self.pieces(PieceType::Knight)
            | attacks::king(square) & self.pieces(PieceType::King)
            | attacks::pawn(Color::White, square) & self.pieces_of(Color::Black, PieceType::Pawn)
            | attacks::pawn(Color::Black, square) & self.pieces_of(Color::White, PieceType::Pawn)
            | attacks::bishop(square, occupied) & (self.pieces(PieceType::Bishop) | queens)
            | attacks::rook(square, occupied) & (self.pieces(PieceType::Rook) | queens)
    }

    /// Whether `color` attacks the square, given the occupied squares. The cheap tests come first.
    #[inline]
    pub fn is_attacked(&self, square: Square, color: Color, occupied: Bitboard) -> bool {
        let leapers = attacks::knight(square) & self.pieces(PieceType::Knight)
            | attacks::king(square) & self.pieces(PieceType::King)
            | attacks::pawn(!color, square) & self.pieces(PieceType::Pawn);
        let diagonal = self.diagonal_sliders(color);
        let orthogonal = self.orthogonal_sliders(color);
        leapers.intersects(self.colors(color))
            || attacks::bishop_rays(square).intersects(diagonal)
                && attacks::bishop(square, occupied).intersects(diagonal)
            || attacks::rook_rays(square).intersects(orthogonal)
                && attacks::rook(square, occupied).intersects(orthogonal)
    }

    /// The piece on the square a move starts from. `None` when the square is empty.
    #[inline]
    pub const fn piece_from(&self, mv: Move) -> Option<Piece> {
        self.piece_on(mv.from())
    }

    /// The piece a move moves. The move must start from a piece; otherwise a pawn is returned.
    #[inline]
    pub fn moved(&self, mv: Move) -> Piece {
        self.piece_from(mv).unwrap_or(Piece::WhitePawn)
    }

    /// The piece a legal move captures.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        if mv.is_castling() {
            None
        } else if mv.is_en_passant() {
            Some(PieceType::Pawn)
        } else {
            self.piece_on(mv.to()).map(Piece::piece_type)
        }
    }

    /// Whether a legal move is a capture.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        !mv.is_castling() && (mv.is_en_passant() || self.piece_on(mv.to()).is_some())
    }

    /// Whether a legal move is a capture or a promotion: the moves of [`Board::captures`].
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        mv.is_promotion() || self.is_capture(mv)
    }

    /// Whether a side has more than king and pawns. Without pieces, zugzwang makes null-move
    /// pruning unsound.
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        let poor = self.pieces(PieceType::Pawn) | self.pieces(PieceType::King);
        (self.colors(color) & !poor).any()
    }

    /// Whether no sequence of legal moves can mate: bare kings, one minor piece, or bishops on
    /// squares of one colour only.
    pub fn is_insufficient_material(&self) -> bool {
        const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);
        let mating = self.pieces(PieceType::Pawn)
            | self.pieces(PieceType::Rook)
            | self.pieces(PieceType::Queen);
        let bishops = self.pieces(PieceType::Bishop);
        let minors = bishops | self.pieces(PieceType::Knight);
        if mating.any() {
            return false;
        }
        !minors.more_than_one()
            || minors == bishops && (bishops.is_subset(DARK) || bishops.is_subset(!DARK))
    }
}

impl fmt::Display for Board {
    /// A diagram from White's side, then the FEN and the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            write!(f, "{} ", rank + 1)?;
            for file in 0..8 {
                let letter = self.piece_on(Square::new(file, rank)).map_or('.', Piece::letter);
                write!(f, " {letter}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "   a b c d e f g h")?;
        writeln!(f, "FEN: {}", self.fen())?;
        write!(f, "Key: {:016x}", self.key())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.fen())
    }
}
