//! Solves the positions of a suite: with this engine, or with another one in a separate process.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::process::{Info, Process, go_words};
use megatherium_board::{Board, Move};
use megatherium_cli::search::{SearchArgs, score_for_people, search};
use megatherium_search::{Engine, Limits};

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The move chosen.
    pub best: Option<Move>,
    /// The move preferred at the end of each iteration, and when that was.
    pub preferred: Vec<(Duration, Move)>,
    /// The last score, formatted.
    pub score: String,
    /// The last depth.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// An engine with limits.
pub(super) enum Solver {
    /// This engine.
    Own(Box<Engine>, Limits),
    /// Another engine, with the arguments of `go`.
    Other(Process, String),
}

impl Solver {
    /// This engine, or the one in `other`.
    pub(super) fn new(args: &SearchArgs, other: Option<&Path>) -> Result<Solver, Box<dyn Error>> {
        let Some(binary) = other else {
            return Ok(Solver::Own(Box::new(args.engine()?), args.limits()));
        };
        let process = Process::start(binary, args.threads(), args.mebibytes())?;
        Ok(Solver::Other(process, go_words(&args.limits())))
    }

    /// Searches a position as a new game.
    pub(super) fn solve(
        &mut self,
        board: Board,
        stop: &AtomicBool,
    ) -> Result<Answer, Box<dyn Error>> {
        match self {
            Solver::Own(engine, limits) => {
                let (lines, outcome) = search(engine, board, limits.clone(), stop, |_| {});
                let first = lines.iter().filter(|line| line.multipv == 1);
                Ok(Answer {
                    best: outcome.best,
                    preferred: first
                        .filter_map(|line| Some((line.time, *line.pv.first()?)))
                        .collect(),
                    score: score_for_people(outcome.score),
                    depth: outcome.depth,
                    nodes: outcome.nodes,
                    time: outcome.time,
                })
            }
            Solver::Other(process, limits) => {
                process.set_up(&board)?;
                let mut answer = Answer::default();
                let started = Instant::now();
                let hear = |line: &str| answer.hear(&board, line, started.elapsed());
                let best = process.search(limits, stop, hear)?;
                answer.time = started.elapsed();
                answer.best = best.and_then(|best| board.parse_uci(&best).ok());
                Ok(answer)
            }
        }
    }
}

impl Answer {
    /// Updates the answer from an `info` line.
    fn hear(&mut self, board: &Board, line: &str, after: Duration) {
        let Some(info) = Info::parse(line) else { return };
        self.depth = info.depth.unwrap_or(self.depth);
        self.nodes = info.nodes.unwrap_or(self.nodes);
        match info.score {
            Some(("cp", score)) => self.score = format!("{:+.2}", f64::from(score) / 100.0),
            Some((_, mate)) => self.score = format!("#{mate}"),
            None => {}
        }
        let best = info.best.filter(|_| info.exact);
        self.preferred
            .extend(best.and_then(|word| board.parse_uci(word).ok()).map(|mv| (after, mv)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_engines_are_understood() {
        let board = Board::startpos();
        let after = Duration::from_millis(7);
        let mut answer = Answer::default();
        answer.hear(&board, "info string depth 99 pv a2a3", after);
        answer.hear(&board, "info depth 5 currmove e2e4", after);
        answer.hear(&board, "info depth 6 score cp 31 lowerbound nodes 900 pv d2d4", after);
        assert!(answer.preferred.is_empty());
        answer.hear(&board, "info depth 6 seldepth 9 score cp -12 nodes 1234 pv e2e4 e7e5", after);
        let e4 = board.parse_uci("e2e4").unwrap();
        assert_eq!(answer.preferred, [(after, e4)]);
        assert_eq!((answer.depth, answer.nodes, answer.score.as_str()), (6, 1234, "-0.12"));
        answer.hear(&board, "info depth 7 score mate -3 pv e2e5", after);
        assert_eq!((answer.preferred.len(), answer.score.as_str()), (1, "#-3"));
    }
}
