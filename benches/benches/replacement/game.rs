//! Games: consecutive searches, two plies apart, so that the table holds entries of earlier
//! searches.

use megatherium_board::Board;
use megatherium_search::Entry;
use megatherium_tt::{Policy, Table};

use crate::memory::{Recorder, Trace};
use crate::search::{Search, evaluate};

/// Openings, middle games, and endings in which transpositions are everything.
const POSITIONS: [&str; 6] = [
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "2r2rk1/1bqnbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP1Q1PP/R4RK1 w - - 0 13",
];

/// No search goes deeper: endings would go on for ever.
const DEEPEST: i32 = 18;

/// Where the games begin: the positions above, then as many more as one likes, reached by random
/// moves.
pub fn starts() -> impl Iterator<Item = Board> {
    let chosen = POSITIONS.iter().map(|fen| Board::from_fen(fen).expect("a legal position"));
    chosen.chain((1..).filter_map(random_start))
}

/// The position after twelve random moves, if it is neither over nor lopsided.
fn random_start(seed: u64) -> Option<Board> {
    let mut board = Board::startpos();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let moves = board.legal_moves();
        board.make(*moves.get(state as usize % moves.len().max(1))?);
    }
    (!board.in_check() && board.has_legal_move() && evaluate(&board).abs() < 150).then_some(board)
}

/// The positions that were searched, each to a depth, and the traffic at the table.
pub struct Game {
    searches: Vec<(Board, i32)>,
    /// Positions visited by all searches.
    pub nodes: u64,
    /// The traffic of a table that forgets nothing.
    pub trace: Trace,
}

impl Game {
    /// Searches, plays the best move and the best answer, and searches again, a few times in a row.
    /// Each search goes on until it has visited `budget` positions and finished a depth.
    pub fn record(mut board: Board, searches: usize, budget: u64) -> Self {
        let mut search = Search::new(Recorder::default());
        let mut searched = Vec::new();
        for _ in 0..searches {
            let (best, depth) =
                search.deepen(&board, |depth, nodes| nodes >= budget || depth >= DEEPEST);
            searched.push((board, depth));
            let Some(best) = best else { break };
            board.make(best);
            let Some(answer) = search.answer(&board) else { break };
            board.make(answer);
        }
        Self { searches: searched, nodes: search.nodes, trace: search.memory.trace }
    }

    /// The number of searches.
    pub fn len(&self) -> usize {
        self.searches.len()
    }

    /// Positions visited by the same searches, to the same depths, with a table of a policy.
    pub fn nodes_with<P: Policy<Entry>>(&self, table: Table<Entry, P>) -> u64 {
        let mut search = Search::new(table);
        for &(board, depth) in &self.searches {
            search.deepen(&board, |reached, _| reached >= depth);
        }
        search.nodes
    }
}
