//! Judges what was said.

use std::ops::AddAssign;

use super::play::Played;
use super::{Case, Kind, Oracle, Surroundings};
use crate::conversation::{field, pv};

/// What was judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Lines sent.
    pub lines: usize,
    /// Searches answered.
    pub searches: usize,
    /// Moves of principal variations and answers.
    pub moves: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.lines += other.lines;
        self.searches += other.searches;
        self.moves += other.moves;
    }
}

/// The initial position, with castling rights in FEN or Shredder-FEN.
fn start(chess960: bool) -> String {
    let rights = if chess960 { "HAha" } else { "KQkq" };
    format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w {rights} - 0 1")
}

/// The rule: every `go` is answered once, with a legal move; every line makes at most one error
/// line; the engine leaves with code 0 and says nothing on standard error.
pub(super) fn judge(case: &Case, played: &Played) -> Result<Counts, String> {
    let Played { said, errors, status } = played;
    let refused = status.code() == Some(1) && said.is_empty() && errors.lines().count() == 1;
    if refused && case.surroundings.may_prevent_start() {
        return Ok(Counts::default());
    }
    if !status.success() || !errors.is_empty() {
        return Err(format!("{status}; standard error: {errors:?}; said last: {:?}", said.last()));
    }
    let mut counts = Counts { lines: case.steps.len(), ..Counts::default() };
    if matches!(case.surroundings, Surroundings::Deaf(_)) {
        return Ok(counts);
    }
    let count = |wanted: &dyn Fn(&Kind) -> bool| {
        case.steps.iter().filter(|step| wanted(&step.kind)).count()
    };
    let starting = |start: &str| said.iter().filter(|line| line.starts_with(start)).count();
    for (start, wanted) in [
        ("bestmove", count(&|kind| matches!(kind, Kind::Go(_)))),
        ("readyok", count(&|kind| *kind == Kind::Ready)),
        ("uciok", count(&|kind| *kind == Kind::Uci)),
    ] {
        let found = starting(start);
        if found != wanted {
            return Err(format!("{found} lines {start:?} instead of {wanted}"));
        }
    }
    if starting("info string error: ") > case.steps.len() {
        return Err("more errors than lines".to_owned());
    }
    if let Some(line) =
        said.iter().find(|line| line.contains(|c: char| c.is_control() && c != '\t'))
    {
        return Err(format!("control characters in {line:?}"));
    }
    if count(&|kind| *kind == Kind::Talk) == 0 {
        const STARTS: [&str; 6] = ["info ", "bestmove ", "readyok", "uciok", "id ", "option "];
        let strange = said.iter().find(|line| !STARTS.iter().any(|start| line.starts_with(start)));
        if let Some(line) = strange {
            return Err(format!("not a line of the protocol: {line:?}"));
        }
    }
    judge_searches(case, said, &mut counts)?;
    Ok(counts)
}

/// The lines up to the n-th answer belong to the n-th search.
fn judge_searches(case: &Case, said: &[String], counts: &mut Counts) -> Result<(), String> {
    let mut answers = said.split_inclusive(|line| line.starts_with("bestmove"));
    let mut position = start(case.chess960);
    for step in &case.steps {
        match &step.kind {
            Kind::Position(fen) => position.clone_from(fen),
            Kind::Go(only) => {
                let lines = answers.next().unwrap_or_default();
                let Some(oracle) = Oracle::new(&position, case.chess960) else {
                    return Err(format!("the oracles do not take {position}"));
                };
                judge_search(lines, &oracle, only, counts)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn judge_search(
    lines: &[String],
    oracle: &Oracle,
    only: &[String],
    counts: &mut Counts,
) -> Result<(), String> {
    let (answer, infos) = lines.split_last().ok_or("no answer")?;
    for line in infos.iter().filter(|line| line.starts_with("info ") && !line.contains(" string "))
    {
        if line.contains(" pv ") {
            let mut board = oracle.clone();
            for mv in pv(line) {
                board.play(mv).map_err(|error| format!("{line}: {error}"))?;
                counts.moves += 1;
            }
        }
        judge_expectations(line)?;
    }
    counts.searches += 1;
    let best = field(answer, "bestmove").ok_or("no move")?;
    let legal = oracle.moves();
    if legal.is_empty() {
        return if best == "(none)" { Ok(()) } else { Err(format!("{answer} after the end")) };
    }
    let mut board = oracle.clone();
    board.play(best).map_err(|error| format!("{answer}: {error}"))?;
    counts.moves += 1;
    if let Some(reply) = field(answer, "ponder") {
        board.play(reply).map_err(|error| format!("{answer}: {error}"))?;
        counts.moves += 1;
    }
    // Legal in the position the line was made for, not in the one it has after shrinking.
    let listed = only.iter().all(|mv| legal.contains(mv));
    if !only.is_empty() && listed && !only.iter().any(|mv| mv == best) {
        return Err(format!("{answer} is not one of {only:?}"));
    }
    Ok(())
}

/// Win, draw and loss are three numbers that add up to 1000.
fn judge_expectations(line: &str) -> Result<(), String> {
    let Some((_, rest)) = line.split_once(" wdl ") else { return Ok(()) };
    let numbers: Vec<u32> = rest.split(' ').map_while(|word| word.parse().ok()).take(3).collect();
    if numbers.len() == 3 && numbers.iter().sum::<u32>() == 1000 {
        return Ok(());
    }
    Err(format!("win, draw and loss in {line}"))
}
