//! What a search tells the outside. The search itself never prints.

use std::time::Duration;

use megatherium_board::Move;

use crate::score::Score;

/// How the score of a line is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// The score itself.
    Exact,
    /// At least this much: the window failed high.
    Lower,
    /// At most this much: the window failed low.
    Upper,
}

/// One line of analysis.
#[derive(Clone, Debug)]
pub struct Info {
    /// Iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// Expected win, draw and loss in permille.
    pub wdl: [u16; 3],
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Permille of the table written in this search.
    pub hashfull: u32,
    /// Tablebase hits of all threads.
    pub tb_hits: u64,
    /// The line itself, legal move by move.
    pub pv: Vec<Move>,
}

impl Info {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Nodes per second over `time`, never dividing by zero.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The move to play; `None` only when there is no legal move.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// Score of the chosen line.
    pub score: Score,
    /// Depth of the last finished iteration of the chosen thread.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time from start to answer.
    pub time: Duration,
}

/// A message from a running search.
#[derive(Debug)]
pub enum Report<'a> {
    /// A line of analysis.
    Info(&'a Info),
    /// The root move being searched (long searches only).
    CurrentMove {
        /// Iteration.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its rank, from 1.
        number: usize,
    },
    /// Something went wrong, and the search goes on without it.
    Error(&'a str),
    /// The answer: sent exactly once, last.
    Done(&'a Outcome),
}

/// Receives the reports of a search, possibly from several threads (though never two at once for `Info` and `Done`).
pub trait Sink: Send + Sync {
    /// Takes one report. Must not block for long: the search waits.
    fn report(&self, report: Report<'_>);
}

/// Discards every report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn report(&self, _: Report<'_>) {}
}

impl<F: Fn(Report<'_>) + Send + Sync> Sink for F {
    fn report(&self, report: Report<'_>) {
        self(report);
    }
}
