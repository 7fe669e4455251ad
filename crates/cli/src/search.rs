//! Shared by commands that search positions: limits and engine from arguments, lines in SAN.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::Args;
use megatherium_board::{Board, Move};
use megatherium_search::{Engine, Info, Limits, Outcome, Report, Root, ScoreBound};

use crate::params::ParamArgs;
use crate::{MAX_HASH, MAX_MILLISECONDS, MAX_THREADS};

/// Limits per position, and the engine to search with.
#[derive(Args, Clone, Debug)]
pub struct SearchArgs {
    /// Milliseconds per position; 1000 if there is no other limit
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=MAX_MILLISECONDS))]
    movetime: Option<u64>,
    /// Nodes per position, all threads together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth per position
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: Option<u32>,
    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: u64,
    /// Table size in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    #[command(flatten)]
    params: ParamArgs,
}

impl SearchArgs {
    /// An engine with the threads, table and parameters asked for.
    pub fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let mut engine = Engine::new(self.threads(), self.mebibytes())?;
        engine.options.params = self.params.params()?;
        Ok(engine)
    }

    /// Search threads.
    pub fn threads(&self) -> usize {
        self.threads as usize
    }

    /// Table size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.hash as usize
    }

    /// The limits of each search; one second if none is given.
    pub fn limits(&self) -> Limits {
        let unlimited = self.movetime.is_none() && self.nodes.is_none() && self.depth.is_none();
        Limits {
            move_time: self.movetime.or(unlimited.then_some(1000)).map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        }
    }
}

/// Searches a position as a new game, until its limits or until `stop` is set. Returns the exact
/// lines it reported and the answer; `each` sees the lines as they come.
pub fn search(
    engine: &mut Engine,
    board: Board,
    limits: Limits,
    stop: &AtomicBool,
    each: impl Fn(&Info) + Send + Sync + 'static,
) -> (Vec<Info>, Outcome) {
    engine.new_game();
    follow(engine, Root::new(board), limits, stop, each)
}

/// Like [`search`], but of a position within a game: the table and the statistics of the last
/// search are kept.
pub fn follow(
    engine: &mut Engine,
    root: Root,
    limits: Limits,
    stop: &AtomicBool,
    each: impl Fn(&Info) + Send + Sync + 'static,
) -> (Vec<Info>, Outcome) {
    let (sender, receiver) = channel();
    let sink = move |report: Report<'_>| {
        let message = match report {
            Report::Info(info) if info.bound == ScoreBound::Exact => {
                each(info);
                Message::Line(info.clone())
            }
            Report::Done(outcome) => Message::Done(outcome.clone()),
            _ => return,
        };
        // The receiver listens until the answer.
        let _ = sender.send(message);
    };
    engine.start(root, limits, Arc::new(sink));
    let mut lines = Vec::new();
    loop {
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok(Message::Line(info)) => lines.push(info),
            Ok(Message::Done(outcome)) => {
                engine.wait();
                return (lines, outcome);
            }
            Err(_) if stop.load(Ordering::Relaxed) => engine.stop(),
            Err(_) => {}
        }
    }
}

enum Message {
    Line(Info),
    Done(Outcome),
}

/// A line in SAN with move numbers: `12. Nf3 d5 13. O-O`.
pub fn line_in_san(board: &Board, moves: &[Move]) -> String {
    let mut board = *board;
    let mut text = String::new();
    for (index, &mv) in moves.iter().enumerate() {
        if !board.is_legal(mv) {
            break;
        }
        if index > 0 {
            text.push(' ');
        }
        if board.side_to_move().is_white() {
            let _ = write!(text, "{}. ", board.fullmove_number());
        } else if index == 0 {
            let _ = write!(text, "{}… ", board.fullmove_number());
        }
        text += &board.san(mv);
        board.make(mv);
    }
    text
}

/// A score in pawns, or in moves to mate: `+0.35`, `#5`, `#-3`.
pub fn score_for_people(score: i32) -> String {
    match megatherium_search::score::moves_to_mate(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use megatherium_search::score::mated_in;

    use super::*;

    #[test]
    fn lines_have_move_numbers() {
        let mut board = Board::startpos();
        let mut moves = Vec::new();
        let start = board;
        for word in ["e2e4", "e7e5", "g1f3"] {
            let mv = board.parse_uci(word).unwrap();
            moves.push(mv);
            board.make(mv);
        }
        assert_eq!(line_in_san(&start, &moves), "1. e4 e5 2. Nf3");
        let mut after = start;
        after.make(moves[0]);
        assert_eq!(line_in_san(&after, &moves[1..]), "1… e5 2. Nf3");
        assert_eq!(line_in_san(&start, &[]), "");
    }

    #[test]
    fn scores_have_signs() {
        assert_eq!(score_for_people(35), "+0.35");
        assert_eq!(score_for_people(-250), "-2.50");
        assert_eq!(score_for_people(mated_in(4)), "#-2");
    }
}
