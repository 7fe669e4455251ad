//! The part of the protocol without searches: handshake, options, positions, and the commands for
//! people.

use megatherium_tests::Conversation;

/// The FEN of the position the engine would search.
fn fen(engine: &mut Conversation) -> String {
    let lines = engine.ask("d");
    let line = lines.iter().find_map(|line| line.strip_prefix("FEN: "));
    line.unwrap_or_else(|| panic!("no FEN in {lines:?}")).to_owned()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn the_engine_says_its_name_first() {
    let mut engine = Conversation::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Megatherium "), "{lines:?}");
    engine.quit();
}

#[test]
fn options_are_accepted_in_the_forms_guis_send() {
    let mut engine = Conversation::start_uci();
    for line in [
        "setoption name   MOVE  \t overhead   value   50",
        "setoption name Clear Hash",
        "setoption name Clear Hash value",
        "setoption name Ponder value True",
        "setoption name UCI_LimitStrength value false",
        "setoption name UCI_Elo value 1500",
        "setoption name SyzygyPath value <empty>",
        "setoption name SyzygyPath value",
        "setoption name EvalFile value <embedded>",
        "setoption name Debug Log File value <empty>",
    ] {
        assert_eq!(engine.ask(line), [""; 0], "{line}");
    }
    engine.quit();
}

#[test]
fn options_that_cannot_be_are_refused_by_name() {
    let mut engine = Conversation::start_uci();
    for (line, named) in [
        ("setoption name Threads value 0", "'0' is not in 1..1024"),
        ("setoption name Threads value -1", "'-1' is not in"),
        ("setoption name Threads value 100000", "'100000' is not in 1..1024"),
        ("setoption name Threads value two", "'two' is not a whole number"),
        ("setoption name Threads", "Threads: the value is missing"),
        ("setoption name Hash value 0", "'0' is not in"),
        ("setoption name Hash value -16", "'-16' is not in"),
        ("setoption name Hash value 99999999999999999999", "'99999999999999999999' is not in"),
        ("setoption name Ponder value maybe", "'maybe'"),
        ("setoption name Nonsense value 1", "no option 'Nonsense'"),
        ("setoption name", "name is missing"),
        ("setoption", "name"),
        ("setoption Hash 16", "'Hash'"),
        ("setoption name UCI_EngineAbout value me", "UCI_EngineAbout cannot be set"),
        ("setoption name SyzygyPath value /nowhere at/all", "'/nowhere at/all'"),
        ("setoption name EvalFile value /nowhere/net.bin", "'/nowhere/net.bin'"),
        ("setoption name Debug Log File value /nowhere/at/all.txt", "'/nowhere/at/all.txt'"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(named), "{line} is answered with: {error}");
    }
    engine.quit();
}

/// A table larger than the memory is refused and the old one stays in use.
#[test]
fn a_table_beyond_the_memory() {
    let mut engine = Conversation::start_uci();
    assert!(engine.ask("setoption name Hash value 2").is_empty());
    let error = engine.error("setoption name Hash value 33554432");
    assert!(error.contains("33554432") && error.contains("stays at 2 MiB"), "{error}");
    let table = engine.ask("tt");
    assert!(table[0].starts_with("size: 2 MiB"), "{table:?}");
    assert!(engine.go("go depth 3").last().unwrap().starts_with("bestmove "));
    engine.quit();
}

#[test]
fn positions_in_the_forms_guis_send() {
    let mut engine = Conversation::start_uci();
    let castled = "rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq - 1 1";
    for (line, expected) in [
        ("position startpos", START),
        ("position startpos moves", START),
        ("position fen startpos", START),
        (
            "position startpos moves e2e4 e7e5 g1f3",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        ),
        (
            "position\tstartpos \t moves  e2e4\r",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        ("position fen 8/8/4k3/8/8/3K4/4P3/8 b - -", "8/8/4k3/8/8/3K4/4P3/8 b - - 0 1"),
        ("position fen 8/8/4k3/8/8/3K4/4P3/8 b - - moves", "8/8/4k3/8/8/3K4/4P3/8 b - - 0 1"),
        ("position fen 8/8/4k3/8/8/3K4/4P3/8 b - - 7", "8/8/4k3/8/8/3K4/4P3/8 b - - 7 1"),
        (
            "position fen 8/8/4k3/8/8/3K4/4P3/8 b - - 3 9  moves e6e5",
            "8/8/8/4k3/8/3K4/4P3/8 w - - 4 10",
        ),
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQK2R w KQkq - 0 1 moves e1g1",
            castled,
        ),
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQK2R w HAha - 0 1 moves e1h1",
            castled,
        ),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8Q", "Q7/7k/8/8/8/8/8/K7 b - - 0 1"),
    ] {
        assert!(engine.ask(line).is_empty(), "{line}");
        assert_eq!(fen(&mut engine), expected, "{line}");
    }
    engine.quit();
}

#[test]
fn a_position_that_cannot_be_keeps_the_last_one() {
    let mut engine = Conversation::start_uci();
    engine.send("position startpos moves e2e4");
    let before = fen(&mut engine);
    for (line, named) in [
        ("position", "is missing"),
        ("position fen", "is missing"),
        ("position e2e4", "'e2e4'"),
        ("position startpos e2e4", "'e2e4'"),
        ("position startpos moves e2e4 e2e4 e7e5", "move 2 'e2e4'"),
        ("position startpos moves e2e4 xyzzy", "move 2 'xyzzy'"),
        ("position startpos moves e2e4 e7e5 \u{265e}", "move 3 '\u{265e}'"),
        ("position startpos moves 0000", "'0000'"),
        ("position startpos moves e7e5", "'e7e5'"),
        ("position startpos moves e2e4q", "'e2e4q'"),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8", "'a7a8'"),
        // The test `rules_fen` has the whole table of bad FENs.
        ("position fen nonsense", "'nonsense'"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "kings"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "extra"),
        ("position fen QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/7k/K7 b - - 0 1", "men"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(named), "{line} is answered with: {error}");
        assert_eq!(fen(&mut engine), before, "{line}");
    }
    engine.quit();
}

#[test]
fn commands_for_people() {
    let mut engine = Conversation::start_uci();
    let help = engine.ask("help");
    for command in ["setoption", "position", "bench", "eval", "perft", "tt"] {
        assert!(help.iter().any(|line| line.starts_with(command)), "{command} in {help:?}");
    }
    let version = engine.ask("version");
    assert!(version[0].starts_with("Megatherium ") && version[1].contains("rustc "), "{version:?}");
    assert_eq!(engine.ask("compiler"), version);

    engine.send("position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1");
    let eval = engine.ask("eval");
    assert!(eval.iter().any(|line| line.starts_with("static evaluation: +")), "{eval:?}");
    assert!(eval.iter().any(|line| line.starts_with("1 |   Q   |")), "{eval:?}");

    engine.go("go depth 8");
    let table = engine.ask("tt");
    let probes = table
        .iter()
        .find(|line| line.trim_start().starts_with("probes"))
        .expect("a line about probes");
    assert_ne!(probes.split_ascii_whitespace().nth(1), Some("0"), "{table:?}");

    assert_eq!(engine.ask("register later"), ["info string no registration is needed"]);
    assert!(engine.ask("debug on").is_empty());
    let said = engine.ask("position startpos");
    assert!(said[0].starts_with("info string position rnbqkbnr"), "{said:?}");
    assert!(engine.ask("debug off").is_empty());
    assert!(engine.ask("position startpos").is_empty());
    engine.quit();
}

#[test]
fn the_log_has_both_sides_with_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a log file.txt");
    let mut engine = Conversation::start_uci();
    engine.send(&format!("setoption name Debug Log File value {}", path.display()));
    engine.ready();
    engine.go("go depth 2");
    engine.send("setoption name Debug Log File value <empty>");
    engine.ready();
    let log = std::fs::read_to_string(&path).expect("the log exists");
    let text: Vec<_> = log.lines().map(|line| line.split_at(25)).collect();
    for (time, _) in &text {
        let shape: String =
            time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000Z ");
    }
    let said: Vec<_> = text.iter().map(|(_, said)| *said).collect();
    assert_eq!(said[..3], ["-> isready", "<- readyok", "-> go depth 2"]);
    assert!(said.iter().any(|line| line.starts_with("<- bestmove ")), "{said:?}");
    assert!(said.last().unwrap().starts_with("-> setoption"), "{said:?}");
    engine.quit();
}
