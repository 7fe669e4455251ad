//! The grammar: lines that mean something, and lines that nearly do.

use fastrand::Rng;

use super::{Case, Class, Kind, Oracle, Step, Surroundings};
use crate::positions::crowded;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Positions with few moves, with castling, en passant and promotion in the air, and the end of a
/// game.
const POSITIONS: &[&str] = &[
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "7k/8/8/8/8/8/6q1/7K w - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "8/8/8/4k3/8/8/4K3/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 99 80",
];

/// Words that noise is made of.
const WORDS: &[&str] = &[
    "depth",
    "1",
    "nodes",
    "movetime",
    "-7",
    "searchmoves",
    "e2e4",
    "0000",
    "startpos",
    "fen",
    "moves",
    "name",
    "value",
    "Hash",
    "Threads",
    "MultiPV",
    "true",
    "w",
    "KQkq",
    "-",
    "8/8/8/8/8/8/8/8",
    "99999999999999999999",
    "\u{fffd}",
    "\u{202e}",
    "\0",
    "%s%n",
    "../../",
    "<empty>",
];

/// Numbers at and beyond the ends of every type. None is a table or a number of threads that could
/// be had.
const EXTREMES: &[&str] = &[
    "0",
    "-1",
    "40000000",
    "2147483647",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-99999999999999999999",
    "10000000000000000000000000000000000000000",
];

/// `N` stands for one of them.
const NUMBERED: &[&str] = &[
    "go depth N",
    "go nodes N",
    "go movetime N",
    "go wtime N btime N winc N binc N",
    "go wtime N btime N movestogo N",
    "go wtime 100 btime 100 movestogo N",
    "go wtime 100 btime 100 winc N binc N",
    "go ponder wtime N btime N",
    "go mate N",
    "go depth N nodes N movetime N mate N",
    "go perft N",
    "perft N",
    "bench N 1 1",
    "bench 1 1 N",
    "setoption name Threads value N",
    "setoption name Hash value N",
    "setoption name MultiPV value N",
    "setoption name Move Overhead value N",
    "setoption name UCI_Elo value N",
    "setoption name SyzygyProbeDepth value N",
    "setoption name SyzygyProbeLimit value N",
    "setoption name NumaPolicy value 0-N",
];

const PATHS: &[&str] = &[
    "/dev/zero",
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/proc/self/mem",
    "/",
    "/nowhere",
    ".",
    "::",
    "/dev/stdin",
    "/proc/self/fd/0",
    "Cargo.toml",
    "<empty>",
    "<embedded>",
    "\u{202e}x",
];

pub(super) fn case(class: Class, rng: &mut Rng) -> Case {
    let chess960 = class == Class::Chess960;
    let mut position = first_position(class, rng);
    let mut steps = Vec::new();
    for _ in 0..rng.usize(2..30) {
        let (line, kind) = line(class, &mut position, rng);
        steps.push(Step { pause: pause(class, rng), line, kind });
    }
    let surroundings = Surroundings::draw(class, rng);
    // At the end of the input a search may go on to its limit, and some here are never reached.
    let quits = class == Class::Numbers || rng.bool();
    Case { class, chess960, surroundings, steps, quits }
}

fn pause(class: Class, rng: &mut Rng) -> u64 {
    match (class, rng.u8(..8)) {
        (Class::Races, 0..6) | (_, 0..3) => 0,
        (Class::Races, _) | (_, 3..6) => rng.u64(..500),
        _ => rng.u64(..20_000),
    }
}

fn first_position(class: Class, rng: &mut Rng) -> Oracle {
    loop {
        let found = match class {
            Class::Chess960 => Some(Oracle::chess960(rng.u32(..960))),
            Class::Crowded => Oracle::new(&crowded(rng).fen(), false),
            _ => Oracle::new(POSITIONS[rng.usize(..POSITIONS.len())], false),
        };
        if let Some(found) = found {
            return found;
        }
    }
}

fn line(class: Class, position: &mut Oracle, rng: &mut Rng) -> (Vec<u8>, Kind) {
    let text = |text: &str, kind: Kind| (text.as_bytes().to_vec(), kind);
    if class == Class::Noise && rng.bool() {
        return (noise(rng), Kind::Other);
    }
    if class == Class::Numbers && rng.bool() {
        return extremes(rng);
    }
    if class == Class::Files && rng.bool() {
        return text(&file_option(rng), Kind::Other);
    }
    match rng.u8(..20) {
        0..6 => go(position, rng),
        6..9 => set_position(class, position, rng),
        9 => text(&bad_position(rng), Kind::Other),
        10 | 11 => text("stop", Kind::Other),
        12 => text("ponderhit", Kind::Other),
        13 => text("isready", Kind::Ready),
        14 => text("ucinewgame", Kind::Other),
        15..18 => text(&option(rng), Kind::Other),
        18 => text("uci", Kind::Uci),
        _ => {
            let talk = ["d", "eval", "tt", "help", "version", "perft 2", "go perft 2", "debug off"];
            text(talk[rng.usize(..talk.len())], Kind::Talk)
        }
    }
}

fn set_position(class: Class, position: &mut Oracle, rng: &mut Rng) -> (Vec<u8>, Kind) {
    if rng.bool() {
        *position = first_position(class, rng);
    }
    let fen = position.fen();
    let start =
        if fen == START && rng.bool() { "startpos".to_owned() } else { format!("fen {fen}") };
    let count = if rng.bool() { rng.usize(..12) } else { rng.usize(..120) };
    let moves = position.wander(count, rng);
    let word = if moves.is_empty() { "" } else { " moves" };
    (format!("position {start}{word}{moves}").into_bytes(), Kind::Position(position.fen()))
}

fn bad_position(rng: &mut Rng) -> String {
    let lines = [
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
        "position fen QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/7k/K7 b - - 0 1",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e7e5",
        "position startpos e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 65536",
    ];
    lines[rng.usize(..lines.len())].to_owned()
}

fn go(position: &Oracle, rng: &mut Rng) -> (Vec<u8>, Kind) {
    let mut only = Vec::new();
    let mut text = match rng.u8(..14) {
        0 => format!("go depth {}", rng.u32(1..7)),
        1 | 2 => format!("go nodes {}", rng.u32(1..5000)),
        3 | 4 => format!("go movetime {}", rng.u32(..40)),
        5 | 6 => format!(
            "go wtime {} btime {} winc {} binc {}",
            rng.u32(..300),
            rng.u32(..300),
            rng.u32(..20),
            rng.u32(..20)
        ),
        7 => format!("go wtime {} btime 100 movestogo {}", rng.i32(-50..300), rng.u32(..40)),
        8 => "go infinite".to_owned(),
        9 => format!("go ponder wtime {} btime 200", rng.u32(..300)),
        10 => format!("go mate {} movetime 20", rng.u32(..5)),
        11 => "go".to_owned(),
        12 => format!("go depth {} nodes {}", rng.i64(-3..200), rng.u64(..1000)),
        _ => "go depth 2 quickly nodes x".to_owned(),
    };
    if rng.u8(..5) == 0 {
        let moves = position.moves();
        only = (0..rng.usize(1..4)).filter_map(|_| rng.choice(&moves).cloned()).collect();
        if !only.is_empty() {
            text = format!("{text} searchmoves {}", only.join(" "));
        }
    }
    (text.into_bytes(), Kind::Go(only))
}

fn extremes(rng: &mut Rng) -> (Vec<u8>, Kind) {
    let form = NUMBERED[rng.usize(..NUMBERED.len())];
    let words = form.split(' ').map(|word| match word.strip_suffix('N') {
        Some(start) => format!("{start}{}", EXTREMES[rng.usize(..EXTREMES.len())]),
        None => word.to_owned(),
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let kind = match form.split(' ').next() {
        Some("go") if !form.contains("perft") => Kind::Go(Vec::new()),
        Some("setoption") => Kind::Other,
        _ => Kind::Talk,
    };
    (line.into_bytes(), kind)
}

fn option(rng: &mut Rng) -> String {
    let (name, value) = match rng.u8(..16) {
        0..3 => ("Threads", rng.u32(..9).to_string()),
        3..6 => ("Hash", rng.u32(..40).to_string()),
        6 => ("Hash", "99999999".to_owned()),
        7 | 8 => ("MultiPV", rng.u32(..300).to_string()),
        9 => ("Move Overhead", rng.u32(..6000).to_string()),
        10 => ("UCI_ShowWDL", rng.bool().to_string()),
        11 => ("UCI_LimitStrength", rng.bool().to_string()),
        12 => ("UCI_Elo", rng.u32(..4000).to_string()),
        13 => ("Ponder", rng.bool().to_string()),
        14 => return "setoption name Clear Hash".to_owned(),
        _ => ("SyzygyProbeLimit", rng.u32(..9).to_string()),
    };
    format!("setoption name {name} value {value}")
}

fn file_option(rng: &mut Rng) -> String {
    let names = ["EvalFile", "SyzygyPath", "Debug Log File"];
    let name = names[rng.usize(..names.len())];
    let mut path = PATHS[rng.usize(..PATHS.len())].to_owned();
    // Of a file that is written to, nothing of value may be named.
    if name == "Debug Log File" && !path.starts_with("/dev/") && path != "<empty>" {
        path = std::env::temp_dir().join("megatherium-adversary.log").display().to_string();
    }
    if name == "SyzygyPath" && rng.u8(..4) == 0 {
        path = vec![path; 50].join(":");
    }
    format!("setoption name {name} value {path}")
}

/// A line that is no command: words, bytes, or a very long line. It never begins a search or
/// changes the position: a word in front of it could only be skipped if it were followed by a
/// command.
fn noise(rng: &mut Rng) -> Vec<u8> {
    match rng.u8(..6) {
        0 => (0..rng.usize(1..40)).map(|_| rng.u8(..)).filter(|b| *b != b'\n').collect(),
        1 => b"x".repeat(rng.usize(1..2_000_000)),
        2 => Vec::new(),
        3 => [b"setoption name ".to_vec(), words(rng)].concat(),
        4 => [b"debug ".to_vec(), words(rng)].concat(),
        _ => words(rng),
    }
}

fn words(rng: &mut Rng) -> Vec<u8> {
    let words: Vec<&str> = (0..rng.usize(1..9)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
    words.join(if rng.bool() { " " } else { "\t " }).into_bytes()
}
