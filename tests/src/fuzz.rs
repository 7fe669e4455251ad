//! What must hold for any input at all, one function per reader.
//!
//! The fuzz targets in `fuzz/` call these functions with the inputs of a coverage-guided fuzzer,
//! the test `fuzzing` with the corpus in `corpus/` and random changes of it. A function that
//! returns has found nothing wrong.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use megatherium_board::epd::Epd;
use megatherium_board::{Board, pgn};
use megatherium_nnue::{Network, constructed};
use megatherium_train::data::{Game, Reader};
use megatherium_train::import;
use megatherium_uci::command::Command;
use megatherium_uci::input::{Line, Lines};
use megatherium_uci::options::{Assignment, Value, parse_option};
use megatherium_uci::output::Output;
use megatherium_uci::parse::parse;
use megatherium_uci::shell::Shell;

/// FEN: read or refused. What is read can be written, generated from and played on.
pub fn fen(text: &[u8]) {
    let Ok(board) = Board::from_fen(&String::from_utf8_lossy(text)) else { return };
    assert_eq!(Board::from_fen(&board.fen()).as_ref(), Ok(&board));
    assert_eq!(Board::from_fen(&board.shredder_fen()).as_ref(), Ok(&board));
    let moves = board.legal_moves();
    assert_eq!(board.has_legal_move(), !moves.is_empty());
    for &mv in &moves {
        assert!(board.is_legal(mv));
        let mut next = board;
        next.make(mv);
        assert_eq!(next.keys(), next.compute_keys());
        assert_eq!(next.key(), board.key_after(mv));
        assert_eq!(next.in_check(), board.gives_check(mv));
        assert_eq!(board.parse_san(&board.san(mv)), Ok(mv));
        assert_eq!(board.parse_uci(&board.uci(mv, false).to_string()), Ok(mv));
        assert_eq!(board.parse_uci(&board.uci(mv, true).to_string()), Ok(mv));
        let _ = board.see_ge(mv, 0);
    }
    let _ = Network::embedded().evaluate(&board);
}

/// EPD: read or refused. What is read is written so that it reads back as the same.
pub fn epd(text: &[u8]) {
    let Ok(epd) = String::from_utf8_lossy(text).parse::<Epd>() else { return };
    assert_eq!(epd.to_string().parse::<Epd>().as_ref(), Ok(&epd));
    for operation in &epd.operations {
        if let Ok(moves) = epd.moves(&operation.opcode) {
            assert!(moves.iter().all(|mv| epd.board.is_legal(*mv)));
        }
    }
}

/// PGN: read to its end without a panic, with legal moves only. A game written in SAN reads back as
/// the same moves, and is training data or refused.
pub fn pgn(text: &[u8]) {
    for game in pgn::read(text).flatten() {
        let mut board = game.start;
        let mut written = format!("[FEN \"{}\"]\n\n", board.fen());
        for ply in &game.plies {
            assert!(board.is_legal(ply.mv));
            written += &board.san(ply.mv);
            written.push(' ');
            board.make(ply.mv);
        }
        written += game.result();
        let again: Vec<_> = pgn::read(written.as_bytes()).flatten().collect();
        assert_eq!(again.len(), 1, "{written}");
        let moves = |game: &pgn::Game| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        assert_eq!(moves(&again[0]), moves(&game), "{written}");
        assert_eq!(again[0].outcome, game.outcome, "{written}");
        if let Ok(record) = import::game(&game, 0) {
            judge_game(&record);
        }
    }
}

/// A line of UCI: parsed without a panic, and what is wrong with it said in one short line.
pub fn uci_line(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().next().unwrap_or_default();
    let parsed = parse(line);
    let problems = parsed.problems.to_string();
    assert!(
        problems.chars().count() < 1000 && !problems.contains(char::is_control),
        "{problems:?}"
    );
    assert_eq!(problems.is_empty(), parsed.problems.is_empty());
    if let Some(Command::SetOption { name, value }) = parsed.command
        && let Err(error) = parse_option(name, value)
    {
        let error = error.to_string();
        assert!(error.chars().count() < 1000 && !error.contains(char::is_control), "{error:?}");
    }
}

/// A whole conversation: exactly one `bestmove` for each `go`, at most one error line for each
/// line, every line of the answer in one piece. What would take long, much memory, or files is left
/// out.
pub fn uci_session(text: &[u8]) {
    let mut input = Vec::new();
    let (mut searches, mut sent) = (0, 0);
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next_line() {
        let Line::Text(line) = line else { continue };
        let Some(line) = harmless(&line) else { continue };
        sent += 1;
        let command = parse(&line).command;
        searches += usize::from(matches!(command, Some(Command::Go(_))));
        input.extend_from_slice(line.as_bytes());
        input.push(b'\n');
        if command == Some(Command::Quit) {
            break;
        }
    }
    let said = converse(&input);
    let count = |start: &str| said.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("bestmove "), searches, "{said}");
    assert!(count("info string error: ") <= sent, "{said}");
    assert!(!said.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{said:?}");
}

/// The line, if a test may send it, with a limit that ends every search soon.
fn harmless(line: &str) -> Option<String> {
    match parse(line).command {
        Some(Command::Go(go)) => go.perft.is_none().then(|| format!("{line} nodes 20")),
        Some(Command::Bench { .. }) => None,
        Some(Command::SetOption { name, value }) => {
            let fine = match parse_option(name, value) {
                Ok(Assignment { option, value: Value::Spin(number) }) => match option.name {
                    "Hash" => number <= 2,
                    "Threads" => number <= 3,
                    _ => true,
                },
                Ok(Assignment { value: Value::Text(path), .. }) => path.is_empty(),
                _ => true,
            };
            fine.then(|| line.to_owned())
        }
        _ => Some(line.to_owned()),
    }
}

/// Everything the shell says to an input.
fn converse(input: &[u8]) -> String {
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let said = Shared::default();
    let shell = Shell::new(Arc::new(Output::new(Box::new(said.clone())))).expect("an engine");
    shell.run(input);
    let bytes = said.0.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8(bytes.clone()).expect("the engine speaks UTF-8")
}

/// A net file: used or refused. To get past the checksum, the input is also taken as a list of
/// changes to a good net (place and byte) that then gets the right checksum: whatever weights come
/// out, evaluation does not overflow.
pub fn net(bytes: &[u8]) {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    let _ = Network::from_bytes(bytes).map(|net| judge_net(&net));
    let mut file = GOOD.get_or_init(|| constructed::network().to_bytes()).clone();
    for change in bytes.chunks_exact(4) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize % file.len();
        file[place] = change[3];
    }
    seal(&mut file);
    let _ = Network::from_bytes(&file).map(|net| judge_net(&net));
}

/// Gives a net file the checksum of its contents (see the format).
fn seal(file: &mut [u8]) {
    let sum = megatherium_nnue::format::fnv1a(file[..24].iter().chain(&file[32..]).copied());
    file[24..32].copy_from_slice(&sum.to_le_bytes());
}

fn judge_net(net: &Network) {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "QQQQQQQQ/QQQQQQQ1/8/8/8/k7/8/K7 b - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
    ] {
        let Ok(board) = Board::from_fen(fen) else { continue };
        let score = net.evaluate(&board);
        assert!(score.abs() <= megatherium_nnue::EVAL_LIMIT, "{score}");
    }
    assert!(
        Network::from_bytes(&net.to_bytes()).is_ok_and(|again| again.checksum() == net.checksum())
    );
}

/// A file of training games: read to its end, past damage, without a panic. What is read is written
/// as it was.
pub fn games(bytes: &[u8]) {
    let Ok(mut reader) = Reader::new(bytes) else { return };
    let mut offset = reader.offset();
    loop {
        match reader.next() {
            Some(Ok(game)) => judge_game(&game),
            Some(Err(_)) => {
                reader.skip_damage().expect("bytes in memory can be read");
            }
            None => break,
        }
        assert!(reader.offset() > offset, "no progress at {offset}");
        offset = reader.offset();
    }
    assert!(reader.offset() + reader.cut() <= bytes.len() as u64);
}

fn judge_game(game: &Game) {
    let record = game.encode().expect("what was read can be written");
    let mut file = b"SLOTHGAM\x01\0\0\0\0\0\0\0".to_vec();
    file.extend_from_slice(&record);
    let again: Vec<Game> =
        Reader::new(&file[..]).expect("a header").map(|game| game.expect("a game")).collect();
    assert_eq!(again, std::slice::from_ref(game));
    let mut replay = game.replay();
    let positions = replay.by_ref().count();
    assert!(positions == game.plies.len() || replay.illegal());
}
