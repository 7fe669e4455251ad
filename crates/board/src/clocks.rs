//! The counters of a position, in one word.

use crate::Color;

/// Three counters that every move advances together:
///
/// ```text
///  63 … 40 | 39 … 20          | 19 … 0
///  plies   | reversible plies | halfmove clock
/// ```
/// Plies count from the first move of the game, so their lowest bit is the side to move.
/// An irreversible move clears the lower two. An update is one addition and one mask. The fields
/// hold a million plies, far more than any game; FEN is limited to smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks(u64);

const REVERSIBLE: u32 = 20;
const PLIES: u32 = 40;
const FIELD: u64 = (1 << 20) - 1;
const ONE_PLY: u64 = 1 | 1 << REVERSIBLE | 1 << PLIES;

impl Clocks {
    /// The clocks of a position that is set up: nothing before it is known, so nothing can be
    /// repeated. A game has no move 0; that counts as 1.
    pub(crate) const fn new(
        halfmove_clock: u16,
        fullmove_number: u16,
        side_to_move: Color,
    ) -> Self {
        let moves = if fullmove_number == 0 { 0 } else { fullmove_number as u64 - 1 };
        Self((2 * moves + side_to_move.index() as u64) << PLIES | halfmove_clock as u64)
    }

    /// The clocks after one more ply.
    #[inline]
    pub(crate) const fn after_move(self, reversible: bool) -> Self {
        let kept = (reversible as u64).wrapping_neg() | !0 << PLIES;
        Self(self.0.wrapping_add(ONE_PLY) & kept)
    }

    /// A null move: no earlier position can be repeated after it.
    #[inline]
    pub(crate) const fn after_null(self) -> Self {
        Self(self.0.wrapping_add(ONE_PLY) & !(FIELD << REVERSIBLE))
    }

    #[inline]
    pub(crate) const fn halfmove_clock(self) -> u32 {
        (self.0 & FIELD) as u32
    }

    #[inline]
    pub(crate) const fn reversible_plies(self) -> u32 {
        (self.0 >> REVERSIBLE & FIELD) as u32
    }

    #[inline]
    pub(crate) const fn fullmove_number(self) -> u32 {
        (self.0 >> (PLIES + 1)) as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_mix() {
        let read = |clocks: Clocks| {
            (clocks.halfmove_clock(), clocks.reversible_plies(), clocks.fullmove_number())
        };
        let start = Clocks::new(0, 1, Color::White);
        assert_eq!(read(start), (0, 0, 1));
        assert_eq!(read(start.after_move(true)), (1, 1, 1));
        assert_eq!(read(start.after_move(true).after_move(true)), (2, 2, 2));
        assert_eq!(read(start.after_move(true).after_move(false)), (0, 0, 2));
        assert_eq!(read(start.after_move(true).after_null()), (2, 0, 2));
        let late = Clocks::new(u16::MAX, u16::MAX, Color::Black);
        assert_eq!(read(late), (65_535, 0, 65_535));
        assert_eq!(read(late.after_move(true)), (65_536, 1, 65_536));
        assert_eq!(Clocks::new(7, 0, Color::White), Clocks::new(7, 1, Color::White));
    }
}
