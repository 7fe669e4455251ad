//! Lines in every shape they come in, and lines that make no sense.

use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::conversation::best_move;

use crate::subject::{Check, Done, Subject, answers, board, promise, protocol, quiet, quit, search};

pub const CHECKS: &[Check] = &[
    protocol("white space of any kind and amount separates words", white_space),
    protocol("lines may end in CR LF", carriage_returns),
    protocol("blank lines are nothing", blank_lines),
    protocol("unknown commands are ignored", unknown_commands),
    protocol("unknown words before a command are skipped", words_before),
    protocol("position startpos moves with nothing after it", nothing_after_moves),
    protocol("a long game can be sent", long_game),
    protocol("bytes that are no text do no harm", no_text),
    protocol("a line of a megabyte does no harm", endless_line),
    promise("FENs of four fields", four_fields),
    promise("Shredder-FEN, king-takes-rook castling, capital promotions", shredder),
    promise("position fen startpos", fen_startpos),
    promise("a position that cannot be is named, the last one stays", bad_positions),
    promise("an illegal move in the middle of a list: the last position stays", illegal_move),
    promise("unknown commands are named in one error line", unknown_named),
    promise("a byte-order mark before the first command", byte_order_mark),
];

/// The position the engine has: the mate in one is found, or the only move.
fn knows_the_mate(engine: &mut Conversation) {
    let said = search(engine, "go depth 3", &board(MATE));
    assert_eq!(best_move(said.last().expect("an answer")), "a1a8");
}

const MATE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

fn white_space(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("\t  isready \t ");
    engine.until("readyok");
    engine.send("position\tfen   6k1/5ppp/8/8/8/8/8/R5K1\tw -  -\t0 1");
    knows_the_mate(&mut engine);
    engine.send("  \t go \t depth\t\t 2  ");
    engine.until("bestmove");
    quit(engine);
    Done::Passed
}

fn carriage_returns(subject: &Subject) -> Done {
    let mut engine = subject.start();
    engine.send_bytes(b"uci\r\n");
    engine.until("uciok");
    engine.send_bytes(b"position startpos moves e2e4\r\nisready\r\n");
    engine.until("readyok");
    engine.send_bytes(format!("position fen {MATE}\r\ngo depth 3\r\n").as_bytes());
    assert_eq!(best_move(engine.until("bestmove").last().expect("an answer")), "a1a8");
    engine.send_bytes(b"quit\r\n");
    engine.wait();
    Done::Passed
}

fn blank_lines(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send_bytes(b"\n\n\r\n   \n\t\n\n");
    quiet(&mut engine);
    search(&mut engine, "go depth 2", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn unknown_commands(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for line in ["xyzzy", "bestmove e2e4", "info depth 1", "GO depth 3", "uciok", "-", "isreadynow"] {
        engine.send(line);
        let said = engine.ready();
        assert!(!said.iter().any(|line| line.starts_with("bestmove")), "{line}: {said:?}");
    }
    search(&mut engine, "go depth 2", &Board::startpos());
    quit(engine);
    Done::Passed
}

/// The specification's own example: "joho debug on" switches debugging on.
fn words_before(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("joho isready");
    engine.until("readyok");
    engine.send("well then go depth 2");
    engine.until("bestmove");
    quit(engine);
    Done::Passed
}

fn nothing_after_moves(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send("position startpos moves");
    search(&mut engine, "go depth 2", &Board::startpos());
    engine.send(&format!("position fen {MATE} moves"));
    knows_the_mate(&mut engine);
    engine.send(&format!("position fen {MATE} moves  "));
    knows_the_mate(&mut engine);
    quit(engine);
    Done::Passed
}

fn long_game(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    let game = "g1f3 g8f6 f3g1 f6g8 ".repeat(300);
    engine.send(&format!("position startpos moves {game}"));
    search(&mut engine, "go depth 3", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn no_text(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for bytes in [
        &b"\xff\xfe\xfd\n"[..],
        b"\0\0\0\n",
        b"\x1b[31mred\x07\n",
        b"\xf0\x9f\xa6\xa5\n",
        b"setoption name \xff value 1\n",
        b"isready\xff\n",
    ] {
        engine.send_bytes(bytes);
        assert_eq!(answers(&engine.ready()), 0, "{bytes:?}");
    }
    search(&mut engine, "go depth 2", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn endless_line(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for line in ["x".repeat(1 << 20), "word ".repeat(200_000), "y".repeat(8 << 20)] {
        engine.send(&line);
        let said = engine.ready();
        assert!(!said.iter().any(|line| line.starts_with("bestmove")));
    }
    search(&mut engine, "go depth 2", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn four_fields(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for line in [
        "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - -",
        "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - moves",
        "position fen 6k1/5ppp/8/8/8/8/7P/R5K1 w - - moves h2h3 g8h8",
        "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0",
    ] {
        engine.send(line);
        engine.send("go depth 4");
        assert_eq!(best_move(engine.until("bestmove").last().expect("an answer")), "a1a8", "{line}");
    }
    quit(engine);
    Done::Passed
}

fn shredder(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for (line, fen) in [
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQK2R w HAha - 0 1 moves e1h1",
            "rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq - 1 1",
        ),
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQK2R w KQkq - 0 1 moves e1g1",
            "rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq - 1 1",
        ),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8Q", "Q7/7k/8/8/8/8/8/K7 b - - 0 1"),
    ] {
        engine.send(line);
        search(&mut engine, "go depth 2", &board(fen));
    }
    quit(engine);
    Done::Passed
}

fn fen_startpos(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    engine.send(&format!("position fen {MATE}"));
    engine.send("position fen startpos");
    search(&mut engine, "go depth 2", &Board::startpos());
    quit(engine);
    Done::Passed
}

/// After each of these the engine must still have the mate on its board.
fn refused(subject: &Subject, lines: &[(&str, &str)]) {
    let mut engine = subject.start_uci();
    engine.send(&format!("position fen {MATE}"));
    for (line, named) in lines {
        let error = engine.error(line);
        assert!(error.contains(named), "{line}: {error}");
        knows_the_mate(&mut engine);
    }
    quit(engine);
}

fn bad_positions(subject: &Subject) -> Done {
    refused(
        subject,
        &[
            ("position", "position"),
            ("position fen", "position fen"),
            ("position e2e4", "e2e4"),
            ("position fen nonsense", "nonsense"),
            ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "kings"),
            ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", "kings"),
            ("position fen 4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", "in check"),
            ("position fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a8"),
            ("position fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
            ("position fen 4k3/8/8/8/8/8/8 w - - 0 1", "ranks"),
            ("position fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "castling"),
            ("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "extra"),
            ("position fen QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/7k/K7 b - - 0 1", "men"),
        ],
    );
    Done::Passed
}

fn illegal_move(subject: &Subject) -> Done {
    refused(
        subject,
        &[
            ("position startpos moves e2e4 e2e4 e7e5", "move 2 'e2e4'"),
            ("position startpos moves e2e4 e7e5 e1e3 d7d5", "move 3 'e1e3'"),
            ("position startpos moves 0000", "'0000'"),
            ("position startpos moves e2e4 \u{265e}", "'\u{265e}'"),
            ("position startpos moves e7e5", "'e7e5'"),
            ("position startpos moves e2e4q", "'e2e4q'"),
            ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8", "'a7a8'"),
        ],
    );
    Done::Passed
}

fn unknown_named(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for (line, named) in [
        ("xyzzy", "'xyzzy'"),
        ("Isready", "'Isready'"),
        ("\u{1F9A5}", "'\u{1F9A5}'"),
        ("debug", "debug"),
        ("debug perhaps", "'perhaps'"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(named), "{line}: {error}");
    }
    quit(engine);
    Done::Passed
}

fn byte_order_mark(subject: &Subject) -> Done {
    let mut engine = subject.start();
    engine.send_bytes(b"\xef\xbb\xbfuci\n");
    engine.until("uciok");
    quit(engine);
    Done::Passed
}
