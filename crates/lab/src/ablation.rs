//! What each technique of the search is worth: the same engine without it.
//!
//! Two questions. How many more nodes does the same depth take? That measures how much a technique
//! shrinks the tree, which proves nothing by itself: pruning the wrong moves shrinks it too. How
//! much weaker does the engine play with the same nodes per move? That measures what it is worth.

use megatherium_board::Board;
use megatherium_search::{Limits, Root, Silent, bench};

use crate::crew::share_out;
use crate::duel::{self, Rules, Side};
use crate::error::LabError;
use crate::machine::processors;
use crate::observer::Observer;
use crate::openings::Openings;
use crate::pentanomial::Pentanomial;
use crate::stats::{Estimate, geometric};

/// A technique, and how to disable it.
#[derive(Clone, Copy, Debug)]
pub struct Technique {
    /// Its name in the table.
    pub name: &'static str,
    /// The parameters that disable it.
    off: &'static [(&'static str, i32)],
}

/// All techniques that can be disabled, in the order in which a node meets them. The table has no
/// parameter.
pub const TECHNIQUES: &[Technique] = &[
    Technique { name: "aspiration windows", off: &[("aspiration_depth", 128)] },
    Technique { name: "transposition table", off: &[] },
    Technique {
        name: "correction history",
        off: &[
            ("correction_pawn", 0),
            ("correction_minor", 0),
            ("correction_non_pawn", 0),
            ("correction_continuation", 0),
        ],
    },
    Technique { name: "hindsight adjustment", off: &[("hindsight", 0)] },
    Technique { name: "razoring", off: &[("razor_depth", 0)] },
    Technique { name: "reverse futility", off: &[("reverse_futility_depth", 0)] },
    Technique { name: "null move", off: &[("null_depth", 128)] },
    Technique { name: "ProbCut", off: &[("probcut_depth", 128)] },
    Technique { name: "internal iterative reduction", off: &[("iir_depth", 128)] },
    Technique { name: "killer move", off: &[("killers", 0)] },
    Technique { name: "butterfly history in ordering", off: &[("weight_butterfly", 0)] },
    Technique { name: "pawn history in ordering", off: &[("weight_pawn", 0)] },
    Technique {
        name: "continuation history in ordering",
        off: &[
            ("weight_continuation_1", 0),
            ("weight_continuation_2", 0),
            ("weight_continuation_4", 0),
            ("weight_continuation_6", 0),
        ],
    },
    Technique {
        name: "threatened pieces in ordering",
        off: &[("escape_minor", 0), ("escape_rook", 0), ("escape_queen", 0)],
    },
    Technique { name: "checks first in ordering", off: &[("check_bonus", 0)] },
    Technique { name: "late-move pruning", off: &[("late_move_base", 10_000)] },
    Technique { name: "history pruning", off: &[("history_pruning_depth", -1)] },
    Technique { name: "futility pruning", off: &[("futility_depth", -1)] },
    Technique {
        name: "SEE pruning",
        off: &[("see_quiet_slope", -10_000), ("see_noisy_slope", -10_000)],
    },
    Technique { name: "singular extensions", off: &[("singular_depth", 128)] },
    Technique {
        name: "double and triple extensions",
        off: &[("double_extension_margin", 1000), ("triple_extension_margin", 1000)],
    },
    Technique { name: "late-move reductions", off: &[("lmr_depth", 128)] },
    Technique { name: "checks in quiescence", off: &[("quiescence_checks", 0)] },
];

impl Technique {
    /// The engine without the technique.
    pub fn without(&self) -> Side {
        let mut side = Side { without_table: self.off.is_empty(), ..Side::default() };
        for &(name, value) in self.off {
            side.params
                .set(name, value)
                .expect("the list names parameters and values within their ranges");
        }
        side
    }
}

/// Nodes to `depth`, for each of the bench positions.
pub fn nodes(side: &Side, depth: u32, observer: &dyn Observer) -> Result<Vec<u64>, LabError> {
    let counts = share_out(&bench::POSITIONS, processors(), observer, |_, fen| {
        let board = Board::from_fen(fen).expect("the bench positions are valid");
        let mut engine = side.engine(bench::DEFAULT_HASH)?;
        let outcome = engine.search(Root::new(board), Limits::depth(depth), Silent);
        observer.step(1, "");
        Ok(Some(outcome.nodes))
    })?;
    Ok(counts.into_iter().flatten().collect())
}

/// The ratio of node counts: geometric mean over positions, with a bootstrap interval.
pub fn ratio(without: &[u64], with: &[u64]) -> Estimate {
    let logs = without.iter().zip(with).map(|(&off, &on)| (off as f64 / on.max(1) as f64).ln());
    geometric(&logs.collect::<Vec<_>>())
}

/// Plays the engine without the technique against the complete one over `pairs` openings.
pub fn games(
    technique: &Technique,
    rules: Rules,
    openings: &Openings,
    pairs: usize,
    observer: &dyn Observer,
) -> Result<Pentanomial, LabError> {
    let sides = [&technique.without(), &Side::default()];
    Ok(duel::run(sides, rules, openings, 0..pairs, observer)?.pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;

    /// A misspelt name, or a value that changes nothing, would make a row of the table wrong.
    #[test]
    fn every_technique_can_be_turned_off() {
        let whole = nodes(&Side::default(), 7, &Nobody::default()).unwrap();
        for technique in TECHNIQUES {
            // Tests of singularity begin at a depth of their own.
            let depth = if technique.name.contains("extensions") { 10 } else { 7 };
            let with = if depth == 7 {
                whole.clone()
            } else {
                nodes(&Side::default(), depth, &Nobody::default()).unwrap()
            };
            let without = nodes(&technique.without(), depth, &Nobody::default()).unwrap();
            assert_ne!(without, with, "{}", technique.name);
        }
    }

    #[test]
    fn ratios_are_geometric() {
        let ratio = ratio(&[200, 50], &[100, 100]);
        assert!((ratio.value - 1.0).abs() < 1e-9);
    }
}
