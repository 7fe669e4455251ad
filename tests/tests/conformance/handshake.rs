//! Who are you, and are you ready?

use crate::subject::{Check, Done, Subject, answers, check, quit};

pub const CHECKS: &[Check] = &[
    check("uci is answered with id name, id author, uciok", introduces_itself),
    check("uci can be asked again, also during a search", introduces_itself_again),
    check("isready is answered before uci", ready_first),
    check("isready is answered in every state", ready_always),
    check("isready is answered without delay during a search", ready_often),
    check("quit ends the process", quits),
    check("quit ends the process during a search", quits_while_searching),
];

fn introduces_itself(subject: &Subject) -> Done {
    let mut engine = subject.start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let with = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((with("id name "), with("id author "), with("uciok")), (1, 1, 1), "{lines:?}");
    assert!(engine.ready().iter().all(|line| line.starts_with("info")), "something after uciok");
    quit(engine);
    Done::Passed
}

fn introduces_itself_again(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("uci");
    engine.until("uciok");
    engine.send("go infinite");
    engine.ready();
    engine.send("uci");
    assert_eq!(answers(&engine.until("uciok")), 0);
    engine.send("stop");
    engine.until("bestmove");
    quit(engine);
    Done::Passed
}

fn ready_first(subject: &Subject) -> Done {
    let mut engine = subject.start();
    engine.ready();
    quit(engine);
    Done::Passed
}

fn ready_always(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.ready();
    for line in [
        "ucinewgame",
        "position startpos",
        "position startpos moves e2e4 e7e5",
        "position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
        "stop",
        "setoption name Hash value 16",
        "debug off",
        "position startpos",
    ] {
        engine.send(line);
        assert_eq!(answers(&engine.ready()), 0, "{line}");
    }
    for go in ["go infinite", "go ponder wtime 10000 btime 10000"] {
        engine.send(go);
        for _ in 0..5 {
            assert_eq!(answers(&engine.ready()), 0, "{go}");
        }
        engine.send("stop");
        engine.until("bestmove");
        assert_eq!(answers(&engine.ready()), 0, "{go}");
    }
    quit(engine);
    Done::Passed
}

/// A GUI takes an engine for dead that does not answer within seconds.
fn ready_often(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("go infinite");
    for _ in 0..subject.times(200) {
        assert_eq!(answers(&engine.ready()), 0);
    }
    engine.send("stop");
    engine.until("bestmove");
    // All at once: as many answers as questions.
    engine.send(&"isready\n".repeat(500));
    for _ in 0..500 {
        engine.until("readyok");
    }
    quit(engine);
    Done::Passed
}

fn quits(subject: &Subject) -> Done {
    for uci in [false, true] {
        let engine = if uci { subject.start_uci() } else { subject.start() };
        quit(engine);
    }
    Done::Passed
}

fn quits_while_searching(subject: &Subject) -> Done {
    for go in
        ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 100", "go movetime 1000000"]
    {
        let mut engine = subject.start_uci();
        engine.send(go);
        engine.ready();
        quit(engine);
    }
    Done::Passed
}
