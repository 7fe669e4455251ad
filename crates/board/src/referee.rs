//! When a game is over: by the rules of chess, or adjudicated by the players' scores.

use crate::{Board, Color, KeyHistory};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// White won.
    White,
    /// Black won.
    Black,
    /// A draw.
    Draw,
}

impl Outcome {
    /// A win for a side.
    pub fn win(side: Color) -> Outcome {
        if side.is_white() { Outcome::White } else { Outcome::Black }
    }

    /// Twice the points of a side: 0, 1 or 2.
    pub fn half_points(self, side: Color) -> usize {
        match self {
            Outcome::Draw => 1,
            winner => 2 * usize::from(winner == Outcome::win(side)),
        }
    }
}

/// How the rules end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated.
    Mate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// The third occurrence of a position.
    Repetition,
    /// Neither side can mate.
    Material,
}

impl Ending {
    /// Whether the rules end the game here. `history` holds the positions before `board`.
    pub fn of(board: &Board, history: &KeyHistory) -> Option<Ending> {
        if !board.has_legal_move() {
            Some(if board.in_check() { Ending::Mate } else { Ending::Stalemate })
        } else if board.halfmove_clock() >= 100 {
            Some(Ending::FiftyMoves)
        } else if history.count(board) >= 2 {
            Some(Ending::Repetition)
        } else if board.is_insufficient_material() {
            Some(Ending::Material)
        } else {
            None
        }
    }

    /// The result, with `mover` to move.
    pub fn outcome(self, mover: Color) -> Outcome {
        if self == Ending::Mate { Outcome::win(!mover) } else { Outcome::Draw }
    }
}

/// A score that must hold for a number of consecutive plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streak {
    /// The score in centipawns.
    pub score: i32,
    /// Consecutive plies, of both sides together.
    pub plies: u32,
}

/// When the players' scores end a game before the rules do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// At least this score for one side wins.
    pub win: Streak,
    /// The same for proven wins: mate and tablebase scores.
    pub proven: Streak,
    /// At most this score, for either side, draws.
    pub draw: Streak,
    /// No draw by score before this many plies.
    pub draw_from: u32,
    /// A draw after this many plies in any case.
    pub longest: u32,
}

/// Adjudicates one game.
#[derive(Clone, Debug)]
pub struct Referee {
    rules: Adjudication,
    plies: u32,
    winning: [u32; 2],
    proven: [u32; 2],
    level: u32,
}

impl Referee {
    /// A referee for a new game.
    pub fn new(rules: Adjudication) -> Referee {
        Referee { rules, plies: 0, winning: [0; 2], proven: [0; 2], level: 0 }
    }

    /// Plies seen so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Takes the score of the next ply from White's view; `None` if the player gave none. Returns
    /// the result if the players agree on it.
    pub fn hear(&mut self, score: Option<i32>) -> Option<Outcome> {
        let rules = self.rules;
        let count = |counter: &mut u32, holds: bool| {
            *counter = if holds { *counter + 1 } else { 0 };
            *counter
        };
        self.plies += 1;
        let mut winner = None;
        for (side, sign) in [(Color::White, 1), (Color::Black, -1)] {
            let at_least = |bound: i32| score.is_some_and(|score| sign * score >= bound);
            let winning = count(&mut self.winning[side.index()], at_least(rules.win.score));
            let proven = count(&mut self.proven[side.index()], at_least(rules.proven.score));
            if winning >= rules.win.plies || proven >= rules.proven.plies {
                winner = Some(Outcome::win(side));
            }
        }
        let level = score.is_some_and(|score| score.abs() <= rules.draw.score);
        let level = count(&mut self.level, level);
        let drawn = level >= rules.draw.plies && self.plies >= rules.draw_from;
        winner.or((drawn || self.plies >= rules.longest).then_some(Outcome::Draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Adjudication = Adjudication {
        win: Streak { score: 700, plies: 8 },
        proven: Streak { score: 29_000, plies: 2 },
        draw: Streak { score: 10, plies: 16 },
        draw_from: 70,
        longest: 400,
    };

    fn ending(fen: &str) -> Option<Ending> {
        Ending::of(&Board::from_fen(fen).unwrap(), &KeyHistory::new())
    }

    #[test]
    fn the_rules_end_games() {
        assert_eq!(ending("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), Some(Ending::Mate));
        assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(Ending::Stalemate));
        assert_eq!(ending("4k3/8/8/8/8/8/4P3/4K3 w - - 100 90"), Some(Ending::FiftyMoves));
        assert_eq!(ending("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Some(Ending::Material));
        assert_eq!(Ending::Mate.outcome(Color::Black), Outcome::White);
        assert_eq!(Ending::Stalemate.outcome(Color::Black), Outcome::Draw);
    }

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let (mut board, mut history) = (Board::startpos(), KeyHistory::new());
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
        for (index, text) in moves.iter().enumerate() {
            assert_eq!(Ending::of(&board, &history), None, "after {index} moves");
            history.push(board.key());
            let mv = board.parse_uci(text).unwrap();
            board.make(mv);
        }
        assert_eq!(Ending::of(&board, &history), Some(Ending::Repetition));
    }

    #[test]
    fn wins_and_draws_need_agreement_for_a_while() {
        let mut referee = Referee::new(RULES);
        for ply in 0..20 {
            assert_eq!(referee.hear(Some(if ply % 7 == 6 { 0 } else { 900 })), None);
        }
        let verdicts: Vec<_> = (0..8).map(|_| referee.hear(Some(-900))).collect();
        assert_eq!(verdicts[7], Some(Outcome::Black));
        assert!(verdicts[..7].iter().all(Option::is_none));

        let mut referee = Referee::new(RULES);
        assert_eq!(referee.hear(Some(29_500)), None);
        assert_eq!(referee.hear(Some(29_500)), Some(Outcome::White));

        let mut referee = Referee::new(RULES);
        let drawn = (1..1000).find(|_| referee.hear(Some(3)).is_some());
        assert_eq!(drawn, Some(RULES.draw_from));
        let mut referee = Referee::new(RULES);
        assert_eq!((1..1000).find(|_| referee.hear(None).is_some()), Some(RULES.longest));
    }

    #[test]
    fn points() {
        assert_eq!(Outcome::White.half_points(Color::White), 2);
        assert_eq!(Outcome::White.half_points(Color::Black), 0);
        assert_eq!(Outcome::Draw.half_points(Color::Black), 1);
    }
}
