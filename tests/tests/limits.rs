//! Limits hold in every position, from the first node: boards full of promoted pieces, 1 to 4
//! threads, every kind of limit. Lateness is measured in processor time, so a busy machine does not
//! matter.
//!
//! All 10,000 positions: `cargo test --release -p megatherium-tests --test limits -- --ignored
//! --nocapture`

use std::fmt;
use std::time::Duration;

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::conversation::number;
use megatherium_tests::game::judge;
use megatherium_tests::positions::{HOSTILE, crowded, place};

/// Processor time that a thread may use after its limit.
const GRACE: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Depth(u32),
    Nodes(u64),
    MoveTime(u64),
    Clock(u64),
    Stop,
    MateThenStop,
    PonderHit(u64),
    PonderStop,
    Quit,
    EndOfInput,
}

impl Limit {
    fn draw(rng: &mut Rng) -> Limit {
        match rng.u8(..10) {
            0 => Limit::Depth(1),
            1 => Limit::Nodes(rng.u64(1..20)),
            2 => Limit::Nodes(rng.u64(1..5000)),
            3 => Limit::MoveTime(rng.u64(1..40)),
            4 => Limit::Clock(rng.u64(1..100)),
            5 => Limit::Stop,
            6 => Limit::MateThenStop,
            7 => Limit::PonderHit(rng.u64(1..40)),
            8 => Limit::PonderStop,
            _ if rng.bool() => Limit::Quit,
            _ => Limit::EndOfInput,
        }
    }

    /// Whether the engine is gone afterwards.
    fn is_last(self) -> bool {
        matches!(self, Limit::Quit | Limit::EndOfInput)
    }

    fn go(self) -> String {
        match self {
            Limit::Depth(depth) => format!("go depth {depth}"),
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::MoveTime(time) => format!("go movetime {time}"),
            Limit::Clock(time) => format!("go wtime {time} btime {time} winc 1 binc 1"),
            Limit::Stop | Limit::Quit | Limit::EndOfInput => "go infinite".to_owned(),
            Limit::MateThenStop => "go mate 3".to_owned(),
            Limit::PonderHit(time) => format!("go ponder movetime {time}"),
            Limit::PonderStop => "go ponder wtime 1000 btime 1000".to_owned(),
        }
    }

    /// Whether the clock ends the search.
    fn is_of_time(self) -> bool {
        matches!(self, Limit::MoveTime(_) | Limit::Clock(_) | Limit::PonderHit(_))
    }

    /// Processor time that a thread may use before its limit is reached.
    fn allowance(self) -> Duration {
        match self {
            // Not a limit of time. At most 248 root moves with a bounded quiescence search each,
            // and twice that for searches repeated with another window.
            Limit::Depth(_) => Duration::from_secs(20),
            Limit::Nodes(nodes) => Duration::from_micros(50 * nodes),
            Limit::MoveTime(time) | Limit::Clock(time) | Limit::PonderHit(time) => {
                Duration::from_millis(time)
            }
            _ => Duration::ZERO,
        }
    }
}

/// The results of a run.
#[derive(Default)]
struct Tally {
    searches: usize,
    wdl: usize,
    latest: Duration,
    depth_one: Duration,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} searches, one legal answer each, {} lines with win/draw/loss; the latest answer came \
             {:?} of processor time a thread after its limit; depth 1 took at most {:?}",
            self.searches, self.wdl, self.latest, self.depth_one
        )
    }
}

fn start(threads: usize) -> Conversation {
    let mut engine = Conversation::start_uci();
    engine.send(&format!(
        "setoption name Threads value {threads}\nsetoption name UCI_ShowWDL value true"
    ));
    engine.ready();
    engine
}

/// Win, draw and loss: each from 0 to 1000, together 1000.
fn judge_wdl(lines: &[String]) -> Result<usize, String> {
    let mut seen = 0;
    for line in lines {
        let Some((_, numbers)) = line.split_once(" wdl ") else { continue };
        let numbers: Vec<u32> =
            numbers.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        if numbers.len() < 3 || numbers[..3].iter().sum::<u32>() != 1000 {
            return Err(line.clone());
        }
        seen += 1;
    }
    Ok(seen)
}

/// One search under one limit.
fn search(
    engine: &mut Conversation,
    threads: u32,
    board: &Board,
    limit: Limit,
    rng: &mut Rng,
) -> (Duration, usize) {
    let cpu = |engine: &Conversation| engine.cpu_time().unwrap_or_default();
    let leader = |engine: &Conversation| engine.thread_cpu_time("search-0");
    engine.forget();
    engine.send(&format!("position fen {}", board.fen()));
    let mut before = (cpu(engine), leader(engine));
    engine.send(&limit.go());
    let word = match limit {
        Limit::Stop | Limit::MateThenStop | Limit::PonderStop => "stop",
        Limit::PonderHit(_) => "ponderhit",
        Limit::Quit => "quit",
        _ => "",
    };
    if limit.is_last() || !word.is_empty() {
        std::thread::sleep(Duration::from_micros(rng.u64(..8000)));
        if word.is_empty() {
            engine.close_input();
        } else {
            engine.send(word);
        }
        // Only now: it searches on while this thread waits for its turn to say so.
        before = (cpu(engine), leader(engine));
    }
    let lines = engine.until("bestmove");
    let after =
        if limit.is_last() { engine.final_cpu_time().unwrap_or_default() } else { cpu(engine) };
    let mut spent = after.saturating_sub(before.0) / threads;
    if let (true, Some(before), Some(after)) = (limit.is_of_time(), before.1, leader(engine)) {
        // Only the leader looks at the clock: the others search on while it waits for a processor.
        // That they end when they are told to is seen under the other limits.
        spent = spent.min(after.saturating_sub(before));
    }
    let late = spent.saturating_sub(limit.allowance());
    if late > GRACE {
        engine.fail(&format!("{limit:?} with {threads} threads: {late:?} of processor time late"));
    }
    if let Err(error) = judge(&lines, board) {
        engine.fail(&error);
    }
    if let (Limit::Nodes(nodes), 1) = (limit, threads) {
        let most = lines.iter().filter_map(|line| number(line, "nodes")).max().unwrap_or(0);
        if most as u64 > nodes {
            engine.fail(&format!("{most} nodes instead of {nodes}"));
        }
    }
    let seen = judge_wdl(&lines).unwrap_or_else(|line| engine.fail(&line));
    (if matches!(limit, Limit::Depth(_)) { spent } else { late }, seen)
}

fn limits_hold(positions: usize) -> Tally {
    let mut tally = Tally::default();
    for threads in 1..=4 {
        let mut rng = Rng::with_seed(u64::from(threads));
        let mut engine = start(threads as usize);
        for index in 0..positions / 4 {
            let board = match HOSTILE.get(index) {
                Some(fen) => Board::from_fen(fen).expect("legal"),
                None => crowded(&mut rng),
            };
            let limit = Limit::draw(&mut rng);
            let (time, wdl) = search(&mut engine, threads, &board, limit, &mut rng);
            tally.searches += 1;
            tally.wdl += wdl;
            let longest = if matches!(limit, Limit::Depth(_)) {
                &mut tally.depth_one
            } else {
                &mut tally.latest
            };
            *longest = time.max(*longest);
            if limit.is_last() {
                assert!(engine.wait().success());
                engine = start(threads as usize);
            } else {
                assert!(engine.ready().is_empty(), "an answer too many");
            }
        }
        engine.quit();
    }
    assert!(tally.wdl > positions / 10, "{tally}");
    tally
}

#[test]
fn limits_hold_in_crowded_positions() {
    println!("{}", limits_hold(200));
}

#[test]
#[ignore = "long: a quarter of an hour; --release"]
fn limits_hold_in_ten_thousand_crowded_positions() {
    println!("{}", limits_hold(10_000));
}

/// Every limit in each of the positions that once made the engine hang.
#[test]
fn limits_hold_where_they_did_not() {
    let mut rng = Rng::with_seed(5);
    for fen in &HOSTILE[..2] {
        let board = Board::from_fen(fen).expect("legal");
        for limit in [
            Limit::Nodes(1),
            Limit::Nodes(1000),
            Limit::MoveTime(50),
            Limit::Clock(100),
            Limit::Stop,
            Limit::MateThenStop,
            Limit::PonderHit(50),
            Limit::PonderStop,
            Limit::Quit,
        ] {
            let mut engine = start(2);
            search(&mut engine, 2, &board, limit, &mut rng);
        }
    }
}

/// Any material: from bare kings to 15 queens against 15 pieces of any kind.
#[test]
fn win_draw_and_loss_add_up_with_any_material() {
    let mut rng = Rng::with_seed(6);
    let mut engine = start(1);
    let mut seen = 0;
    for letter in "QRBN".chars() {
        for (white, black) in (0..=15).flat_map(|white| [0, 5, 10, 15].map(|black| (white, black)))
        {
            let men = [vec!['Q'; white], vec![letter; black]];
            let Some(board) = place(&mut rng, &men) else { continue };
            seen += search(&mut engine, 1, &board, Limit::Nodes(300), &mut rng).1;
        }
    }
    assert!(seen > 200, "{seen} lines with win/draw/loss");
    engine.quit();
}
