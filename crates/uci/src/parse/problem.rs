//! What can be wrong with a line, and its message.

use std::fmt;

use megatherium_cli::nearest;

use crate::command::COMMANDS;
use crate::output::write_harmless;

/// Something in a line that could not be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem<'a> {
    /// No command begins with this word.
    UnknownCommand(&'a str),
    /// Unknown words before a command, which was executed.
    Skipped(&'a str),
    /// An unknown argument: (where, which).
    UnknownArgument(&'static str, &'a str),
    /// A word that should have been a number: (where, which).
    NotANumber(&'static str, &'a str),
    /// A number that is not from 1 to a limit: (where, which, the limit).
    OutOfRange(&'static str, &'a str, u64),
    /// Something is missing: (where, what).
    Missing(&'static str, &'static str),
    /// Something else was expected: (where, what, found).
    Expected(&'static str, &'static str, &'a str),
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnknownCommand(word) => {
                write!(f, "unknown command {}", Quoted(word))?;
                let names = COMMANDS.iter().filter_map(|entry| entry.usage.split(' ').next());
                write!(f, "{}", Suggestion(nearest(word, names)))
            }
            Problem::Skipped(word) => write!(f, "unknown {} skipped", Quoted(word)),
            Problem::UnknownArgument(place, word) => {
                write!(f, "{place}: unknown argument {}", Quoted(word))
            }
            Problem::NotANumber(place, word) => {
                write!(f, "{place}: {} is not a whole number", Quoted(word))
            }
            Problem::OutOfRange(place, word, most) => {
                write!(f, "{place}: {} is not in 1..{most}", Quoted(word))
            }
            Problem::Missing(place, what) => write!(f, "{place}: {what} is missing"),
            Problem::Expected(place, what, word) => {
                write!(f, "{place}: expected {what}, found {}", Quoted(word))
            }
        }
    }
}

/// The problems of one line. However many there are, they make one error line of bounded length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems<'a> {
    first: Vec<Problem<'a>>,
    more: usize,
}

impl<'a> Problems<'a> {
    const SHOWN: usize = 3;

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem<'a>) {
        if self.first.len() < Self::SHOWN {
            self.first.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Adds a problem that comes before all others.
    pub fn push_front(&mut self, problem: Problem<'a>) {
        self.first.insert(0, problem);
    }

    /// Whether there is no problem.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

impl fmt::Display for Problems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.first.iter().enumerate() {
            write!(f, "{}{problem}", if index == 0 { "" } else { "; " })?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

/// The name that was probably meant, at the end of an error message.
#[derive(Clone, Copy, Debug)]
pub struct Suggestion<'a>(pub Option<&'a str>);

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, ", did you mean '{name}'?"))
    }
}

/// A word of the input in an error message: quoted, escaped and shortened.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        f.write_str("'")?;
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(SHOWN) {
            write_harmless(f, character)?;
        }
        f.write_str(if characters.next().is_some() { "…'" } else { "'" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_on_one_line_and_shortened() {
        assert_eq!(Quoted("e2e9").to_string(), "'e2e9'");
        assert_eq!(Quoted("a\u{1b}[31m\0").to_string(), "'a\\u{1b}[31m\\u{0}'");
        assert_eq!(Quoted("žluť").to_string(), "'žluť'");
        let long = Quoted(&"x".repeat(1_000_000)).to_string();
        assert_eq!(long, format!("'{}…'", "x".repeat(60)));
    }

    #[test]
    fn many_problems_are_counted_not_listed() {
        let mut problems = Problems::default();
        assert!(problems.is_empty());
        for word in ["a", "b", "c", "d", "e"] {
            problems.push(Problem::UnknownArgument("go", word));
        }
        let text = problems.to_string();
        assert!(text.starts_with("go: unknown argument 'a'; go: unknown argument 'b'"), "{text}");
        assert!(text.ends_with("'c'; and 2 more"), "{text}");
    }
}
