//! Legal moves, in stages.
//!
//! Moves are generated legal, not filtered: the squares between the king and a checker bound every
//! move in check, and a pinned piece stays on the line to its king. Each stage asks only for the
//! squares it needs, so captures do not pay for quiet moves.

use core::num::NonZeroU16;

use crate::attacks;
use crate::move_list::Writer;
use crate::{Bitboard, Board, Checks, Color, Move, MoveList, PieceType, Square};

/// Receives generated moves: writes them to a list, or counts them.
pub(crate) trait Sink {
    /// One piece to many squares, `FEW` of them in most cases.
    fn piece<const FEW: bool>(&mut self, from: Square, targets: Bitboard);
    /// Many pawns, each `offset` squares below its target in index order.
    fn pawns<const FEW: bool>(&mut self, targets: Bitboard, offset: i8);
    /// The same, each promoting to four pieces.
    fn promotions(&mut self, targets: Bitboard, offset: i8);
    /// An en passant capture or castling.
    fn special(&mut self, mv: Move);
}

impl Sink for Writer<'_> {
    #[inline(always)]
    fn piece<const FEW: bool>(&mut self, from: Square, targets: Bitboard) {
        if FEW && targets.is_empty() {
            return;
        }
        match (NonZeroU16::new(from.index() as u16), FEW) {
            (Some(source), true) => self.push_each(targets, |to| Move::ordinary(source, to)),
            (Some(source), false) => self.push_set(targets, |to| Move::ordinary(source, to)),
            (None, _) => self.push_each(targets, |to| Move::new(from, to)),
        }
    }

    #[inline(always)]
    fn pawns<const FEW: bool>(&mut self, targets: Bitboard, offset: i8) {
        if FEW {
            self.push_each(targets, |to| Move::new(source(to, offset), to));
        } else {
            self.push_set(targets, |to| Move::new(source(to, offset), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            let from = source(to, offset);
            self.push_group(
                [PieceType::Queen, PieceType::Knight, PieceType::Rook, PieceType::Bishop]
                    .map(|piece_type| Move::new_promotion(from, to, piece_type)),
            );
        }
    }

    #[inline]
    fn special(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Counts moves without storing them.
struct Count(u32);

impl Sink for Count {
    #[inline(always)]
    fn piece<const FEW: bool>(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn pawns<const FEW: bool>(&mut self, targets: Bitboard, _: i8) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _: i8) {
        self.0 += 4 * targets.count();
    }

    #[inline(always)]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Passes on the moves that give check, ordinary ones only.
struct ChecksOnly<'a, 'b> {
    board: &'a Board,
    checks: &'a Checks,
    writer: &'a mut Writer<'b>,
}

impl Sink for ChecksOnly<'_, '_> {
    #[inline(always)]
    fn piece<const FEW: bool>(&mut self, from: Square, targets: Bitboard) {
        self.writer.piece::<true>(from, targets & self.checks.targets(self.board, from));
    }

    #[inline(always)]
    fn pawns<const FEW: bool>(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            self.piece::<true>(source(to, offset), to.bitboard());
        }
    }

    #[inline(always)]
    fn promotions(&mut self, _: Bitboard, _: i8) {}

    #[inline(always)]
    fn special(&mut self, _: Move) {}
}

#[inline]
const fn source(to: Square, offset: i8) -> Square {
    Square::from_index(to.index().wrapping_add_signed(-(offset as isize)))
}

impl Board {
    /// Appends the legal captures, en passant captures, and all promotions. In check: those that
    /// answer it.
    #[inline]
    pub fn captures(&self, list: &mut MoveList) {
        list.write(|writer| self.generate::<true, false>(writer));
    }

    /// Appends all other legal moves, castling included. In check: those that answer it.
    #[inline]
    pub fn quiets(&self, list: &mut MoveList) {
        list.write(|writer| self.generate::<false, true>(writer));
    }

    /// Replaces the list by the quiet moves that give check. `checks` must belong to this position.
    /// Castling that gives check with the rook is left out: it is too rare to look for.
    pub fn quiet_checks(&self, checks: &Checks, list: &mut MoveList) {
        list.clear();
        list.write(|writer| {
            let mut sink = ChecksOnly { board: self, checks, writer };
            self.generate::<false, true>(&mut sink);
        });
    }

    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        list.write(|writer| self.generate::<true, true>(writer));
        list
    }

    /// The number of legal moves, without storing them.
    #[inline]
    pub fn count_legal_moves(&self) -> u32 {
        let mut count = Count(0);
        self.generate::<true, true>(&mut count);
        count.0
    }

    /// Whether there is a legal move. If not, it is mate in check and stalemate otherwise.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() != 0
    }

    /// Dispatches to one function per stage and colour, in check and not.
    #[inline(always)]
    fn generate<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink) {
        match (self.side_to_move, self.in_check()) {
            (Color::White, false) => self.generate_for::<true, false, NOISY, QUIET>(sink),
            (Color::Black, false) => self.generate_for::<false, false, NOISY, QUIET>(sink),
            (Color::White, true) => self.generate_for::<true, true, NOISY, QUIET>(sink),
            (Color::Black, true) => self.generate_for::<false, true, NOISY, QUIET>(sink),
        }
    }

    /// Generates the noisy moves, the quiet ones, or both. One function for each colour and stage.
    #[inline(always)]
    fn generate_for<const WHITE: bool, const CHECK: bool, const NOISY: bool, const QUIET: bool>(
        &self,
        sink: &mut impl Sink,
    ) {
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

        let around = attacks::king(king) & stage;
        if around.any() {
            put::<QUIET>(sink, king, self.safe_squares(king, around));
        }
        let mut answers = Bitboard::ALL;
        if CHECK {
            if self.checkers.more_than_one() {
                return;
            }
            let checker = Square::from_index(self.checkers.0.trailing_zeros() as usize);
            answers = attacks::between(king, checker) | self.checkers;
        } else if QUIET {
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
            put::<QUIET>(sink, from, attacks::knight(from) & targets);
        }
        let diagonal = self.diagonal_sliders(us);
        let orthogonal = self.orthogonal_sliders(us);
        for from in diagonal & !pinned {
            put::<QUIET>(sink, from, attacks::bishop(from, occupied) & targets);
        }
        for from in orthogonal & !pinned {
            put::<QUIET>(sink, from, attacks::rook(from, occupied) & targets);
        }
        if !CHECK && (pinned & (diagonal | orthogonal)).any() {
            for from in diagonal & pinned & attacks::bishop_rays(king) {
                put::<QUIET>(
                    sink,
                    from,
                    attacks::bishop(from, occupied) & targets & attacks::line(king, from),
                );
            }
            for from in orthogonal & pinned & attacks::rook_rays(king) {
                put::<QUIET>(
                    sink,
                    from,
                    attacks::rook(from, occupied) & targets & attacks::line(king, from),
                );
            }
        }
    }

    /// The squares of a set that the enemy does not attack once the king has left its square: the
    /// king does not block sliders from squares behind it.
    fn safe_squares(&self, king: Square, squares: Bitboard) -> Bitboard {
        let unshielded = self.occupied() ^ king.bitboard();
        let enemy = !self.side_to_move;
        squares.into_iter().filter(|square| !self.is_attacked(*square, enemy, unshielded)).collect()
    }

    /// The pawns that can take en passant on `target`.
    #[cold]
    fn en_passant_capturers(&self, target: Square) -> Bitboard {
        let us = self.side_to_move;
        let pawns = attacks::pawn(!us, target) & self.pieces_of(us, PieceType::Pawn);
        pawns.into_iter().filter(|pawn| self.en_passant_is_legal(*pawn, target)).collect()
    }

    /// Pawn moves for all pawns at once. A pinned pawn may advance if it is pinned along the king's
    /// file, and capture if it is pinned along the diagonal it captures on.
    #[inline(always)]
    fn generate_pawns<const WHITE: bool, const NOISY: bool, const QUIET: bool>(
        &self,
        sink: &mut impl Sink,
        king: Square,
        answers: Bitboard,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let (forward, third_rank, seventh_rank) = if WHITE { (8i8, 2, 6) } else { (-8, 5, 1) };
        let ahead = |set: Bitboard| Bitboard(if WHITE { set.0 << 8 } else { set.0 >> 8 });
        let pawns = self.pieces_of(us, PieceType::Pawn);
        let promoting = pawns & Bitboard::rank(seventh_rank);
        let others = pawns & !Bitboard::rank(seventh_rank);
        let empty = !self.occupied();
        let free = !self.pinned;
        let advancing = free | Bitboard::file(king.file());
        if NOISY {
            let victims = self.colors(!us) & answers;
            let rising = free | attacks::diagonal(king);
            let falling = free | attacks::antidiagonal(king);
            let (eastward, westward) = if WHITE { (rising, falling) } else { (falling, rising) };
            sink.pawns::<true>(ahead(others & eastward).shift_east() & victims, forward + 1);
            sink.pawns::<true>(ahead(others & westward).shift_west() & victims, forward - 1);
            if promoting.any() {
                sink.promotions(ahead(promoting & eastward).shift_east() & victims, forward + 1);
                sink.promotions(ahead(promoting & westward).shift_west() & victims, forward - 1);
                sink.promotions(ahead(promoting & advancing) & empty & answers, forward);
            }
            if let Some(target) = self.en_passant() {
                for capturer in self.en_passant_capturers(target) {
                    sink.special(Move::new_en_passant(capturer, target));
                }
            }
        }
        if QUIET {
            let steps = ahead(others & advancing) & empty;
            sink.pawns::<false>(steps & answers, forward);
            sink.pawns::<false>(
                ahead(steps & Bitboard::rank(third_rank)) & empty & answers,
                2 * forward,
            );
        }
    }
}

#[inline(always)]
fn put<const QUIET: bool>(sink: &mut impl Sink, from: Square, targets: Bitboard) {
    if QUIET { sink.piece::<false>(from, targets) } else { sink.piece::<true>(from, targets) }
}
