//! Nodes of a search tree as training positions (*TreeStrap*, Veness and others 2009).
//!
//! A search of some thousand nodes has searched a hundred positions to depth 4 and more, most of
//! them off the line that is played: positions like those the net is asked about. The table
//! remembers them. Nearly all were searched with a null window, so their scores are bounds.

use crate::data::{Ending, Game, PackedBoard, Ply};
use fastrand::Rng;
use megatherium_board::referee::Outcome;
use megatherium_board::{Board, Color, Move};
use megatherium_search::score::is_decisive;
use megatherium_search::{Bound, Engine, Entry, table_key};
use std::collections::HashSet;

/// Which nodes to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Those searched at least this deep.
    pub least_depth: u8,
    /// So many in a hundred of them, drawn at random.
    pub percent: u8,
}

/// Takes nodes out of the table, each position once.
pub struct Harvest {
    choice: Choice,
    seen: HashSet<u64>,
    random: Rng,
    nodes: Vec<Game>,
}

impl Harvest {
    /// Nothing yet.
    pub fn new(choice: Choice, seed: u64) -> Harvest {
        Harvest { choice, seen: HashSet::new(), random: Rng::with_seed(seed), nodes: Vec::new() }
    }

    /// Takes the nodes below `root` that the search just ended has left in the table.
    pub fn gather(&mut self, engine: &Engine, root: &Board, net: u32) {
        let mut open = vec![*root];
        while let Some(board) = open.pop() {
            for &mv in &board.legal_moves() {
                let child = board.after(mv);
                let key = table_key(&child);
                let Some(hit) = engine.table().peek(key) else { continue };
                let entry = hit.get();
                if entry.depth < self.choice.least_depth || !self.seen.insert(key) {
                    continue;
                }
                open.push(child);
                if self.random.u8(..100) < self.choice.percent {
                    self.nodes.extend(record(&child, &entry, net));
                }
            }
        }
    }

    /// What was taken.
    pub fn finish(self) -> Vec<Game> {
        self.nodes
    }
}

/// A node as a record, unless it is not quiet or has no score.
fn record(board: &Board, entry: &Entry, net: u32) -> Option<Game> {
    let side = board.side_to_move();
    let outcome = match (entry.bound, side) {
        (Bound::None, _) => return None,
        (Bound::Exact, _) => Outcome::Draw,
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => Outcome::White,
        (Bound::Lower, Color::Black) | (Bound::Upper, Color::White) => Outcome::Black,
    };
    let known = Move::from_raw(entry.mv).filter(|&mv| board.is_legal(mv));
    let quiet = |mv: &Move| !board.is_noisy(*mv);
    // After a fail-low no move is the best: any quiet one will do.
    let mv = match entry.bound {
        Bound::Upper => board.legal_moves().iter().copied().find(quiet),
        _ => known.filter(quiet),
    }?;
    if board.in_check() || is_decisive(i32::from(entry.score)) {
        return None;
    }
    let plies = vec![Ply { mv, score: entry.score }];
    Some(Game { start: PackedBoard::pack(board)?, outcome, ending: Ending::Tree, net, plies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use megatherium_search::{Limits, Root, Silent};

    /// White to move wins a queen for nothing; what else is tried says so as a bound.
    #[test]
    fn nodes_of_the_tree_are_quiet_distinct_and_bounded() {
        let board = Board::from_fen("4k3/pp3ppp/8/3q4/8/5P2/PPP3PP/3RK3 w - - 0 1").unwrap();
        let mut engine = Engine::new(1, 1).unwrap();
        engine.search(Root::new(board), Limits::depth(9), Silent);
        let nodes = |least_depth, percent| {
            let mut harvest = Harvest::new(Choice { least_depth, percent }, 1);
            harvest.gather(&engine, &board, 7);
            harvest.gather(&engine, &board, 7);
            harvest.finish()
        };
        let all = nodes(2, 100);
        assert!(all.len() > 20, "{}", all.len());
        let mut starts = HashSet::new();
        let mut ends = HashSet::new();
        for node in &all {
            let board = node.start.unpack().unwrap();
            assert!(starts.insert(board.key()), "a position is taken once");
            let [ply] = node.plies[..] else { panic!("a node has one move") };
            assert!(board.is_legal(ply.mv) && !board.is_noisy(ply.mv) && !board.in_check());
            let entry = engine.table().peek(table_key(&board)).unwrap().get();
            assert_eq!((ply.score, node.ending, node.net), (entry.score, Ending::Tree, 7));
            let favoured = match (entry.bound, board.side_to_move()) {
                (Bound::Exact, _) => Outcome::Draw,
                (Bound::Lower, side) if side.is_white() => Outcome::White,
                (Bound::Upper, side) if !side.is_white() => Outcome::White,
                _ => Outcome::Black,
            };
            assert_eq!(node.outcome, favoured);
            assert!(entry.bound != Bound::None && entry.depth >= 2);
            ends.insert(node.outcome.half_points(Color::White));
        }
        assert!(ends.len() > 1, "bounds of both kinds");
        assert!(nodes(4, 100).len() < all.len());
        let (few, half) = (nodes(2, 10).len(), nodes(2, 50).len());
        assert!(few < half && half < all.len(), "{few} {half} {}", all.len());
    }
}
