//! A soak test: the engine plays itself for any length of time, in all modes of a GUI, under a
//! strict referee.
//!
//! ```sh
//! cargo run --release -p megatherium-tests --example soak -- \
//!     [--rounds N] [--minutes N] [--mode NAME]
//! ```
//!
//! A round is a game in every mode. Two processes play on real clocks; they keep running from game
//! to game, so that a leak shows. The clocks run only while the machine lets the engine run: time
//! in which it is ready and waits for a processor, as Linux counts it, is not charged (and shown),
//! so that the soak means the same on a busy machine. Counted are moves that are not legal, flags
//! that fall, engines that die or say nonsense, and how much memory they hold early and late. The
//! exit code is 1 if anything was wrong.

#![forbid(unsafe_code)]

mod modes;
mod player;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_board::{Board, Color};
use megatherium_tests::game::{Ending, Game};
use modes::{MODES, Mode};
use player::Player;

/// The results of a mode.
#[derive(Default)]
struct Tally {
    games: usize,
    moves: usize,
    decided: usize,
    drawn: usize,
    faults: Vec<String>,
    /// Milliseconds in which the machine did not let the engine run.
    withheld: i64,
    /// Least time that was ever left on a clock after a move, in milliseconds.
    closest: Option<i64>,
    ponder_hits: usize,
    /// Resident MiB of the two processes after the first game and after the last.
    memory: Option<[f64; 2]>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str| value(name).and_then(|text| text.parse::<u64>().ok());
    let rounds =
        number("--rounds").unwrap_or(if number("--minutes").is_some() { u64::MAX } else { 1 });
    let deadline =
        number("--minutes").map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let wanted = value("--mode");
    let modes: Vec<&Mode> =
        MODES.iter().filter(|mode| wanted.as_ref().is_none_or(|name| mode.name == name)).collect();
    if modes.is_empty() {
        eprintln!("no such mode; there are {:?}", MODES.map(|mode| mode.name));
        return ExitCode::FAILURE;
    }
    let mut tables: Vec<(Vec<Player>, Tally)> =
        modes.iter().map(|mode| (Player::pair(mode), Tally::default())).collect();
    let mut random = Rng::with_seed(number("--seed").unwrap_or(2024));
    'soak: for _ in 0..rounds {
        for (mode, (players, tally)) in modes.iter().zip(&mut tables) {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                break 'soak;
            }
            let start = mode.opening(&mut random);
            if let Err(fault) = play(mode, players, start, tally) {
                eprintln!("{}: {fault}", mode.name);
                tally.faults.push(fault);
                *players = Player::pair(mode);
            }
            players.reverse();
        }
    }
    report(&modes, &tables)
}

/// Plays one game to its end; whatever goes wrong is the error.
fn play(
    mode: &Mode,
    players: &mut [Player],
    start: Board,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut game = Game::new(start, mode.chess960);
    for player in players.iter_mut() {
        player.new_game();
    }
    let mut clocks = [mode.clock; 2];
    let ending = loop {
        if let Some(ending) = game.ending() {
            break Some(ending);
        }
        if game.plies >= 400 {
            break None;
        }
        let side = game.board.side_to_move().index();
        let [white, black] = players else { return Err("two players are needed".into()) };
        let (mover, other) =
            if side == Color::White.index() { (white, black) } else { (black, white) };
        let moved = mover
            .think(&game, mode, clocks)
            .map_err(|fault| format!("{fault} in {}", game.position(None)))?;
        tally.ponder_hits += usize::from(moved.ponder_hit);
        let charged = (moved.milliseconds - moved.withheld).max(0);
        let left = clocks[side] - charged;
        tally.withheld += moved.milliseconds - charged;
        if mode.is_timed() {
            if left < 0 {
                let fen = game.position(None);
                return Err(format!(
                    "lost on time by {} ms ({} withheld) in {fen}",
                    -left, moved.withheld
                ));
            }
            tally.closest = Some(tally.closest.map_or(left, |closest| closest.min(left)));
        }
        clocks[side] = mode.after_move(left, game.plies / 2 + 1);
        game.play(moved.mv);
        tally.moves += 1;
        mover.ponder(&game, mode, clocks, moved.reply.as_deref());
        let _ = other;
    };
    for player in players.iter_mut() {
        player.end_ponder()?;
        player.settle()?;
    }
    tally.games += 1;
    if ending == Some(Ending::Mate) {
        tally.decided += 1;
    } else {
        tally.drawn += 1;
    }
    let memory = players.iter().filter_map(Player::resident).sum();
    let first = tally.memory.map_or(memory, |[first, _]| first);
    tally.memory = Some([first, memory]);
    Ok(())
}

fn report(modes: &[&Mode], tables: &[(Vec<Player>, Tally)]) -> ExitCode {
    println!(
        "| mode | games | moves | decided | drawn | faults | withheld (s) | least time left (ms) | ponder hits | MiB, first game | MiB, last |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut clean = true;
    let (mut games, mut moves) = (0, 0);
    for (mode, (_, tally)) in modes.iter().zip(tables) {
        let [first, last] = tally.memory.unwrap_or_default();
        let closest = tally.closest.map_or("–".to_owned(), |closest| closest.to_string());
        let Tally {
            games: count, moves: plies, decided, drawn, faults, withheld, ponder_hits, ..
        } = tally;
        println!(
            "| {} | {count} | {plies} | {decided} | {drawn} | {} | {:.0} | {closest} | {ponder_hits} | {first:.0} | {last:.0} |",
            mode.name,
            faults.len(),
            *withheld as f64 / 1000.0
        );
        // A fifth and a few MiB are the allocator's; a leak grows with the games.
        let leaks = last > 1.2 * first + 16.0;
        if leaks {
            eprintln!("{}: memory grows from {first:.0} to {last:.0} MiB", mode.name);
        }
        clean &= faults.is_empty() && !leaks;
        games += count;
        moves += plies;
    }
    println!("\n{games} games, {moves} moves, {}", if clean { "no fault" } else { "FAULTS" });
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
