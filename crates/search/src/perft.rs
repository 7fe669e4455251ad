//! Perft with a table: transpositions are counted once.

use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::perft::{divide_with, perft};
use megatherium_board::{Board, Move};
use megatherium_tt::{Packed, Payload, SizeError, Table};

/// How many leaves a position has at a depth: 54 bits and 4 bits.
///
/// ```text
///  57            31 30             4 3     0
/// ┌────────────────┬────────────────┬───────┐
/// │ leaves, bits   │ leaves, bits   │ depth │
/// │ 0–26           │ 27–53          │       │
/// └────────────────┴────────────────┴───────┘
/// ```
///
/// The low half of the count differs most from one position to the next, so it is on top. The depth
/// is never 0, so neither is the payload; it ranks the entries, and it is part of the key as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Leaves {
    count: u64,
    depth: u32,
}

impl Leaves {
    /// Counts and depths of this size or more are not stored.
    const END: (u64, u32) = (1 << 54, 16);
    const LOW: u64 = (1 << 27) - 1;
}

impl Payload for Leaves {
    #[inline]
    fn pack(self) -> Packed {
        let (low, high) = (self.count & Self::LOW, self.count >> 27);
        Packed::new(low << 31 | high << 4 | u64::from(self.depth))
    }

    #[inline]
    fn unpack(packed: Packed) -> Self {
        let bits = packed.bits();
        Leaves { count: (bits >> 4 & Self::LOW) << 27 | bits >> 31, depth: bits as u32 & 15 }
    }

    #[inline]
    fn rank(packed: Packed) -> i32 {
        (packed.bits() & 15) as i32
    }
}

/// A table of leaf counts, for perft on any number of threads.
#[derive(Debug)]
pub struct PerftTable(Table<Leaves>);

impl PerftTable {
    /// A table of `mebibytes` MiB.
    pub fn new(mebibytes: usize) -> Result<PerftTable, SizeError> {
        Table::new(mebibytes).map(PerftTable)
    }

    /// Counts the leaves below each move, as [`megatherium_board::perft::divide`] does. `None` if
    /// `stop` was set before the end.
    ///
    /// The counts are right unless two positions of the tree have the same 64-bit key.
    pub fn divide(
        &self,
        board: &Board,
        depth: u32,
        threads: usize,
        stop: &AtomicBool,
    ) -> Option<Vec<(Move, u64)>> {
        divide_with(board, depth, threads, stop, |board, depth| leaves(board, depth, &self.0, stop))
    }
}

/// The leaves below a position. Wrong, and not stored, if `stop` was set.
fn leaves(board: &Board, depth: u32, table: &Table<Leaves>, stop: &AtomicBool) -> u64 {
    if depth <= 1 {
        return perft(board, depth);
    }
    // A different key for each depth: an odd multiplier spreads it over the word.
    let key = board.key() ^ u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if let Some(hit) = table.probe(key) {
        return hit.get().count;
    }
    if depth > 4 && stop.load(Ordering::Relaxed) {
        return 0;
    }
    let moves = board.legal_moves();
    let counts = moves.iter().map(|&mv| leaves(&board.after(mv), depth - 1, table, stop));
    let count = counts.fold(0, u64::saturating_add);
    if count < Leaves::END.0 && depth < Leaves::END.1 && !stop.load(Ordering::Relaxed) {
        table.store(key, Leaves { count, depth });
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use megatherium_tt::check_layout;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    fn total(fen: &str, depth: u32, threads: usize) -> u64 {
        let board = Board::from_fen(fen).unwrap();
        let table = PerftTable::new(1).unwrap();
        let counts = table.divide(&board, depth, threads, &AtomicBool::new(false)).unwrap();
        counts.iter().map(|(_, count)| count).sum()
    }

    #[test]
    fn counts_are_the_same_with_a_table() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for threads in [1, 3] {
            assert_eq!(total(start, 5, threads), 4_865_609);
            assert_eq!(total(KIWIPETE, 4, threads), 4_085_603);
            assert_eq!(total("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, threads), 11_030_083);
        }
    }

    #[test]
    fn a_stop_is_heard() {
        let board = Board::from_fen(KIWIPETE).unwrap();
        let table = PerftTable::new(1).unwrap();
        assert_eq!(table.divide(&board, 9, 2, &AtomicBool::new(true)), None);
        assert_eq!(table.0.hashfull(), 0, "nothing of it is remembered");
    }

    #[test]
    fn the_layout_is_sound() {
        let samples: Vec<Leaves> = (1..3000u64)
            .map(|n| Leaves { count: n * n * 37 + n, depth: 2 + n as u32 % 9 })
            .chain([Leaves { count: Leaves::END.0 - 1, depth: Leaves::END.1 - 1 }])
            .collect();
        assert!(check_layout(&samples, 64 << 14).is_ok());
    }
}
