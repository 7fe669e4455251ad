//! The options of the engine: one declaration from which the `uci` listing, the parsing and the manual come.

use std::fmt::{self, Write as _};

use megatherium_search::strength::ELO_RANGE;

use crate::parse::{Quoted, saturating_number};

/// Largest `Hash` in mebibytes (32 TiB).
pub const MAX_HASH: u64 = 1 << 25;
/// Largest `Threads`.
pub const MAX_THREADS: u64 = 1024;
/// What `EvalFile` is when the built-in net is used.
pub const EMBEDDED: &str = "<embedded>";

/// An option given a valid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Size of the table in mebibytes.
    Hash(u64),
    /// Number of search threads.
    Threads(u64),
    /// Empty the table.
    ClearHash,
    /// Whether the GUI lets the engine ponder.
    Ponder(bool),
    /// Number of lines to report.
    MultiPv(u64),
    /// Milliseconds lost between engine and clock per move.
    MoveOverhead(u64),
    /// Castling is written king takes rook.
    Chess960(bool),
    /// Report win, draw and loss expectations.
    ShowWdl(bool),
    /// Play as weakly as [`Setting::Elo`] says.
    LimitStrength(bool),
    /// The rating to play at.
    Elo(u64),
    /// Folders with Syzygy tablebases; empty for none.
    SyzygyPath(String),
    /// Shallowest remaining depth at which tablebases are probed.
    SyzygyProbeDepth(u64),
    /// Largest number of men to probe.
    SyzygyProbeLimit(u64),
    /// Whether tablebase wins beyond the 50-move rule count as draws.
    Syzygy50MoveRule(bool),
    /// The file with the net; empty for the built-in one.
    EvalFile(String),
    /// The file that gets a copy of the conversation; empty for none.
    DebugLogFile(String),
}

/// One option as declared.
#[derive(Debug)]
pub struct Declaration {
    /// The name, as listed. Compared without regard to case.
    pub name: &'static str,
    /// Its type, range and default, and the setting it makes.
    pub kind: Kind,
    /// What it does, for the manual.
    pub meaning: &'static str,
}

/// Type, default and range of an option.
#[derive(Debug)]
pub enum Kind {
    /// `true` or `false`.
    Check {
        /// Value before the first `setoption`.
        default: bool,
        /// Makes the setting.
        set: fn(bool) -> Setting,
    },
    /// A whole number.
    Spin {
        /// Value before the first `setoption`.
        default: u64,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// Makes the setting.
        set: fn(u64) -> Setting,
    },
    /// Text to the end of the line.
    String {
        /// What is listed; setting it again means the same as `<empty>`.
        default: &'static str,
        /// Makes the setting.
        set: fn(String) -> Setting,
    },
    /// An action without a value.
    Button {
        /// The action.
        setting: Setting,
    },
    /// Text that the GUI may show, but not change.
    Fixed {
        /// The text.
        text: &'static str,
    },
}

/// Every option, in the order of the listing. `Threads` and `Hash` come first: GUIs set them first.
pub const OPTIONS: &[Declaration] = &[
    Declaration {
        name: "Threads",
        kind: Kind::Spin { default: 1, min: 1, max: MAX_THREADS, set: Setting::Threads },
        meaning: "Search threads. One is deterministic, unless the strength is limited; more are stronger. No more than the machine has cores is a good rule.",
    },
    Declaration {
        name: "Hash",
        kind: Kind::Spin { default: 16, min: 1, max: MAX_HASH, set: Setting::Hash },
        meaning: "Size of the transposition table in MiB. A size that cannot be had is refused and the old table stays.",
    },
    Declaration {
        name: "Clear Hash",
        kind: Kind::Button { setting: Setting::ClearHash },
        meaning: "Empties the table.",
    },
    Declaration {
        name: "Ponder",
        kind: Kind::Check { default: false, set: Setting::Ponder },
        meaning: "Set by the GUI when it lets the engine think on the opponent's time; the engine then spends a little more of its own.",
    },
    Declaration {
        name: "MultiPV",
        kind: Kind::Spin { default: 1, min: 1, max: 256, set: Setting::MultiPv },
        meaning: "Number of best lines to report.",
    },
    Declaration {
        name: "Move Overhead",
        kind: Kind::Spin { default: 10, min: 0, max: 5000, set: Setting::MoveOverhead },
        meaning: "Milliseconds lost per move between the engine and the clock. Raise it if games are lost on time over a slow connection.",
    },
    Declaration {
        name: "UCI_Chess960",
        kind: Kind::Check { default: false, set: Setting::Chess960 },
        meaning: "Writes castling as king takes rook (`e1h1`). It is understood either way.",
    },
    Declaration {
        name: "UCI_ShowWDL",
        kind: Kind::Check { default: false, set: Setting::ShowWdl },
        meaning: "Adds `wdl W D L` (permille) to every score.",
    },
    Declaration {
        name: "UCI_LimitStrength",
        kind: Kind::Check { default: false, set: Setting::LimitStrength },
        meaning: "Plays at the strength of `UCI_Elo`.",
    },
    Declaration {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: 1500,
            min: *ELO_RANGE.start() as u64,
            max: *ELO_RANGE.end() as u64,
            set: Setting::Elo,
        },
        meaning: "The rating to play at when `UCI_LimitStrength` is on.",
    },
    Declaration {
        name: "SyzygyPath",
        kind: Kind::String { default: "<empty>", set: Setting::SyzygyPath },
        meaning: "Folders with Syzygy tablebase files, separated by `:`. `<empty>` for none. A path without tables is refused and the old tables stay.",
    },
    Declaration {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin { default: 1, min: 1, max: 100, set: Setting::SyzygyProbeDepth },
        meaning: "Probe inside the tree only with at least this much depth left. Raise it if the disk is slow.",
    },
    Declaration {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin { default: 7, min: 0, max: 7, set: Setting::SyzygyProbeLimit },
        meaning: "Probe positions with at most this many men. 0 turns probing off.",
    },
    Declaration {
        name: "Syzygy50MoveRule",
        kind: Kind::Check { default: true, set: Setting::Syzygy50MoveRule },
        meaning: "Tablebase wins that the 50-move rule spoils count as draws.",
    },
    Declaration {
        name: "EvalFile",
        kind: Kind::String { default: EMBEDDED, set: Setting::EvalFile },
        meaning: "A net file to evaluate with, in place of the built-in one. A file that is not a net of this engine is refused and the old net stays.",
    },
    Declaration {
        name: "Debug Log File",
        kind: Kind::String { default: "<empty>", set: Setting::DebugLogFile },
        meaning: "Appends every line in and out to this file, each with the time (UTC) to the millisecond. `<empty>` ends it.",
    },
    Declaration {
        name: "UCI_EngineAbout",
        kind: Kind::Fixed { text: ABOUT },
        meaning: "What the engine is. Cannot be set.",
    },
];

const ABOUT: &str = concat!(
    "Megatherium ",
    env!("CARGO_PKG_VERSION"),
    ", a lock-free multi-threaded chess engine. MIT or Apache-2.0 licence."
);

/// Why a `setoption` was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionError<'a> {
    /// There is no such option.
    Unknown(&'a str),
    /// The option needs a value.
    NoValue(&'static str),
    /// Not `true` or `false`.
    NotABool(&'static str, &'a str),
    /// Not a whole number.
    NotANumber(&'static str, &'a str),
    /// Outside the range.
    OutOfRange(&'static str, &'a str, u64, u64),
    /// Not to be changed.
    Fixed(&'static str),
}

impl fmt::Display for OptionError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OptionError::Unknown(name) => write!(f, "no option {}", Quoted(name)),
            OptionError::NoValue(name) => write!(f, "option {name}: the value is missing"),
            OptionError::NotABool(name, value) => {
                write!(f, "option {name}: {} is neither 'true' nor 'false'", Quoted(value))
            }
            OptionError::NotANumber(name, value) => {
                write!(f, "option {name}: {} is not a whole number", Quoted(value))
            }
            OptionError::OutOfRange(name, value, min, max) => {
                write!(f, "option {name}: {} is not in {min}..{max}", Quoted(value))
            }
            OptionError::Fixed(name) => write!(f, "option {name} cannot be set"),
        }
    }
}

impl std::error::Error for OptionError<'_> {}

/// Turns the words of a `setoption` into a setting.
///
/// ```
/// use megatherium::options::{Setting, parse_option};
///
/// assert_eq!(parse_option("move  overhead", Some("100")), Ok(Setting::MoveOverhead(100)));
/// assert!(parse_option("Threads", Some("0")).is_err());
/// ```
pub fn parse_option<'a>(name: &'a str, value: Option<&'a str>) -> Result<Setting, OptionError<'a>> {
    let option = find(name).ok_or(OptionError::Unknown(name))?;
    let name = option.name;
    let value = value.map(str::trim_ascii);
    match &option.kind {
        Kind::Check { set, .. } => match value.ok_or(OptionError::NoValue(name))? {
            value if value.eq_ignore_ascii_case("true") => Ok(set(true)),
            value if value.eq_ignore_ascii_case("false") => Ok(set(false)),
            value => Err(OptionError::NotABool(name, value)),
        },
        &Kind::Spin { min, max, set, .. } => {
            let value = value.filter(|value| !value.is_empty()).ok_or(OptionError::NoValue(name))?;
            let number = saturating_number(value).ok_or(OptionError::NotANumber(name, value))?;
            match u64::try_from(number) {
                Ok(number) if (min..=max).contains(&number) => Ok(set(number)),
                _ => Err(OptionError::OutOfRange(name, value, min, max)),
            }
        }
        Kind::String { default, set } => {
            let value = value.ok_or(OptionError::NoValue(name))?;
            let empty = value == "<empty>" || value == *default;
            Ok(set(if empty { String::new() } else { value.to_owned() }))
        }
        // Some GUIs send a value even for a button; it has no meaning.
        Kind::Button { setting } => Ok(setting.clone()),
        Kind::Fixed { .. } => Err(OptionError::Fixed(name)),
    }
}

/// The option of that name: case and the amount of white space do not matter.
fn find(name: &str) -> Option<&'static Declaration> {
    let words = |name| str::split_ascii_whitespace(name).map(str::to_ascii_lowercase);
    OPTIONS.iter().find(|option| words(option.name).eq(words(name)))
}

/// The settings everything starts with: the listed defaults.
pub fn defaults() -> impl Iterator<Item = Setting> {
    OPTIONS.iter().filter_map(|option| match &option.kind {
        Kind::Check { default, set } => Some(set(*default)),
        Kind::Spin { default, set, .. } => Some(set(*default)),
        Kind::String { set, .. } => Some(set(String::new())),
        Kind::Button { .. } | Kind::Fixed { .. } => None,
    })
}

/// Writes the `option …` lines of the answer to `uci`.
pub fn write_listing(out: &mut String) {
    for option in OPTIONS {
        let _ = write!(out, "option name {} type ", option.name);
        let _ = match &option.kind {
            Kind::Check { default, .. } => writeln!(out, "check default {default}"),
            Kind::Spin { default, min, max, .. } => {
                writeln!(out, "spin default {default} min {min} max {max}")
            }
            Kind::String { default, .. } => writeln!(out, "string default {default}"),
            Kind::Button { .. } => writeln!(out, "button"),
            Kind::Fixed { text } => writeln!(out, "string default {text}"),
        };
    }
}

/// The table of options in the manual.
pub fn manual_table() -> String {
    let mut table = String::from("| option | type | default | range | meaning |\n|---|---|---|---|---|\n");
    for option in OPTIONS {
        let (kind, default, range) = match &option.kind {
            Kind::Check { default, .. } => ("check", default.to_string(), String::new()),
            Kind::Spin { default, min, max, .. } => ("spin", default.to_string(), format!("{min}–{max}")),
            Kind::String { default, .. } => ("string", format!("`{default}`"), String::new()),
            Kind::Button { .. } => ("button", String::new(), String::new()),
            Kind::Fixed { .. } => ("string", "name, version, licence".to_owned(), String::new()),
        };
        let _ = writeln!(table, "| `{}` | {kind} | {default} | {range} | {} |", option.name, option.meaning);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_extra_white_space() {
        assert_eq!(parse_option("hash", Some("64")), Ok(Setting::Hash(64)));
        assert_eq!(parse_option("MOVE \t OVERHEAD", Some(" 7 ")), Ok(Setting::MoveOverhead(7)));
        assert_eq!(parse_option("clear hash", None), Ok(Setting::ClearHash));
        assert_eq!(parse_option("MoveOverhead", Some("7")), Err(OptionError::Unknown("MoveOverhead")));
        assert_eq!(parse_option("", Some("7")), Err(OptionError::Unknown("")));
    }

    #[test]
    fn values_are_checked() {
        let refused = |name, value| parse_option(name, value).expect_err("a bad value").to_string();
        assert_eq!(refused("Threads", Some("0")), "option Threads: '0' is not in 1..1024");
        assert_eq!(refused("Threads", Some("100000")), "option Threads: '100000' is not in 1..1024");
        assert_eq!(refused("Threads", Some("-1")), "option Threads: '-1' is not in 1..1024");
        assert_eq!(refused("Threads", Some("2.5")), "option Threads: '2.5' is not a whole number");
        assert_eq!(refused("Threads", Some("99999999999999999999")).matches("is not in").count(), 1);
        assert_eq!(refused("Threads", None), "option Threads: the value is missing");
        assert_eq!(refused("Threads", Some("")), "option Threads: the value is missing");
        assert_eq!(refused("Ponder", Some("yes")), "option Ponder: 'yes' is neither 'true' nor 'false'");
        assert_eq!(refused("SyzygyPath", None), "option SyzygyPath: the value is missing");
        assert_eq!(refused("UCI_EngineAbout", Some("x")), "option UCI_EngineAbout cannot be set");
        assert_eq!(parse_option("Ponder", Some("TRUE")), Ok(Setting::Ponder(true)));
    }

    #[test]
    fn text_runs_to_the_end_of_the_line() {
        let path = |value| parse_option("SyzygyPath", Some(value));
        assert_eq!(path("/a b/c:/d"), Ok(Setting::SyzygyPath("/a b/c:/d".to_owned())));
        assert_eq!(path("<empty>"), Ok(Setting::SyzygyPath(String::new())));
        assert_eq!(path(""), Ok(Setting::SyzygyPath(String::new())));
        assert_eq!(parse_option("EvalFile", Some(EMBEDDED)), Ok(Setting::EvalFile(String::new())));
    }

    /// What a GUI reads from the listing is accepted when it sends it back.
    #[test]
    fn every_listed_default_can_be_set() {
        let mut listing = String::new();
        write_listing(&mut listing);
        assert_eq!(listing.lines().count(), OPTIONS.len());
        for line in listing.lines() {
            let (name, rest) =
                line.strip_prefix("option name ").and_then(|line| line.split_once(" type ")).expect("a name");
            let value = rest.split_once(" default ").map(|(_, value)| {
                if rest.starts_with("spin") { value.split_once(' ').expect("a range").0 } else { value }
            });
            let fixed = name == "UCI_EngineAbout";
            assert_eq!(parse_option(name, value).is_err(), fixed, "{line}");
        }
    }

    #[test]
    fn defaults_lie_in_their_ranges() {
        for option in OPTIONS {
            if let Kind::Spin { default, min, max, .. } = option.kind {
                assert!((min..=max).contains(&default), "{}", option.name);
            }
            assert!(!option.meaning.contains('|'), "{}: would break the manual's table", option.name);
        }
    }
}
