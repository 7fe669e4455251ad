//! One engine at the board.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use megatherium_board::Move;
use megatherium_tests::Conversation;
use megatherium_tests::conversation::field;
use megatherium_tests::game::{Game, judge};

use crate::modes::Mode;

/// A move and what it took.
pub struct Moved {
    pub mv: Move,
    pub milliseconds: i64,
    /// Milliseconds in which the engine, or the referee, was ready to run and the machine did
    /// something else.
    pub withheld: i64,
    /// The reply the engine expects.
    pub reply: Option<String>,
    /// Whether it had expected the opponent's move.
    pub ponder_hit: bool,
}

/// An engine process, and what it ponders on.
pub struct Player {
    engine: Conversation,
    /// The game as it would be after the move it expects.
    pondering: Option<Game>,
}

impl Player {
    /// Two new players.
    pub fn pair(mode: &Mode) -> Vec<Player> {
        (0..2).map(|_| Player::new(mode)).collect()
    }

    fn new(mode: &Mode) -> Player {
        let mut engine = Conversation::start_uci();
        for option in mode.options {
            engine.send(&format!("setoption name {option}"));
        }
        Player { engine, pondering: None }
    }

    pub fn new_game(&mut self) {
        self.engine.send("ucinewgame");
        self.engine.ready();
        self.engine.forget();
    }

    /// Memory in use, in MiB.
    pub fn resident(&self) -> Option<f64> {
        self.engine.resident_mebibytes()
    }

    /// Thinks about the position of a game.
    pub fn think(&mut self, game: &Game, mode: &Mode, clocks: [i64; 2]) -> Result<Moved, String> {
        let expected = self.pondering.as_ref().is_some_and(|guess| guess.moves == game.moves);
        let withheld = self.withheld();
        let started;
        if expected {
            self.pondering = None;
            started = Instant::now();
            self.engine.send("ponderhit");
        } else {
            self.end_ponder()?;
            self.engine.send(&game.position(None));
            started = Instant::now();
            self.engine.send(&format!("go {}", mode.limits(clocks, game.plies / 2 + 1)));
        }
        let lines = self.answer()?;
        let milliseconds = started.elapsed().as_millis() as i64;
        if let Some(error) = lines.iter().find(|line| line.contains("error")) {
            return Err(format!("the engine says {error}"));
        }
        let mv = judge(&lines, &game.board)?.ok_or("no move although there are some")?;
        let reply = lines.last().and_then(|line| field(line, "ponder")).map(str::to_owned);
        let withheld = milliseconds_withheld(&withheld, &self.withheld());
        Ok(Moved { mv, milliseconds, withheld, reply, ponder_hit: expected })
    }

    /// Begins to think on the opponent's time, if the mode has it and there is a move to expect.
    pub fn ponder(&mut self, game: &Game, mode: &Mode, clocks: [i64; 2], reply: Option<&str>) {
        let Some(reply) = reply.filter(|_| mode.ponder && game.ending().is_none()) else { return };
        let Ok(mv) = game.board.parse_uci(reply) else { return };
        let mut guess = game.clone();
        guess.play(mv);
        if guess.ending().is_some() {
            return;
        }
        self.engine.send(&guess.position(None));
        self.engine.send(&format!("go ponder {}", mode.limits(clocks, guess.plies / 2 + 1)));
        self.pondering = Some(guess);
    }

    /// The opponent did something else, or the game is over: the answer is awaited and thrown away,
    /// but judged like any other.
    pub fn end_ponder(&mut self) -> Result<(), String> {
        if let Some(guess) = self.pondering.take() {
            self.engine.send("stop");
            let lines = self.answer()?;
            judge(&lines, &guess.board).map_err(|fault| format!("while pondering: {fault}"))?;
        }
        Ok(())
    }

    /// Checks that no output is pending.
    pub fn settle(&mut self) -> Result<(), String> {
        let lines = self.said(Conversation::ready)?;
        if lines.is_empty() { Ok(()) } else { Err(format!("said after the answer: {lines:?}")) }
    }

    /// How long each thread on which a move may have to wait has been kept from running so far: the
    /// engine's, and those of this program.
    fn withheld(&self) -> BTreeMap<PathBuf, (String, Duration)> {
        let mut waits = waiting(&self.engine.process_id().to_string());
        waits.extend(waiting("self"));
        waits
    }

    fn answer(&mut self) -> Result<Vec<String>, String> {
        let lines = self.said(|engine| engine.until("bestmove"))?;
        self.engine.forget();
        Ok(lines)
    }

    /// A conversation fails by panicking; here that is a fault like any other.
    fn said(
        &mut self,
        what: impl FnOnce(&mut Conversation) -> Vec<String>,
    ) -> Result<Vec<String>, String> {
        catch_unwind(AssertUnwindSafe(|| what(&mut self.engine)))
            .map_err(|_| "the engine went away or is silent".to_owned())
    }
}

/// How long the threads of a process have waited for a processor, as Linux counts it; nothing
/// elsewhere.
fn waiting(process: &str) -> BTreeMap<PathBuf, (String, Duration)> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return BTreeMap::new();
    };
    let wait = |thread: std::fs::DirEntry| {
        let name = std::fs::read_to_string(thread.path().join("comm")).ok()?;
        let times = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        // Nanoseconds at work, nanoseconds waiting for work, number of turns.
        let waited = times.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some((thread.path(), (name.trim().to_owned(), Duration::from_nanos(waited))))
    };
    threads.flatten().filter_map(wait).collect()
}

/// The part of a time that was spent waiting for a processor: of the threads that act one after
/// another the sum, of the helpers, which are awaited all at once, the longest.
fn milliseconds_withheld(
    before: &BTreeMap<PathBuf, (String, Duration)>,
    after: &BTreeMap<PathBuf, (String, Duration)>,
) -> i64 {
    let (mut sum, mut longest) = (Duration::ZERO, Duration::ZERO);
    for (thread, (name, waited)) in after {
        let earlier = before.get(thread).map_or(Duration::ZERO, |(_, waited)| *waited);
        let waited = waited.saturating_sub(earlier);
        if name.starts_with("search-") && name != "search-0" {
            longest = longest.max(waited);
        } else {
            sum += waited;
        }
    }
    (sum + longest).as_millis() as i64
}
