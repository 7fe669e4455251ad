//! The UCI options: one table from which the listing, the parsing, the effect and the manual come.
//! A new option is a new entry here.

use std::fmt::{self, Write as _};
use std::time::Duration;

use megatherium_cli::{MAX_HASH, MAX_THREADS, nearest};
use megatherium_search::Options;
use megatherium_search::strength::ELO_RANGE;

use super::Shell;
use super::changes::Change;
use crate::parse::{Quoted, Suggestion, saturating_number};

/// The value of `EvalFile` that means the embedded net.
pub const EMBEDDED: &str = "<embedded>";

/// The result of setting an option.
type Effect = Result<(), String>;

/// The declaration of a UCI option.
#[derive(Debug)]
pub struct Declaration {
    /// The name, as listed. Matched case-insensitively.
    pub name: &'static str,
    /// Type, default, range and effect.
    pub kind: Kind,
    /// What it does, for the manual.
    pub meaning: &'static str,
}

/// Type, default, range and effect of an option.
#[derive(Debug)]
pub enum Kind {
    /// `true` or `false`.
    Check {
        /// Value before the first `setoption`.
        default: fn(&Options) -> bool,
        /// Applies a value.
        set: fn(&mut Shell, bool) -> Effect,
    },
    /// A whole number.
    Spin {
        /// Value before the first `setoption`.
        default: fn(&Options) -> u64,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// Applies a value.
        set: fn(&mut Shell, u64) -> Effect,
    },
    /// Text to the end of the line.
    String {
        /// What is listed; setting it again means the same as `<empty>`.
        default: &'static str,
        /// Applies a value.
        set: fn(&mut Shell, &str) -> Effect,
    },
    /// An action without a value.
    Button {
        /// The action.
        press: fn(&mut Shell) -> Effect,
    },
    /// Text that the GUI may show, but not change.
    Fixed {
        /// The text.
        text: &'static str,
    },
}

/// A valid value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The value of a check.
    Check(bool),
    /// The value of a spin.
    Spin(u64),
    /// The value of a string.
    Text(String),
    /// A button has none.
    None,
}

/// An option with a valid value.
#[derive(Debug)]
pub struct Assignment {
    /// The option.
    pub option: &'static Declaration,
    /// Its value.
    pub value: Value,
}

/// Sets an engine option; the next search sees it.
macro_rules! engine {
    ($field:ident) => {
        |shell, value| {
            shell.engine.options.$field =
                value.try_into().map_err(|_| "out of range".to_owned())?;
            Ok(())
        }
    };
}

/// Every option, in the order of the listing. `Threads` and `Hash` come first: GUIs set them first.
pub const OPTIONS: &[Declaration] = &[
    Declaration {
        name: "Threads",
        kind: Kind::Spin {
            default: |_| 1,
            min: 1,
            max: MAX_THREADS,
            set: |shell, threads| shell.change(Change::Threads(threads as usize)),
        },
        meaning: "Search threads. One is deterministic unless the strength is limited. Use no more than the machine has cores.",
    },
    Declaration {
        name: "Hash",
        kind: Kind::Spin {
            default: |_| 16,
            min: 1,
            max: MAX_HASH,
            set: |shell, mebibytes| shell.change(Change::Hash(mebibytes as usize)),
        },
        meaning: "Size of the transposition table in MiB. If it cannot be allocated the old table stays.",
    },
    Declaration {
        name: "Clear Hash",
        kind: Kind::Button { press: |shell| shell.change(Change::ClearHash) },
        meaning: "Empties the table.",
    },
    Declaration {
        name: "NumaPolicy",
        kind: Kind::String {
            default: "auto",
            set: |shell, policy| shell.change(Change::NumaPolicy(policy.to_owned())),
        },
        meaning: "Where threads run on a machine with several memory nodes. `auto` binds each to a node if one node is too small for them, `none` leaves it to the system, a list such as `0-15,32-47:16-31,48-63` names the processors of each node. Linux only.",
    },
    Declaration {
        name: "Ponder",
        kind: Kind::Check { default: |options| options.ponder, set: engine!(ponder) },
        meaning: "Set by the GUI if it allows pondering; the engine then spends a little more of its own time.",
    },
    Declaration {
        name: "MultiPV",
        kind: Kind::Spin {
            default: |options| options.multi_pv as u64,
            min: 1,
            max: 256,
            set: engine!(multi_pv),
        },
        meaning: "Number of best lines to report.",
    },
    Declaration {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: |options| options.move_overhead.as_millis() as u64,
            min: 0,
            max: 5000,
            set: |shell, milliseconds| {
                shell.engine.options.move_overhead = Duration::from_millis(milliseconds);
                Ok(())
            },
        },
        meaning: "Milliseconds lost per move between the engine and the clock. Raise it if games are lost on time over a slow connection.",
    },
    Declaration {
        name: "UCI_Chess960",
        kind: Kind::Check {
            default: |_| false,
            set: |shell, on| {
                shell.style.chess960 = on;
                Ok(())
            },
        },
        meaning: "Writes castling as king takes rook (`e1h1`). It is understood either way.",
    },
    Declaration {
        name: "UCI_ShowWDL",
        kind: Kind::Check {
            default: |_| false,
            set: |shell, on| {
                shell.style.show_wdl = on;
                Ok(())
            },
        },
        meaning: "Adds `wdl W D L` (permille) to every score.",
    },
    Declaration {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            default: |_| false,
            set: |shell, on| {
                shell.limit_strength = on;
                shell.engine.options.elo = on.then_some(shell.elo);
                Ok(())
            },
        },
        meaning: "Plays at the strength of `UCI_Elo`.",
    },
    Declaration {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: |_| 1500,
            min: *ELO_RANGE.start() as u64,
            max: *ELO_RANGE.end() as u64,
            set: |shell, elo| {
                shell.elo = elo as u32;
                shell.engine.options.elo = shell.limit_strength.then_some(shell.elo);
                Ok(())
            },
        },
        meaning: "The rating to play at when `UCI_LimitStrength` is on.",
    },
    Declaration {
        name: "SyzygyPath",
        kind: Kind::String {
            default: "<empty>",
            set: |shell, path| shell.change(Change::SyzygyPath(path.to_owned())),
        },
        meaning: "Folders with Syzygy tablebase files, separated by `:`. `<empty>` for none. A path without tables is refused and the old tables stay.",
    },
    Declaration {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin {
            default: |options| u64::from(options.syzygy_probe_depth),
            min: 1,
            max: 100,
            set: engine!(syzygy_probe_depth),
        },
        meaning: "Probe inside the tree only with at least this much depth left. Raise it if the disk is slow.",
    },
    Declaration {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin {
            default: |options| u64::from(options.syzygy_probe_limit),
            min: 0,
            max: 7,
            set: engine!(syzygy_probe_limit),
        },
        meaning: "Probe positions with at most this many men. 0 turns probing off.",
    },
    Declaration {
        name: "Syzygy50MoveRule",
        kind: Kind::Check {
            default: |options| options.syzygy_50_move_rule,
            set: engine!(syzygy_50_move_rule),
        },
        meaning: "Tablebase wins that the 50-move rule spoils count as draws.",
    },
    Declaration {
        name: "EvalFile",
        kind: Kind::String {
            default: EMBEDDED,
            set: |shell, path| shell.change(Change::EvalFile(path.to_owned())),
        },
        meaning: "A net file instead of the embedded net. A file that is not a net of this engine is refused and the old net stays.",
    },
    Declaration {
        name: "Debug Log File",
        kind: Kind::String { default: "<empty>", set: Shell::set_log },
        meaning: "Appends every line in and out to this file, each with the time (UTC) in milliseconds. `<empty>` ends it.",
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
    /// The option is read-only.
    Fixed(&'static str),
}

impl fmt::Display for OptionError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OptionError::Unknown(name) => {
                let known = nearest(name, OPTIONS.iter().map(|option| option.name));
                write!(f, "no option {}{}", Quoted(name), Suggestion(known))
            }
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

/// Checks the name and the value of a `setoption`.
///
/// ```
/// use megatherium_uci::options::{Value, parse_option};
///
/// let assignment = parse_option("move  overhead", Some("100")).unwrap();
/// assert_eq!(assignment.value, Value::Spin(100));
/// assert!(parse_option("Threads", Some("0")).is_err());
/// ```
pub fn parse_option<'a>(
    name: &'a str,
    value: Option<&'a str>,
) -> Result<Assignment, OptionError<'a>> {
    let option = find(name).ok_or(OptionError::Unknown(name))?;
    let name = option.name;
    let value = value.map(str::trim_ascii);
    let value = match &option.kind {
        Kind::Check { .. } => match value.ok_or(OptionError::NoValue(name))? {
            value if value.eq_ignore_ascii_case("true") => Value::Check(true),
            value if value.eq_ignore_ascii_case("false") => Value::Check(false),
            value => return Err(OptionError::NotABool(name, value)),
        },
        &Kind::Spin { min, max, .. } => {
            let value =
                value.filter(|value| !value.is_empty()).ok_or(OptionError::NoValue(name))?;
            let number = saturating_number(value).ok_or(OptionError::NotANumber(name, value))?;
            match u64::try_from(number) {
                Ok(number) if (min..=max).contains(&number) => Value::Spin(number),
                _ => return Err(OptionError::OutOfRange(name, value, min, max)),
            }
        }
        Kind::String { default, .. } => {
            let value = value.ok_or(OptionError::NoValue(name))?;
            let empty = value == "<empty>" || value == *default;
            Value::Text(if empty { String::new() } else { value.to_owned() })
        }
        // Some GUIs send a value even for a button; it has no meaning.
        Kind::Button { .. } => Value::None,
        Kind::Fixed { .. } => return Err(OptionError::Fixed(name)),
    };
    Ok(Assignment { option, value })
}

impl Assignment {
    /// Sets the option.
    pub(super) fn apply(self, shell: &mut Shell) -> Effect {
        match (&self.option.kind, self.value) {
            (Kind::Check { set, .. }, Value::Check(on)) => set(shell, on),
            (Kind::Spin { set, .. }, Value::Spin(number)) => set(shell, number),
            (Kind::String { set, .. }, Value::Text(text)) => set(shell, &text),
            (Kind::Button { press }, _) => press(shell),
            // `parse_option` makes no other pairs.
            _ => Err(format!("option {} cannot be set", self.option.name)),
        }
    }
}

/// The option of that name: case and the amount of white space do not matter.
fn find(name: &str) -> Option<&'static Declaration> {
    let words = |name| str::split_ascii_whitespace(name).map(str::to_ascii_lowercase);
    OPTIONS.iter().find(|option| words(option.name).eq(words(name)))
}

/// Applies the default of every check and spin to a new shell. Strings have no effect by default.
pub(super) fn apply_defaults(shell: &mut Shell) {
    let defaults = Options::default();
    for option in OPTIONS {
        let effect = match option.kind {
            Kind::Check { default, set } => set(shell, default(&defaults)),
            Kind::Spin { default, set, .. } => set(shell, default(&defaults)),
            Kind::String { .. } | Kind::Button { .. } | Kind::Fixed { .. } => Ok(()),
        };
        if let Err(error) = effect {
            shell.output.error(error);
        }
    }
}

/// Writes the `option …` lines of the answer to `uci`.
pub fn write_listing(out: &mut String) {
    let options = Options::default();
    for option in OPTIONS {
        let _ = write!(out, "option name {} type ", option.name);
        let _ = match &option.kind {
            Kind::Check { default, .. } => writeln!(out, "check default {}", default(&options)),
            Kind::Spin { default, min, max, .. } => {
                writeln!(out, "spin default {} min {min} max {max}", default(&options))
            }
            Kind::String { default, .. } => writeln!(out, "string default {default}"),
            Kind::Button { .. } => writeln!(out, "button"),
            Kind::Fixed { text } => writeln!(out, "string default {text}"),
        };
    }
}

/// The table of options in the manual.
pub fn manual_table() -> String {
    let options = Options::default();
    let mut table =
        String::from("| option | type | default | range | meaning |\n|---|---|---|---|---|\n");
    for option in OPTIONS {
        let (kind, default, range) = match &option.kind {
            Kind::Check { default, .. } => ("check", default(&options).to_string(), String::new()),
            Kind::Spin { default, min, max, .. } => {
                ("spin", default(&options).to_string(), format!("{min}–{max}"))
            }
            Kind::String { default, .. } => ("string", format!("`{default}`"), String::new()),
            Kind::Button { .. } => ("button", String::new(), String::new()),
            Kind::Fixed { .. } => ("string", "name, version, licence".to_owned(), String::new()),
        };
        let _ = writeln!(
            table,
            "| `{}` | {kind} | {default} | {range} | {} |",
            option.name, option.meaning
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, value: Option<&str>) -> Option<Value> {
        parse_option(name, value).ok().map(|assignment| assignment.value)
    }

    #[test]
    fn names_ignore_case_and_extra_white_space() {
        assert_eq!(value("hash", Some("64")), Some(Value::Spin(64)));
        assert_eq!(value("MOVE \t OVERHEAD", Some(" 7 ")), Some(Value::Spin(7)));
        assert_eq!(value("clear hash", None), Some(Value::None));
        for unknown in ["MoveOverhead", ""] {
            let error = parse_option(unknown, Some("7")).unwrap_err();
            assert_eq!(error, OptionError::Unknown(unknown));
        }
    }

    #[test]
    fn values_are_checked() {
        let refused = |name, value| parse_option(name, value).expect_err("a bad value").to_string();
        assert_eq!(refused("Threads", Some("0")), "option Threads: '0' is not in 1..1024");
        assert_eq!(
            refused("Threads", Some("100000")),
            "option Threads: '100000' is not in 1..1024"
        );
        assert_eq!(refused("Threads", Some("-1")), "option Threads: '-1' is not in 1..1024");
        assert_eq!(refused("Threads", Some("2.5")), "option Threads: '2.5' is not a whole number");
        assert_eq!(
            refused("Threads", Some("99999999999999999999")).matches("is not in").count(),
            1
        );
        assert_eq!(refused("Threads", None), "option Threads: the value is missing");
        assert_eq!(refused("Threads", Some("")), "option Threads: the value is missing");
        assert_eq!(
            refused("Ponder", Some("yes")),
            "option Ponder: 'yes' is neither 'true' nor 'false'"
        );
        assert_eq!(refused("SyzygyPath", None), "option SyzygyPath: the value is missing");
        assert_eq!(refused("UCI_EngineAbout", Some("x")), "option UCI_EngineAbout cannot be set");
        assert_eq!(value("Ponder", Some("TRUE")), Some(Value::Check(true)));
    }

    #[test]
    fn text_runs_to_the_end_of_the_line() {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        let path = |path| value("SyzygyPath", Some(path));
        assert_eq!(path("/a b/c:/d"), text("/a b/c:/d"));
        assert_eq!(path("<empty>"), text(""));
        assert_eq!(path(""), text(""));
        assert_eq!(value("EvalFile", Some(EMBEDDED)), text(""));
    }

    /// What a GUI reads from the listing is accepted when it sends it back.
    #[test]
    fn every_listed_default_can_be_set() {
        let mut listing = String::new();
        write_listing(&mut listing);
        assert_eq!(listing.lines().count(), OPTIONS.len());
        for line in listing.lines() {
            let (name, rest) = line
                .strip_prefix("option name ")
                .and_then(|line| line.split_once(" type "))
                .expect("a name");
            let value = rest.split_once(" default ").map(|(_, value)| {
                if rest.starts_with("spin") {
                    value.split_once(' ').expect("a range").0
                } else {
                    value
                }
            });
            let fixed = name == "UCI_EngineAbout";
            assert_eq!(parse_option(name, value).is_err(), fixed, "{line}");
        }
    }

    /// What is set arrives where the next search looks for it.
    #[test]
    fn options_reach_the_engine() {
        let output = crate::output::Output::new(Box::new(std::io::sink()));
        let mut shell = Shell::new(std::sync::Arc::new(output)).unwrap();
        for (name, value) in [
            ("Threads", "3"),
            ("Hash", "2"),
            ("Ponder", "true"),
            ("MultiPV", "4"),
            ("Move Overhead", "70"),
            ("UCI_Chess960", "true"),
            ("UCI_ShowWDL", "true"),
            ("UCI_Elo", "1700"),
            ("SyzygyProbeDepth", "5"),
            ("SyzygyProbeLimit", "6"),
            ("Syzygy50MoveRule", "false"),
        ] {
            let _ = shell.obey(&format!("setoption name {name} value {value}"));
        }
        assert_eq!((shell.engine.threads(), shell.engine.hash_mebibytes()), (3, 2));
        assert!(shell.style.chess960 && shell.style.show_wdl);
        let options = &shell.engine.options;
        assert!(options.ponder && options.multi_pv == 4 && options.elo.is_none());
        assert_eq!(options.move_overhead, Duration::from_millis(70));
        assert_eq!((options.syzygy_probe_depth, options.syzygy_probe_limit), (5, 6));
        assert!(!options.syzygy_50_move_rule);
        let _ = shell.obey("setoption name UCI_LimitStrength value true");
        assert_eq!(shell.engine.options.elo, Some(1700));
        let _ = shell.obey("setoption name UCI_LimitStrength value false");
        assert_eq!(shell.engine.options.elo, None);
    }

    #[test]
    fn defaults_lie_in_their_ranges() {
        for option in OPTIONS {
            if let Kind::Spin { default, min, max, .. } = option.kind {
                let default = default(&Options::default());
                assert!((min..=max).contains(&default), "{}", option.name);
            }
            assert!(
                !option.meaning.contains('|'),
                "{}: would break the manual's table",
                option.name
            );
        }
    }
}
