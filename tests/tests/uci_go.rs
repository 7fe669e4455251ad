//! Every form of `go`, and what is said until `bestmove`.

use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::conversation::{best_move, field, number};
use megatherium_tests::game::{judge, play};

/// What must hold for the lines of every search: legal lines, one legal answer, whole numbers, and
/// at least one exact score.
fn check(lines: &[String], board: &Board) {
    if let Err(error) = judge(lines, board) {
        panic!("{error}: {lines:?}");
    }
    let mut scored = false;
    for line in lines.iter().filter(|line| line.contains(" score ")) {
        scored |= !line.contains("bound");
        let kind = field(line, "score").expect("a kind of score");
        assert!(kind == "cp" || kind == "mate", "{line}");
        number(line, kind).unwrap_or_else(|| panic!("no score in {line}"));
        for key in ["depth", "nodes", "time"] {
            assert!(number(line, key).is_some_and(|value| value >= 0), "{key} in {line}");
        }
    }
    assert!(scored, "no score before the answer: {lines:?}");
}

/// The plain limits are in the conformance suite.
#[test]
fn strange_limits_end_with_one_answer() {
    let mut engine = Conversation::start_uci();
    for line in [
        "go mate 1 depth 3",
        "go mate 0 nodes 500",
        "go wtime 500",
        "go btime 500",
        "go btime 300 binc 5",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100",
        "go wtime 1 btime 1 movestogo 1",
        "go wtime 500 btime 500 movestogo 0",
        "go wtime 200 btime 200 winc -5 binc -5",
        "go movetime 0",
        "go movetime -5",
        "go depth 0",
        "go depth -3",
        "go nodes 0",
        "go nodes 1",
        "go depth 99999999999999 nodes 500",
        "go wtime 99999999999999999999 btime 1 nodes 500",
    ] {
        check(&engine.go(line), &Board::startpos());
        assert!(engine.ready().is_empty(), "something said after the answer to {line}");
    }
    engine.quit();
}

#[test]
fn limits_hold_together() {
    let mut engine = Conversation::start_uci();
    let lines = engine.go("go depth 60 nodes 3000 movetime 60000");
    let nodes = lines.iter().filter_map(|line| number(line, "nodes")).max().expect("nodes");
    assert!(nodes < 20_000, "{nodes} nodes");
    let lines = engine.go("go movetime 10000000 depth 3 nodes 1000000000");
    assert_eq!(lines.iter().filter_map(|line| number(line, "depth")).max(), Some(3));
    engine.quit();
}

#[test]
fn the_end_of_the_game() {
    let mut engine = Conversation::start_uci();
    for (fen, score) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ] {
        for go in [
            "go depth 5",
            "go movetime 10",
            "go wtime 1000 btime 1000",
            "go nodes 100",
            "go infinite\nstop",
        ] {
            engine.send(&format!("position fen {fen}"));
            let lines = engine.go(go);
            check(&lines, &Board::from_fen(fen).unwrap());
            let [info, answer] = lines.as_slice() else { panic!("{lines:?}") };
            assert!(
                info.starts_with("info depth 0 ") && info.contains(&format!(" score {score} ")),
                "{info}"
            );
            assert_eq!(answer, "bestmove (none)");
        }
    }
    // The only legal move.
    engine.send("position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1");
    let lines = engine.go("go wtime 60000 btime 60000");
    assert_eq!(best_move(lines.last().unwrap()), "h1g2");
    engine.quit();
}

/// An illegal one is named and left out; if nothing is left all moves are searched.
#[test]
fn illegal_search_moves() {
    let mut engine = Conversation::start_uci();
    let lines = engine.go("go searchmoves e2e5 h2h4 depth 2");
    assert!(
        lines[0].starts_with("info string error: ") && lines[0].contains("'e2e5'"),
        "{lines:?}"
    );
    assert_eq!(best_move(lines.last().unwrap()), "h2h4");
    let lines = engine.go("go searchmoves e2e5 depth 2");
    check(&lines, &Board::startpos());
    engine.quit();
}

#[test]
fn arguments_that_make_no_sense_are_named_and_the_search_answers() {
    let mut engine = Conversation::start_uci();
    for (line, named) in [
        ("go depth", "depth: a number is missing"),
        ("go depth ten", "'ten'"),
        ("go depth 2 movetime x", "'x'"),
        ("go wtime btime 1000", "'btime'"),
        ("go quickly", "'quickly'"),
        ("go depth 1e3", "'1e3'"),
        ("go depth 3 searchmoves", "searchmoves"),
        ("go depth \u{0663}", "'\u{0663}'"),
        ("go perft many", "'many'"),
    ] {
        let lines = engine.go(line);
        let errors: Vec<_> =
            lines.iter().filter(|line| line.starts_with("info string error: ")).collect();
        assert_eq!(errors.len(), 1, "{line}: {lines:?}");
        assert!(errors[0].contains(named), "{line}: {errors:?}");
        check(&lines, &Board::startpos());
    }
    engine.quit();
}

#[test]
fn expectations() {
    let mut engine = Conversation::start_uci();
    engine.send("setoption name UCI_ShowWDL value true");
    let lines = engine.go("go depth 5");
    check(&lines, &Board::startpos());
    for line in lines.iter().filter(|line| line.contains(" score ")) {
        let words: Vec<_> =
            line.split_ascii_whitespace().skip_while(|word| *word != "wdl").take(4).collect();
        let sum: u32 = words[1..].iter().map(|word| word.parse::<u32>().expect("a number")).sum();
        assert_eq!(sum, 1000, "{line}");
    }
    // A mate on the board has expectations as well.
    engine.send("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
    let lines = engine.go("go depth 3");
    assert!(lines[0].contains("score mate 0 wdl 0 0 1000"), "{lines:?}");
    engine.quit();
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut engine = Conversation::start_uci();
    let answer = |engine: &mut Conversation, line: &str| {
        best_move(engine.go(line).last().unwrap()).to_owned()
    };
    engine.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(answer(&mut engine, "go depth 2 searchmoves e1g1"), "e1g1");
    assert_eq!(answer(&mut engine, "go depth 2 searchmoves e1h1"), "e1g1");
    engine.send("setoption name UCI_Chess960 value true");
    assert_eq!(answer(&mut engine, "go depth 2 searchmoves e1g1"), "e1h1");
    engine.quit();
}

#[test]
fn perft_counts() {
    let mut engine = Conversation::start_uci();
    engine.send("go perft 4");
    let lines = engine.until("info string perft");
    assert!(lines.contains(&"Nodes searched: 197281".to_owned()), "{lines:?}");
    assert!(lines.contains(&"e2e4: 13160".to_owned()), "{lines:?}");
    engine.send("setoption name Threads value 2");
    engine.send("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -");
    engine.send("perft 3");
    assert!(engine.until("info string perft").contains(&"Nodes searched: 97862".to_owned()));
    engine.send("perft 0");
    assert!(engine.until("info string perft").contains(&"Nodes searched: 1".to_owned()));
    engine.quit();
}

/// The game given with `moves` counts: the position that would occur for the third time is a draw.
#[test]
fn the_game_so_far_matters() {
    let mut engine = Conversation::start_uci();
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    engine.send(&format!("position startpos moves {shuffle}"));
    assert!(engine.ask("d").iter().any(|line| line == "Occurred before: 2 times"));
    let lines = engine.go("go depth 4");
    let moves: Vec<_> = shuffle.split(' ').collect();
    check(&lines, &play(Board::startpos(), &moves).unwrap());
    engine.quit();
}

#[test]
fn limited_strength_still_plays_legal_moves() {
    let mut engine = Conversation::start_uci();
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send("setoption name UCI_Elo value 1000");
    let mut game = Board::startpos();
    let mut moves = String::new();
    for _ in 0..20 {
        engine.send(&format!("position startpos moves{moves}"));
        let lines = engine.go("go wtime 1000 btime 1000");
        check(&lines, &game);
        let best = best_move(lines.last().unwrap()).to_owned();
        game = play(game, &[&best]).unwrap();
        moves += " ";
        moves += &best;
    }
    engine.quit();
}
