//! Lines in every shape they come in, and lines that make no sense.

use megatherium_board::Board;
use megatherium_tests::Conversation;
use megatherium_tests::conversation::best_move;

use crate::subject::{Check, Done, Subject, answers, board, check, quiet, quit, search};

pub const CHECKS: &[Check] = &[
    check("white space of any kind and amount separates words", white_space),
    check("lines may end in CR LF", carriage_returns),
    check("blank lines are ignored", blank_lines),
    check("unknown commands are ignored", unknown_commands),
    check("unknown words before a command are skipped", words_before),
    check("position startpos moves with nothing after it", nothing_after_moves),
    check("a long game can be sent", long_game),
    check("bytes that are not UTF-8 do no harm", no_text),
    check("a line of a megabyte does no harm", endless_line),
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
    for line in ["xyzzy", "bestmove e2e4", "info depth 1", "GO depth 3", "uciok", "-", "isreadynow"]
    {
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
