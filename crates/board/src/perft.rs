//! Counting the positions a number of plies away: the classic proof that the rules are right.

use rayon::prelude::*;

use crate::{Board, Move};

/// The number of move sequences of a length. The last ply is counted without being played.
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => u64::from(board.count_legal_moves()),
        _ => board.legal_moves().iter().map(|mv| perft(&after(board, *mv), depth - 1)).sum(),
    }
}

/// The same, with every move of the last ply played as well.
pub fn perft_full(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board.legal_moves().iter().map(|mv| perft_full(&after(board, *mv), depth - 1)).sum()
}

/// [`perft`] for each move, on all threads. The moves are in the order of generation.
pub fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let moves = board.legal_moves();
    moves.par_iter().map(|mv| (*mv, perft_parallel(&after(board, *mv), rest))).collect()
}

/// [`perft`] on all threads.
pub fn perft_parallel(board: &Board, depth: u32) -> u64 {
    // Below this depth a position is less work than handing it to another thread.
    if depth < 4 {
        return perft(board, depth);
    }
    board.legal_moves().par_iter().map(|mv| perft_parallel(&after(board, *mv), depth - 1)).sum()
}

#[inline]
fn after(board: &Board, mv: Move) -> Board {
    let mut next = *board;
    next.make(mv);
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_positions() {
        for (fen, counts) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8_902, 197_281]),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                [48, 2_039, 97_862, 4_085_603],
            ),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2_812, 43_238]),
            ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9_467, 422_333]),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1_486, 62_379, 2_103_487]),
            (
                "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
                [46, 2_079, 89_890, 3_894_594],
            ),
        ] {
            let board = Board::from_fen(fen).unwrap();
            for (depth, count) in (1..).zip(counts) {
                assert_eq!(perft(&board, depth), count, "{fen} at depth {depth}");
            }
            assert_eq!(perft_full(&board, 3), counts[2], "{fen}, played out");
            assert_eq!(
                divide(&board, 4).iter().map(|(_, count)| count).sum::<u64>(),
                counts[3],
                "{fen}, divided"
            );
        }
        assert_eq!((perft(&Board::startpos(), 0), divide(&Board::startpos(), 0).len()), (1, 0));
    }
}
