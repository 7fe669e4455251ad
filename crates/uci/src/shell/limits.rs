//! Turns the arguments of `go` into the limits of a search.

use std::fmt::Write as _;
use std::time::Duration;

use megatherium_board::Board;
use megatherium_search::Limits;
use megatherium_search::score::MAX_PLY;

use super::read_move;
use crate::command::Go;
use crate::parse::Quoted;

/// Time for a search whose limits could not be understood. Short, because a clock may be running.
const FALLBACK: Duration = Duration::from_millis(100);

/// The limits of a search, and everything that is wrong with the arguments, `problem` first.
///
/// If something was wrong and nothing else bounds the search it gets [`FALLBACK`]: it will answer.
pub(super) fn read(
    go: &Go<'_>,
    board: &Board,
    problem: Option<String>,
) -> (Limits, Option<String>) {
    let mut problem = problem.unwrap_or_default();
    let mut limits = Limits {
        clock: go.clock.map(|clock| clock.map(Duration::from_millis)),
        increment: go.increment.map(|increment| Duration::from_millis(increment.unwrap_or(0))),
        moves_to_go: go.moves_to_go,
        move_time: go.move_time.map(Duration::from_millis),
        depth: go.depth.map(|depth| depth.min(MAX_PLY as u32)),
        nodes: go.nodes,
        mate: go.mate.map(|mate| mate.min(MAX_PLY as u32)),
        infinite: go.infinite,
        ponder: go.ponder,
        ..Limits::default()
    };
    // If only the opponent's clock is given, assume that ours shows the same, rather than no clock.
    let (us, them) = (board.side_to_move(), !board.side_to_move());
    limits.clock[us.index()] = limits.clock[us.index()].or(limits.clock[them.index()]);
    let mut refused = 0;
    for word in &go.search_moves {
        match read_move(board, word) {
            Ok(mv) if limits.search_moves.contains(&mv) => {}
            Ok(mv) => limits.search_moves.push(mv),
            Err(error) => {
                refused += 1;
                if refused == 1 {
                    let separator = if problem.is_empty() { "" } else { "; " };
                    let _ =
                        write!(problem, "{separator}go searchmoves: {} is {error}", Quoted(word));
                }
            }
        }
    }
    if refused > 1 {
        let _ = write!(problem, "; and {} more", refused - 1);
    }
    if problem.is_empty() {
        return (limits, None);
    }
    if !go.is_limited() && !go.infinite {
        limits.move_time = Some(FALLBACK);
    }
    (limits, Some(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::parse::parse;

    fn limits(line: &str) -> (Limits, Option<String>) {
        let parsed = parse(line);
        let Some(Command::Go(go)) = parsed.command else { panic!("{line}") };
        let problem = (!parsed.problems.is_empty()).then(|| parsed.problems.to_string());
        read(&go, &Board::startpos(), problem)
    }

    #[test]
    fn numbers_become_limits() {
        let (read, problem) =
            limits("go wtime 1000 btime -5 winc 10 movestogo 3 nodes 7 depth 4294967295 mate 2");
        assert_eq!(problem, None);
        assert_eq!(read.clock, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!(read.increment, [Duration::from_millis(10), Duration::ZERO]);
        assert_eq!((read.moves_to_go, read.nodes, read.mate), (Some(3), Some(7), Some(2)));
        assert_eq!(read.depth, Some(MAX_PLY as u32));
        assert_eq!(read.move_time, None);
    }

    #[test]
    fn one_clock_is_enough() {
        assert_eq!(limits("go btime 700").0.clock, [Some(Duration::from_millis(700)); 2]);
        assert_eq!(limits("go wtime 700").0.clock, [Some(Duration::from_millis(700)), None]);
        assert_eq!(limits("go depth 5").0.clock, [None, None]);
    }

    #[test]
    fn illegal_search_moves_are_named_and_left_out() {
        let (read, problem) = limits("go depth 3 searchmoves e2e4 e2e5 E2E4 xyzzy d2d4 depth 2");
        assert_eq!(read.search_moves.len(), 2);
        assert_eq!(read.move_time, None);
        let problem = problem.unwrap();
        assert_eq!(
            problem,
            "go searchmoves: 'e2e5' is not a legal move in this position; and 1 more"
        );
    }

    #[test]
    fn what_cannot_be_understood_still_ends() {
        for line in [
            "go depth x",
            "go searchmoves a1a1",
            "go wtime soon",
            "go ponder wtime soon",
            "go quickly",
        ] {
            let (read, problem) = limits(line);
            assert_eq!(read.move_time, Some(FALLBACK), "{line}");
            assert!(problem.is_some(), "{line}");
        }
        assert_eq!(limits("go").0.move_time, None);
        assert_eq!(limits("go infinite quickly").0.move_time, None);
        assert_eq!(limits("go depth 4 quickly").0.move_time, None);
    }
}
