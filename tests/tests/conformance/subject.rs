//! The engine under test, and what a check is.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use megatherium_board::Board;
use megatherium_tests::conversation::PATIENCE;
use megatherium_tests::game::judge;
use megatherium_tests::{Conversation, binary};

/// A check. It fails by panicking.
#[derive(Clone, Copy)]
pub struct Check {
    pub name: &'static str,
    pub run: fn(&Subject) -> Done,
}

/// A check that did not fail.
pub enum Done {
    Passed,
    /// The engine does not have what the check is about.
    Skipped(&'static str),
}

/// A rule of the protocol.
pub const fn check(name: &'static str, run: fn(&Subject) -> Done) -> Check {
    Check { name, run }
}

/// An option as the engine lists it.
#[derive(Clone, Debug)]
pub struct Listed {
    pub name: String,
    pub kind: String,
    pub default: Option<String>,
    pub min: Option<i64>,
    pub max: Option<i64>,
}

/// The engine under test.
pub struct Subject {
    pub path: PathBuf,
    pub name: String,
    /// Whether it is Megatherium.
    pub own: bool,
    pub options: Vec<Listed>,
    long: bool,
}

impl Subject {
    /// Finds the engine (`ENGINE`, or the one of this workspace) and asks for its name and options.
    pub fn meet(long: bool) -> Subject {
        let other = std::env::var_os("ENGINE").map(PathBuf::from);
        let patience = if other.is_some() { Duration::from_secs(20) } else { PATIENCE };
        let path = other.unwrap_or_else(|| binary::engine().to_owned());
        let mut engine = Conversation::start_command(&mut Command::new(&path));
        engine.set_patience(patience);
        engine.send("uci");
        let lines = engine.until("uciok");
        let name = lines
            .iter()
            .find_map(|line| line.strip_prefix("id name "))
            .unwrap_or("nameless")
            .to_owned();
        let options = lines.iter().filter_map(|line| parse_option(line)).collect();
        engine.send("quit");
        Subject { own: name.starts_with("Megatherium"), path, name, options, long }
    }

    /// A new process of it, before `uci`.
    pub fn start(&self) -> Conversation {
        let mut engine = Conversation::start_command(&mut Command::new(&self.path));
        engine.set_patience(if self.own { PATIENCE } else { Duration::from_secs(10) });
        engine
    }

    /// A new process of it, after `uciok`.
    pub fn start_uci(&self) -> Conversation {
        let mut engine = self.start();
        engine.send("uci");
        engine.until("uciok");
        engine
    }

    /// The option of that name.
    pub fn option(&self, name: &str) -> Option<&Listed> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// How often to repeat what is repeated `often` times in the ordinary run.
    pub fn times(&self, often: usize) -> usize {
        if self.long { often * 25 } else { often }
    }
}

/// Reads an `option` line; `None` if it is none or says nothing sensible.
pub fn parse_option(line: &str) -> Option<Listed> {
    let rest = line.strip_prefix("option name ")?;
    let (name, rest) = rest.split_once(" type ")?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = |key: &str| {
        let mut words = rest.split_ascii_whitespace();
        words.find(|word| *word == key)?;
        words.next()?.parse().ok()
    };
    let default = rest.strip_prefix("default").map(|value| match kind {
        "string" => value.trim().to_owned(),
        _ => value.split_ascii_whitespace().next().unwrap_or_default().to_owned(),
    });
    Some(Listed {
        name: name.to_owned(),
        kind: kind.to_owned(),
        default,
        min: number("min"),
        max: number("max"),
    })
}

/// Sends a `go`, judges all that is said, and sees to it that nothing more comes. Returns what was
/// said.
pub fn search(engine: &mut Conversation, go: &str, board: &Board) -> Vec<String> {
    engine.send(go);
    let lines = engine.until("bestmove");
    if let Err(error) = judge(&lines, board) {
        engine.fail(&format!("{go}: {error}"));
    }
    quiet(engine);
    lines
}

/// Nothing is said but the answer to `isready`.
pub fn quiet(engine: &mut Conversation) {
    let lines = engine.ready();
    // An engine may comment on anything at any time, but it must not answer twice.
    if lines.iter().any(|line| !line.starts_with("info")) {
        engine.fail(&format!("said without being asked: {lines:?}"));
    }
}

/// The position of a FEN.
pub fn board(fen: &str) -> Board {
    Board::from_fen(fen).expect("a position")
}

/// Sends `quit`; the engine must exit.
pub fn quit(mut engine: Conversation) {
    engine.send("quit");
    engine.wait();
}

/// How many answers are among the lines.
pub fn answers(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}
