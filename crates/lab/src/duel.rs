//! A match between two sets of search parameters, by nodes, in one process.

use megatherium_board::{Board, Color};
use megatherium_search::{Engine, Params};

use crate::crew::share_out;
use crate::error::LabError;
use crate::game::{Player, play};
use crate::machine::processors;
use crate::observer::Observer;
use crate::pentanomial::Pentanomial;

/// One side of a duel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Its parameters.
    pub params: Params,
    /// It plays without a table.
    pub without_table: bool,
}

impl Side {
    /// An engine as this side has it, with one thread.
    pub fn engine(&self, mebibytes: usize) -> Result<Engine, LabError> {
        let mut engine = Engine::new(1, mebibytes)?;
        engine.options.params = self.params;
        if self.without_table {
            engine.disable_table()?;
        }
        Ok(engine)
    }

    fn player(&self, rules: Rules) -> Result<Player, LabError> {
        Ok(Player { engine: self.engine(rules.mebibytes)?, nodes: rules.nodes })
    }
}

/// How a duel is fought.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Nodes per move.
    pub nodes: u64,
    /// Size of each side's table in MiB.
    pub mebibytes: usize,
}

/// Plays every opening twice, with colours changed. The result is the first side's. Every opening counts as a step.
pub fn run(
    first: &Side,
    second: &Side,
    rules: Rules,
    openings: &[Board],
    observer: &dyn Observer,
) -> Result<Pentanomial, LabError> {
    let pairs = share_out(openings, processors(), observer, |_, opening| {
        let (mut ours, mut theirs) = (first.player(rules)?, second.player(rules)?);
        let white = play(opening, &mut ours, &mut theirs, observer.stop());
        let black = play(opening, &mut theirs, &mut ours, observer.stop());
        let (Some(white), Some(black)) = (white, black) else { return Ok(None) };
        observer.step(1, "");
        Ok(Some(white.half_points(Color::White) + black.half_points(Color::Black)))
    })?;
    Ok(Pentanomial::of(pairs.into_iter().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    #[test]
    fn equals_draw_and_the_slow_lose() {
        let rules = Rules { nodes: 1500, mebibytes: 1 };
        let equal = run(&Side::default(), &Side::default(), rules, &suite(4), &Nobody::default()).unwrap();
        assert_eq!(equal.pairs, [0, 0, 4, 0, 0], "the same engine plays the same game with either colour");
        let mut slow = Side { without_table: true, ..Side::default() };
        for change in ["lmr_depth=128", "null_depth=128", "reverse_futility_depth=0", "late_move_base=10000"]
        {
            slow.params.apply(change).unwrap();
        }
        let result = run(&slow, &Side::default(), rules, &suite(12), &Nobody::default()).unwrap();
        assert!(result.score() < 0.45, "{result:?}");
    }
}
