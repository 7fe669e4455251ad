//! What a search reports. It never prints: the caller's [`Sink`] does.

use std::time::Duration;

use megatherium_board::Move;

use crate::score::Score;

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// Inside the window.
    Exact,
    /// A lower bound: the search failed high.
    Lower,
    /// An upper bound: the search failed low.
    Upper,
}

impl ScoreBound {
    /// The bound of a score returned by a search with the window `(alpha, beta)`.
    pub fn of(score: Score, alpha: Score, beta: Score) -> ScoreBound {
        if score <= alpha {
            ScoreBound::Upper
        } else if score >= beta {
            ScoreBound::Lower
        } else {
            ScoreBound::Exact
        }
    }
}

/// One line of analysis.
#[derive(Clone, Debug)]
pub struct Info {
    /// Depth of the iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// Win, draw and loss probabilities in permille.
    pub wdl: [u16; 3],
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Permille of the table that holds entries of this search.
    pub hashfull: u32,
    /// Tablebase hits of all threads.
    pub tb_hits: u64,
    /// The principal variation. Every move is legal.
    pub pv: Vec<Move>,
}

impl Info {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Nodes per second; a `time` of zero counts as a microsecond.
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
    /// Win, draw and loss probabilities of that score in permille.
    pub wdl: [u16; 3],
    /// Last finished iteration of the thread whose line was elected.
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
        /// Depth of the iteration.
        depth: u32,
        /// The root move.
        mv: Move,
        /// Its rank, from 1.
        number: usize,
    },
    /// A failure that the search survives.
    Error(&'a str),
    /// The answer: sent exactly once per search, as its last report.
    Done(&'a Outcome),
}

/// Receives the reports of a search. `Error` may come from any thread; all other reports come from
/// thread 0, one after another.
pub trait Sink: Send + Sync {
    /// Takes one report. The search waits for it, so it must not block for long. A panic loses the
    /// report and nothing else.
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
