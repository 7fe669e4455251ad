//! Legal moves, in stages.
//!
//! Moves are generated legal, not filtered: the squares between the king and a checker bound every move in
//! check, and a pinned piece stays on the line to its king. Each stage asks only for the squares it needs,
//! so captures do not pay for quiet moves.

use crate::attacks;
use crate::{Bitboard, Board, Color, Move, MoveList, PieceType, Square};

/// What becomes of generated moves: a list, or a mere number.
pub(crate) trait Sink {
    /// One piece to many squares.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Many pawns, each `offset` squares below its target in index order.
    fn pawns(&mut self, targets: Bitboard, offset: i8);
    /// The same, each promoting to four pieces.
    fn promotions(&mut self, targets: Bitboard, offset: i8);
    /// An en passant capture or castling.
    fn special(&mut self, mv: Move);
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            self.push(Move::new(source(to, offset), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            let from = source(to, offset);
            for piece_type in [PieceType::Queen, PieceType::Knight, PieceType::Rook, PieceType::Bishop] {
                self.push(Move::new_promotion(from, to, piece_type));
            }
        }
    }

    #[inline]
    fn special(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Counts moves without writing them down.
struct Count(u32);

impl Sink for Count {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8) {
        self.0 += 4 * targets.count();
    }

    #[inline]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

#[inline]
const fn source(to: Square, offset: i8) -> Square {
    Square::from_index(to.index().wrapping_add_signed(-(offset as isize)))
}

impl Board {
    /// Appends the legal captures, en passant captures, and all promotions. In check: those that answer it.
    #[inline]
    pub fn captures(&self, list: &mut MoveList) {
        self.generate::<true, false>(list);
    }

    /// Appends all other legal moves, castling included. In check: those that answer it.
    #[inline]
    pub fn quiets(&self, list: &mut MoveList) {
        self.generate::<false, true>(list);
    }

    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate::<true, true>(&mut list);
        list
    }

    /// How many legal moves there are, without writing them down.
    #[inline]
    pub fn count_legal_moves(&self) -> u32 {
        let mut count = Count(0);
        self.generate::<true, true>(&mut count);
        count.0
    }

    /// Is there any legal move? If not, it is mate in check and stalemate otherwise.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() != 0
    }

    #[inline]
    fn generate<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink) {
        match self.side_to_move {
            Color::White => self.generate_for::<true, NOISY, QUIET>(sink),
            Color::Black => self.generate_for::<false, NOISY, QUIET>(sink),
        }
    }

    #[inline]
    fn generate_for<const WHITE: bool, const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink) {
        let us = if WHITE { Color::White } else { Color::Black };
        let king = self.king(us);
        let own = self.colors(us);
        let enemies = self.colors(!us);
        let occupied = own | enemies;
        let stage = match (NOISY, QUIET) {
            (true, true) => !own,
            (true, false) => enemies,
            _ => !occupied,
        };

        // Without the king itself, so that it cannot hide from a slider behind its own back.
        let unshielded = occupied ^ king.bitboard();
        let mut safe = Bitboard::EMPTY;
        for to in attacks::king(king) & stage {
            if !self.is_attacked(to, !us, unshielded) {
                safe |= to.bitboard();
            }
        }
        sink.piece(king, safe);

        if self.checkers.more_than_one() {
            return;
        }
        let answers = if let Some(checker) = self.checkers.first() {
            attacks::between(king, checker) | self.checkers
        } else {
            Bitboard::ALL
        };
        if QUIET && self.checkers.is_empty() {
            for rook in self.castling_rooks_of(us) {
                if self.can_castle(king, rook) {
                    sink.special(Move::new_castling(king, rook));
                }
            }
        }

        self.generate_pawns::<WHITE, NOISY, QUIET>(sink, king, answers);

        let targets = stage & answers;
        let pinned = self.pinned;
        for from in self.pieces(PieceType::Knight) & own & !pinned {
            sink.piece(from, attacks::knight(from) & targets);
        }
        let diagonal = self.diagonal_sliders(us);
        let orthogonal = self.orthogonal_sliders(us);
        for from in diagonal & !pinned {
            sink.piece(from, attacks::bishop(from, occupied) & targets);
        }
        for from in orthogonal & !pinned {
            sink.piece(from, attacks::rook(from, occupied) & targets);
        }
        for from in diagonal & pinned {
            sink.piece(from, attacks::bishop(from, occupied) & targets & attacks::line(king, from));
        }
        for from in orthogonal & pinned {
            sink.piece(from, attacks::rook(from, occupied) & targets & attacks::line(king, from));
        }
    }

    #[inline]
    fn generate_pawns<const WHITE: bool, const NOISY: bool, const QUIET: bool>(
        &self,
        sink: &mut impl Sink,
        king: Square,
        answers: Bitboard,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let pawns = self.pieces_of(us, PieceType::Pawn);
        let free = pawns & !self.pinned;
        self.generate_pawn_set::<WHITE, NOISY, QUIET>(sink, free, answers);
        for pawn in pawns & self.pinned {
            self.generate_pawn_set::<WHITE, NOISY, QUIET>(
                sink,
                pawn.bitboard(),
                answers & attacks::line(king, pawn),
            );
        }
        if NOISY && let Some(target) = self.en_passant {
            for capturer in attacks::pawn(!us, target) & pawns {
                if self.en_passant_is_legal(capturer, target) {
                    sink.special(Move::new_en_passant(capturer, target));
                }
            }
        }
    }

    /// Moves of pawns that may go to `allowed`.
    #[inline]
    fn generate_pawn_set<const WHITE: bool, const NOISY: bool, const QUIET: bool>(
        &self,
        sink: &mut impl Sink,
        pawns: Bitboard,
        allowed: Bitboard,
    ) {
        let (forward, last_rank, third_rank) = if WHITE { (8i8, 7, 2) } else { (-8, 0, 5) };
        let ahead = |set: Bitboard| Bitboard(if WHITE { set.0 << 8 } else { set.0 >> 8 });
        let empty = !self.occupied();
        let last_rank = Bitboard::rank(last_rank);
        let steps = ahead(pawns) & empty;
        if NOISY {
            let us = if WHITE { Color::White } else { Color::Black };
            let victims = self.colors(!us) & allowed;
            let east = ahead(pawns).shift_east() & victims;
            let west = ahead(pawns).shift_west() & victims;
            sink.pawns(east & !last_rank, forward + 1);
            sink.pawns(west & !last_rank, forward - 1);
            if ((steps | east | west) & last_rank).any() {
                sink.promotions(east & last_rank, forward + 1);
                sink.promotions(west & last_rank, forward - 1);
                sink.promotions(steps & allowed & last_rank, forward);
            }
        }
        if QUIET {
            sink.pawns(steps & allowed & !last_rank, forward);
            sink.pawns(ahead(steps & Bitboard::rank(third_rank)) & empty & allowed, 2 * forward);
        }
    }
}
