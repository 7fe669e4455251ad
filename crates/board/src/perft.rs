//! Perft: the number of leaf nodes at a depth, the classic test of move generation.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::{Board, Move};

/// Larger depths are taken as this one. Perft recurses, and a depth of thousands overflows the
/// stack at once; a count of this depth would not end in any lifetime.
pub const MAX_DEPTH: u32 = 255;

/// The number of leaf nodes at a depth. The moves of the last ply are counted, not made (bulk
/// counting).
pub fn perft(board: &Board, depth: u32) -> u64 {
    fn count(board: &Board, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => u64::from(board.count_legal_moves()),
            _ => sum(board.legal_moves().iter().map(|mv| count(&board.after(*mv), depth - 1))),
        }
    }
    count(board, depth.min(MAX_DEPTH))
}

/// [`perft`] without bulk counting: every move of the last ply is made as well.
pub fn perft_full(board: &Board, depth: u32) -> u64 {
    fn count(board: &Board, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        sum(board.legal_moves().iter().map(|mv| count(&board.after(*mv), depth - 1)))
    }
    count(board, depth.min(MAX_DEPTH))
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// [`perft`] for each move, in the order of generation, on `threads` threads. `None` if `stop` was
/// set before the end.
pub fn divide(
    board: &Board,
    depth: u32,
    threads: usize,
    stop: &AtomicBool,
) -> Option<Vec<(Move, u64)>> {
    divide_with(board, depth, threads, stop, |board, depth| count_until(board, depth, stop))
}

/// [`divide`] with another way to count the leaves below a position, for example with a table.
pub fn divide_with(
    board: &Board,
    depth: u32,
    threads: usize,
    stop: &AtomicBool,
    leaves: impl Fn(&Board, u32) -> u64 + Sync,
) -> Option<Vec<(Move, u64)>> {
    let Some(rest) = depth.min(MAX_DEPTH).checked_sub(1) else { return Some(Vec::new()) };
    let moves = board.legal_moves();
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        // Each thread takes the next unclaimed move.
        while let Some((mv, count)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            moves.get(index).copied().zip(counts.get(index))
        } {
            count.store(leaves(&board.after(mv), rest), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.clamp(1, moves.len().max(1)) {
            // If a thread cannot be started, the others do its share.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    Some(moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect())
}

/// [`perft`] that polls `stop`; the count is wrong if it was set.
fn count_until(board: &Board, depth: u32, stop: &AtomicBool) -> u64 {
    /// Below this depth a count is too short to interrupt.
    const SHORT: u32 = 4;
    if stop.load(Ordering::Relaxed) {
        return 0;
    }
    if depth <= SHORT {
        return perft(board, depth);
    }
    sum(board.legal_moves().iter().map(|&mv| count_until(&board.after(mv), depth - 1, stop)))
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
            (
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                [6, 264, 9_467, 422_333],
            ),
            (
                "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
                [44, 1_486, 62_379, 2_103_487],
            ),
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
        }
        assert_eq!(perft(&Board::startpos(), 0), 1);
    }

    #[test]
    fn divided_counts_add_up_on_any_number_of_threads() {
        let board =
            Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
                .unwrap();
        let go_on = AtomicBool::new(false);
        for threads in [0, 1, 3, 500] {
            let counts = divide(&board, 3, threads, &go_on).unwrap();
            assert_eq!(counts.len(), 48);
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 97_862);
        }
        assert_eq!(divide(&board, 0, 1, &go_on), Some(Vec::new()));
        let mated = Board::from_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap();
        assert_eq!(divide(&mated, 5, 2, &go_on), Some(Vec::new()));
        assert_eq!(divide(&board, 100, 2, &AtomicBool::new(true)), None);
    }

    /// One line of play as deep as it is asked for would need megabytes of stack.
    #[test]
    fn a_depth_beyond_reason_does_not_overflow_the_stack() {
        let start = Board::startpos();
        let depth = AtomicU64::new(0);
        let deepest = |_: &Board, rest| depth.fetch_max(u64::from(rest), Ordering::Relaxed);
        divide_with(&start, u32::MAX, 1, &AtomicBool::new(false), deepest);
        assert_eq!(depth.into_inner(), u64::from(MAX_DEPTH) - 1);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(divide(&start, u32::MAX, 2, &stop), None));
            // Long enough to go down once.
            thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
    }
}
