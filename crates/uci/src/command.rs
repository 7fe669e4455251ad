//! The commands that a line can hold.

use std::fmt::{self, Write as _};

/// A parsed line. Text is borrowed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`: name, options, `uciok`.
    Uci,
    /// `debug on|off`: print extra `info string` lines, or stop printing them.
    Debug(bool),
    /// `isready`: answer `readyok`.
    IsReady,
    /// `setoption name … value …`.
    SetOption {
        /// The option's name as written, possibly with spaces.
        name: &'a str,
        /// Everything after `value`; `None` if the word is missing.
        value: Option<&'a str>,
    },
    /// `register …`: there is nothing to register.
    Register,
    /// `ucinewgame`: forget the last game.
    NewGame,
    /// `position …`.
    Position(Position<'a>),
    /// `go …`.
    Go(Go<'a>),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `d`: show the position.
    Display,
    /// `eval`: show the evaluation.
    Eval,
    /// `bench`: search the fixed set of positions.
    Bench {
        /// Depth of each search; `None` for the default.
        depth: Option<u32>,
        /// Search threads.
        threads: Option<usize>,
        /// Table size in mebibytes.
        hash: Option<usize>,
    },
    /// `flip`: the same position with colours exchanged.
    Flip,
    /// `tt`: statistics of the transposition table.
    TableStats,
    /// `help`.
    Help,
    /// `version` or `compiler`.
    Version,
}

/// The arguments of `position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The FEN, or `None` for the initial position.
    pub fen: Option<&'a str>,
    /// What follows `moves`, separated by white space.
    pub moves: &'a str,
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fen {
            None => f.write_str("position startpos")?,
            Some(fen) => write!(f, "position fen {fen}")?,
        }
        if self.moves.is_empty() { Ok(()) } else { write!(f, " moves {}", self.moves) }
    }
}

/// The arguments of `go`. Numbers are clamped to the range of their field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go<'a> {
    /// `wtime` and `btime`, in milliseconds.
    pub clock: [Option<u64>; 2],
    /// `winc` and `binc`, in milliseconds.
    pub increment: [Option<u64>; 2],
    /// `movestogo`; `None` for 0, which means that there is no next time control.
    pub moves_to_go: Option<u32>,
    /// `movetime`, in milliseconds.
    pub move_time: Option<u64>,
    /// `depth`, at least 1.
    pub depth: Option<u32>,
    /// `nodes`, at least 1.
    pub nodes: Option<u64>,
    /// `mate`, at least 1.
    pub mate: Option<u32>,
    /// `perft`: count moves instead of searching.
    pub perft: Option<u32>,
    /// `infinite`.
    pub infinite: bool,
    /// `ponder`.
    pub ponder: bool,
    /// The words after `searchmoves`.
    pub search_moves: Vec<&'a str>,
}

impl Go<'_> {
    /// Whether a limit ends the search, not counting `ponder` and `infinite`.
    pub fn is_limited(&self) -> bool {
        self.clock.iter().any(Option::is_some)
            || self.move_time.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
    }
}

/// A command in `help` and in the manual.
#[derive(Debug)]
pub struct Entry {
    /// How it is written.
    pub usage: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// Every command, in the order of the manual.
pub const COMMANDS: &[Entry] = &[
    Entry { usage: "uci", meaning: "name, options, `uciok`" },
    Entry { usage: "debug on|off", meaning: "say in `info string` lines what was understood" },
    Entry {
        usage: "isready",
        meaning: "`readyok`; at once during a search, else after everything before it is done",
    },
    Entry {
        usage: "setoption name N [value V]",
        meaning: "change an option; see the table of options",
    },
    Entry { usage: "register …", meaning: "says that there is nothing to register" },
    Entry { usage: "ucinewgame", meaning: "empty the table, forget the move statistics" },
    Entry {
        usage: "position startpos|fen F [moves m1 m2 …]",
        meaning: "the position of the next `go`, with the game that led to it",
    },
    Entry { usage: "go …", meaning: "search; see the table of limits" },
    Entry { usage: "stop", meaning: "end the search (or `bench`, `perft`); its answer follows" },
    Entry {
        usage: "ponderhit",
        meaning: "the opponent played the expected move: the clock counts from now on",
    },
    Entry { usage: "quit", meaning: "stop, answer, exit" },
    Entry { usage: "d", meaning: "the position: diagram, FEN, keys, checkers, legal moves" },
    Entry {
        usage: "eval",
        meaning: "the static evaluation, and what each piece contributes to it",
    },
    Entry { usage: "flip", meaning: "exchange the colours of the position" },
    Entry {
        usage: "tt",
        meaning: "the transposition table: size, fill, statistics of the last search",
    },
    Entry { usage: "perft N", meaning: "count leaf nodes at depth N (also `go perft N`)" },
    Entry {
        usage: "bench [hash [threads [depth]]]",
        meaning: "search a fixed set of positions; ends with `N nodes M nps`",
    },
    Entry {
        usage: "version",
        meaning: "version, commit, compiler, instruction sets (also `compiler`)",
    },
    Entry { usage: "help", meaning: "this list" },
    Entry { usage: "# …", meaning: "a comment" },
];

/// The table of commands in the manual.
pub fn manual_table() -> String {
    let mut table = String::from("| command | meaning |\n|---|---|\n");
    for entry in COMMANDS {
        // An unescaped bar would start the next cell.
        let _ = writeln!(table, "| `{}` | {} |", entry.usage.replace('|', "\\|"), entry.meaning);
    }
    table
}
