//! Commands that arrive while the engine is at work, and the ways a conversation ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_tests::conversation::{best_move, number};
use megatherium_tests::{Conversation, binary};

fn count_answers(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

/// An infinite search does not answer by itself, even if the game is over or another limit is
/// reached. Plain forms are in the conformance suite.
#[test]
fn infinite_waits_for_stop() {
    let mut engine = Conversation::start_uci();
    for position in [
        "position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
        "position fen 8/8/8/4k3/8/8/4K3/8 w - - 0 1",
    ] {
        for go in [
            "go infinite",
            "go infinite depth 1",
            "go infinite nodes 1 movetime 1",
            "go ponder nodes 1",
        ] {
            engine.send(position);
            engine.send(go);
            // Enough exchanges for a search of one node to have ended long ago.
            for _ in 0..20 {
                assert_eq!(count_answers(&engine.ready()), 0, "{position} {go}");
            }
            engine.send("stop");
            engine.until("bestmove");
            assert!(engine.ready().is_empty(), "{position} {go}");
        }
    }
    // Without any limit there is nothing to answer for until `stop`.
    engine.send("position startpos\ngo");
    for _ in 0..20 {
        assert_eq!(count_answers(&engine.ready()), 0, "go");
    }
    engine.send("stop");
    engine.until("bestmove");
    engine.quit();
}

/// What had to wait for a search is done before whatever comes after its answer, not only before
/// `isready` and `go`.
#[test]
fn waiting_changes_are_made_before_the_next_command() {
    for next in ["version", "eval", "d", "bench 1 1 1", "position startpos"] {
        let mut engine = Conversation::start_uci();
        engine.send("go infinite\nsetoption name EvalFile value /nowhere/net.nnue");
        assert!(
            !engine.ready().iter().any(|line| line.contains("/nowhere")),
            "not during the search"
        );
        engine.send("stop");
        engine.until("bestmove");
        engine.send(next);
        engine.until("info string error: EvalFile");
        engine.close_input();
        assert!(engine.finish().1.success(), "{next}");
    }
    // And if nothing comes, at the end of the input.
    let mut engine = Conversation::start_uci();
    engine.send("go infinite\nsetoption name EvalFile value /nowhere/net.nnue");
    engine.close_input();
    let (lines, status) = engine.finish();
    assert!(status.success() && lines.iter().any(|line| line.contains("/nowhere")), "{lines:?}");
}

/// All in one breath: the answers come in order, none is lost, none is doubled. (Single races are
/// in the conformance suite.)
#[test]
fn a_hundred_searches_in_one_breath() {
    let mut engine = Conversation::start_uci();
    for threads in [1, 2, 8] {
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(&"go infinite\nstop\n".repeat(100));
        // The last `stop` and `isready` are both answered at once, so that one answer may come
        // after `readyok`.
        let answers = count_answers(&engine.ready());
        assert!(answers == 99 || answers == 100, "{answers} answers with {threads} threads");
        if answers == 99 {
            engine.until("bestmove");
        }
        assert!(engine.ready().is_empty());
    }
    engine.quit();
}

#[test]
fn a_second_go_stops_the_first() {
    let mut engine = Conversation::start_uci();
    engine.send("go infinite");
    engine.ready();
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo depth 4");
    let first = engine.until("bestmove");
    let second = engine.until("bestmove");
    assert_ne!(best_move(first.last().unwrap()), "a1a8");
    assert_eq!(best_move(second.last().unwrap()), "a1a8");
    assert!(engine.ready().is_empty());
    engine.quit();
}

#[test]
fn a_position_during_a_search_is_for_the_next() {
    let mut engine = Conversation::start_uci();
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    engine.send("go infinite");
    engine.send("position startpos moves e2e4");
    assert!(engine.ask("d").iter().any(|line| line.starts_with("FEN: rnbqkbnr/pppppppp/8/8/4P3")));
    engine.send("stop");
    assert_eq!(best_move(engine.until("bestmove").last().unwrap()), "a1a8");
    engine.send("go depth 2");
    let answer = engine.until("bestmove").pop().unwrap();
    assert!(best_move(&answer).as_bytes()[1] > b'5', "a move of Black: {answer}");
    engine.quit();
}

/// Options a search uses change after it; the search goes on, and nothing is lost.
#[test]
fn options_during_a_search_wait_for_its_end() {
    let mut engine = Conversation::start_uci();
    engine.send("setoption name Hash value 2\ngo infinite");
    engine.send(
        "setoption name Hash value 4\nsetoption name Threads value 3\nsetoption name Clear Hash\nucinewgame",
    );
    engine.send("setoption name MultiPV value 2\nsetoption name UCI_ShowWDL value true");
    engine
        .send("setoption name EvalFile value <embedded>\nsetoption name SyzygyPath value <empty>");
    let during = engine.ask("tt");
    assert!(during.iter().any(|line| line.starts_with("size: 2 MiB")), "{during:?}");
    assert_eq!(count_answers(&during), 0);
    // What is wrong in itself is refused at once.
    let during = engine.ask("setoption name Hash value 0");
    assert!(
        during.iter().any(|line| line.starts_with("info string error: option Hash")),
        "{during:?}"
    );
    engine.send("stop");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().all(|line| !line.contains(" wdl ") && !line.contains("multipv 2")),
        "{lines:?}"
    );
    assert!(engine.ask("tt").iter().any(|line| line.starts_with("size: 4 MiB")));
    let lines = engine.go("go depth 4");
    assert!(
        lines.iter().any(|line| line.contains(" wdl ") && line.contains("multipv 2")),
        "{lines:?}"
    );
    // Queued changes are made before a `go` that stops the search as well.
    engine.send("go infinite\nsetoption name Hash value 3\ngo depth 2");
    engine.until("bestmove");
    engine.until("bestmove");
    assert!(engine.ask("tt").iter().any(|line| line.starts_with("size: 3 MiB")));
    engine.quit();
}

/// So many changes during one search that they are refused in the end: in bounded memory and by
/// name.
#[test]
fn a_flood_of_options_during_a_search() {
    let mut engine = Conversation::start_uci();
    engine.send("go infinite");
    engine.send(&"setoption name Hash value 2\n".repeat(1010));
    let lines = engine.ready();
    assert_eq!(lines.iter().filter(|line| line.contains("Hash(2) refused")).count(), 10);
    engine.send("stop");
    engine.until("bestmove");
    assert!(engine.ask("tt").iter().any(|line| line.starts_with("size: 2 MiB")));
    engine.quit();
}

#[test]
fn bench_and_perft_can_be_stopped() {
    let mut engine = Conversation::start_uci();
    engine.send("go perft 12");
    assert!(engine.ready().is_empty());
    engine.send("stop");
    let stopped = ["info string perft 12 stopped after 0 of 20 first moves, 0 nodes"];
    assert_eq!(engine.until("info string perft"), stopped);
    engine.send("bench 1 1 1");
    engine.send("stop");
    // It may have been faster than the stop.
    let ends = |line: &String| {
        line.starts_with("info string bench stopped")
            || line.ends_with(" nps") && line.starts_with(|c: char| c.is_ascii_digit())
    };
    while !engine.next_line().as_ref().is_none_or(ends) {}
    // A new order stops the old one too.
    engine.send("perft 12\ngo depth 2");
    assert_eq!(engine.until("info string perft"), stopped);
    engine.until("bestmove");
    engine.quit();
}

/// Whatever number follows a command, it is heard, stopped and answered: perft recurses, and one
/// that goes down as far as it is asked overflows the stack.
#[test]
fn no_number_is_too_large() {
    let mut engine = Conversation::start_uci();
    engine.send("setoption name Threads value 2");
    for number in ["300", "100000", "4294967295", "9223372036854775807", "99999999999999999999"] {
        for command in ["go perft", "perft", "bench 1 1"] {
            engine.send(&format!("{command} {number}"));
            // Time to go down the first line.
            std::thread::sleep(Duration::from_millis(20));
            engine.ready();
            engine.send("stop");
            engine.ready();
        }
        for limit in ["depth", "nodes", "movetime", "mate", "movestogo 3 wtime", "wtime 1 winc"] {
            engine.send(&format!("go {limit} {number}"));
            let mut lines = engine.ready();
            engine.send("stop");
            // A clock of one millisecond may be over before `readyok`.
            if count_answers(&lines) == 0 {
                lines.extend(engine.until("bestmove"));
            }
            lines.extend(engine.ready());
            assert_eq!(count_answers(&lines), 1, "go {limit} {number}: {lines:?}");
        }
    }
    engine.quit();
}

#[test]
fn quit_during_a_search_answers_first() {
    for work in ["go infinite", "go ponder wtime 1 btime 1", "go depth 100", "go movetime 1000000"]
    {
        let mut engine = Conversation::start_uci();
        engine.send(&format!("{work}\nquit"));
        let (lines, status) = engine.finish();
        assert_eq!(count_answers(&lines), 1, "{work}: {lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove"), "{work}: {lines:?}");
        assert!(status.success(), "{work}: {status}");
    }
    let mut engine = Conversation::start_uci();
    engine.send("perft 12\nquit");
    assert!(engine.finish().1.success());
}

/// At any moment after `go`, with any number of threads: exactly one answer, then the end.
#[test]
fn quit_or_end_of_input_right_after_go() {
    let mut random = Rng::with_seed(7);
    for round in 0..60 {
        let mut engine = Conversation::start();
        let go = ["go infinite", "go depth 3", "go ponder wtime 100 btime 100", "go nodes 500"]
            [random.usize(..4)];
        let threads = [1, 2, 8][random.usize(..3)];
        engine.send(&format!("setoption name Threads value {threads}\n{go}"));
        if random.bool() {
            std::thread::sleep(Duration::from_micros(random.u64(..3000)));
        }
        if round % 2 == 0 {
            engine.send("quit");
        } else {
            engine.close_input();
        }
        let (said, status) = engine.finish();
        assert!(status.success(), "{go}: {status}");
        assert_eq!(count_answers(&said), 1, "{go}: {said:?}");
        assert!(said.last().is_some_and(|line| line.starts_with("bestmove")), "{go}: {said:?}");
    }
}

/// The end of the input: what ends by itself may do so, the rest is stopped; both answer.
#[test]
fn end_of_input() {
    for (input, depth) in [
        ("go infinite", None),
        ("go", None),
        ("go ponder wtime 1000 btime 1000", None),
        ("go ponder depth 3\nponderhit", Some(3)),
        ("go depth 7", Some(7)),
        ("go depth 7\n\n", Some(7)),
        ("go nodes 3000", None),
        ("go wtime 200 btime 200", None),
        ("go nonsense", None),
    ] {
        let mut engine = Conversation::start();
        engine.send_bytes(input.as_bytes());
        engine.close_input();
        let (lines, status) = engine.finish();
        assert!(status.success(), "{input}: {status}");
        assert_eq!(count_answers(&lines), 1, "{input}: {lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove"), "{input}: {lines:?}");
        if depth.is_some() {
            assert_eq!(
                lines.iter().filter_map(|line| number(line, "depth")).max(),
                depth,
                "{input}"
            );
        }
    }
    for (input, last) in
        [("", ""), ("isready", "readyok"), ("perft 3", "info string perft 3"), ("uci\n\n", "uciok")]
    {
        let mut engine = Conversation::start();
        engine.send_bytes(input.as_bytes());
        engine.close_input();
        let (lines, status) = engine.finish();
        assert!(status.success(), "{input}: {status}");
        assert!(lines.last().map_or("", String::as_str).starts_with(last), "{input}: {lines:?}");
    }
}

/// The output is closed: the engine exits with nothing on standard error.
#[test]
fn output_closed_by_the_reader() {
    for command in ["go infinite", "isready\nisready\nisready", "go perft 4\ngo depth 5"] {
        let mut child = binary::command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine can be started");
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        input.write_all(b"isready\n").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "readyok\n");
        drop(output);
        // The input stays open: only the output tells the engine that it is alone.
        let _ = writeln!(input, "{command}");
        // A process that another test is just starting holds a copy of the output for a moment, in
        // which writing still succeeds. So the same is asked again, and nothing else.
        let deadline = Instant::now() + Duration::from_mins(1);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "{command}: still running");
            std::thread::sleep(Duration::from_millis(500));
            let _ = writeln!(input, "{command}");
        };
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(status.success() && errors.is_empty(), "{command}: {status} {errors}");
        drop(input);
    }
}
