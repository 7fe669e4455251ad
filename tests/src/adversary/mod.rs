//! A hostile tester: random conversations from a grammar of UCI, in a hostile environment, judged
//! by two chess libraries that share no code with our board.
//!
//! A [`Case`] comes from a number alone and is replayed from it. A case that fails is shrunk to the
//! shortest conversation that still fails. The example `adversary` runs cases for as long as one
//! likes, the test `adversary` a fixed number of them.

mod grammar;
mod oracle;
mod play;
mod surroundings;
mod verdict;

use std::fmt;

use fastrand::Rng;

pub use oracle::Oracle;
pub use surroundings::Surroundings;
pub use verdict::Counts;

/// What a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Ordinary games, all commands in any order.
    Games,
    /// Chess960 games.
    Chess960,
    /// Positions full of promoted pieces.
    Crowded,
    /// Commands without a pause, or with very short ones.
    Races,
    /// Lines that make no sense between those that do.
    Noise,
    /// Numbers that are negative, or larger than anything they count.
    Numbers,
    /// Options that name files that are missing, damaged, endless, or devices.
    Files,
    /// Little memory.
    Memory,
    /// Few threads allowed.
    Threads,
    /// Input in pieces, pipes that do not block, slow readers.
    Pipes,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 10] = [
        Class::Games,
        Class::Chess960,
        Class::Crowded,
        Class::Races,
        Class::Noise,
        Class::Numbers,
        Class::Files,
        Class::Memory,
        Class::Threads,
        Class::Pipes,
    ];
}

/// What a line is, so that its answer can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Changes the position to this one, given as FEN.
    Position(String),
    /// Starts a search, of these moves only if there are any.
    Go(Vec<String>),
    /// `isready`
    Ready,
    /// `uci`
    Uci,
    /// A command for people, which may say anything.
    Talk,
    /// Anything else: at most one error line.
    Other,
}

/// A line to send, after a pause.
#[derive(Clone, Debug)]
pub struct Step {
    /// Microseconds to wait before it is sent.
    pub pause: u64,
    /// The line, without its end.
    pub line: Vec<u8>,
    /// What it is.
    pub kind: Kind,
}

/// One conversation.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is about.
    pub class: Class,
    /// Whether it begins by switching Chess960 on.
    pub chess960: bool,
    /// What surrounds the engine.
    pub surroundings: Surroundings,
    /// The lines.
    pub steps: Vec<Step>,
    /// Whether it ends with `quit`; otherwise the input is closed.
    pub quits: bool,
}

impl Case {
    /// The case of a number.
    pub fn new(class: Class, number: u64) -> Case {
        let seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ class as u64;
        grammar::case(class, &mut Rng::with_seed(seed))
    }

    /// Holds the conversation. The error says what went wrong.
    pub fn run(&self) -> Result<Counts, String> {
        verdict::judge(self, &play::play(self)?)
    }

    /// The shortest part of this case that fails in one of three attempts, found by leaving out
    /// more and more of it in at most `attempts` attempts; and what went wrong last.
    pub fn shrink(&self, mut error: String, attempts: usize) -> (Case, String) {
        let mut best = self.clone();
        let mut left = attempts;
        let mut part = best.steps.len().div_ceil(2);
        while part > 0 {
            let mut start = 0;
            while start < best.steps.len() && left > 0 {
                let mut smaller = best.clone();
                smaller.steps.drain(start..(start + part).min(best.steps.len()));
                left = left.saturating_sub(1);
                match (0..3).find_map(|_| smaller.run().err()) {
                    Some(again) => (best, error) = (smaller, again),
                    None => start += part,
                }
            }
            part = if part == 1 { 0 } else { part.div_ceil(2) };
        }
        (best, error)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, {:?}", self.class, self.surroundings)?;
        if self.chess960 {
            writeln!(f, "setoption name UCI_Chess960 value true")?;
        }
        for step in &self.steps {
            if step.pause > 0 {
                writeln!(f, "# {} µs", step.pause)?;
            }
            let line = String::from_utf8_lossy(&step.line);
            writeln!(f, "{}", line.chars().take(300).collect::<String>())?;
        }
        write!(f, "{}", if self.quits { "quit" } else { "# end of input" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_comes_from_its_number() {
        for class in Class::ALL {
            let text = |number| Case::new(class, number).to_string();
            assert_eq!(text(1), text(1));
            assert_ne!(text(1), text(2));
        }
    }
}
