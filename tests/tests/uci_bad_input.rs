//! Bad input: one error line that names the offender, the state stays, the engine goes on.

use fastrand::Rng;
use megatherium_tests::Conversation;

#[test]
fn unknown_commands_are_named() {
    let mut engine = Conversation::start_uci();
    for (line, named) in [
        ("xyzzy", "'xyzzy'"),
        ("UCI", "'UCI'"),
        ("Isready", "'Isready'"),
        ("bestmove e2e4 ponder e7e5", "'bestmove'"),
        ("info depth 5", "'info'"),
        ("\u{1F9A5}", "'\u{1F9A5}'"),
        ("debug", "is missing"),
        ("debug perhaps", "'perhaps'"),
        ("perft", "is missing"),
        ("perft deep", "'deep'"),
        ("bench deep", "'deep'"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(named), "{line} is answered with: {error}");
    }
    engine.quit();
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    let mut engine = Conversation::start_uci();
    let error = engine.error("joho debug on");
    assert!(error.contains("'joho' skipped"), "{error}");
    // It was carried out.
    assert!(engine.ask("position startpos")[0].starts_with("info string position"));
    engine.send("debug off");
    assert!(engine.ask("# a comment").is_empty());
    engine.quit();
}

/// Invalid UTF-8, control characters, terminal escapes: escaped, on one line.
#[test]
fn bytes_that_are_no_text() {
    let mut engine = Conversation::start_uci();
    for bytes in [
        &b"\xff\xfe\xfd\n"[..],
        b"\0\0\0\n",
        b"\x1b[31mred\x07\n",
        b"position startpos moves \xc3\x28\n",
        b"position fen \xff\xff w - - 0 1\n",
        b"setoption name \xff value 1\n",
        b"debug \x80\n",
        b"setoption name SyzygyPath value /a\rb\x1b[2J\0\n",
        b"setoption name EvalFile value /a\rb\x1b[2J\0\n",
        b"setoption name Debug Log File value /a\rb\x1b[2J\0/c\n",
        "position fen \u{2028}\u{202e} w - - 0 1\n".as_bytes(),
    ] {
        engine.send_bytes(bytes);
        let lines = engine.ready();
        assert_eq!(lines.len(), 1, "{bytes:?}: {lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{bytes:?}: {lines:?}");
        assert!(!lines[0].chars().any(char::is_control), "{bytes:?}: {lines:?}");
    }
    // Inside `go` there is still an answer.
    engine.send_bytes(b"go depth 1 \xf0\x9f\n");
    let lines = engine.until("bestmove");
    assert!(lines[0].starts_with("info string error: "), "{lines:?}");
    // A byte-order mark before the first command.
    engine.quit();
    let mut engine = Conversation::start();
    engine.send_bytes(b"\xef\xbb\xbfuci\n");
    engine.until("uciok");
    engine.quit();
}

/// Lines of a megabyte and more: answered shortly, and not kept in memory.
#[test]
fn endless_lines() {
    let mut engine = Conversation::start_uci();
    for line in [
        "x".repeat(1 << 20),
        "word ".repeat(200_000),
        format!("position fen {}", "8".repeat(1_000_000)),
        format!("setoption name {} value 1", "n".repeat(1_000_000)),
        format!("position startpos moves {}", "e2e4 ".repeat(200_000)),
        format!("setoption name SyzygyPath value /{}", "p".repeat(1_000_000)),
        format!("setoption name EvalFile value /{}", "p".repeat(1_000_000)),
        format!("setoption name Debug Log File value /{}", "p".repeat(1_000_000)),
        "y".repeat(50 << 20),
    ] {
        let error = engine.error(&line);
        assert!(error.len() < 1000, "{} bytes of error for {}…", error.len(), &line[..20]);
    }
    // Also a `go` that is too long to be read gets its answer.
    for length in [200_000, 400_000] {
        let lines = engine.go(&format!("go depth 1 {}", "very ".repeat(length)));
        assert!(lines[0].starts_with("info string error: ") && lines[0].len() < 300, "{lines:?}");
        assert!(engine.ready().is_empty());
    }
    // A long line that makes sense is obeyed: a game of 80 000 moves to and fro.
    let game = "g1f3 g8f6 f3g1 f6g8 ".repeat(20_000);
    assert!(engine.ask(&format!("position startpos moves {game}")).is_empty());
    assert!(engine.go("go depth 2").last().unwrap().starts_with("bestmove "));
    assert!(
        engine.resident_mebibytes().is_none_or(|used| used < 200.0),
        "{:?}",
        engine.resident_mebibytes()
    );
    engine.quit();
}

/// Bounded random noise: made of the protocol's own words, so that it gets past the first check.
/// After every line the engine is there, every `go` is answered once, and no line makes more than
/// one error.
#[test]
fn noise_made_of_the_protocols_words() {
    const WORDS: [&str; 34] = [
        "go",
        "depth",
        "1",
        "2",
        "nodes",
        "50",
        "movetime",
        "3",
        "-7",
        "searchmoves",
        "e2e4",
        "e7e5",
        "startpos",
        "position",
        "fen",
        "moves",
        "8/8/4k3/8/8/3K4/4P3/8",
        "w",
        "b",
        "-",
        "KQkq",
        "setoption",
        "name",
        "value",
        "Hash",
        "MultiPV",
        "true",
        "debug",
        "off",
        "stop",
        "ponderhit",
        "ucinewgame",
        "\u{fffd}",
        "99999999999999999999",
    ];
    let mut engine = Conversation::start_uci();
    let mut random = Rng::with_seed(1);
    for _ in 0..600 {
        let words: Vec<&str> =
            (0..random.usize(1..10)).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
        let line = words.join(" ");
        engine.send(&line);
        // Ends a search without limits; one that has answered already does not answer again.
        engine.send("stop");
        engine.send("go nodes 1 plugh");
        let lines = engine.until("info string error: go: unknown argument 'plugh'");
        let rest = engine.until("bestmove");
        assert!(engine.ready().is_empty(), "after {line:?}");
        let answers = lines.iter().filter(|line| line.starts_with("bestmove")).count();
        let searches = usize::from(starts_search(&line));
        assert_eq!(answers, searches, "{line:?}: {lines:?} {rest:?}");
        let errors = lines.iter().filter(|line| line.starts_with("info string error: ")).count();
        assert!(errors <= 2, "{line:?}: {lines:?}");
    }
    engine.quit();
}

/// Whether the first of the protocol's commands in a line is `go`.
fn starts_search(line: &str) -> bool {
    const COMMANDS: [&str; 7] =
        ["go", "position", "setoption", "debug", "stop", "ponderhit", "ucinewgame"];
    line.split_ascii_whitespace().find(|word| COMMANDS.contains(word)) == Some("go")
}
