//! Scores: evaluations in centipawns, mates and tablebase results on one scale.
//!
//! ```text
//!       0 … 31506 │ 31507 … 31753    │ 31754 … 32000        │ 32001    │ 32002
//!    0 … MAX_EVAL │ TB_BOUND … TB_WIN│ MATE_BOUND … MATE    │ INFINITY │ NONE
//!    evaluation   │ tablebase win at │ mate at ply n of the │ window   │ no score
//!                 │ ply n: TB_WIN - n│ line: MATE - n       │ bound    │
//! ```
//!
//! Losses are the same with the sign reversed. A mate `n` plies below the root scores `MATE - n`,
//! so the winner prefers shorter mates and the loser longer ones. Such a score depends on the
//! *path* to the node, while the table is shared by all paths and must hold "mate in `n` plies
//! **from this node**". [`to_table`] and [`from_table`] convert: storing moves a mate *away* from
//! zero by the node's ply, reading moves it back.

/// A score for the side to move.
pub type Score = i32;

/// Deepest ply a search line can reach.
pub const MAX_PLY: usize = 246;
/// The score of a draw.
pub const DRAW: Score = 0;
/// Mate on the board.
pub const MATE: Score = 32_000;
/// Above every score a search can return.
pub const INFINITY: Score = 32_001;
/// No score: outside the range of every real score, but within 16 bits for the table.
pub const NONE: Score = 32_002;
/// Scores at or above this are mates.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;
/// A tablebase win at the root; deeper ones lose a point per ply.
pub const TB_WIN: Score = MATE_BOUND - 1;
/// Scores at or above this are tablebase wins or mates.
pub const TB_BOUND: Score = TB_WIN - MAX_PLY as Score;
/// Largest magnitude of an evaluation.
pub const MAX_EVAL: Score = TB_BOUND - 1;

/// The side to move mates in `ply` plies from the root.
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The side to move is mated in `ply` plies from the root.
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// A mate or a tablebase result, for either side.
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_BOUND
}

/// Won by mate or by tablebase.
pub const fn is_win(score: Score) -> bool {
    score >= TB_BOUND
}

/// Lost by mate or by tablebase.
pub const fn is_loss(score: Score) -> bool {
    score <= -TB_BOUND
}

/// A mate for either side.
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND && score.abs() <= MATE
}

/// Moves (not plies) to mate as UCI counts them: positive when the side to move mates.
pub const fn moves_to_mate(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score) / 2)
    }
}

/// Converts a score relative to the root to one relative to the node at `ply`, for the table.
pub const fn to_table(score: Score, ply: usize) -> i16 {
    let shifted = if score == NONE {
        score
    } else if score >= TB_BOUND {
        score + ply as Score
    } else if score <= -TB_BOUND {
        score - ply as Score
    } else {
        score
    };
    shifted as i16
}

/// Converts a score relative to the node at `ply` to one relative to the root.
///
/// `halfmove_clock` is the clock of the probing position. If a stored mate or tablebase win needs
/// more plies than the 50-move rule leaves on *this* path, it may never happen, so it becomes the
/// largest evaluation instead of a proven result.
pub const fn from_table(stored: i16, ply: usize, halfmove_clock: u32) -> Score {
    let stored = stored as Score;
    if stored == NONE {
        return NONE;
    }
    let plies_left = 100 - halfmove_clock as Score;
    if stored >= TB_BOUND {
        if stored >= MATE_BOUND && MATE - stored > plies_left {
            return MAX_EVAL;
        }
        if stored < MATE_BOUND && TB_WIN - stored > plies_left {
            return MAX_EVAL;
        }
        stored - ply as Score
    } else if stored <= -TB_BOUND {
        if stored <= -MATE_BOUND && MATE + stored > plies_left {
            return -MAX_EVAL;
        }
        if stored > -MATE_BOUND && TB_WIN + stored > plies_left {
            return -MAX_EVAL;
        }
        stored + ply as Score
    } else {
        stored
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A score stored and read at the same ply is unchanged.
        #[test]
        fn round_trip_at_the_same_ply(distance in 0usize..=100, ply in 0usize..100, win: bool) {
            let score = if win { mate_in(ply + distance) } else { mated_in(ply + distance) };
            prop_assert_eq!(from_table(to_table(score, ply), ply, 0), score);
        }

        /// The distance to mate *from the node* is the same on every path to the node.
        #[test]
        fn distance_from_the_node_is_kept(distance in 0usize..=100, stored_at in 0usize..100, read_at in 0usize..100) {
            let mating = from_table(to_table(mate_in(stored_at + distance), stored_at), read_at, 0);
            prop_assert_eq!(mating, mate_in(read_at + distance));
            let mated = from_table(to_table(mated_in(stored_at + distance), stored_at), read_at, 0);
            prop_assert_eq!(mated, mated_in(read_at + distance));
        }

        /// Evaluations do not depend on the ply.
        #[test]
        fn evaluations_pass_through(score in -MAX_EVAL..=MAX_EVAL, stored_at in 0usize..246, read_at in 0usize..246, clock in 0u32..=100) {
            prop_assert_eq!(from_table(to_table(score, stored_at), read_at, clock), score);
        }

        /// A mate beyond the 50-move rule on this path is not claimed as one.
        #[test]
        fn fifty_moves_hide_far_mates(distance in 1usize..=100, clock in 0u32..=100) {
            let read = from_table(to_table(mate_in(distance), 0), 0, clock);
            prop_assert_eq!(is_mate(read), distance as u32 <= 100 - clock);
        }
    }

    #[test]
    fn table_scores_fit_sixteen_bits() {
        assert_eq!(Score::from(to_table(NONE, 0)), NONE);
        assert_eq!(Score::from(to_table(mate_in(MAX_PLY), MAX_PLY)), MATE);
        assert_eq!(from_table(to_table(NONE, 7), 3, 50), NONE);
    }

    #[test]
    fn mate_distance_in_moves() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(MAX_EVAL), None);
        assert_eq!(moves_to_mate(TB_WIN), None);
    }
}
