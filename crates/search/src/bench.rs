//! The bench: fixed positions searched to a fixed depth.
//!
//! On one thread the node count is the signature of the search: the same in every process and on
//! every machine, and different after every functional change. Several threads have a signature too
//! if they take turns: see [`VirtualSmp`](crate::VirtualSmp).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use megatherium_board::{Board, Move};

use crate::engine::{Engine, EngineError};
use crate::report::nodes_per_second;
use crate::request::{Limits, Root};
use crate::score::Score;

/// Default depth of each search.
pub const DEFAULT_DEPTH: u32 = 12;

/// Default table size in MiB.
pub const DEFAULT_HASH: usize = 16;

/// Openings, middlegames, endgames, mates, a stalemate trap and Chess960 starts.
pub const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2NP1/PP2PPBP/R1BQK2R b KQ - 4 6",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N5/PP3PPP/R1BQKBNR w KQkq - 0 5",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3BPP2/2N2B2/PPP3PP/R2Q1RK1 w - - 0 14",
    "3r1rk1/1p3pnp/p3pBp1/1qPpP3/1P1P2R1/P2Q3R/6PP/6K1 w - - 1 28",
    "r2qr1k1/1b1nbppp/p2p1n2/1p1Pp3/4P3/2N1BN1P/PPB2PP1/R2QR1K1 w - - 1 16",
    "1r3rk1/p1q2pp1/2p1bn1p/4p3/4P3/1BP2N2/P1Q2PPP/R3R1K1 w - - 2 19",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 17",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 9 40",
    "4rrk1/1p1nq3/p7/2p1P1pp/3P2bp/3Q1Bn1/PPPB4/1K2R1NR w - - 0 21",
    "r3k2r/3nnpbp/q2pp1p1/p7/Pp1PPPP1/4BNN1/1P5P/R2Q1RK1 w kq - 0 16",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "6k1/6p1/P6p/r1N5/5p2/7P/1b3PP1/4R1K1 w - - 0 40",
    "1r2kb1r/2qn1p1p/p2Bp1p1/3p4/Q7/2N5/PPP2PPP/2KR3R b k - 3 18",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 44",
    "8/3k4/1p2p1p1/p1p1Pp1p/P1P2P1P/1P1K2P1/8/8 w - - 0 50",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 47",
    "8/5p2/pk2p3/4P2p/2b1pP1P/P3P2B/8/7K w - - 0 44",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 58",
    "6k1/1p3p2/p1p2P1p/P1P1p1pP/1P2P1P1/3r3R/4K3/8 w - - 0 52",
    "8/1R3pk1/6p1/3pP2p/r4P1P/4K1P1/8/8 w - - 0 46",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "7k/8/8/8/3p4/2P2K2/1P6/8 w - - 0 1",
    "8/8/8/5k2/8/3K4/4PP2/8 w - - 12 70",
    "6k1/8/8/3K1NN1/8/8/6p1/8 b - - 6 80",
    "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 41",
    "1n1k4/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r1bqk2r/pp1n1ppp/2pbpn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 1 7",
    "2kr3r/pp1q1ppp/5n2/1Nb5/2Pp1B2/7Q/P4PPP/1R3RK1 w - - 0 20",
    "bnrbnkqr/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKQR w HChc - 0 1",
    "nrbkqbnr/pp3ppp/2pp4/4p3/4P3/2PP4/PP3PPP/NRBKQBNR w HBhb - 0 5",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 80",
];

/// One finished position.
#[derive(Clone, Debug)]
pub struct Position {
    /// Its number, from 1.
    pub number: usize,
    /// The position as FEN.
    pub fen: &'static str,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// The move chosen.
    pub best: Option<Move>,
    /// Its score.
    pub score: Score,
}

/// The result of the whole bench.
#[derive(Clone, Debug, Default)]
pub struct Bench {
    /// Total nodes.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
    /// Checksum of moves and scores. Builds with equal node counts and different checksums do not
    /// play the same.
    pub checksum: u64,
    /// False if it was interrupted.
    pub complete: bool,
}

impl Bench {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Runs the bench. `stop` ends it, also within a position; `each` is called for every finished one.
pub fn run(
    depth: u32,
    threads: usize,
    mebibytes: usize,
    stop: &AtomicBool,
    each: &mut dyn FnMut(&Position),
) -> Result<Bench, EngineError> {
    Ok(run_on(&mut Engine::new(threads, mebibytes)?, depth, stop, each))
}

/// Runs the bench on the caller's engine, with its options: its threads may take turns.
pub fn run_on(
    engine: &mut Engine,
    depth: u32,
    stop: &AtomicBool,
    each: &mut dyn FnMut(&Position),
) -> Bench {
    let mut bench = Bench::default();
    for (index, fen) in POSITIONS.into_iter().enumerate() {
        let board = Board::from_fen(fen).expect("the bench positions are valid");
        engine.new_game();
        let started = Instant::now();
        let outcome = engine.search_until(Root::new(board), Limits::depth(depth), stop);
        let time = started.elapsed();
        // The count of a search that was stopped says nothing.
        if stop.load(Ordering::Relaxed) {
            return bench;
        }
        bench.nodes += outcome.nodes;
        bench.time += time;
        let fingerprint =
            u64::from(outcome.best.map_or(0, Move::raw)) << 32 ^ u64::from(outcome.score as u32);
        bench.checksum =
            (bench.checksum.rotate_left(5) ^ fingerprint).wrapping_mul(0x517C_C1B7_2722_0A95);
        each(&Position {
            number: index + 1,
            fen,
            nodes: outcome.nodes,
            time,
            best: outcome.best,
            score: outcome.score,
        });
    }
    bench.complete = true;
    bench
}
