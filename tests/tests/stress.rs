//! Load: thousands of searches started and stopped, resources changed hundreds of times, far more
//! threads than cores.
//!
//! Each test has a long form: `cargo test --release -p megatherium-tests --test stress -- --ignored
//! --nocapture --test-threads 1`

use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_search::THREAD_MEBIBYTES;
use megatherium_tests::Conversation;
use megatherium_tests::game::judge;

fn engine(threads: usize) -> Conversation {
    let mut engine = Conversation::start_uci();
    engine.send(&format!("setoption name Threads value {threads}"));
    engine.ready();
    engine
}

/// The one legal answer to a search of the initial position.
fn answer(engine: &mut Conversation) {
    let lines = engine.until("bestmove");
    if let Err(error) = judge(&lines, &Board::startpos()) {
        engine.fail(&error);
    }
    engine.forget();
}

fn resident(engine: &Conversation) -> f64 {
    engine.resident_mebibytes().unwrap_or(0.0)
}

/// Searches that are stopped as soon as they have begun, or a little later.
fn go_and_stop(threads: usize, cycles: usize) {
    let mut engine = engine(threads);
    let mut random = Rng::with_seed(threads as u64);
    let mut slowest = Duration::ZERO;
    let mut early = 0.0;
    for cycle in 0..cycles {
        if cycle == cycles / 10 {
            early = resident(&engine);
        }
        match random.usize(..4) {
            0 => engine.send("go infinite\nstop"),
            1 => engine.send("go wtime 60000 btime 60000\nstop"),
            2 => engine.send("go ponder wtime 60000 btime 60000\nponderhit\nstop"),
            _ => {
                engine.send("go infinite");
                std::thread::sleep(Duration::from_micros(random.usize(..2000) as u64));
                engine.send("stop");
            }
        }
        let stopped = Instant::now();
        answer(&mut engine);
        slowest = slowest.max(stopped.elapsed());
    }
    assert!(engine.ready().is_empty(), "an answer too many");
    let late = resident(&engine);
    println!(
        "{cycles} go/stop cycles with {threads} threads: one answer each, the slowest after {slowest:?}, \
         resident {early:.0} MiB after a tenth of them, {late:.0} MiB at the end"
    );
    assert!(late < early + 16.0, "memory grows: {early:.1} to {late:.1} MiB");
    engine.quit();
}

#[test]
fn go_and_stop_hundreds_of_times() {
    for threads in [1, 2, 8] {
        go_and_stop(threads, 300);
    }
}

#[test]
#[ignore = "long: a minute or two"]
fn go_and_stop_ten_thousand_times() {
    for threads in [1, 2, 8] {
        go_and_stop(threads, 10_000);
    }
}

/// Races with up to 64 threads, most of them with few. `RACES` bounds their number.
#[test]
#[ignore = "long: hours on two cores"]
fn go_and_stop_a_hundred_thousand_times() {
    let races = std::env::var("RACES").map_or(100_000, |races| races.parse().expect("a number"));
    for (threads, percent) in [(1, 30), (2, 30), (4, 20), (8, 10), (16, 5), (32, 3), (64, 2)] {
        go_and_stop(threads, races * percent / 100);
    }
}

/// Table and threads change between searches; in the end as much memory is in use as in the
/// beginning.
fn changes(rounds: usize) {
    let mut engine = engine(1);
    let mut random = Rng::with_seed(3);
    let mut seen = Vec::new();
    for round in 0..=rounds {
        if round % (rounds / 10) == 0 {
            // Measured in one and the same state: a small table, one thread, everything touched.
            engine.send(
                "setoption name Hash value 16\nsetoption name Threads value 1\nucinewgame\ngo nodes 20000",
            );
            answer(&mut engine);
            seen.push(resident(&engine));
        }
        let (hash, threads) = (1 + random.usize(..128), 1 + random.usize(..12));
        if random.usize(..2) == 0 {
            engine.send(&format!("setoption name Hash value {hash}"));
        }
        engine.send(&format!("setoption name Threads value {threads}"));
        if random.usize(..4) == 0 {
            engine.send("ucinewgame");
        }
        engine.send("go nodes 3000");
        answer(&mut engine);
    }
    println!("Hash and Threads changed {rounds} times, resident MiB in between: {seen:.1?}");
    let (early, late) = (seen[0], seen[seen.len() - 1]);
    assert!(late < early + 24.0, "memory grows: {seen:.1?} MiB");
    engine.quit();
}

#[test]
fn resources_change_between_searches() {
    changes(100);
}

#[test]
#[ignore = "long: a minute"]
fn resources_change_a_thousand_times() {
    changes(1000);
}

/// Far more threads than cores: the clock is kept, and `stop` is obeyed.
fn many_threads(threads: usize, rounds: usize) -> Duration {
    let started = Instant::now();
    let mut engine = engine(threads);
    assert!(engine.ready().is_empty());
    let start = started.elapsed();
    let (mut slowest_stop, mut longest) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..rounds {
        engine.send("go infinite");
        std::thread::sleep(Duration::from_millis(20));
        engine.send("stop");
        let started = Instant::now();
        answer(&mut engine);
        slowest_stop = slowest_stop.max(started.elapsed());
        let started = Instant::now();
        engine.send("go wtime 2000 btime 2000 winc 20 binc 20");
        answer(&mut engine);
        longest = longest.max(started.elapsed());
        assert!(engine.ready().is_empty());
    }
    println!(
        "{threads} threads on {} cores, {rounds} rounds: started in {start:?}, stop answered after \
         at most {slowest_stop:?}, a move on a clock of 2 s took at most {longest:?}, {:.0} MiB",
        std::thread::available_parallelism().map_or(1, usize::from),
        resident(&engine)
    );
    engine.quit();
    longest
}

#[test]
fn sixty_four_threads() {
    // How long it takes depends on what else the machine does, so the ordinary run only asks for
    // the answers.
    many_threads(64, 6);
}

#[test]
#[ignore = "long: a minute"]
fn sixty_four_threads_for_long() {
    let longest = many_threads(64, 200);
    assert!(longest < Duration::from_secs(2), "the flag has fallen: {longest:?}");
}

/// As many as the option allows: they start, search and stop.
#[test]
#[ignore = "needs 3 GiB of memory"]
fn a_thousand_threads() {
    many_threads(1024, 2);
}

/// The memory of a thread is what the shell assumes when it checks `Threads`.
#[test]
fn a_thread_costs_what_is_said() {
    let mut few = engine(1);
    let mut many = engine(33);
    for engine in [&mut few, &mut many] {
        engine.send("setoption name Hash value 1\ngo nodes 400000");
        answer(engine);
    }
    if let (Some(few), Some(many)) = (few.resident_mebibytes(), many.resident_mebibytes()) {
        let each = (many - few) / 32.0;
        println!("a search thread costs {each:.2} MiB");
        assert!(each < THREAD_MEBIBYTES as f64, "{each:.2} MiB");
    }
    few.quit();
    many.quit();
}
