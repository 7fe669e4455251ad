//! The positions that led to the current one, and their repetition.

use crate::Board;
use crate::attacks;
use crate::cuckoo;

/// The keys of the positions before the current one: of the game, then of the search path.
///
/// Push the key of a position before each move is made on it, null moves included, and pop after
/// taking the move back.
#[derive(Clone, Debug, Default)]
pub struct KeyHistory {
    keys: Vec<u64>,
}

impl KeyHistory {
    /// No positions yet.
    pub fn new() -> Self {
        Self { keys: Vec::with_capacity(1024) }
    }

    /// Adds the key of the position a move is about to be made on.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Removes the last key.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// The number of earlier positions.
    #[inline]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no earlier position.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.keys.clear();
    }

    /// The key of the position `distance` plies ago, with 1 for the one the last move was made on.
    #[inline]
    fn ago(&self, distance: usize) -> Option<u64> {
        self.keys.get(self.keys.len().wrapping_sub(distance)).copied()
    }

    /// How many plies back a repetition can lie.
    #[inline]
    fn reach(&self, board: &Board) -> usize {
        self.keys.len().min(board.reversible_plies() as usize)
    }

    /// Is the position a draw by repetition, `ply` moves after the root of the search?
    ///
    /// It is if the position occurred once before within the search, after the root, because the
    /// side that repeated it can do so again; or if it occurred twice before, by the rules.
    #[inline]
    pub fn repetition(&self, board: &Board, ply: usize) -> bool {
        let reach = self.reach(board);
        let mut seen = false;
        let mut distance = 4;
        while distance <= reach {
            if self.ago(distance) == Some(board.key()) {
                if distance < ply || seen {
                    return true;
                }
                seen = true;
            }
            distance += 2;
        }
        false
    }

    /// How often the position has occurred before.
    pub fn count(&self, board: &Board) -> usize {
        let reach = self.reach(board);
        (4..=reach).step_by(2).filter(|distance| self.ago(*distance) == Some(board.key())).count()
    }

    /// Can the side to move repeat a position at once, so that it has at least a draw?
    ///
    /// The move must lead to a position that occurred after the root of the search, `ply` moves
    /// ago, or to one that had occurred twice already. Keys alone decide: the XOR of the current
    /// key and the key an odd number of plies ago is looked up in a cuckoo table of all XORs that
    /// single reversible moves make.
    #[inline]
    pub fn upcoming_repetition(&self, board: &Board, ply: usize) -> bool {
        let reach = self.reach(board);
        let mut distance = 3;
        while distance <= reach {
            if let Some(earlier) = self.ago(distance)
                && let Some((a, b)) = cuckoo::squares_of_move(board.key() ^ earlier)
                && !attacks::between(a, b).intersects(board.occupied())
            {
                let mover = board.piece_on(a).or(board.piece_on(b));
                let ours = mover.is_some_and(|piece| piece.color() == board.side_to_move());
                if ours && (distance < ply || self.had_occurred_before(distance, reach)) {
                    return true;
                }
            }
            distance += 2;
        }
        false
    }

    /// Was the position `distance` plies ago itself a repetition of an earlier one?
    fn had_occurred_before(&self, distance: usize, reach: usize) -> bool {
        let key = self.ago(distance);
        (distance + 4..=reach).step_by(2).any(|earlier| self.ago(earlier) == key)
    }
}
