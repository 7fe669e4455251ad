//! Parses a line into a [`Command`]. Every input gives a result; there are no side effects and no
//! panics.
//!
//! Bad input is never fatal. The valid part of a line becomes a command, the rest a list of
//! [`Problem`]s that name the offending word. A line can have both (`go depth ten movetime 100` is
//! a search of 100 ms and one problem).

mod go;
mod problem;
#[cfg(test)]
mod tests;
mod words;

pub use problem::{Problem, Problems, Quoted, Suggestion};
pub(crate) use words::saturating_number;

use megatherium_cli::{MAX_DEPTH, MAX_HASH, MAX_THREADS};

use crate::command::{Command, Go, Position};
use words::{Words, number};

/// The result of parsing one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// The command, if one was found and its arguments make sense.
    pub command: Option<Command<'a>>,
    /// What was wrong with the line.
    pub problems: Problems<'a>,
}

/// Parses one line. Blank lines and comments (`# …`) are neither a command nor a problem.
pub fn parse(line: &str) -> Parsed<'_> {
    let mut words = Words::new(line);
    let mut parsed = Parsed::default();
    let Some(first) = words.next() else { return parsed };
    if first.starts_with('#') {
        return parsed;
    }
    if human_command(first, words.clone(), &mut parsed)
        || protocol_command(first, words.clone(), &mut parsed)
    {
        return parsed;
    }
    // The protocol asks to skip unknown words before a command ("joho debug on"). Only protocol
    // commands are searched for: a sentence that contains "d" or "help" is not a command.
    while let Some(word) = words.next() {
        if protocol_command(word, words.clone(), &mut parsed) {
            parsed.problems.push_front(Problem::Skipped(first));
            return parsed;
        }
    }
    parsed.problems.push(Problem::UnknownCommand(first));
    parsed
}

/// The commands of the UCI protocol. Returns whether `word` is one of them.
fn protocol_command<'a>(word: &str, words: Words<'a>, parsed: &mut Parsed<'a>) -> bool {
    parsed.command = match word {
        "uci" => Some(Command::Uci),
        "debug" => debug(words, &mut parsed.problems),
        "isready" => Some(Command::IsReady),
        "setoption" => set_option(words, &mut parsed.problems),
        "register" => Some(Command::Register),
        "ucinewgame" => Some(Command::NewGame),
        "position" => position(words, &mut parsed.problems),
        "go" => Some(Command::Go(go::go(words, &mut parsed.problems))),
        "stop" => Some(Command::Stop),
        "ponderhit" => Some(Command::PonderHit),
        "quit" => Some(Command::Quit),
        _ => return false,
    };
    true
}

/// The commands for people at a terminal. Returns whether `word` is one of them.
fn human_command<'a>(word: &str, mut words: Words<'a>, parsed: &mut Parsed<'a>) -> bool {
    parsed.command = match word {
        "d" => Some(Command::Display),
        "eval" => Some(Command::Eval),
        "flip" => Some(Command::Flip),
        "tt" => Some(Command::TableStats),
        "help" => Some(Command::Help),
        "version" | "compiler" => Some(Command::Version),
        "exit" => Some(Command::Quit),
        "perft" => number("perft", words.next(), &mut parsed.problems)
            .map(|depth| Command::Go(Go { perft: Some(go::perft_depth(depth)), ..Go::default() })),
        "bench" => {
            let mut argument = |name, most| {
                let word = words.next()?;
                let value = number(name, Some(word), &mut parsed.problems)?;
                // As on the command line: a bench of other numbers than those asked for would be
                // compared with the wrong ones.
                if !(1..=most as i64).contains(&value) {
                    parsed.problems.push(Problem::OutOfRange(name, word, most));
                }
                Some(value)
            };
            let hash = argument("bench hash", MAX_HASH).map(|hash| hash as usize);
            let threads = argument("bench threads", MAX_THREADS).map(|threads| threads as usize);
            let depth = argument("bench depth", MAX_DEPTH).map(|depth| depth as u32);
            parsed.problems.is_empty().then_some(Command::Bench { depth, threads, hash })
        }
        _ => return false,
    };
    true
}

fn debug<'a>(mut words: Words<'a>, problems: &mut Problems<'a>) -> Option<Command<'a>> {
    match words.next() {
        Some("on") => Some(Command::Debug(true)),
        Some("off") => Some(Command::Debug(false)),
        Some(other) => {
            problems.push(Problem::Expected("debug", "'on' or 'off'", other));
            None
        }
        None => {
            problems.push(Problem::Missing("debug", "'on' or 'off'"));
            None
        }
    }
}

/// `setoption name N… [value V…]`: the name ends at the first word `value`, the value is the rest
/// of the line.
fn set_option<'a>(mut words: Words<'a>, problems: &mut Problems<'a>) -> Option<Command<'a>> {
    match words.next() {
        Some(word) if word.eq_ignore_ascii_case("name") => {}
        Some(other) => {
            problems.push(Problem::Expected("setoption", "'name'", other));
            return None;
        }
        None => {
            problems.push(Problem::Missing("setoption", "'name'"));
            return None;
        }
    }
    let from_name = words.rest();
    let mut length = from_name.len();
    let mut value = None;
    while let Some(word) = words.peek() {
        if word.eq_ignore_ascii_case("value") {
            length = from_name.len() - words.rest().len();
            words.next();
            value = Some(words.rest());
            break;
        }
        words.next();
    }
    let name = from_name.get(..length).unwrap_or_default().trim_ascii_end();
    if name.is_empty() {
        problems.push(Problem::Missing("setoption", "the option's name"));
        return None;
    }
    Some(Command::SetOption { name, value })
}

/// `position startpos|fen F… [moves …]`. The FEN is everything up to the word `moves`.
fn position<'a>(mut words: Words<'a>, problems: &mut Problems<'a>) -> Option<Command<'a>> {
    let fen = match words.next() {
        Some("startpos") => None,
        Some("fen") => {
            let from_fen = words.rest();
            let mut length = from_fen.len();
            while let Some(word) = words.peek() {
                if word == "moves" {
                    length = from_fen.len() - words.rest().len();
                    break;
                }
                words.next();
            }
            match from_fen.get(..length).unwrap_or_default().trim_ascii_end() {
                "" => {
                    problems.push(Problem::Missing("position fen", "the FEN"));
                    return None;
                }
                // Some GUIs send this, and its meaning is clear.
                "startpos" => None,
                fen => Some(fen),
            }
        }
        Some(other) => {
            problems.push(Problem::Expected("position", "'startpos' or 'fen'", other));
            return None;
        }
        None => {
            problems.push(Problem::Missing("position", "'startpos' or 'fen'"));
            return None;
        }
    };
    match words.next() {
        None | Some("moves") => Some(Command::Position(Position { fen, moves: words.rest() })),
        Some(other) => {
            problems.push(Problem::Expected("position", "'moves'", other));
            None
        }
    }
}
