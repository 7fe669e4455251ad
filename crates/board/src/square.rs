//! The 64 squares.

use core::fmt;
use core::str::FromStr;

use crate::Color;

/// A square, counted from a1 = 0 along the ranks to h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

macro_rules! name_squares {
    ($($rank:literal: $($name:ident)+;)+) => {
        #[allow(missing_docs)]
        impl Square {
            $(name_squares!(@rank $rank, 0, $($name)+);)+
        }
    };
    (@rank $rank:literal, $file:expr, $name:ident $($rest:ident)*) => {
        pub const $name: Self = Self($rank * 8 + $file);
        name_squares!(@rank $rank, $file + 1, $($rest)*);
    };
    (@rank $rank:literal, $file:expr,) => {};
}

name_squares! {
    0: A1 B1 C1 D1 E1 F1 G1 H1;
    1: A2 B2 C2 D2 E2 F2 G2 H2;
    2: A3 B3 C3 D3 E3 F3 G3 H3;
    3: A4 B4 C4 D4 E4 F4 G4 H4;
    4: A5 B5 C5 D5 E5 F5 G5 H5;
    5: A6 B6 C6 D6 E6 F6 G6 H6;
    6: A7 B7 C7 D7 E7 F7 G7 H7;
    7: A8 B8 C8 D8 E8 F8 G8 H8;
}

impl Square {
    /// The square on a file (0 = a) and rank (0 = first). Only the low three bits of each count.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | file & 7)
    }

    /// The square with an index. Only the low six bits count, so no index is out of range.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// 0 for a1 to 63 for h8.
    ///
    /// The mask changes nothing; it shows the compiler that a table of 64 needs no bounds check.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// 0 for the a-file to 7 for the h-file.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for the first rank to 7 for the last.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 3 & 7
    }

    /// The rank as `color` counts it: 0 is that side's own back rank.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> u8 {
        if color.is_white() { self.rank() } else { 7 - self.rank() }
    }

    /// The square one rank ahead (or behind) on the same file: e3 and e4, e5 and e6 change places.
    /// Maps a pawn that has just advanced two squares to the en passant square, and back.
    #[inline]
    #[must_use]
    pub const fn en_passant_partner(self) -> Self {
        Self(self.0 ^ 0b00_1000)
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..64u8).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.file(), b'1' + self.rank()];
        f.write_str(core::str::from_utf8(&name).unwrap_or_default())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the name of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareError;

impl fmt::Display for SquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a square from a1 to h8")
    }
}

impl core::error::Error for SquareError {}

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Self, SquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self::new(file - b'a', rank - b'1')),
            _ => Err(SquareError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(format!("{square:?}"), square.to_string());
            assert_eq!(Square::new(square.file(), square.rank()), square);
        }
        assert_eq!(Square::E4.to_string(), "e4");
        assert_eq!(Square::H8.index(), 63);
        for wrong in ["", "e", "e9", "i1", "e44", "E4", "é4"] {
            assert_eq!(wrong.parse::<Square>(), Err(SquareError), "{wrong}");
        }
    }
}
