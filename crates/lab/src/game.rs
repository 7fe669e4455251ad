//! A game between two players, by nodes or on clocks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use megatherium_board::referee::{Adjudication, Ending, Outcome, Referee, Streak};
use megatherium_board::{Board, Color, Move};
use megatherium_search::score::TB_BOUND;
use megatherium_search::{Engine, Limits, Root, nodes_as_time};

use crate::error::LabError;

/// Nodes or time of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Nodes per move, all threads together.
    Nodes(u64),
    /// A clock for the game.
    Clock {
        /// Time at the start.
        base: Duration,
        /// Time added after each move.
        increment: Duration,
    },
}

/// A game so far.
pub struct Line {
    /// The position it started from.
    pub start: Board,
    /// The moves since.
    pub moves: Vec<Move>,
    /// The position now, with its history.
    pub root: Root,
}

/// A move with the player's score.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The chosen move.
    pub best: Move,
    /// The score for the side to move, in centipawns, if the player gave one.
    pub score: Option<i32>,
    /// What the clock is to count, if not the time that passed.
    pub time: Option<Duration>,
}

/// A chess player: this engine, another process, a virtual cluster.
pub trait Player: Send {
    /// Forgets the last game.
    fn new_game(&mut self) -> Result<(), LabError>;

    /// Chooses a move. The position has a legal one. `None` if `stop` was set meanwhile.
    fn choose(
        &mut self,
        line: &Line,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Choice>, LabError>;
}

impl Player for Engine {
    fn new_game(&mut self) -> Result<(), LabError> {
        Engine::new_game(self);
        Ok(())
    }

    fn choose(
        &mut self,
        line: &Line,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Choice>, LabError> {
        let answer = self.search_until(line.root.clone(), limits, stop);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let best = answer.best.ok_or_else(|| LabError::Settings("no legal move".to_owned()))?;
        let rate = self.options.nodes_per_millisecond;
        let time = rate.map(|rate| nodes_as_time(self.nodes_by_thread()[0], rate));
        Ok(Some(Choice { best, score: Some(answer.score), time }))
    }
}

/// When games are adjudicated.
const ADJUDICATION: Adjudication = Adjudication {
    win: Streak { score: 700, plies: 8 },
    proven: Streak { score: TB_BOUND, plies: 8 },
    draw: Streak { score: 10, plies: 16 },
    draw_from: 86,
    longest: 400,
};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The result.
    pub outcome: Outcome,
    /// The move that overstepped its clock.
    pub forfeit: Option<Forfeit>,
}

/// A move that came too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// Who was late.
    pub side: Color,
    /// The time on the clock before the move.
    pub left: Duration,
    /// The time the move took.
    pub took: Duration,
}

/// Plays a game from `opening`, White first in `players` and `budgets`. `None` if it was stopped.
pub fn play(
    opening: &Board,
    mut players: [&mut dyn Player; 2],
    budgets: [Budget; 2],
    stop: &AtomicBool,
) -> Result<Option<Finish>, LabError> {
    for player in &mut players {
        player.new_game()?;
    }
    let mut line = Line { start: *opening, moves: Vec::new(), root: Root::new(*opening) };
    let mut referee = Referee::new(ADJUDICATION);
    let mut clocks = Clocks::new(budgets);
    let over = |outcome| Ok(Some(Finish { outcome, forfeit: None }));
    loop {
        let side = line.root.board.side_to_move();
        if let Some(ending) = Ending::of(&line.root.board, &line.root.history) {
            return over(ending.outcome(side));
        }
        let limits = clocks.limits(side);
        let started = Instant::now();
        let Some(choice) = players[side.index()].choose(&line, limits, stop)? else {
            return Ok(None);
        };
        let took = choice.time.unwrap_or_else(|| started.elapsed());
        if let Err(forfeit) = clocks.spend(side, took) {
            return Ok(Some(Finish { outcome: Outcome::win(!side), forfeit: Some(forfeit) }));
        }
        line.moves.push(choice.best);
        line.root.play(choice.best);
        let sign = if side.is_white() { 1 } else { -1 };
        if let Some(outcome) = referee.hear(choice.score.map(|score| sign * score)) {
            return over(outcome);
        }
    }
}

/// Plays an opening twice, the first player with White and then with Black; `each` sees every end
/// and the first player's colour. `None` if `stop` was set before the end.
pub fn play_pair(
    opening: &Board,
    mut players: [&mut dyn Player; 2],
    mut budgets: [Budget; 2],
    stop: &AtomicBool,
    mut each: impl FnMut(Color, &Finish),
) -> Result<Option<usize>, LabError> {
    let mut half_points = 0;
    for first in [Color::White, Color::Black] {
        let [white, black] = &mut players;
        let Some(finish) = play(opening, [&mut **white, &mut **black], budgets, stop)? else {
            return Ok(None);
        };
        each(first, &finish);
        half_points += finish.outcome.half_points(first);
        players.reverse();
        budgets.reverse();
    }
    Ok(Some(half_points))
}

/// The clocks of both sides.
struct Clocks {
    budgets: [Budget; 2],
    left: [Duration; 2],
}

impl Clocks {
    fn new(budgets: [Budget; 2]) -> Clocks {
        let left = budgets.map(|budget| match budget {
            Budget::Nodes(_) => Duration::ZERO,
            Budget::Clock { base, .. } => base,
        });
        Clocks { budgets, left }
    }

    /// The limits of the next search of `side`.
    fn limits(&self, side: Color) -> Limits {
        match self.budgets[side.index()] {
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::Clock { .. } => Limits {
                clock: self.left.map(Some),
                increment: self.budgets.map(|budget| match budget {
                    Budget::Nodes(_) => Duration::ZERO,
                    Budget::Clock { increment, .. } => increment,
                }),
                ..Limits::default()
            },
        }
    }

    /// Subtracts the time of a move from the clock, unless the flag fell.
    fn spend(&mut self, side: Color, took: Duration) -> Result<(), Forfeit> {
        let Budget::Clock { increment, .. } = self.budgets[side.index()] else { return Ok(()) };
        let left = &mut self.left[side.index()];
        let rest = left.checked_sub(took).ok_or(Forfeit { side, left: *left, took })?;
        *left = rest + increment;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(fen: &str, budget: Budget, stop: bool) -> Option<Outcome> {
        let (mut white, mut black) = (Engine::new(1, 1).unwrap(), Engine::new(1, 1).unwrap());
        let board = Board::from_fen(fen).unwrap();
        let players: [&mut dyn Player; 2] = [&mut white, &mut black];
        let finish = play(&board, players, [budget; 2], &AtomicBool::new(stop)).unwrap();
        finish.map(|finish| finish.outcome)
    }

    #[test]
    fn a_won_position_is_won_and_a_dead_one_drawn() {
        let nodes = Budget::Nodes(500);
        let won = "4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1";
        assert_eq!(outcome(won, nodes, false), Some(Outcome::White));
        assert_eq!(outcome("4k3/8/8/8/8/8/8/4K3 w - - 0 1", nodes, false), Some(Outcome::Draw));
        let mated = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
        assert_eq!(outcome(mated, nodes, false), Some(Outcome::White));
        assert_eq!(outcome(won, nodes, true), None);
        // A mate in two, which takes a moment of the minute on the clock.
        let (base, increment) = (Duration::from_mins(1), Duration::from_millis(10));
        let mate = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
        let clock = Budget::Clock { base, increment };
        assert_eq!(outcome(mate, clock, false), Some(Outcome::White));
    }

    /// A player that takes its time.
    struct Slow;

    impl Player for Slow {
        fn new_game(&mut self) -> Result<(), LabError> {
            Ok(())
        }

        fn choose(
            &mut self,
            line: &Line,
            _: Limits,
            _: &AtomicBool,
        ) -> Result<Option<Choice>, LabError> {
            std::thread::sleep(Duration::from_millis(20));
            Ok(Some(Choice { best: line.root.board.legal_moves()[0], score: None, time: None }))
        }
    }

    #[test]
    fn a_clock_that_runs_out_loses() {
        let mut engine = Engine::new(1, 1).unwrap();
        let clock = Budget::Clock { base: Duration::from_millis(5), increment: Duration::ZERO };
        let players: [&mut dyn Player; 2] = [&mut Slow, &mut engine];
        let finish = play(&Board::startpos(), players, [clock; 2], &AtomicBool::new(false));
        let finish = finish.unwrap().unwrap();
        let forfeit = finish.forfeit.unwrap();
        assert_eq!((finish.outcome, forfeit.side), (Outcome::Black, Color::White));
        assert_eq!(forfeit.left, Duration::from_millis(5));
        assert!(forfeit.took >= Duration::from_millis(20));
    }
}
