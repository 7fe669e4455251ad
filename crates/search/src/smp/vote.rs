//! Which thread's move to play.
//!
//! Every thread searched the same position and may have settled on another move. Each votes for its
//! move with a weight that grows with its score and its depth; the move with most votes wins, and
//! the thread with the largest weight for that move is chosen. Proven results come first: a mate is
//! played, the shorter the better, and a proven loss is chosen only if every thread sees one.

use megatherium_board::Move;

use crate::score::{Score, is_loss, is_win};

/// What one thread concluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// Its best move.
    pub mv: Move,
    /// Its score for that move.
    pub score: Score,
    /// Its last finished iteration. Without one the ballot has no weight.
    pub depth: i32,
    /// Length of its principal variation: a longer one says more.
    pub pv_len: usize,
}

/// Index of the ballot to follow. `ballots` must not be empty; with one ballot the answer is 0.
pub fn elect(ballots: &[Ballot]) -> usize {
    elect_by(ballots, |ballot, worst| {
        i64::from(ballot.score - worst + 14) * i64::from(ballot.depth)
    })
}

/// The same with other weights, for experiments: of a ballot, and the worst score of all.
pub fn elect_by(ballots: &[Ballot], weight: impl Fn(&Ballot, Score) -> i64) -> usize {
    let worst = ballots.iter().map(|ballot| ballot.score).min().unwrap_or(0);
    let weight = |ballot: &Ballot| weight(ballot, worst);
    let votes = |mv: Move| ballots.iter().filter(|ballot| ballot.mv == mv).map(weight).sum::<i64>();

    let mut best = 0;
    for (index, ballot) in ballots.iter().enumerate().skip(1) {
        let leader = &ballots[best];
        let better = if is_win(leader.score) || is_win(ballot.score) {
            // The fastest proven win.
            ballot.score > leader.score
        } else if is_loss(leader.score) || is_loss(ballot.score) {
            // An unproven score beats a proven loss; among losses, the longest.
            if is_loss(leader.score) && is_loss(ballot.score) {
                ballot.score > leader.score
            } else {
                !is_loss(ballot.score)
            }
        } else {
            let (mine, theirs) = (votes(ballot.mv), votes(leader.mv));
            mine > theirs
                || mine == theirs
                    && (weight(ballot), ballot.pv_len.min(3))
                        > (weight(leader), leader.pv_len.min(3))
        };
        if better {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use megatherium_board::Board;

    use super::*;
    use crate::score::{mate_in, mated_in};

    fn ballot(mv: &str, score: Score, depth: i32) -> Ballot {
        Ballot { mv: Board::startpos().parse_uci(mv).unwrap(), score, depth, pv_len: 5 }
    }

    #[test]
    fn alone_the_main_thread_decides() {
        assert_eq!(elect(&[ballot("e2e4", -300, 3)]), 0);
    }

    #[test]
    fn the_majority_wins_over_one_deeper_thread() {
        let ballots = [
            ballot("e2e4", 20, 20),
            ballot("d2d4", 22, 19),
            ballot("d2d4", 21, 19),
            ballot("d2d4", 20, 18),
        ];
        assert_eq!(ballots[elect(&ballots)].mv, ballots[1].mv);
        assert_eq!(elect(&ballots), 1, "the best speaker of the winning move");
    }

    #[test]
    fn equal_votes_keep_the_main_thread() {
        assert_eq!(
            elect(&[ballot("e2e4", 20, 10), ballot("e2e4", 20, 10), ballot("e2e4", 20, 10)]),
            0
        );
    }

    #[test]
    fn a_mate_beats_any_number_of_votes_and_the_shorter_mate_is_taken() {
        let ballots = [
            ballot("e2e4", 500, 30),
            ballot("e2e4", 500, 30),
            ballot("d2d4", mate_in(9), 12),
            ballot("g1f3", mate_in(5), 10),
        ];
        assert_eq!(elect(&ballots), 3);
    }

    #[test]
    fn a_proven_loss_is_avoided_while_any_thread_has_hope() {
        let ballots = [
            ballot("e2e4", mated_in(6), 30),
            ballot("e2e4", mated_in(8), 30),
            ballot("d2d4", -900, 8),
        ];
        assert_eq!(elect(&ballots), 2);
        assert_eq!(elect(&ballots[..2]), 1, "and the longest defence chosen when there is none");
    }

    /// A shallow thread with a wild score must not outvote deeper agreement.
    #[test]
    fn depth_counts() {
        let ballots = [ballot("e2e4", 30, 25), ballot("e2e4", 28, 24), ballot("a2a3", 55, 6)];
        assert_eq!(elect(&ballots), 0);
    }

    /// The speaker of a move is the thread with the largest weight for it, wherever it sits.
    #[test]
    fn the_weightiest_thread_speaks_for_its_move() {
        assert_eq!(elect(&[ballot("e2e4", 20, 10), ballot("e2e4", 25, 12)]), 1);
        assert_eq!(elect(&[ballot("e2e4", 25, 12), ballot("e2e4", 20, 10)]), 0);
    }

    /// (score − worst + 14) · depth: 420 against 378, and 140 against 480.
    #[test]
    fn weights_are_products_above_the_worst_score() {
        assert_eq!(elect(&[ballot("e2e4", 0, 30), ballot("d2d4", 40, 7)]), 0);
        assert_eq!(elect(&[ballot("e2e4", -500, 10), ballot("d2d4", -490, 20)]), 1);
    }

    /// Proofs need no votes: a thread without a finished iteration has none.
    #[test]
    fn proofs_do_not_depend_on_weights() {
        assert_eq!(elect(&[ballot("e2e4", 500, 30), ballot("d2d4", mate_in(3), 0)]), 1);
        assert_eq!(elect(&[ballot("d2d4", -900, 0), ballot("e2e4", mated_in(8), 30)]), 0);
        assert_eq!(elect(&[ballot("e2e4", mate_in(5), 9), ballot("d2d4", mate_in(5), 9)]), 0);
        assert_eq!(elect(&[ballot("e2e4", mated_in(6), 9), ballot("d2d4", mated_in(6), 9)]), 0);
    }
}
