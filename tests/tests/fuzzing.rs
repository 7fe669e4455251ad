//! The bounded, repeatable part of the fuzzing: every input of the corpus, and random changes of
//! them.
//!
//! `corpus/TARGET/` holds one input per file: seeds, and everything that ever failed. The unbounded
//! part is in `fuzz/`; what it finds is added to the corpus. `FUZZ_ROUNDS=100000 cargo test
//! --release -p megatherium-tests --test fuzzing` goes on for longer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fastrand::Rng;
use megatherium_tests::fuzz;

/// Words that make a change more likely to mean something.
const WORDS: &[&str] = &[
    " ",
    "\t",
    "\r\n",
    "\n",
    "/",
    "8",
    "k",
    "K",
    "Q",
    "P",
    "w",
    "b",
    "-",
    "KQkq",
    "HAha",
    "e3",
    "e6",
    "0",
    "1",
    "99",
    "65536",
    "-1",
    "go",
    "depth",
    "nodes",
    "infinite",
    "ponder",
    "ponderhit",
    "stop",
    "isready",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e8q",
    "0000",
    "setoption",
    "name",
    "value",
    "Hash",
    "Threads",
    "MultiPV",
    "UCI_Chess960",
    "true",
    "ucinewgame",
    "debug on",
    "searchmoves",
    "bm",
    "id \"",
    "\";",
    "[FEN \"",
    "\"]",
    "{",
    "}",
    "(",
    ")",
    "+0.30/9",
    "1-0",
    "*",
    ";",
    "\u{fffd}",
    "\0",
    "\u{1b}[2J",
    "18446744073709551616",
];

/// Changes some bytes or words of an input.
fn change(input: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    for _ in 0..=random.usize(..4) {
        let place = random.usize(..=input.len());
        match random.usize(..7) {
            0 if place < input.len() => input[place] ^= 1 << random.usize(..8),
            1 if place < input.len() => input[place] = random.u64(..) as u8,
            2 => input.truncate(place),
            3 => {
                let end = (place + random.usize(..16)).min(input.len());
                input.drain(place..end);
            }
            4 => {
                let start = random.usize(..=other.len());
                let end = (start + random.usize(..40)).min(other.len());
                input.splice(place..place, other[start..end].iter().copied());
            }
            5 => {
                let copy = input[place..(place + 20).min(input.len())].to_vec();
                input.splice(place..place, copy);
            }
            _ => {
                input.splice(place..place, random.choice(WORDS).expect("a choice").bytes());
            }
        }
        input.truncate(4096);
    }
}

/// Feeds the corpus and `rounds` random inputs to a target.
fn run(name: &str, rounds: usize, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the corpus")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let corpus: Vec<Vec<u8>> =
        files.iter().map(|file| fs::read(file).expect("a readable file")).collect();
    assert!(!corpus.is_empty(), "{} is empty", folder.display());
    let mut random = Rng::with_seed(1);
    let rounds =
        std::env::var("FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(rounds);
    let attempt = |input: &[u8], what: &str| {
        let result = catch_unwind(AssertUnwindSafe(|| target(input)));
        assert!(result.is_ok(), "{what}: {name} fails for {:?}", String::from_utf8_lossy(input));
    };
    for (input, file) in corpus.iter().zip(&files) {
        attempt(input, &file.display().to_string());
    }
    for round in 0..rounds {
        let mut input = random.choice(&corpus).expect("a choice").clone();
        let other = random.choice(&corpus).expect("a choice");
        change(&mut input, other, &mut random);
        attempt(&input, &format!("round {round}"));
    }
    println!("{name}: {} inputs of the corpus, {rounds} random ones", corpus.len());
}

#[test]
fn fen() {
    run("fen", 20_000, fuzz::fen);
}

#[test]
fn epd() {
    run("epd", 20_000, fuzz::epd);
}

#[test]
fn pgn() {
    run("pgn", 20_000, fuzz::pgn);
}

#[test]
fn uci_line() {
    run("uci_line", 50_000, fuzz::uci_line);
}

#[test]
fn uci_session() {
    run("uci_session", 400, fuzz::uci_session);
}

#[test]
fn net() {
    run("net", 300, fuzz::net);
}

#[test]
fn games() {
    run("games", 20_000, fuzz::games);
}
