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
    use crate::request::Limits;
    use crate::score::{Score, mate_in, mated_in};
    use crate::tree::{START, Scene};

    #[test]
    fn more_rating_means_more_nodes_and_less_randomness() {
        let ratings: Vec<u32> = ELO_RANGE.step_by(100).collect();
        for pair in ratings.windows(2) {
            assert!(nodes(pair[0]) < nodes(pair[1]));
            assert!(tolerance(pair[0]) > tolerance(pair[1]));
        }
        assert!(tolerance(*ELO_RANGE.end()) < 1e-9);
        assert_eq!([1, 1000, 1170, 1340].map(nodes), [100, 100, 200, 400]);
        let tenths = |elo| (10.0 * tolerance(elo)).round() as i32;
        assert_eq!([1000, 1900, 9999].map(tenths), [1000, 500, 0]);
    }

    /// How often each of these moves is chosen, of 400 times.
    fn chosen(scores: [Score; 6], elo: u32) -> [usize; 6] {
        let mut scene = Scene::new(START, 1, Limits::default());
        let mut root_moves = scene.search(0).root_moves;
        root_moves.truncate(6);
        for (root_move, score) in root_moves.iter_mut().zip(scores) {
            root_move.score = score;
        }
        let mut counts = [0; 6];
        (0..400).for_each(|_| counts[choose(&root_moves, elo)] += 1);
        counts
    }

    #[test]
    fn moves_within_the_tolerance_are_chosen_the_better_ones_more_often() {
        let [best, second, third, rest @ ..] = chosen([50, 20, 10, -51, -51, -51], 1000);
        assert!(best > second && second > 0 && third > 0 && rest == [0; 3], "{best} {second}");
        assert_eq!(chosen([50, 49, 48, 47, 46, 45], 2800), [400, 0, 0, 0, 0, 0]);
        let [.., fifth, sixth] = chosen([50; 6], 1000);
        assert_eq!((fifth, sixth), (0, 0), "only the first lines are searched");
    }

    #[test]
    fn proven_results_are_kept() {
        let (win, loss) = (mate_in(5), mated_in(4));
        assert_eq!(chosen([win, win - 2, 90, 80, 70, 60], 1000), [400, 0, 0, 0, 0, 0]);
        let [best, second, rest @ ..] = chosen([5, 4, loss, loss, loss, loss], 1000);
        assert!(best > 0 && second > 0 && rest == [0; 4]);
        assert_eq!(chosen([loss; 6], 1000), [400, 0, 0, 0, 0, 0]);
        let [first, ..] = chosen([5, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY], 1000);
        assert_eq!(first, 400, "the others have no score");
    }
}
