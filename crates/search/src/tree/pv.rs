//! Principal variations: the triangular table.
//!
//! Row `ply` holds the best line from `ply` on. When a move raises alpha, the row becomes the move
//! followed by the row below it, so the line of the root is complete without the shared table,
//! whose entries may be overwritten.

use std::collections::TryReserveError;

use megatherium_board::Move;

use crate::score::MAX_PLY;

/// One best line per ply.
pub struct PvTable {
    rows: Box<[Vec<Move>]>,
}

impl PvTable {
    /// No lines. Fails if the memory cannot be allocated.
    pub fn new() -> Result<PvTable, TryReserveError> {
        let mut rows = Vec::new();
        rows.try_reserve_exact(MAX_PLY + 2)?;
        for ply in 0..MAX_PLY + 2 {
            let mut row = Vec::new();
            row.try_reserve_exact(MAX_PLY + 2 - ply)?;
            rows.push(row);
        }
        Ok(PvTable { rows: rows.into_boxed_slice() })
    }

    /// Nothing is known from `ply` on.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.rows[ply].clear();
    }

    /// `mv` is best at `ply`, followed by the best line below.
    pub fn set(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.rows.split_at_mut(ply + 1);
        let row = &mut upper[ply];
        row.clear();
        row.push(mv);
        row.extend_from_slice(&lower[0]);
    }

    /// The best line from `ply` on.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.rows[ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_grow_from_the_leaves() {
        let mv = |raw| Move::from_raw(raw).unwrap();
        let mut pv = PvTable::new().unwrap();
        pv.clear(2);
        pv.clear(3);
        pv.set(2, mv(30));
        pv.set(1, mv(20));
        pv.set(0, mv(10));
        assert_eq!(pv.line(0), [mv(10), mv(20), mv(30)]);
        pv.clear(2);
        pv.set(1, mv(21));
        assert_eq!(pv.line(1), [mv(21)]);
        assert_eq!(
            pv.line(0),
            [mv(10), mv(20), mv(30)],
            "the root keeps its line until it is replaced"
        );
    }
}
