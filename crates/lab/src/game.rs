//! A game between two engines in one process, by nodes instead of clocks.

use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::{Board, Color};
use megatherium_search::{Engine, Limits, Root, Silent};

/// One side: an engine and how many nodes it may search per move, all threads together.
pub struct Player {
    /// The engine.
    pub engine: Engine,
    /// Nodes per move.
    pub nodes: u64,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// White won.
    White,
    /// Black won.
    Black,
    /// Nobody did.
    Draw,
}

impl Outcome {
    /// Twice the points of a side.
    pub fn half_points(self, side: Color) -> usize {
        match (self, side) {
            (Outcome::Draw, _) => 1,
            (Outcome::White, Color::White) | (Outcome::Black, Color::Black) => 2,
            _ => 0,
        }
    }
}

/// Both sides agree that it is lost: so many centipawns, so many plies in a row.
const DECIDED: i32 = 700;
const DECIDED_PLIES: u32 = 8;

/// Both sides agree that it is drawn: at most so many centipawns, so many plies in a row, from so far into the game.
const LEVEL: i32 = 10;
const LEVEL_PLIES: u32 = 16;
const LEVEL_FROM: usize = 70;

/// A game that goes on longer is a draw.
const LONGEST: usize = 400;

/// Plays a game from `opening`. `None` if it was stopped.
pub fn play(opening: &Board, white: &mut Player, black: &mut Player, stop: &AtomicBool) -> Option<Outcome> {
    white.engine.new_game();
    black.engine.new_game();
    let mut root = Root::new(*opening);
    let mut judge = Judge::default();
    for ply in 0..LONGEST {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(outcome) = by_rule(&root) {
            return Some(outcome);
        }
        let side = root.board.side_to_move();
        let player = if side.is_white() { &mut *white } else { &mut *black };
        let answer = player.engine.search(root.clone(), Limits::nodes(player.nodes), Silent);
        if let Some(outcome) = judge.hear(if side.is_white() { answer.score } else { -answer.score }, ply) {
            return Some(outcome);
        }
        root.play(answer.best?);
    }
    Some(Outcome::Draw)
}

/// Mate, stalemate, and the draws by rule.
fn by_rule(root: &Root) -> Option<Outcome> {
    let board = &root.board;
    if !board.has_legal_move() {
        let loser = board.side_to_move();
        return Some(match (board.in_check(), loser.is_white()) {
            (false, _) => Outcome::Draw,
            (true, true) => Outcome::Black,
            (true, false) => Outcome::White,
        });
    }
    let drawn = board.halfmove_clock() >= 100
        || board.is_insufficient_material()
        || root.history.repetition(board, 0);
    drawn.then_some(Outcome::Draw)
}

/// Ends games whose result both sides agree on.
#[derive(Default)]
struct Judge {
    white_ahead: u32,
    black_ahead: u32,
    level: u32,
}

impl Judge {
    /// Hears a score from White's view.
    fn hear(&mut self, score: i32, ply: usize) -> Option<Outcome> {
        let count = |counter: &mut u32, holds: bool| {
            *counter = if holds { *counter + 1 } else { 0 };
            *counter
        };
        let white = count(&mut self.white_ahead, score >= DECIDED);
        let black = count(&mut self.black_ahead, score <= -DECIDED);
        let level = count(&mut self.level, ply >= LEVEL_FROM && score.abs() <= LEVEL);
        if white >= DECIDED_PLIES {
            Some(Outcome::White)
        } else if black >= DECIDED_PLIES {
            Some(Outcome::Black)
        } else {
            (level >= LEVEL_PLIES).then_some(Outcome::Draw)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(nodes: u64) -> Player {
        Player { engine: Engine::new(1, 1).unwrap(), nodes }
    }

    #[test]
    fn a_won_position_is_won_and_a_dead_one_drawn() {
        let never = AtomicBool::new(false);
        let (mut strong, mut weak) = (player(500), player(500));
        let won = Board::from_fen("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1").unwrap();
        assert_eq!(play(&won, &mut strong, &mut weak, &never), Some(Outcome::White));
        assert_eq!(
            play(&Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap(), &mut strong, &mut weak, &never),
            Some(Outcome::Draw)
        );
        let mated = Board::from_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap();
        assert_eq!(play(&mated, &mut strong, &mut weak, &never), Some(Outcome::White));
        assert_eq!(play(&won, &mut strong, &mut weak, &AtomicBool::new(true)), None);
    }

    #[test]
    fn the_judge_needs_agreement_for_a_while() {
        let mut judge = Judge::default();
        for ply in 0..20 {
            assert_eq!(judge.hear(if ply % 7 == 6 { 0 } else { 900 }, ply), None);
        }
        let verdicts: Vec<_> = (0..8).map(|ply| judge.hear(-900, ply)).collect();
        assert_eq!(verdicts[7], Some(Outcome::Black));
        assert!(verdicts[..7].iter().all(Option::is_none));
    }

    #[test]
    fn points() {
        assert_eq!(Outcome::White.half_points(Color::White), 2);
        assert_eq!(Outcome::White.half_points(Color::Black), 0);
        assert_eq!(Outcome::Draw.half_points(Color::Black), 1);
    }
}
