//! The arguments of `go`.

use megatherium_board::perft::MAX_DEPTH;
use megatherium_cli::MAX_MILLISECONDS;

use super::words::{Words, number};
use super::{Problem, Problems};
use crate::command::Go;

/// The words with a meaning inside `go`: the list after `searchmoves` ends at one of them.
const GO_WORDS: [&str; 13] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "mate",
    "perft",
    "infinite",
    "ponder",
    "searchmoves",
];

/// Parses the arguments of `go`, in any order and combination. Invalid ones are reported and
/// skipped.
pub(super) fn go<'a>(mut words: Words<'a>, problems: &mut Problems<'a>) -> Go<'a> {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        match word {
            "wtime" => set(&mut go.clock[0], milliseconds("wtime", &mut words, problems)),
            "btime" => set(&mut go.clock[1], milliseconds("btime", &mut words, problems)),
            "winc" => set(&mut go.increment[0], milliseconds("winc", &mut words, problems)),
            "binc" => set(&mut go.increment[1], milliseconds("binc", &mut words, problems)),
            "movetime" => set(&mut go.move_time, milliseconds("movetime", &mut words, problems)),
            "movestogo" => {
                if let Some(moves) = go_number("movestogo", &mut words, problems) {
                    go.moves_to_go = Some(saturate(moves, 0)).filter(|&moves| moves != 0);
                }
            }
            "depth" => {
                set(
                    &mut go.depth,
                    go_number("depth", &mut words, problems).map(|n| saturate(n, 1)),
                );
            }
            "mate" => {
                set(&mut go.mate, go_number("mate", &mut words, problems).map(|n| saturate(n, 1)));
            }
            "perft" => {
                set(&mut go.perft, go_number("perft", &mut words, problems).map(perft_depth));
            }
            "nodes" => set(
                &mut go.nodes,
                go_number("nodes", &mut words, problems).map(|n| n.max(1) as u64),
            ),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                let before = go.search_moves.len();
                while let Some(mv) = words.peek().filter(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(mv);
                    words.next();
                }
                if go.search_moves.len() == before {
                    problems.push(Problem::Missing("go searchmoves", "a move"));
                }
            }
            other => problems.push(Problem::UnknownArgument("go", other)),
        }
    }
    go
}

/// An invalid value leaves the old one.
fn set<T>(field: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *field = value;
    }
}

fn saturate(value: i64, smallest: u32) -> u32 {
    value.clamp(i64::from(smallest), i64::from(u32::MAX)) as u32
}

/// A depth that perft can go down to.
pub(super) fn perft_depth(depth: i64) -> u32 {
    depth.clamp(0, i64::from(MAX_DEPTH)) as u32
}

/// A time in milliseconds; a negative one counts as 0.
fn milliseconds<'a>(
    name: &'static str,
    words: &mut Words<'a>,
    problems: &mut Problems<'a>,
) -> Option<u64> {
    go_number(name, words, problems).map(|number| (number.max(0) as u64).min(MAX_MILLISECONDS))
}

/// The number after a keyword of `go`. A keyword in its place is not consumed.
fn go_number<'a>(
    name: &'static str,
    words: &mut Words<'a>,
    problems: &mut Problems<'a>,
) -> Option<i64> {
    match words.peek() {
        Some(word) if GO_WORDS.contains(&word) => {
            problems.push(Problem::NotANumber(name, word));
            None
        }
        word => {
            words.next();
            number(name, word, problems)
        }
    }
}
