//! Playing like a weaker opponent.
//!
//! Two handicaps, both growing as the rating falls: a node budget, and random bonuses for moves
//! other than the best. The budget makes the engine miss deep tactics, the bonuses make it err like
//! a person.

use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

use crate::score::{INFINITY, is_decisive};
use crate::tree::RootMove;

/// The range of `UCI_Elo`.
pub const ELO_RANGE: RangeInclusive<u32> = 1000..=2800;

/// Lines searched so that there is something to choose from.
pub const CANDIDATES: usize = 4;

/// Nodes after which no new iteration is begun.
pub fn nodes(elo: u32) -> u64 {
    let above = f64::from(elo.clamp(*ELO_RANGE.start(), *ELO_RANGE.end()) - ELO_RANGE.start());
    (100.0 * (above / 170.0).exp2()) as u64
}

/// How many centipawns a move may be worse and still be as likely as the best.
fn tolerance(elo: u32) -> f64 {
    let below = f64::from(ELO_RANGE.end() - elo.clamp(*ELO_RANGE.start(), *ELO_RANGE.end()));
    below / 18.0
}

/// Chooses among the best lines with a random bonus for each. The moves must be sorted, best first.
pub fn choose(root_moves: &[RootMove], elo: u32) -> usize {
    let random = RandomState::new();
    let candidates = root_moves.iter().take(CANDIDATES).enumerate().filter(|(_, root_move)| {
        // Only moves with a score of their own, and never one that throws a proven result away.
        root_move.score != -INFINITY && !is_decisive(root_move.score)
    });
    let weakened = candidates.map(|(index, root_move)| {
        let luck = (random.hash_one(index) >> 11) as f64 / (1u64 << 53) as f64;
        (index, f64::from(root_move.score) + luck * tolerance(elo))
    });
    if root_moves.first().is_none_or(|best| is_decisive(best.score)) {
        return 0;
    }
    weakened.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rating_means_more_nodes_and_less_randomness() {
        let ratings: Vec<u32> = ELO_RANGE.step_by(100).collect();
        for pair in ratings.windows(2) {
            assert!(nodes(pair[0]) < nodes(pair[1]));
            assert!(tolerance(pair[0]) > tolerance(pair[1]));
        }
        assert!(tolerance(*ELO_RANGE.end()) < 1e-9);
    }
}
