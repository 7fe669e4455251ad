//! Commands that cross the answer on its way, again and again.

use std::thread::sleep;
use std::time::Duration;

use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::game::judge;
use megatherium_tests::random::Random;

use crate::subject::{Check, Done, Subject, answers, promise, protocol, quiet, quit};

pub const CHECKS: &[Check] = &[
    protocol("race: stop right after go", stop_after_go),
    protocol("race: stop close to the end of the time", stop_near_the_end),
    protocol("race: ponderhit right after go ponder", ponderhit_after_go),
    protocol("race: stop right after ponderhit", stop_after_ponderhit),
    protocol("race: isready between all of them", ready_between),
    protocol("race: ucinewgame and position between searches", new_games),
    protocol("race: quit right after go", quit_after_go),
    promise("race: quit right after go still answers", quit_answers),
    promise("race: the end of the input right after go still answers", end_answers),
    promise("race: a hundred searches in one breath", one_breath),
];

/// Waits a random while: mostly not at all, sometimes long enough for a short search to end.
fn pause(random: &mut Random) {
    match random.below(4) {
        0 => sleep(Duration::from_micros(random.below(3000) as u64)),
        1 => sleep(Duration::from_micros(random.below(200) as u64)),
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

fn repeat(subject: &Subject, often: usize, mut round: impl FnMut(&mut Conversation, &mut Random)) -> Done {
    let mut random = Random::new(often as u64);
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
        let go = *random.pick(&[
            "go infinite",
            "go depth 1",
            "go depth 30",
            "go wtime 9000 btime 9000",
            "go nodes 100",
        ]);
        if random.below(2) == 0 {
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
        let time = 1 + random.below(5);
        engine.send(&format!("go movetime {time}"));
        sleep(Duration::from_micros((1000 * time + random.below(800)) as u64));
        engine.send("stop");
        one_answer(engine, "movetime");
    })
}

fn ponderhit_after_go(subject: &Subject) -> Done {
    repeat(subject, 50, |engine, random| {
        let go = *random.pick(&["go ponder wtime 30 btime 30", "go ponder depth 2", "go ponder movetime 2"]);
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
        // The answers to the questions and to the search may come in any order, but all of them come.
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

fn ending(subject: &Subject, often: usize, end: fn(&mut Conversation), must_answer: bool) -> Done {
    let mut random = Random::new(7);
    for _ in 0..subject.times(often) {
        let mut engine = subject.start();
        let go =
            *random.pick(&["go infinite", "go depth 3", "go ponder wtime 100 btime 100", "go nodes 500"]);
        let threads = *random.pick(threads(subject));
        engine.send(&format!("setoption name Threads value {threads}\n{go}"));
        pause(&mut random);
        end(&mut engine);
        let mut said = Vec::new();
        while let Some(line) = engine.next_line() {
            said.push(line);
        }
        let status = engine.wait();
        if must_answer {
            assert!(status.success(), "{go}: {status}");
            assert_eq!(answers(&said), 1, "{go}: {said:?}");
            assert!(said.last().is_some_and(|line| line.starts_with("bestmove")), "{go}: {said:?}");
        } else {
            assert!(answers(&said) <= 1, "{go}: {said:?}");
        }
    }
    Done::Passed
}

fn quit_after_go(subject: &Subject) -> Done {
    ending(subject, 20, |engine| engine.send("quit"), false)
}

fn quit_answers(subject: &Subject) -> Done {
    ending(subject, 30, |engine| engine.send("quit"), true)
}

fn end_answers(subject: &Subject) -> Done {
    ending(subject, 30, Conversation::close_input, true)
}

fn one_breath(subject: &Subject) -> Done {
    for threads in threads(subject) {
        let mut engine = subject.start_uci();
        engine.send(&format!("setoption name Threads value {threads}"));
        for _ in 0..subject.times(1) {
            engine.send(&"go infinite\nstop\n".repeat(100));
            for _ in 0..100 {
                engine.until("bestmove");
            }
            quiet(&mut engine);
            engine.forget();
        }
        quit(engine);
    }
    Done::Passed
}
