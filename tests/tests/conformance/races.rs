//! Commands that cross the answer on its way, again and again.

use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::game::judge;

use crate::subject::{Check, Done, Subject, answers, check, quiet, quit};

pub const CHECKS: &[Check] = &[
    check("race: stop right after go", stop_after_go),
    check("race: stop close to the end of the time", stop_near_the_end),
    check("race: ponderhit right after go ponder", ponderhit_after_go),
    check("race: stop right after ponderhit", stop_after_ponderhit),
    check("race: isready between all of them", ready_between),
    check("race: ucinewgame and position between searches", new_games),
    check("race: quit right after go", quit_after_go),
];

/// Waits a random while: mostly not at all, sometimes long enough for a short search to end.
fn pause(random: &mut Rng) {
    match random.usize(..4) {
        0 => sleep(Duration::from_micros(random.usize(..3000) as u64)),
        1 => sleep(Duration::from_micros(random.usize(..200) as u64)),
        _ => {}
    }
}

/// Exactly one answer, a legal one, and nothing after it.
fn one_answer(engine: &mut Conversation, what: &str) {
    let lines = engine.until("bestmove");
    let lines: Vec<_> = lines.into_iter().filter(|line| line != "readyok").collect();
    if let Err(error) = judge(&lines, &Board::startpos()) {
        engine.fail(&format!("{what}: {error}"));
    }
    quiet(engine);
    engine.forget();
}

fn threads(subject: &Subject) -> &'static [usize] {
    if subject.option("Threads").is_some() { &[1, 2, 8] } else { &[1] }
}

fn repeat(
    subject: &Subject,
    often: usize,
    mut round: impl FnMut(&mut Conversation, &mut Rng),
) -> Done {
    let mut random = Rng::with_seed(often as u64);
    for threads in threads(subject) {
        let mut engine = subject.start_uci();
        engine.send(&format!("setoption name Threads value {threads}"));
        for _ in 0..subject.times(often) {
            round(&mut engine, &mut random);
        }
        quit(engine);
    }
    Done::Passed
}

fn stop_after_go(subject: &Subject) -> Done {
    repeat(subject, 80, |engine, random| {
        let go = *random
            .choice(&[
                "go infinite",
                "go depth 1",
                "go depth 30",
                "go wtime 9000 btime 9000",
                "go nodes 100",
            ])
            .expect("a choice");
        if random.usize(..2) == 0 {
            engine.send(&format!("{go}\nstop"));
        } else {
            engine.send(go);
            pause(random);
            engine.send("stop");
        }
        one_answer(engine, go);
    })
}

fn stop_near_the_end(subject: &Subject) -> Done {
    repeat(subject, 50, |engine, random| {
        let time = 1 + random.usize(..5);
        engine.send(&format!("go movetime {time}"));
        sleep(Duration::from_micros((1000 * time + random.usize(..800)) as u64));
        engine.send("stop");
        one_answer(engine, "movetime");
    })
}

fn ponderhit_after_go(subject: &Subject) -> Done {
    repeat(subject, 50, |engine, random| {
        let go = *random
            .choice(&["go ponder wtime 30 btime 30", "go ponder depth 2", "go ponder movetime 2"])
            .expect("a choice");
        engine.send(go);
        pause(random);
        engine.send("ponderhit");
        one_answer(engine, go);
    })
}

fn stop_after_ponderhit(subject: &Subject) -> Done {
    repeat(subject, 50, |engine, random| {
        engine.send("go ponder wtime 9000 btime 9000");
        pause(random);
        engine.send("ponderhit");
        pause(random);
        engine.send("stop");
        one_answer(engine, "ponderhit, stop");
    })
}

fn ready_between(subject: &Subject) -> Done {
    repeat(subject, 40, |engine, random| {
        let mut asked = 0;
        let mut lines = vec!["go infinite"];
        for line in ["isready", "stop", "isready", "isready"] {
            asked += usize::from(line == "isready");
            lines.push(line);
        }
        engine.send(&lines.join("\n"));
        pause(random);
        // The answers to the questions and to the search may come in any order, but all of them
        // come.
        let (mut ready, mut answered) = (0, 0);
        while ready < asked || answered < 1 {
            let line = engine.next_line().unwrap_or_else(|| engine.fail("the engine went away"));
            ready += usize::from(line == "readyok");
            answered += usize::from(line.starts_with("bestmove"));
        }
        assert_eq!((ready, answered), (asked, 1));
        quiet(engine);
        engine.forget();
    })
}

fn new_games(subject: &Subject) -> Done {
    repeat(subject, 20, |engine, random| {
        engine.send("ucinewgame\nposition startpos\ngo movetime 1");
        one_answer(engine, "a new game");
        engine.send("position startpos moves e2e4\nposition startpos\ngo infinite");
        pause(random);
        engine.send("stop");
        one_answer(engine, "another position");
    })
}

fn quit_after_go(subject: &Subject) -> Done {
    let mut random = Rng::with_seed(7);
    for _ in 0..subject.times(20) {
        let mut engine = subject.start();
        let go = random.choice(GO).expect("a choice");
        let threads = random.choice(threads(subject)).expect("a choice");
        engine.send(&format!("setoption name Threads value {threads}\n{go}"));
        pause(&mut random);
        engine.send("quit");
        let mut said = Vec::new();
        while let Some(line) = engine.next_line() {
            said.push(line);
        }
        engine.wait();
        assert!(answers(&said) <= 1, "{go}: {said:?}");
    }
    Done::Passed
}

const GO: &[&str] = &["go infinite", "go depth 3", "go ponder wtime 100 btime 100", "go nodes 500"];
