//! Every form of `go`.

use std::time::{Duration, Instant};

use megatherium_board::Board;
use megatherium_tests::conversation::{best_move, number};

use crate::subject::{Check, Done, Subject, answers, board, check, quiet, quit, search};

pub const CHECKS: &[Check] = &[
    check("every limit ends with one legal answer", every_limit),
    check("go depth goes no deeper", depth_holds),
    check("go movetime keeps to its time", time_holds),
    check("go nodes keeps close to its number", nodes_hold),
    check("go mate finds the mate", mate_is_found),
    check("go searchmoves plays one of them", only_these_moves),
    check("go infinite does not answer before stop", infinite_waits),
    check("go ponder does not answer before ponderhit or stop", ponder_waits),
    check("ponderhit starts the clock", ponderhit_ends),
    check("stop and ponderhit without a search are ignored, and not kept", stray_stop),
    check("a score is shown before the answer", score_first),
    check("Chess960: castling is king takes rook", chess960),
];

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn every_limit(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for fen in
        [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "7k/8/8/8/8/8/6q1/7K w - - 0 1"]
    {
        for go in [
            "go depth 4",
            "go nodes 2000",
            "go movetime 30",
            "go wtime 500 btime 500",
            "go wtime 500 btime 500 winc 5 binc 5",
            "go wtime 500 btime 500 winc 5 binc 5 movestogo 20",
            "go wtime 500 btime 500 movestogo 1",
            "go binc 5 btime 500 winc 5 wtime 500",
        ] {
            engine.send(&format!("position fen {fen}"));
            search(&mut engine, go, &board(fen));
        }
    }
    quit(engine);
    Done::Passed
}

fn depth_holds(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for depth in [1, 2, 5] {
        let said = search(&mut engine, &format!("go depth {depth}"), &Board::startpos());
        assert_eq!(
            said.iter().filter_map(|line| number(line, "depth")).max(),
            Some(depth),
            "{said:?}"
        );
    }
    quit(engine);
    Done::Passed
}

fn time_holds(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for time in [10, 100, 400] {
        let started = Instant::now();
        search(&mut engine, &format!("go movetime {time}"), &Board::startpos());
        // Very generous: the machine may be busy. An engine that ignores the time is still found
        // out.
        assert!(
            started.elapsed() < Duration::from_millis(time + 20_000),
            "{time}: {:?}",
            started.elapsed()
        );
    }
    quit(engine);
    Done::Passed
}

fn nodes_hold(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for nodes in [1, 1000, 30_000] {
        let said = search(&mut engine, &format!("go nodes {nodes}"), &Board::startpos());
        let most = said.iter().filter_map(|line| number(line, "nodes")).max().unwrap_or(0);
        assert!(most <= 2 * nodes + 5000, "{most} nodes instead of {nodes}");
    }
    quit(engine);
    Done::Passed
}

fn mate_is_found(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    engine.send(&format!("position fen {fen}"));
    let said = search(&mut engine, "go mate 1", &board(fen));
    assert!(said.iter().any(|line| line.contains("score mate 1 ")), "{said:?}");
    assert_eq!(best_move(said.last().expect("an answer")), "a1a8");
    quit(engine);
    Done::Passed
}

fn only_these_moves(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for (go, allowed) in [
        ("go depth 3 searchmoves a2a3", &["a2a3"][..]),
        ("go nodes 1000 searchmoves h2h4 a2a3", &["h2h4", "a2a3"]),
        ("go movetime 20 searchmoves b1a3", &["b1a3"]),
    ] {
        let said = search(&mut engine, go, &Board::startpos());
        let best = best_move(said.last().expect("an answer"));
        assert!(allowed.contains(&best), "{go}: {best}");
    }
    quit(engine);
    Done::Passed
}

/// Positions in which there is soon nothing left to search.
const SMALL: [&str; 4] = [
    "7k/8/8/8/8/8/6q1/7K w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "8/8/8/4k3/8/8/4K3/8 w - - 0 1",
    "k7/8/1K6/8/8/8/8/7R w - - 0 1",
];

fn waits(subject: &Subject, go: &str, end: &str) {
    let mut engine = subject.start_uci();
    for fen in SMALL {
        engine.send(&format!("position fen {fen}\n{go}"));
        for _ in 0..10 {
            assert_eq!(answers(&engine.ready()), 0, "{go} in {fen} has answered");
            std::thread::sleep(Duration::from_millis(5));
        }
        engine.send(end);
        engine.until("bestmove");
        quiet(&mut engine);
    }
    quit(engine);
}

fn infinite_waits(subject: &Subject) -> Done {
    waits(subject, "go infinite", "stop");
    Done::Passed
}

fn ponder_waits(subject: &Subject) -> Done {
    waits(subject, "go ponder wtime 100 btime 100", "stop");
    waits(subject, "go ponder movetime 1", "ponderhit");
    Done::Passed
}

fn ponderhit_ends(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for go in [
        "go ponder wtime 400 btime 400",
        "go ponder wtime 400 btime 400 winc 10 binc 10",
        "go ponder depth 1",
        "go ponder depth 4",
    ] {
        engine.send(&format!("position startpos moves e2e4 e7e5\n{go}"));
        assert_eq!(answers(&engine.ready()), 0, "{go}");
        engine.send("ponderhit");
        engine.until("bestmove");
        quiet(&mut engine);
    }
    quit(engine);
    Done::Passed
}

fn stray_stop(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("stop\nstop");
    quiet(&mut engine);
    search(&mut engine, "go depth 2", &Board::startpos());
    engine.send("stop\nponderhit");
    quiet(&mut engine);
    let said = search(&mut engine, "go depth 6", &Board::startpos());
    assert_eq!(said.iter().filter_map(|line| number(line, "depth")).max(), Some(6), "{said:?}");
    quit(engine);
    Done::Passed
}

fn score_first(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for go in ["go depth 1", "go nodes 50", "go movetime 20"] {
        let said = search(&mut engine, go, &Board::startpos());
        assert!(said.iter().any(|line| line.contains(" score ")), "{go}: {said:?}");
    }
    quit(engine);
    Done::Passed
}

fn chess960(subject: &Subject) -> Done {
    if subject.option("UCI_Chess960").is_none() {
        return Done::Skipped("no option UCI_Chess960");
    }
    let mut engine = subject.start_uci();
    engine.send("setoption name UCI_Chess960 value true");
    // King and rook change places, the king stands still, the rook stands still.
    for (fen, castle) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"),
        ("7k/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1"),
    ] {
        engine.send(&format!("position fen {fen}"));
        let said = search(&mut engine, &format!("go depth 2 searchmoves {castle}"), &board(fen));
        assert_eq!(best_move(said.last().expect("an answer")), castle, "{fen}");
        engine.send(&format!("position fen {fen} moves {castle}"));
        let mut after = board(fen);
        after.make(after.parse_uci(castle).expect("it may castle"));
        search(&mut engine, "go depth 2", &after);
    }
    quit(engine);
    Done::Passed
}
