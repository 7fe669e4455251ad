//! `megatherium suite`: how many positions of a test suite are solved.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use megatherium_board::{Move, position_file};
use megatherium_cli::positions::{NamedPosition, named};
use megatherium_cli::progress::Progress;
use megatherium_cli::search::SearchArgs;

use super::solver::{Answer, Solver};
use megatherium_cli::JobResult;

#[derive(Args, Debug)]
pub struct SuiteArgs {
    /// EPD file; positions without `bm` or `am` are skipped
    file: PathBuf,
    #[command(flatten)]
    search: SearchArgs,
    /// Use another UCI engine
    #[arg(long, value_name = "BINARY", conflicts_with = "changes")]
    engine: Option<PathBuf>,
    /// Show solved positions too
    #[arg(long)]
    all: bool,
    /// Fail if fewer positions are solved
    #[arg(long, value_name = "N")]
    at_least: Option<usize>,
}

/// A position with the moves that solve it.
#[derive(Debug)]
struct Problem {
    position: NamedPosition,
    best: Vec<Move>,
    avoid: Vec<Move>,
}

impl Problem {
    /// `None` if the record names no moves.
    fn new(position: NamedPosition) -> Result<Option<Problem>, String> {
        let moves = |opcode| match position.epd.operand(opcode) {
            None => Ok(Vec::new()),
            Some(_) => position
                .epd
                .moves(opcode)
                .map_err(|error| format!("{}: {opcode}: {error}", position.name)),
        };
        let (best, avoid) = (moves("bm")?, moves("am")?);
        let wanted = !best.is_empty() || !avoid.is_empty();
        Ok(wanted.then_some(Problem { position, best, avoid }))
    }

    fn is_solved_by(&self, mv: Option<&Move>) -> bool {
        mv.is_some_and(|mv| {
            (self.best.is_empty() || self.best.contains(mv)) && !self.avoid.contains(mv)
        })
    }

    /// When the search first had a right move that it then kept.
    fn solved_after(&self, answer: &Answer) -> Duration {
        let mut since = None;
        for (time, mv) in &answer.preferred {
            since = if self.is_solved_by(Some(mv)) { since.or(Some(*time)) } else { None };
        }
        since.unwrap_or(answer.time)
    }

    /// The moves in words: `Rxb2`, `not Qxd5`.
    fn solution(&self) -> String {
        let board = &self.position.epd.board;
        let best = self.best.iter().map(|&mv| board.san(mv));
        let avoid = self.avoid.iter().map(|&mv| format!("not {}", board.san(mv)));
        best.chain(avoid).collect::<Vec<_>>().join(" or ")
    }
}

pub(super) fn run(args: &SuiteArgs) -> JobResult {
    let mut problems = Vec::new();
    for position in named(position_file::read(&args.file)?) {
        problems.extend(Problem::new(position)?);
    }
    if problems.is_empty() {
        return Err(format!(
            "{}: no position names a best move or a move to avoid",
            args.file.display()
        )
        .into());
    }
    let mut solver = Solver::new(&args.search, args.engine.as_deref())?;
    let bar = Progress::new("positions")?;
    bar.begin("positions", problems.len() as u64);
    let (mut solved, mut tried) = (0, 0);
    let (mut nodes, mut time, mut to_solution) = (0, Duration::ZERO, Duration::ZERO);
    for problem in &problems {
        let board = problem.position.epd.board;
        let answer = solver.solve(board, bar.stop())?;
        if bar.stopped() {
            break;
        }
        tried += 1;
        nodes += answer.nodes;
        time += answer.time;
        let success = problem.is_solved_by(answer.best.as_ref());
        if success {
            solved += 1;
            to_solution += problem.solved_after(&answer);
        }
        bar.step(1, &format!("solved {solved}"));
        if args.all || !success {
            let played = answer.best.map_or_else(|| "nothing".to_owned(), |mv| board.san(mv));
            bar.line(format_args!(
                "{} {:<12} wanted {:<16} played {played:<8} {:>7} depth {:>3} {:>8.2}s",
                if success { "+" } else { "-" },
                problem.position.name,
                problem.solution(),
                answer.score,
                answer.depth,
                answer.time.as_secs_f64()
            ));
        }
    }
    bar.clear();
    if tried < problems.len() {
        bar.line(format_args!("stopped after {tried} of {} positions", problems.len()));
    }
    if tried > 0 {
        let mean = if solved > 0 {
            let mean = to_solution.as_secs_f64() / solved as f64;
            format!(", {mean:.3} s to a solution on average")
        } else {
            String::new()
        };
        bar.line(format_args!("{nodes} nodes in {:.1} s{mean}", time.as_secs_f64()));
        let percent = 100.0 * solved as f64 / tried as f64;
        bar.line(format_args!("solved {solved} of {tried} ({percent:.1} %)"));
    }
    match args.at_least {
        Some(wanted) if solved < wanted => Err(format!("fewer than {wanted} solved").into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(record: &str) -> Problem {
        let position = NamedPosition { name: "test".to_owned(), epd: record.parse().unwrap() };
        Problem::new(position).unwrap().unwrap()
    }

    #[test]
    fn best_moves_and_moves_to_avoid() {
        let both = problem("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; am Kd1;");
        let mv = |word| both.position.epd.board.parse_uci(word).ok();
        assert!(both.is_solved_by(mv("e2e4").as_ref()));
        assert!(!both.is_solved_by(mv("e1f1").as_ref()));
        assert!(!both.is_solved_by(None));
        assert_eq!(both.solution(), "e4 or e3 or not Kd1");
        let avoid = problem("4k3/8/8/8/8/8/4P3/4K3 w - - am Kd1;");
        assert!(avoid.is_solved_by(mv("e1f1").as_ref()));
        assert!(!avoid.is_solved_by(mv("e1d1").as_ref()));
    }

    #[test]
    fn records_without_moves_are_left_out() {
        let position = NamedPosition {
            name: "test".to_owned(),
            epd: "4k3/8/8/8/8/8/4P3/4K3 w - - ce 5;".parse().unwrap(),
        };
        assert!(Problem::new(position).unwrap().is_none());
    }
}
