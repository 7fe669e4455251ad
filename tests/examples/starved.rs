//! Games on a starved machine: how many are lost on time?
//!
//! ```sh
//! cargo run --release -p megatherium-tests --example starved -- \
//!     [--games 20] [--jobs 1] [--engine /usr/games/stockfish] [--option "Move Overhead=30"] \
//!     [--busy 0,2,8,32] [--tc 1+0.01,2+0.02,10+0.1]
//! ```
//!
//! For every time control and number of busy processes, each engine plays games against itself,
//! alternating with the others: this workspace's engine and any that `--engine` names. The clocks
//! are real: time in which the machine runs something else is charged. `--option` is set in this
//! workspace's engine alone. `--jobs` games are played at a time; a game keeps one processor busy.
//! The table gives the share of games lost on time and the least time that was left.

#![forbid(unsafe_code)]

use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_tests::game::{Game, judge};
use megatherium_tests::{Conversation, binary};

/// Base time and increment in milliseconds, from text such as `2+0.02`, in seconds.
fn control(text: &str) -> (i64, i64) {
    let milliseconds =
        |seconds: &str| (seconds.parse::<f64>().expect("seconds") * 1000.0).round() as i64;
    let (base, increment) = text.split_once('+').expect("base and increment, such as 2+0.02");
    (milliseconds(base), milliseconds(increment))
}

/// Plies after which a game is a draw.
const LONGEST: usize = 300;

#[derive(Default)]
struct Tally {
    games: usize,
    lost: usize,
    moves: usize,
    /// Least time left after a move, in milliseconds; negative if a flag fell.
    closest: Option<i64>,
}

impl Tally {
    /// After a move this much time was left.
    fn left(&mut self, milliseconds: i64) {
        let least = self.closest.map_or(milliseconds, |least| least.min(milliseconds));
        self.closest = Some(least);
    }

    fn add(&mut self, game: &Tally) {
        self.games += game.games;
        self.lost += game.lost;
        self.moves += game.moves;
        game.closest.into_iter().for_each(|least| self.left(least));
    }
}

/// Processes that do nothing, as fast as they can, until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start(count: usize) -> Busy {
        let idle = || {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).stdout(Stdio::null());
            command.spawn().expect("a shell can be started")
        };
        Busy((0..count).map(|_| idle()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

struct Entrant {
    path: String,
    option: Option<String>,
}

impl Entrant {
    fn start(&self) -> Conversation {
        let mut engine = Conversation::start_command(&mut Command::new(&self.path));
        engine.send("uci");
        engine.until("uciok");
        if let Some((name, value)) = self.option.as_ref().and_then(|text| text.split_once('=')) {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.ready();
        engine
    }

    /// A game of the engine against itself. A flag that falls ends it.
    fn play(&self, control: (i64, i64), rng: &mut Rng) -> Result<Tally, String> {
        let mut engines = [self.start(), self.start()];
        let mut game = Game::new(Board::startpos(), false);
        for _ in 0..8 {
            let moves = game.board.legal_moves();
            if let Some(mv) = rng.choice(moves.as_slice()) {
                game.play(*mv);
            }
        }
        let (base, increment) = control;
        let mut clocks = [base; 2];
        let mut tally = Tally { games: 1, ..Tally::default() };
        while game.ending().is_none() && game.plies < LONGEST {
            let side = game.board.side_to_move().index();
            let engine = &mut engines[side];
            engine.forget();
            engine.send(&game.position(None));
            let [white, black] = clocks;
            let started = Instant::now();
            let lines = engine
                .go(&format!("go wtime {white} btime {black} winc {increment} binc {increment}"));
            clocks[side] -= started.elapsed().as_millis() as i64;
            tally.left(clocks[side]);
            tally.moves += 1;
            if clocks[side] < 0 {
                tally.lost += 1;
                return Ok(tally);
            }
            clocks[side] += increment;
            match judge(&lines, &game.board)? {
                Some(mv) => game.play(mv),
                None => return Err("no move although the game is not over".to_owned()),
            }
        }
        Ok(tally)
    }
}

/// Plays `games` games of each engine, `jobs` at a time, and returns a tally for each engine.
fn play_all(entrants: &[Entrant], control: (i64, i64), games: usize, jobs: usize) -> Vec<Tally> {
    let tallies = Mutex::new(entrants.iter().map(|_| Tally::default()).collect::<Vec<_>>());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= games * entrants.len() {
                        break;
                    }
                    let entrant = number % entrants.len();
                    // Every engine plays the same openings.
                    let mut rng = Rng::with_seed((number / entrants.len()) as u64);
                    match entrants[entrant].play(control, &mut rng) {
                        Ok(game) => tallies.lock().expect("nobody panics")[entrant].add(&game),
                        Err(error) => eprintln!("{}: {error}", entrants[entrant].path),
                    }
                }
            });
        }
    });
    tallies.into_inner().expect("nobody panics")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let values = |name: &str| -> Vec<String> {
        let pairs = arguments.windows(2).filter(|pair| pair[0] == name);
        pairs.map(|pair| pair[1].clone()).collect()
    };
    let number = |name: &str, default: usize| {
        values(name).last().map_or(default, |text| text.parse().expect("a number"))
    };
    let (games, jobs) = (number("--games", 20), number("--jobs", 1));
    let list = |name: &str, default: &str| -> Vec<String> {
        let text = values(name).pop().unwrap_or_else(|| default.to_owned());
        text.split(',').map(str::to_owned).collect()
    };
    let busy: Vec<usize> =
        list("--busy", "0,2,8,32").iter().map(|text| text.parse().expect("a number")).collect();
    let controls = list("--tc", "1+0.01,2+0.02,10+0.1");
    let own = binary::engine().display().to_string();
    let mut entrants = vec![Entrant { path: own, option: values("--option").pop() }];
    entrants.extend(values("--engine").into_iter().map(|path| Entrant { path, option: None }));
    println!(
        "| time control | busy processes | engine | games | moves | lost on time | least left (ms) |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|");
    for text in &controls {
        for &count in &busy {
            let _busy = Busy::start(count);
            // Let them get going.
            std::thread::sleep(Duration::from_millis(500));
            let tallies = play_all(&entrants, control(text), games, jobs);
            for (entrant, tally) in entrants.iter().zip(&tallies) {
                let name = entrant.path.rsplit('/').next().unwrap_or_default();
                println!(
                    "| {text} | {count} | {name} | {} | {} | {} ({:.1} %) | {} |",
                    tally.games,
                    tally.moves,
                    tally.lost,
                    100.0 * tally.lost as f64 / tally.games.max(1) as f64,
                    tally.closest.unwrap_or_default()
                );
            }
        }
    }
}
