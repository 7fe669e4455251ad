//! A list of moves without heap allocation.

use core::fmt;
use core::ops::Deref;

use crate::{Bitboard, Move, Square};

/// Up to 255 moves in place. No position of 16 men a side is known to have more than 248, see
/// `examples/most_moves.rs`; games reach at most 218.
///
/// The length is a byte, so an index made of it is known to lie inside the array: pushing needs no
/// bounds check. A search keeps one list per ply and clears it: that costs nothing, while a new
/// list writes its 520 bytes.
#[derive(Clone)]
pub struct MoveList {
    /// A few places more than can be used: sets of moves are written in whole groups.
    moves: [Move; 256 + GROUP],
    len: u8,
}

/// Moves written at a time.
const GROUP: usize = 4;

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self { moves: [Move::FILLER; 256 + GROUP], len: 0 }
    }

    /// Lets moves be appended by a writer that keeps the length in a register.
    #[inline(always)]
    pub(crate) fn write(&mut self, generate: impl FnOnce(&mut Writer<'_>)) {
        let mut writer = Writer { moves: &mut self.moves, len: self.len as usize };
        generate(&mut writer);
        // No known position has more moves; beyond that the rest is dropped.
        self.len = writer.len.min(u8::MAX as usize) as u8;
    }

    /// Appends a move.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.moves[self.len as usize] = mv;
        self.len = self.len.wrapping_add(1);
    }

    /// The number of moves.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the list is empty.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the first `len` moves.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len.min(usize::from(u8::MAX)) as u8);
    }

    /// The moves as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len as usize]
    }

    /// Keeps the moves for which `keep` returns true, in order.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let mut kept = 0u8;
        for index in 0..self.len {
            let mv = self.moves[index as usize];
            self.moves[kept as usize] = mv;
            kept += u8::from(keep(mv));
        }
        self.len = kept;
    }

    /// Removes the move at an index, which must exist; the last move takes its place.
    #[inline]
    pub fn swap_remove(&mut self, index: usize) -> Move {
        let mv = self[index];
        self.len -= 1;
        self.moves[index] = self.moves[self.len as usize];
        mv
    }
}

/// Appends to a list. The length is kept here, in a register, while moves are generated: in the
/// list every push would wait for the store of the previous one.
pub(crate) struct Writer<'a> {
    moves: &'a mut [Move; 256 + GROUP],
    len: usize,
}

impl Writer<'_> {
    /// Appends a move.
    #[inline(always)]
    pub(crate) fn push(&mut self, mv: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
    }

    /// Appends as many moves as a group has.
    #[inline(always)]
    pub(crate) fn push_group(&mut self, moves: [Move; GROUP]) {
        if let Some(group) = self.moves.get_mut(self.len..self.len + GROUP) {
            group.copy_from_slice(&moves);
            self.len += GROUP;
        }
    }

    /// Appends the moves to all squares of a set, one by one: for sets that are mostly empty.
    #[inline(always)]
    pub(crate) fn push_each(&mut self, mut targets: Bitboard, mv: impl Fn(Square) -> Move) {
        while let Some(to) = targets.pop_first() {
            self.push(mv(to));
        }
    }

    /// Appends the moves to all squares of a set in groups, for sets of several squares.
    ///
    /// The last group may write more moves than there are: a branch on the exact number would often
    /// be mispredicted.
    #[inline(always)]
    pub(crate) fn push_set(&mut self, targets: Bitboard, mv: impl Fn(Square) -> Move) {
        let mut rest = targets;
        let mut end = self.len;
        self.len += targets.count() as usize;
        while let Some(group) = self.moves.get_mut(end..end + GROUP) {
            for place in group {
                *place = mv(Square::from_index(rest.0.trailing_zeros() as usize));
                rest.0 &= rest.0.wrapping_sub(1);
            }
            if rest.is_empty() {
                break;
            }
            end += GROUP;
        }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = core::slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = core::iter::Take<core::array::IntoIter<Move, { 256 + GROUP }>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len as usize)
    }
}

impl Extend<Move> for MoveList {
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        moves.into_iter().for_each(|mv| self.push(mv));
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What changes a list of moves does to it what `Vec` does.
    #[test]
    fn lists_change_as_vectors_do() {
        let to = |index| Move::new(Square::B1, Square::from_index(index));
        for count in [0, 1, 2, 17, 255] {
            let all: Vec<Move> = (0..count).map(to).collect();
            let mut list = MoveList::new();
            list.extend(all.iter().copied());
            assert_eq!((list.len(), list.is_empty()), (count, count == 0));
            for at in [0, count / 2, count.saturating_sub(1)] {
                let (mut ours, mut theirs) = (list.clone(), all.clone());
                if count > 0 {
                    assert_eq!(ours.swap_remove(at), theirs.swap_remove(at));
                    assert_eq!(ours.as_slice(), theirs);
                }
                ours.truncate(at);
                theirs.truncate(at);
                assert_eq!(ours.as_slice(), theirs);
            }
            let odd = |mv: Move| mv.to().file() % 2 == 1;
            let (mut ours, mut theirs) = (list.clone(), all.clone());
            ours.retain(odd);
            theirs.retain(|mv| odd(*mv));
            assert_eq!(ours.as_slice(), theirs);
            assert_eq!(list.clone().into_iter().collect::<Vec<_>>(), all);
            list.clear();
            assert!(list.is_empty() && list.as_slice().is_empty());
        }
    }

    #[test]
    fn moves_beyond_the_capacity_are_left_out() {
        let mv = |to| Move::new(Square::from_index(1), to);
        for count in [3, 4, 5, 8] {
            let mut list = MoveList::new();
            list.write(|writer| {
                (0..count).for_each(|_| writer.push_set(!Bitboard::EMPTY, mv));
                (0..count).for_each(|_| writer.push(mv(Square::from_index(2))));
            });
            assert_eq!(list.len(), (65 * count).min(255));
            assert!(
                list.iter().take(64 * count).enumerate().all(|(at, mv)| mv.to().index() == at % 64)
            );
        }
    }
}
