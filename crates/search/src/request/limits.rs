//! What bounds a search. Limits combine: the search stops at the first one it reaches.

use std::time::Duration;

use megatherium_board::{Color, Move};

/// The limits of one search, as `go` gives them.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on each side's clock, indexed by colour.
    pub clock: [Option<Duration>; 2],
    /// Increment per move, indexed by colour.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Use exactly this much time.
    pub move_time: Option<Duration>,
    /// Stop after this iteration.
    pub depth: Option<u32>,
    /// Stop when all threads together have searched this many nodes.
    pub nodes: Option<u64>,
    /// Start no new iteration after this many nodes (self-play with even effort per move).
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in this many moves is found.
    pub mate: Option<u32>,
    /// Answer only after `stop`.
    pub infinite: bool,
    /// The opponent is still thinking: answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// Restrict the root to these moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Search to a fixed depth.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Search a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Search for a fixed time.
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }

    /// The clock of the side to move, if it plays on one.
    pub fn clock_of(&self, side: Color) -> Option<Duration> {
        self.clock[side.index()]
    }
}
