use megatherium_cli::MAX_MILLISECONDS;
use proptest::prelude::*;

use super::*;

fn command(line: &str) -> Command<'_> {
    let parsed = parse(line);
    assert_eq!(parsed.problems.to_string(), "", "{line:?}");
    parsed.command.unwrap_or_else(|| panic!("{line:?} is not a command"))
}

fn problem(line: &str) -> String {
    let parsed = parse(line);
    assert_eq!(parsed.command, None, "{line:?}");
    parsed.problems.to_string()
}

fn go(line: &str) -> Go<'_> {
    match command(line) {
        Command::Go(go) => go,
        other => panic!("{line:?} is {other:?}"),
    }
}

/// `go` with something wrong in it: it searches nevertheless.
fn bad_go(line: &str) -> (Go<'_>, String) {
    match parse(line) {
        Parsed { command: Some(Command::Go(go)), problems } if !problems.is_empty() => {
            (go, problems.to_string())
        }
        other => panic!("{line:?} is {other:?}"),
    }
}

#[test]
fn plain_commands() {
    assert_eq!(command("uci"), Command::Uci);
    assert_eq!(command("\t isready \r"), Command::IsReady);
    assert_eq!(command("ucinewgame"), Command::NewGame);
    assert_eq!(command("stop"), Command::Stop);
    assert_eq!(command("ponderhit"), Command::PonderHit);
    assert_eq!(command("quit"), Command::Quit);
    assert_eq!(command("debug\ton"), Command::Debug(true));
    assert_eq!(command("debug off"), Command::Debug(false));
    assert_eq!(command("register later"), Command::Register);
    assert_eq!(command("d"), Command::Display);
    assert_eq!(command("compiler"), Command::Version);
}

/// At the end of the input a search with a limit is waited for, one without is stopped.
#[test]
fn each_limit_alone_ends_a_search() {
    for limit in ["wtime 1", "btime 1", "movetime 1", "depth 1", "nodes 1", "mate 1"] {
        assert!(go(&format!("go {limit}")).is_limited(), "{limit}");
    }
    let none = ["", "infinite", "ponder", "winc 1 binc 1", "movestogo 1", "searchmoves e2e4"];
    for rest in none {
        assert!(!go(&format!("go {rest}")).is_limited(), "{rest}");
    }
}

#[test]
fn blank_lines_and_comments_are_nothing() {
    for line in ["", " ", "\t\r", "# go infinite", "#quit"] {
        assert_eq!(parse(line), Parsed::default(), "{line:?}");
    }
}

#[test]
fn unknown_words() {
    assert_eq!(problem("xyzzy"), "unknown command 'xyzzy'");
    assert_eq!(problem("Isready"), "unknown command 'Isready', did you mean 'isready'?");
    assert_eq!(problem("bnech"), "unknown command 'bnech', did you mean 'bench'?");
    assert_eq!(problem("nothing to d help eval"), "unknown command 'nothing'");
    assert_eq!(problem("debug maybe"), "debug: expected 'on' or 'off', found 'maybe'");
    assert_eq!(problem("debug"), "debug: 'on' or 'off' is missing");

    let parsed = parse("joho debug on");
    assert_eq!(parsed.command, Some(Command::Debug(true)));
    assert_eq!(parsed.problems.to_string(), "unknown 'joho' skipped");
    assert_eq!(parse("\u{fffd}\0 a b c stop").command, Some(Command::Stop));
}

#[test]
fn set_option_names_and_values_may_have_spaces() {
    let option = |name, value| Command::SetOption { name, value };
    assert_eq!(command("setoption name Hash value 64"), option("Hash", Some("64")));
    assert_eq!(
        command("setoption  name\tMove   Overhead \tvalue  5 "),
        option("Move   Overhead", Some("5"))
    );
    assert_eq!(command("setoption name Clear Hash"), option("Clear Hash", None));
    assert_eq!(
        command("setoption name SyzygyPath value /a b/c:/d  e"),
        option("SyzygyPath", Some("/a b/c:/d  e"))
    );
    assert_eq!(command("setoption name EvalFile value"), option("EvalFile", Some("")));
    assert_eq!(
        command("setoption name Debug Log File value value"),
        option("Debug Log File", Some("value"))
    );
    assert_eq!(problem("setoption"), "setoption: 'name' is missing");
    assert_eq!(problem("setoption Hash 5"), "setoption: expected 'name', found 'Hash'");
    assert_eq!(problem("setoption name"), "setoption: the option's name is missing");
    assert_eq!(problem("setoption name value 5"), "setoption: the option's name is missing");
}

#[test]
fn positions() {
    let position = |fen, moves| Command::Position(Position { fen, moves });
    assert_eq!(command("position startpos"), position(None, ""));
    assert_eq!(command("position startpos moves"), position(None, ""));
    assert_eq!(command("position startpos moves e2e4\te7e5"), position(None, "e2e4\te7e5"));
    assert_eq!(
        command("position fen 8/8/8/8/8/8/8/8 w - -"),
        position(Some("8/8/8/8/8/8/8/8 w - -"), "")
    );
    assert_eq!(command("position fen X w - - 0 1 moves"), position(Some("X w - - 0 1"), ""));
    assert_eq!(
        command("position fen X w - - 0 1  moves a1a2 "),
        position(Some("X w - - 0 1"), "a1a2")
    );
    assert_eq!(command("position fen startpos"), position(None, ""));
    assert_eq!(command("position fen startpos moves e2e4"), position(None, "e2e4"));
    assert_eq!(problem("position"), "position: 'startpos' or 'fen' is missing");
    assert_eq!(problem("position fen"), "position fen: the FEN is missing");
    assert_eq!(problem("position fen moves e2e4"), "position fen: the FEN is missing");
    assert_eq!(problem("position e2e4"), "position: expected 'startpos' or 'fen', found 'e2e4'");
    assert_eq!(problem("position startpos e2e4"), "position: expected 'moves', found 'e2e4'");
}

#[test]
fn go_takes_its_arguments_in_any_order() {
    assert_eq!(go("go"), Go::default());
    assert!(!go("go").is_limited());
    let all = "go ponder binc 4 winc 3 searchmoves e2e4 d2d4 btime 2 wtime 1 infinite mate 9 nodes 8 depth 7 \
               movetime 6 movestogo 5 perft 3";
    assert_eq!(
        go(all),
        Go {
            clock: [Some(1), Some(2)],
            increment: [Some(3), Some(4)],
            moves_to_go: Some(5),
            move_time: Some(6),
            depth: Some(7),
            nodes: Some(8),
            mate: Some(9),
            perft: Some(3),
            infinite: true,
            ponder: true,
            search_moves: vec!["e2e4", "d2d4"],
        }
    );
    for depth in ["4", "0", "-1", "255", "256", "100000", "4294967295", "99999999999999999999"] {
        assert_eq!(go(&format!("perft {depth}")), go(&format!("go perft {depth}")));
    }
    assert_eq!(go("go perft 100000").perft, Some(255), "perft recurses");
}

#[test]
fn go_numbers_saturate_and_negative_ones_are_clamped() {
    assert_eq!(go("go wtime -7 btime -99999999999999999999").clock, [Some(0), Some(0)]);
    assert_eq!(go("go wtime 99999999999999999999999").clock[0], Some(MAX_MILLISECONDS));
    assert_eq!(go("go nodes 99999999999999999999999").nodes, Some(i64::MAX as u64));
    assert_eq!(go("go depth 99999999999999999999999").depth, Some(u32::MAX));
    assert_eq!(go("go depth 0 nodes -3 mate 0 movetime -1").depth, Some(1));
    assert_eq!(go("go nodes -3").nodes, Some(1));
    assert_eq!(go("go mate 0").mate, Some(1));
    assert_eq!(go("go movetime -1").move_time, Some(0));
    assert_eq!(go("go movestogo 0").moves_to_go, None);
    assert_eq!(go("go winc +5").increment[0], Some(5));
}

#[test]
fn go_keeps_what_it_understands() {
    let (parsed, text) = bad_go("go depth ten movetime 100");
    assert_eq!((parsed.depth, parsed.move_time), (None, Some(100)));
    assert_eq!(text, "depth: 'ten' is not a whole number");

    let (parsed, text) = bad_go("go depth infinite");
    assert!(parsed.infinite && parsed.depth.is_none());
    assert_eq!(text, "depth: 'infinite' is not a whole number");

    let (parsed, text) = bad_go("go wtime btime 500");
    assert_eq!(parsed.clock, [None, Some(500)]);
    assert_eq!(text, "wtime: 'btime' is not a whole number");

    let (parsed, text) = bad_go("go fast nodes 5 movetime");
    assert_eq!(parsed.nodes, Some(5));
    assert_eq!(text, "go: unknown argument 'fast'; movetime: a number is missing");

    let (parsed, text) = bad_go("go searchmoves depth 3");
    assert_eq!(parsed.depth, Some(3));
    assert_eq!(text, "go searchmoves: a move is missing");

    // A good value before a bad one stays.
    assert_eq!(bad_go("go depth 3 depth x").0.depth, Some(3));
}

#[test]
fn bench_arguments() {
    assert_eq!(command("bench"), Command::Bench { depth: None, threads: None, hash: None });
    assert_eq!(
        command("bench 64 2 9"),
        Command::Bench { depth: Some(9), threads: Some(2), hash: Some(64) }
    );
    assert_eq!(problem("bench deep"), "bench hash: 'deep' is not a whole number");
    assert_eq!(problem("bench 16 1 129"), "bench depth: '129' is not in 1..128");
    assert_eq!(problem("bench 0"), "bench hash: '0' is not in 1..33554432");
    assert!(problem("bench 16 -1 9").starts_with("bench threads: '-1' is not in 1.."));
}

#[test]
fn a_line_of_nothing_but_noise_makes_a_short_error() {
    let noise = "go ".to_owned() + &"\u{1F9A5}x ".repeat(100_000);
    let (_, text) = bad_go(&noise);
    assert!(text.len() < 400, "{} bytes", text.len());
    assert!(text.ends_with("and 99997 more"), "{text}");
}

proptest! {
    /// Whatever comes in, parsing ends, and a line that is not a command says why unless it is
    /// blank or a comment.
    #[test]
    fn parsing_is_total(line in ".{0,200}") {
        let parsed = parse(&line);
        let silent = parsed.command.is_none() && parsed.problems.is_empty();
        let blank = line.trim_ascii().is_empty() || line.trim_ascii().starts_with('#');
        prop_assert_eq!(silent, blank);
        prop_assert!(!parsed.problems.to_string().contains(['\n', '\r']));
    }

    /// The same for lines made of the words the parser knows, in any order.
    #[test]
    fn known_words_in_any_order(words in proptest::collection::vec(prop_oneof![
        Just("go"), Just("position"), Just("setoption"), Just("name"), Just("value"), Just("fen"), Just("startpos"),
        Just("moves"), Just("depth"), Just("searchmoves"), Just("e2e4"), Just("-1"), Just("18446744073709551616"),
        Just("infinite"), Just("perft"), Just("bench"), Just("debug"), Just("on"), Just("é"), Just("\t"),
    ], 0..12)) {
        let line = words.join(" ");
        let parsed = parse(&line);
        let blank = line.trim_ascii().is_empty();
        prop_assert_eq!(parsed.command.is_none() && parsed.problems.is_empty(), blank);
    }
}
