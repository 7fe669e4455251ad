//! Making moves.

use crate::attacks;
use crate::moves::Kind;
use crate::{Bitboard, Board, Color, Move, Piece, PieceType, Square, zobrist};

impl Board {
    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Board {
        let mut next = *self;
        next.make(mv);
        next
    }

    /// Plays a legal move in place. Copy the board first to keep the position before the move.
    ///
    /// The move must be legal, see [`Board::is_legal`]; a move from an empty square does nothing.
    ///
    /// It is always inlined: after a copy, the compiler then changes what it has just loaded
    /// instead of storing everything twice.
    #[inline(always)]
    pub fn make(&mut self, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from) else {
            debug_assert!(false, "{mv:?} moves nothing in {self:?}");
            return;
        };
        let us = self.side_to_move;
        let mut key = self.key_after_null();
        let lost = self.castling_rooks_lost(piece, mv);
        if lost.any() {
            self.castling_rooks ^= lost;
            for rook in lost {
                key ^= zobrist::castling(rook);
            }
        }

        let reversible;
        let mut en_passant = Square::A1;
        if mv.kind() == Kind::Ordinary {
            let captured = self.piece_on(to);
            let pawn = piece.piece_type() == PieceType::Pawn;
            reversible = captured.is_none() && !pawn;
            let number = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
            key ^= number;
            self.toggle_part_keys(piece, number);
            // The colours are known here; looking them up from the pieces costs measurably more.
            self.toggle_sets(us, piece.piece_type(), from.bitboard() | to.bitboard());
            if let Some(captured) = captured {
                let number = zobrist::piece(captured, to);
                key ^= number;
                self.toggle_part_keys(captured, number);
                self.toggle_sets(!us, captured.piece_type(), to.bitboard());
            }
            self.mailbox[from.index()] = None;
            self.mailbox[to.index()] = Some(piece);
            if pawn && from.index() ^ to.index() == 16 && self.double_push_allows_capture(from, to)
            {
                en_passant = to.en_passant_partner();
                key ^= zobrist::en_passant(en_passant);
            }
        } else {
            key ^= self.make_special(mv);
            reversible = mv.is_castling();
        }

        self.key = key;
        self.clocks = self.clocks.after_move(reversible);
        self.side_to_move = !us;
        self.en_passant = en_passant;
        self.find_checkers_and_pinned();
    }

    /// Moves the pieces of castling, an en passant capture or a promotion. Returns the change of
    /// the key.
    #[cold]
    fn make_special(&mut self, mv: Move) -> u64 {
        let changes = self.changes(mv);
        let mut change = 0;
        // All leave before any lands: in Chess960 the king may land where the rook stood.
        for (piece, square) in changes.removed() {
            change ^= self.toggle(*piece, *square);
            self.mailbox[square.index()] = None;
        }
        for (piece, square) in changes.added() {
            change ^= self.toggle(*piece, *square);
            self.mailbox[square.index()] = Some(*piece);
        }
        change
    }

    /// Toggles a piece in the bitboards and part keys; the mailbox is left to the caller. Returns
    /// the piece's number for the full key.
    #[inline]
    pub(crate) fn toggle(&mut self, piece: Piece, square: Square) -> u64 {
        let number = zobrist::piece(piece, square);
        self.toggle_sets(piece.color(), piece.piece_type(), square.bitboard());
        self.toggle_part_keys(piece, number);
        number
    }

    /// Toggles squares in the bitboards of a piece.
    #[inline]
    fn toggle_sets(&mut self, color: Color, piece_type: PieceType, squares: Bitboard) {
        self.sets[piece_type.index()] ^= squares;
        self.sets[6 + color.index()] ^= squares;
    }

    /// Makes a null move. The side to move must not be in check.
    #[inline]
    pub fn make_null(&mut self) {
        debug_assert!(!self.in_check(), "passing in check: {self:?}");
        self.key = self.key_after_null();
        self.en_passant = Square::A1;
        self.clocks = self.clocks.after_null();
        self.side_to_move = !self.side_to_move;
        self.find_checkers_and_pinned();
    }

    /// Can the enemy answer the pawn move from `from` to `to`, two squares ahead, by a legal en
    /// passant capture? The same before and after the move is made.
    #[inline]
    pub(crate) fn double_push_allows_capture(&self, from: Square, to: Square) -> bool {
        let pusher = if to > from { Color::White } else { Color::Black };
        let target = to.en_passant_partner();
        let capturers = attacks::pawn(pusher, target) & self.pieces_of(!pusher, PieceType::Pawn);
        capturers.into_iter().any(|capturer| self.en_passant_is_legal(capturer, target))
    }

    /// Is it legal for the pawn on `capturer` to take en passant on `target`, as far as its king's
    /// safety goes? The capture opens three squares at once, so no pin test is enough: a king on
    /// the rank of both pawns may be exposed although neither pawn alone is pinned.
    #[inline]
    pub(crate) fn en_passant_is_legal(&self, capturer: Square, target: Square) -> bool {
        let pusher = if target.rank() == 2 { Color::White } else { Color::Black };
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

    /// What a legal move changes in the placement: the input of an incrementally updated network.
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
    /// Pieces that stand on a square after the move and did not before. The moving piece comes
    /// first.
    #[inline]
    pub fn added(&self) -> &[(Piece, Square)] {
        &self.added[..self.added_len.min(2) as usize]
    }

    /// Pieces that stood on a square before the move and do not after. The moving piece comes
    /// first.
    #[inline]
    pub fn removed(&self) -> &[(Piece, Square)] {
        &self.removed[..self.removed_len.min(2) as usize]
    }
}
