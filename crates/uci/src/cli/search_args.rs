//! What `analyse` and `suite` have in common: how long to search, and with what.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use megatherium_board::{Board, Move};
use megatherium_search::{Engine, Info, Limits, Outcome, Report, Root, ScoreBound, Sink};

use super::param_args::ParamArgs;
use crate::options::{MAX_HASH, MAX_THREADS};
use crate::parse::MAX_MILLISECONDS;

/// Limits per position, and the engine to search with.
#[derive(Args, Clone, Debug)]
pub(super) struct SearchArgs {
    /// Milliseconds per position (1000 if there is no limit at all)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=MAX_MILLISECONDS))]
    movetime: Option<u64>,
    /// Nodes per position, of all threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth per position
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: Option<u32>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: u64,
    /// Table size in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    #[command(flatten)]
    params: ParamArgs,
}

impl SearchArgs {
    pub(super) fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let mut engine = Engine::new(self.threads(), self.mebibytes())?;
        engine.options.params = self.params.params()?;
        Ok(engine)
    }

    pub(super) fn threads(&self) -> usize {
        self.threads as usize
    }

    pub(super) fn mebibytes(&self) -> usize {
        self.hash as usize
    }

    pub(super) fn limits(&self) -> Limits {
        let unlimited = self.movetime.is_none() && self.nodes.is_none() && self.depth.is_none();
        Limits {
            move_time: self.movetime.or(unlimited.then_some(1000)).map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        }
    }
}

/// Searches a position that has nothing to do with the one before, and keeps the lines it reports.
pub(super) fn search(
    engine: &mut Engine,
    board: Board,
    limits: Limits,
    each: impl Fn(&Info) + Send + Sync + 'static,
) -> (Vec<Info>, Outcome) {
    engine.new_game();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Keep { lines: Arc::clone(&lines), each };
    let outcome = engine.search(Root::new(board), limits, sink);
    let lines = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
    (lines, outcome)
}

struct Keep<F> {
    lines: Arc<Mutex<Vec<Info>>>,
    each: F,
}

impl<F: Fn(&Info) + Send + Sync> Sink for Keep<F> {
    fn report(&self, report: Report<'_>) {
        if let Report::Info(info) = report
            && info.bound == ScoreBound::Exact
        {
            (self.each)(info);
            self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(info.clone());
        }
    }
}

/// A bar for `length` positions: on standard error, and only if that is a terminal.
pub(super) fn progress_bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) =
        ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg} (left: {eta})")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A line of moves as people write it: `12. Nf3 d5 13. O-O`.
pub(super) fn line_in_san(board: &Board, moves: &[Move]) -> String {
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

/// A score as people write it: `+0.35`, `#5`, `#-3`.
pub(super) fn score_for_people(score: i32) -> String {
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
