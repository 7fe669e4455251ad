//! Sets of squares, one bit each.

use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::Square;

/// A set of squares: bit 0 is a1, bit 7 is h1, bit 63 is h8.
///
/// ```
/// use megatherium_board::{Bitboard, Square};
/// let corners = Square::A1.bitboard() | Square::H8.bitboard();
/// assert!(corners.contains(Square::H8));
/// assert_eq!(corners.into_iter().map(|s| s.to_string()).collect::<Vec<_>>(), ["a1", "h8"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const ALL: Self = Self(!0);

    /// The squares of a file (0 = a).
    #[inline]
    pub const fn file(file: u8) -> Self {
        Self(0x0101_0101_0101_0101 << (file & 7))
    }

    /// The squares of a rank (0 = first).
    #[inline]
    pub const fn rank(rank: u8) -> Self {
        Self(0xFF << ((rank & 7) * 8))
    }

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is not empty.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the two sets share a square.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the other set contains this one.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The number of squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has two squares or more: cheaper than counting.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The set itself if the condition holds, otherwise the empty set; without a branch.
    #[inline]
    #[must_use]
    pub(crate) const fn only_if(self, condition: bool) -> Self {
        Self(self.0 & (condition as u64).wrapping_neg())
    }

    /// The square nearest a1 in index order.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as usize)) }
    }

    /// Removes and returns the first square.
    #[inline]
    pub const fn pop_first(&mut self) -> Option<Square> {
        let first = self.first();
        self.0 &= self.0.wrapping_sub(1);
        first
    }

    /// The set moved up the board by whole ranks, or down when negative; what leaves the board is
    /// lost.
    #[inline]
    #[must_use]
    pub const fn shift_ranks(self, ranks: i32) -> Self {
        if ranks >= 0 {
            Self(self.0.unbounded_shl(8 * ranks as u32))
        } else {
            Self(self.0.unbounded_shr(8 * ranks.unsigned_abs()))
        }
    }

    /// The set moved one file towards the h-file; the h-file is lost.
    #[inline]
    #[must_use]
    pub const fn shift_east(self) -> Self {
        Self((self.0 & !Self::file(7).0) << 1)
    }

    /// The set moved one file towards the a-file; the a-file is lost.
    #[inline]
    #[must_use]
    pub const fn shift_west(self) -> Self {
        Self((self.0 & !Self::file(0).0) >> 1)
    }
}

macro_rules! set_operation {
    ($operation:ident, $method:ident, $assigning:ident, $assign_method:ident, $symbol:tt) => {
        impl $operation for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $symbol other.0)
            }
        }
        impl $assigning for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $symbol other;
            }
        }
    };
}

set_operation!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
set_operation!(BitOr, bitor, BitOrAssign, bitor_assign, |);
set_operation!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Square {
    /// The set of this square alone.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Self {
        square.bitboard()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

/// The squares of a set in index order.
#[derive(Clone)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        self.0.pop_first()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl fmt::Debug for Bitboard {
    /// Eight lines of eight, the eighth rank on top.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            writeln!(f)?;
            for file in 0..8 {
                f.write_str(if self.contains(Square::new(file, rank)) { " x" } else { " ." })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_like_sets() {
        let mut set = Bitboard::EMPTY;
        assert!(set.is_empty() && !set.any() && set.first().is_none() && set.pop_first().is_none());
        set |= Square::C3.bitboard();
        assert!(set.any() && !set.more_than_one() && set.contains(Square::C3));
        set |= Square::B7.bitboard();
        assert!(set.more_than_one());
        assert_eq!((set.count(), set.pop_first(), set.count()), (2, Some(Square::C3), 1));
        assert_eq!(Bitboard::ALL.into_iter().collect::<Bitboard>(), Bitboard::ALL);
        assert_eq!(Bitboard::ALL.into_iter().len(), 64);
    }

    #[test]
    fn shifts_lose_what_leaves_the_board() {
        assert_eq!(Bitboard::file(7).shift_east(), Bitboard::EMPTY);
        assert_eq!(Bitboard::file(0).shift_west(), Bitboard::EMPTY);
        assert_eq!(Bitboard::file(0).shift_east(), Bitboard::file(1));
        assert_eq!(Bitboard::rank(0).shift_ranks(7), Bitboard::rank(7));
        assert_eq!(Bitboard::rank(7).shift_ranks(1), Bitboard::EMPTY);
        assert_eq!(Bitboard::rank(7).shift_ranks(-8), Bitboard::EMPTY);
    }
}
