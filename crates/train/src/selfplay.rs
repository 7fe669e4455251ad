//! Self-play: the engine against itself, a few thousand nodes a move.
//!
//! Every game starts with some random moves so that no two are alike, and is played on until the rules or the scores agree on
//! a result. All scores are kept; which positions suit training is decided when the data is read.

use megatherium_board::{Board, Move};
use megatherium_search::score::is_decisive;
use megatherium_search::{Engine, Limits, Root, Silent};

use crate::data::{Ending, Game, NO_SCORE, Outcome, PackedBoard, Ply};
use crate::random::Random;

/// How the games are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// No new iteration begins after this many nodes.
    pub soft_nodes: u64,
    /// A move takes at most this many nodes.
    pub hard_nodes: u64,
    /// Random moves at the start; every second game has one more, so that both sides get to move first.
    pub random_plies: usize,
    /// Starts worse than this for either side are not played.
    pub max_start_score: i32,
    /// A score of this size …
    pub win_score: i32,
    /// … for this many plies in a row decides the game.
    pub win_plies: usize,
    /// A score no larger than this …
    pub draw_score: i32,
    /// … for this many plies in a row draws it …
    pub draw_plies: usize,
    /// … from this ply on.
    pub draw_from: usize,
    /// Longer games are drawn.
    pub max_plies: usize,
    /// Positions to start from; the usual one if empty.
    pub book: Vec<Board>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            soft_nodes: 1000,
            hard_nodes: 8000,
            random_plies: 8,
            max_start_score: 400,
            win_score: 2000,
            win_plies: 4,
            draw_score: 8,
            draw_plies: 12,
            draw_from: 80,
            max_plies: 400,
            book: Vec::new(),
        }
    }
}

/// Plays the game that belongs to `seed`. The same seed, rules, net and table size give the same game.
pub fn play(engine: &mut Engine, rules: &Rules, net: u32, seed: u64) -> Game {
    let mut random = Random::new(seed);
    loop {
        engine.new_game();
        if let Some(game) = attempt(engine, rules, net, &mut random) {
            return game;
        }
    }
}

/// A game from one random start, unless that start is no good.
fn attempt(engine: &mut Engine, rules: &Rules, net: u32, random: &mut Random) -> Option<Game> {
    let start =
        if rules.book.is_empty() { Board::startpos() } else { rules.book[random.below(rules.book.len())] };
    let mut root = Root::new(start);
    let mut plies = Vec::with_capacity(160);
    for _ in 0..rules.random_plies + random.below(2) {
        let moves = root.board.legal_moves();
        let mv = *moves.get(random.below(moves.len().max(1)))?;
        plies.push(Ply { mv, score: NO_SCORE });
        root.play(mv);
    }
    if !root.board.has_legal_move() {
        return None;
    }
    let mut judge = Judge::default();
    let limits =
        Limits { soft_nodes: Some(rules.soft_nodes), nodes: Some(rules.hard_nodes), ..Limits::default() };
    let (outcome, ending) = loop {
        if let Some(outcome) = result_by_rule(&root) {
            break (outcome, Ending::Played);
        }
        let found = engine.search(root.clone(), limits.clone(), Silent);
        let mv: Move = found.best?;
        if judge.plies == 0 && found.score.abs() > rules.max_start_score {
            return None;
        }
        plies.push(Ply { mv, score: found.score as i16 });
        let white_score = if root.board.side_to_move().index() == 0 { found.score } else { -found.score };
        root.play(mv);
        if let Some(outcome) = judge.hear(rules, white_score) {
            break (outcome, Ending::Adjudicated);
        }
    };
    Some(Game { start: PackedBoard::pack(&start)?, outcome, ending, net, plies })
}

/// The result the rules of chess give, if the game is over.
fn result_by_rule(root: &Root) -> Option<Outcome> {
    let board = &root.board;
    if !board.has_legal_move() {
        return Some(match (board.in_check(), board.side_to_move().index()) {
            (false, _) => Outcome::Draw,
            (true, 0) => Outcome::BlackWon,
            (true, _) => Outcome::WhiteWon,
        });
    }
    let drawn =
        board.halfmove_clock() >= 100 || board.is_insufficient_material() || root.history.count(board) >= 2;
    drawn.then_some(Outcome::Draw)
}

/// Ends games whose result is clear.
#[derive(Default)]
struct Judge {
    plies: usize,
    winning: [usize; 2],
    level: usize,
}

impl Judge {
    /// Takes the score of another ply, from White's view.
    fn hear(&mut self, rules: &Rules, score: i32) -> Option<Outcome> {
        self.plies += 1;
        for (side, score) in [(0, score), (1, -score)] {
            self.winning[side] = if score >= rules.win_score { self.winning[side] + 1 } else { 0 };
            if self.winning[side] >= rules.win_plies
                || score > 0 && is_decisive(score) && self.winning[side] >= 2
            {
                return Some(if side == 0 { Outcome::WhiteWon } else { Outcome::BlackWon });
            }
        }
        self.level = if score.abs() <= rules.draw_score { self.level + 1 } else { 0 };
        let level = self.plies >= rules.draw_from && self.level >= rules.draw_plies;
        (level || self.plies >= rules.max_plies).then_some(Outcome::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Filter;

    fn quick() -> Rules {
        Rules { soft_nodes: 100, hard_nodes: 800, ..Rules::default() }
    }

    #[test]
    fn games_are_legal_repeatable_and_different() {
        let mut engine = Engine::new(1, 1).unwrap();
        let first = play(&mut engine, &quick(), 7, 1);
        let second = play(&mut engine, &quick(), 7, 2);
        assert_eq!(play(&mut engine, &quick(), 7, 1), first);
        assert_ne!(first, second);
        for game in [first, second] {
            let mut replay = game.replay();
            let positions: Vec<_> = replay.by_ref().collect();
            assert!(!replay.illegal());
            assert_eq!(positions.len(), game.plies.len());
            assert!(positions.iter().filter(|position| Filter::default().keeps(position)).count() > 5);
        }
    }

    #[test]
    fn a_book_decides_the_start() {
        let board = Board::from_fen("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1").unwrap();
        let rules = Rules { book: vec![board], random_plies: 2, ..quick() };
        let game = play(&mut Engine::new(1, 1).unwrap(), &rules, 0, 5);
        assert_eq!(game.start.unpack().unwrap().key(), board.key());
    }

    #[test]
    fn the_judge_needs_persistence() {
        let rules = Rules::default();
        let mut judge = Judge::default();
        for _ in 0..rules.win_plies - 1 {
            assert_eq!(judge.hear(&rules, -2500), None);
        }
        assert_eq!(judge.hear(&rules, -100), None);
        for _ in 0..rules.win_plies - 1 {
            assert_eq!(judge.hear(&rules, -2500), None);
        }
        assert_eq!(judge.hear(&rules, -2500), Some(Outcome::BlackWon));
        let mut judge = Judge::default();
        let drawn = (1..1000).find(|_| judge.hear(&rules, 3).is_some()).unwrap();
        assert_eq!(drawn, rules.draw_from.max(rules.draw_plies));
    }
}
