//! `megatherium genfens`: openings for games that make training data, as OpenBench asks for them.
//!
//! Its client runs `./engine "genfens N seed S book B" "quit"`, B being `None` or a file, and reads
//! the lines `info string genfens FEN`.

use std::path::Path;

use clap::Args;
use fastrand::Rng;
use megatherium_board::{Board, position_file};
use megatherium_cli::JobResult;
use megatherium_cli::openings::Fair;
use megatherium_search::Engine;

use crate::output::Output;

/// Random plies from the initial position, and from a book position. Half of the openings have one
/// more, so that either side moves first.
const PLIES: usize = 8;
const PLIES_AFTER_BOOK: usize = 4;
/// Training games may begin with an advantage, but not with a decision.
const FAIR: Fair = Fair { nodes: 1000, margin: 300 };

#[derive(Args, Debug)]
pub struct GenfensArgs {
    /// How many openings, as OpenBench writes it: `N seed S book None`, or a file instead of
    /// `None`; then perhaps `plies P`, the random moves
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    count: u64,
    seed: u64,
    book: Option<String>,
    plies: Option<usize>,
}

impl Request {
    fn read(words: &[String]) -> Result<Request, String> {
        // The command may be one argument with spaces, and `quit` follows it.
        let mut words: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
        if words.last() == Some(&"quit") {
            words.pop();
        }
        let (count, rest) = words.split_first().ok_or("genfens: how many?")?;
        let mut request =
            Request { count: number("genfens", count)?, seed: 0, book: None, plies: None };
        for pair in rest.chunks(2) {
            let [name, value] = pair else {
                return Err(format!("{}: the value is missing", pair[0]));
            };
            match *name {
                "seed" => request.seed = number(name, value)?,
                "book" if value.eq_ignore_ascii_case("none") => request.book = None,
                "book" => request.book = Some((*value).to_owned()),
                "plies" => request.plies = Some(number(name, value)?.min(64) as usize),
                _ => return Err(format!("genfens: unknown word {name:?}")),
            }
        }
        Ok(request)
    }
}

fn number(name: &str, word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("{name}: {word:?} is not a whole number"))
}

pub(super) fn run(args: &GenfensArgs) -> JobResult {
    let request = Request::read(&args.words)?;
    let book = match &request.book {
        Some(path) => position_file::read(Path::new(path))?,
        None => Vec::new(),
    };
    let output = Output::stdout();
    let mut engine = Engine::new(1, 1)?;
    let mut random = Rng::with_seed(request.seed);
    let plies = request.plies.unwrap_or(if book.is_empty() { PLIES } else { PLIES_AFTER_BOOK });
    for _ in 0..request.count {
        let board = FAIR.opening(&mut engine, &mut random, |random| {
            let start = random.choice(&book).map_or(Board::startpos(), |epd| epd.board);
            (start, plies + random.usize(..2))
        });
        output.info(format_args!("genfens {}", board.fen()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_client_are_read() {
        let read = |words: &[&str]| {
            Request::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let wanted = |book: Option<&str>, plies| Request {
            count: 64,
            seed: 7,
            book: book.map(str::to_owned),
            plies,
        };
        assert_eq!(read(&["64 seed 7 book None ", "quit"]), Ok(wanted(None, None)));
        assert_eq!(read(&["64", "seed", "7", "book", "none"]), Ok(wanted(None, None)));
        assert_eq!(
            read(&["64 seed 7 book Books/a.epd plies 6", "quit"]),
            Ok(wanted(Some("Books/a.epd"), Some(6)))
        );
        for wrong in ["x seed 1", "4 seed", "4 seed x", "4 speed 1", "quit"] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }
}
