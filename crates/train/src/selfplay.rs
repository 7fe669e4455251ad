//! Self-play: the engine against itself, a few hundred nodes a move.
//!
//! Every game starts with random moves for variety, and ends by the rules or by adjudication. All
//! scores are stored; positions are filtered when the data is read.

use crate::data::{Ending, Game, NO_SCORE, PackedBoard, Ply};
use crate::harvest::{Choice, Harvest};
use fastrand::Rng;
use megatherium_board::referee::{self, Adjudication, Referee, Streak};
use megatherium_board::{Board, Move};
use megatherium_search::score::TB_BOUND;
use megatherium_search::{Engine, Limits, Root, Silent};

/// How the games are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// No new iteration begins after this many nodes.
    pub soft_nodes: u64,
    /// A move takes at most this many nodes.
    pub hard_nodes: u64,
    /// Random moves at the start; half of the games have one more, so that either side moves first.
    pub random_plies: usize,
    /// Openings with a larger score than this, for either side, are rejected.
    pub max_start_score: i32,
    /// When the scores end a game.
    pub adjudication: Adjudication,
    /// Positions to start from; the standard one if empty.
    pub book: Vec<Board>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            soft_nodes: 1000,
            hard_nodes: 8000,
            random_plies: 8,
            max_start_score: 400,
            adjudication: Adjudication {
                win: Streak { score: 2000, plies: 4 },
                proven: Streak { score: TB_BOUND, plies: 2 },
                draw: Streak { score: 8, plies: 12 },
                draw_from: 80,
                longest: 400,
            },
            book: Vec::new(),
        }
    }
}

/// The seed of a game, unique for every seed of a run and each of its first 2³² games.
pub fn game_seed(run: u32, number: u64) -> u64 {
    u64::from(run) << 32 | number & 0xFFFF_FFFF
}

/// Plays the game of a seed. The same seed, rules, net and table size give the same game.
pub fn play(engine: &mut Engine, rules: &Rules, net: u32, seed: u64) -> Game {
    play_and_harvest(engine, rules, net, seed, None).0
}

/// Plays the game of a seed, and returns nodes of its searches, too.
pub fn play_and_harvest(
    engine: &mut Engine,
    rules: &Rules,
    net: u32,
    seed: u64,
    choice: Option<Choice>,
) -> (Game, Vec<Game>) {
    let mut random = Rng::with_seed(seed);
    loop {
        engine.new_game();
        let mut harvest = choice.map(|choice| Harvest::new(choice, seed));
        if let Some(game) = attempt(engine, rules, net, &mut random, harvest.as_mut()) {
            return (game, harvest.map_or_else(Vec::new, Harvest::finish));
        }
    }
}

/// A game from one random opening; `None` if the opening is rejected.
fn attempt(
    engine: &mut Engine,
    rules: &Rules,
    net: u32,
    random: &mut Rng,
    mut harvest: Option<&mut Harvest>,
) -> Option<Game> {
    let start = if rules.book.is_empty() {
        Board::startpos()
    } else {
        rules.book[random.usize(..rules.book.len())]
    };
    let mut root = Root::new(start);
    let mut plies = Vec::with_capacity(160);
    for _ in 0..rules.random_plies + random.usize(..2) {
        let moves = root.board.legal_moves();
        let mv = *moves.get(random.usize(..moves.len().max(1)))?;
        plies.push(Ply { mv, score: NO_SCORE });
        root.play(mv);
    }
    if !root.board.has_legal_move() {
        return None;
    }
    let mut referee = Referee::new(rules.adjudication);
    let limits = Limits {
        soft_nodes: Some(rules.soft_nodes),
        nodes: Some(rules.hard_nodes),
        ..Limits::default()
    };
    let (outcome, ending) = loop {
        let mover = root.board.side_to_move();
        if let Some(ending) = referee::Ending::of(&root.board, &root.history) {
            break (ending.outcome(mover), Ending::Played);
        }
        let found = engine.search(root.clone(), limits.clone(), Silent);
        let mv: Move = found.best?;
        if referee.plies() == 0 && found.score.abs() > rules.max_start_score {
            return None;
        }
        if let Some(harvest) = &mut harvest {
            harvest.gather(engine, &root.board, net);
        }
        plies.push(Ply { mv, score: found.score as i16 });
        root.play(mv);
        let white_score = if mover.is_white() { found.score } else { -found.score };
        if let Some(outcome) = referee.hear(Some(white_score)) {
            break (outcome, Ending::Adjudicated);
        }
    };
    Some(Game { start: PackedBoard::pack(&start)?, outcome, ending, net, plies })
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
            assert!(
                positions.iter().filter(|position| Filter::default().keeps(position)).count() > 5
            );
        }
    }

    #[test]
    fn no_two_games_have_the_same_seed() {
        let runs = [0, 1, 2, 0x8000_0000, u32::MAX];
        let numbers = [0, 1, 2, 1_000_000, u64::from(u32::MAX)];
        let mut seeds: Vec<u64> =
            runs.iter().flat_map(|&run| numbers.map(|number| game_seed(run, number))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), runs.len() * numbers.len());
    }

    #[test]
    fn a_book_decides_the_start() {
        let board = Board::from_fen("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1").unwrap();
        let rules = Rules { book: vec![board], random_plies: 2, ..quick() };
        let game = play(&mut Engine::new(1, 1).unwrap(), &rules, 0, 5);
        assert_eq!(game.start.unpack().unwrap().key(), board.key());
    }
}
