//! Classifies the moves of a game by the expected points they lose.

use megatherium_board::Board;
use megatherium_search::score::Score;
use megatherium_search::wdl::wdl;

/// A bad move, by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Inaccuracy,
    Mistake,
    Blunder,
}

/// The expected points that each mark costs at least, in permille of a game.
const COSTS: [(Mark, i32); 3] =
    [(Mark::Blunder, 200), (Mark::Mistake, 100), (Mark::Inaccuracy, 50)];

impl Mark {
    /// The mark of a move that turned `before` into `after`, both for the side that moved.
    ///
    /// Expected points are compared, not centipawns: from +9 to +6 nothing is lost.
    pub(super) fn of(
        (before, board): (Score, &Board),
        (after, next): (Score, &Board),
    ) -> Option<Mark> {
        let cost = expectation(before, board) - expectation(after, next);
        COSTS.into_iter().find(|&(_, least)| cost >= least).map(|(mark, _)| mark)
    }

    /// The numeric annotation glyph of PGN.
    pub(super) fn glyph(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "$6",
            Mark::Mistake => "$2",
            Mark::Blunder => "$4",
        }
    }

    /// The mark in words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }
}

/// Expected points in permille: wins, and half of the draws.
fn expectation(score: Score, board: &Board) -> i32 {
    let [win, draw, _] = wdl(score, board).map(i32::from);
    win + draw / 2
}

#[cfg(test)]
mod tests {
    use megatherium_search::score::{mate_in, mated_in};

    use super::*;

    #[test]
    fn chances_count_not_centipawns() {
        let board = Board::startpos();
        let mark = |before, after| Mark::of((before, &board), (after, &board));
        assert_eq!(mark(20, 15), None);
        assert_eq!(mark(1900, 1600), None);
        assert_eq!(mark(mate_in(3), mate_in(9)), None);
        assert_eq!(mark(mate_in(3), 0), Some(Mark::Blunder));
        assert_eq!(mark(0, mated_in(4)), Some(Mark::Blunder));
        assert_eq!(mark(-300, 50), None);
        let costs: Vec<_> = (0..400).map(|loss| mark(0, -loss)).collect();
        for wanted in [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder] {
            assert!(costs.contains(&Some(wanted)), "{wanted:?}");
        }
    }
}
