//! Making moves.

use crate::attacks;
use crate::{Bitboard, Board, Move, Piece, PieceType, Square, zobrist};

impl Board {
    /// Plays a legal move in place. Copy the board first to keep the position before the move.
    ///
    /// The move must be legal, see [`Board::is_legal`]; a move from an empty square does nothing.
    #[inline]
    pub fn make(&mut self, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else {
            debug_assert!(false, "{mv:?} moves nothing in {self:?}");
            return;
        };
        let us = self.side_to_move;

        let mut key = self.key_after_null();
        self.en_passant = None;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = self.reversible_plies.saturating_add(1);
        self.fullmove_number = self.fullmove_number.saturating_add(us as u16);
        self.side_to_move = !us;

        if self.castling_rooks.any() {
            let lost = self.castling_rooks_lost(piece, mv);
            self.castling_rooks ^= lost;
            for rook in lost {
                key ^= zobrist::castling(rook);
            }
        }

        if mv.is_castling() {
            let (king_to, rook_to) = Self::castling_targets(from, to);
            let rook = Piece::new(us, PieceType::Rook);
            // Both leave before either lands: in Chess960 one may land where the other stood.
            key ^= self.toggle(piece, from) ^ self.toggle(rook, to);
            self.mailbox[from.index()] = None;
            self.mailbox[to.index()] = None;
            key ^= self.toggle(piece, king_to) ^ self.toggle(rook, rook_to);
            self.mailbox[king_to.index()] = Some(piece);
            self.mailbox[rook_to.index()] = Some(rook);
        } else {
            if let Some(captured) = self.piece_on(to) {
                key ^= self.toggle(captured, to);
                self.halfmove_clock = 0;
                self.reversible_plies = 0;
            }
            self.mailbox[from.index()] = None;
            self.mailbox[to.index()] = Some(piece);
            let path = from.bitboard() | to.bitboard();
            self.pieces[piece.piece_type().index()] ^= path;
            self.colors[us.index()] ^= path;
            let number = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
            self.toggle_part_keys(piece, number);
            key ^= number;
            if piece.piece_type() == PieceType::Pawn {
                self.halfmove_clock = 0;
                self.reversible_plies = 0;
                key ^= self.finish_pawn_move(piece, mv);
            }
        }
        self.key = key;
        self.find_checkers_and_pinned();
    }

    /// What is special about a pawn move that has been made but for this. Returns the change of the key.
    #[inline]
    fn finish_pawn_move(&mut self, pawn: Piece, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_promotion() {
            let promoted = Piece::new(pawn.color(), mv.promoted());
            self.mailbox[to.index()] = Some(promoted);
            self.toggle(pawn, to) ^ self.toggle(promoted, to)
        } else if mv.is_en_passant() {
            let victim = to.en_passant_partner();
            self.mailbox[victim.index()] = None;
            self.toggle(Piece::new(!pawn.color(), PieceType::Pawn), victim)
        } else if from.index().abs_diff(to.index()) == 16 && self.double_push_allows_capture(from, to) {
            self.en_passant = Some(to.en_passant_partner());
            zobrist::en_passant(to)
        } else {
            0
        }
    }

    /// Puts a piece into the sets and part keys or takes it out; the mailbox is left to the caller. Returns
    /// the piece's number for the full key.
    #[inline]
    pub(crate) fn toggle(&mut self, piece: Piece, square: Square) -> u64 {
        let number = zobrist::piece(piece, square);
        self.pieces[piece.piece_type().index()] ^= square.bitboard();
        self.colors[piece.color().index()] ^= square.bitboard();
        self.toggle_part_keys(piece, number);
        number
    }

    /// Passes the move. The side to move must not be in check.
    #[inline]
    pub fn make_null(&mut self) {
        debug_assert!(!self.in_check(), "passing in check: {self:?}");
        self.key = self.key_after_null();
        self.en_passant = None;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = 0;
        self.fullmove_number = self.fullmove_number.saturating_add(self.side_to_move as u16);
        self.side_to_move = !self.side_to_move;
        self.find_checkers_and_pinned();
    }

    /// Can the enemy answer the pawn move from `from` to `to`, two squares ahead, by a legal en passant
    /// capture? The same before and after the move is made.
    #[inline]
    pub(crate) fn double_push_allows_capture(&self, from: Square, to: Square) -> bool {
        let pusher = if to > from { crate::Color::White } else { crate::Color::Black };
        let target = to.en_passant_partner();
        let capturers = attacks::pawn(pusher, target) & self.pieces_of(!pusher, PieceType::Pawn);
        capturers.into_iter().any(|capturer| self.en_passant_is_legal(capturer, target))
    }

    /// Is it legal for the pawn on `capturer` to take en passant on `target`, as far as its king's safety
    /// goes? The capture opens three squares at once, so no pin test is enough: a king on the rank of both pawns
    /// may be exposed although neither pawn alone is pinned.
    #[inline]
    pub(crate) fn en_passant_is_legal(&self, capturer: Square, target: Square) -> bool {
        let pusher = if target.rank() == 2 { crate::Color::White } else { crate::Color::Black };
        let king = self.king(!pusher);
        // The pushed pawn is on one of two squares, depending on whether its move has been made.
        let pushed = Bitboard(0b1_0000_0000_0000_0001 << (target.index() - 8));
        let occupied = self.occupied() & !(pushed | capturer.bitboard()) | target.bitboard();
        let leapers = attacks::knight(king) & self.pieces(PieceType::Knight)
            | attacks::pawn(!pusher, king) & self.pieces(PieceType::Pawn) & !pushed;
        !leapers.intersects(self.colors(pusher))
            && !attacks::bishop(king, occupied).intersects(self.diagonal_sliders(pusher))
            && !attacks::rook(king, occupied).intersects(self.orthogonal_sliders(pusher))
    }

    /// What a legal move does to the placement of the pieces: what a network that is updated step by step
    /// needs to know.
    #[inline]
    pub fn changes(&self, mv: Move) -> Changes {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.moved(mv);
        let us = self.side_to_move;
        if mv.is_castling() {
            let (king_to, rook_to) = Self::castling_targets(from, to);
            let rook = Piece::new(us, PieceType::Rook);
            return Changes {
                added: [(piece, king_to), (rook, rook_to)],
                removed: [(piece, from), (rook, to)],
                added_len: 2,
                removed_len: 2,
            };
        }
        let arrived = mv.promotion().map_or(piece, |promoted| Piece::new(us, promoted));
        let victim = if mv.is_en_passant() {
            Some((Piece::new(!us, PieceType::Pawn), to.en_passant_partner()))
        } else {
            self.piece_on(to).map(|captured| (captured, to))
        };
        Changes {
            added: [(arrived, to); 2],
            removed: [(piece, from), victim.unwrap_or((piece, from))],
            added_len: 1,
            removed_len: 1 + u8::from(victim.is_some()),
        }
    }
}

/// What a move does to the placement: at most two pieces appear and two vanish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes {
    added: [(Piece, Square); 2],
    removed: [(Piece, Square); 2],
    added_len: u8,
    removed_len: u8,
}

impl Changes {
    /// Pieces that stand on a square after the move and did not before. The moving piece comes first.
    #[inline]
    pub fn added(&self) -> &[(Piece, Square)] {
        &self.added[..self.added_len.min(2) as usize]
    }

    /// Pieces that stood on a square before the move and do not after. The moving piece comes first.
    #[inline]
    pub fn removed(&self) -> &[(Piece, Square)] {
        &self.removed[..self.removed_len.min(2) as usize]
    }
}
