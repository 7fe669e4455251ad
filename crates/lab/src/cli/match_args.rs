//! Arguments shared by `duel`, `tune` and `ablate`: openings, budget, table, concurrency.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use megatherium_cli::MAX_HASH;

use crate::duel::Rules;
use crate::game::Budget;
use crate::machine::processors;
use crate::openings::Openings;

/// What a node clock counts as a millisecond: a second is a million nodes.
const NODES_PER_MILLISECOND: u64 = 1000;

#[derive(Args, Clone, Debug)]
pub struct MatchArgs {
    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(100..))]
    nodes: u64,
    /// A clock instead of nodes: seconds and increment, for example 5+0.05
    #[arg(long, value_name = "S+I", value_parser = clock, conflicts_with = "nodes")]
    tc: Option<Budget>,
    /// Count 1000 nodes as a millisecond of --tc: the load of the machine does not change the games
    #[arg(long, requires = "tc")]
    pub(super) node_clock: bool,
    /// Table size of each side in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    /// File of openings, FEN or EPD [default: random moves]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Games at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Seed of the random openings, or of the order of the book
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl MatchArgs {
    pub(super) fn rules(&self) -> Rules {
        Rules {
            budget: self.tc.unwrap_or(Budget::Nodes(self.nodes)),
            nodes_per_millisecond: self.node_clock.then_some(NODES_PER_MILLISECOND),
            mebibytes: self.hash as usize,
            concurrency: self.concurrency.map_or_else(processors, |games| games as usize),
            sprt: None,
        }
    }

    pub(super) fn openings(&self) -> Result<Openings, Box<dyn std::error::Error>> {
        Ok(match &self.book {
            Some(path) => Openings::book(path, self.seed)?,
            None => Openings::Random { seed: self.seed },
        })
    }

    /// The budget in words.
    pub(super) fn budget(&self) -> String {
        match self.tc {
            Some(Budget::Clock { base, increment }) => {
                let unit = if self.node_clock { "million nodes" } else { "s" };
                format!("{}+{} {unit}", base.as_secs_f64(), increment.as_secs_f64())
            }
            _ => format!("{} nodes a move", self.nodes),
        }
    }
}

/// Reads `S+I` in seconds.
fn clock(text: &str) -> Result<Budget, String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let seconds = |text: &str| {
        let seconds: f64 = text.trim().parse().map_err(|_| format!("{text:?} is not a number"))?;
        let in_range = (0.0..=86_400.0).contains(&seconds);
        in_range.then(|| Duration::from_secs_f64(seconds)).ok_or("out of range".to_owned())
    };
    let (base, increment) = (seconds(base)?, seconds(increment)?);
    if base.is_zero() {
        return Err("the clock must start above zero".to_owned());
    }
    Ok(Budget::Clock { base, increment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        let read = |base, increment| {
            Ok(Budget::Clock {
                base: Duration::from_millis(base),
                increment: Duration::from_millis(increment),
            })
        };
        assert_eq!(clock("5+0.05"), read(5000, 50));
        assert_eq!(clock("60"), read(60_000, 0));
        for wrong in ["", "0+1", "-1+0", "a+b", "nan", "1e9"] {
            assert!(clock(wrong).is_err(), "{wrong}");
        }
    }
}
