//! Games in Portable Game Notation: tags, main line, comments, result.
//!
//! The reader takes what programs write, not only the export format: moves without numbers, moves
//! in coordinates, castling with zeros, `;` comments. Variations and glyphs are skipped.
//!
//! ```
//! use megatherium_board::pgn;
//! let text = "[White \"A\"]\n\n1. e4 {+0.30/12} e5 (1... c5 2. Nf3) 2. Qh5 1-0";
//! let game = pgn::read(text.as_bytes()).next().unwrap().unwrap();
//! assert_eq!((game.tag("White"), game.plies.len()), (Some("A"), 3));
//! assert_eq!(game.plies[0].comment, "+0.30/12");
//! ```

mod lexer;

use core::fmt;
use std::io::{self, BufRead};

use crate::referee::Outcome;
use crate::{Board, FenError, Move, MoveError};
use lexer::{Lexer, Token};

/// Longest game in plies: the longest possible game is shorter.
const MAX_PLIES: usize = 20_000;
/// Most tags of a game.
const MAX_TAGS: usize = 256;

/// The words that end a game.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// A move of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move played.
    pub mv: Move,
    /// The comments after it, joined by spaces.
    pub comment: String,
}

/// A game as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Names and values, in their order.
    pub tags: Vec<(String, String)>,
    /// The position of the tag `FEN`, or the initial one.
    pub start: Board,
    /// The main line.
    pub plies: Vec<Ply>,
    /// Who won, from the end of the moves or else from the tag `Result`. `None` for `*`.
    pub outcome: Option<Outcome>,
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The result as PGN writes it.
    pub fn result(&self) -> &'static str {
        match self.outcome {
            Some(Outcome::White) => "1-0",
            Some(Outcome::Black) => "0-1",
            Some(Outcome::Draw) => "1/2-1/2",
            None => "*",
        }
    }
}

/// Why a game could not be read.
#[derive(Debug)]
pub struct PgnError {
    /// The number of the game in its file, counted from 1.
    pub game: usize,
    /// The line of the fault, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a game.
#[derive(Debug)]
pub enum Fault {
    /// The source could not be read. No game follows.
    Io(io::Error),
    /// The tag `FEN` is wrong.
    Fen(FenError),
    /// A word is not a legal move.
    Move(String, MoveError),
    /// More tags or moves than a game has.
    TooLong,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, game {}: ", self.line, self.game)?;
        match &self.fault {
            Fault::Io(error) => error.fmt(f),
            Fault::Fen(error) => write!(f, "FEN: {error}"),
            Fault::Move(word, error) => write!(f, "{word:?} is {error}"),
            Fault::TooLong => f.write_str("too long for a game"),
        }
    }
}

impl core::error::Error for PgnError {}

/// Reads the games of a source one after another. A game that is wrong is an error, and the next
/// one follows.
pub fn read<R: BufRead>(source: R) -> Games<R> {
    Games { lexer: Lexer::new(source), pending: None, number: 0, failed: false }
}

/// The games of a source; see [`read`].
pub struct Games<R: BufRead> {
    lexer: Lexer<R>,
    /// A tag that was read at the end of a game and belongs to the next.
    pending: Option<(String, String)>,
    number: usize,
    failed: bool,
}

impl<R: BufRead> Games<R> {
    fn game(&mut self) -> Result<Option<Game>, (usize, Fault)> {
        let mut draft = Draft::default();
        draft.tags.extend(self.pending.take());
        self.lexer.begin_game();
        loop {
            let token = self.lexer.next().map_err(|error| {
                self.failed = true;
                (self.lexer.line(), Fault::Io(error))
            })?;
            match token {
                None if draft.is_empty() => return Ok(None),
                None => return draft.finish(self.lexer.line()),
                Some(Token::Tag(name, value)) => {
                    if draft.moves_begun() {
                        self.pending = Some((name, value));
                        return draft.finish(self.lexer.line());
                    }
                    draft.tag(name, value);
                }
                Some(Token::Word(word)) => {
                    // A result within a variation ends that only.
                    if draft.depth > 0 {
                        continue;
                    }
                    if RESULTS.contains(&word.as_str()) {
                        draft.result = Some(word);
                        return draft.finish(self.lexer.line());
                    }
                    draft.word(&word, self.lexer.line());
                }
                Some(Token::Comment(text)) => draft.comment(&text),
                Some(Token::Open) => draft.depth += 1,
                Some(Token::Close) => draft.depth = draft.depth.saturating_sub(1),
                Some(Token::Nag) => {}
            }
        }
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<Game, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        self.number += 1;
        match self.game() {
            Ok(game) => game.map(Ok),
            Err((line, fault)) => Some(Err(PgnError { game: self.number, line, fault })),
        }
    }
}

/// A game being read. A fault is kept until its end, so that the next game is found.
#[derive(Default)]
struct Draft {
    tags: Vec<(String, String)>,
    start: Option<Board>,
    board: Option<Board>,
    plies: Vec<Ply>,
    result: Option<String>,
    depth: usize,
    /// The first fault and its line.
    fault: Option<(usize, Fault)>,
}

impl Draft {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.moves_begun()
    }

    fn moves_begun(&self) -> bool {
        self.start.is_some() || self.fault.is_some() && !self.tags.is_empty()
    }

    fn tag(&mut self, name: String, value: String) {
        if self.tags.len() < MAX_TAGS {
            self.tags.push((name, value));
        }
    }

    /// The position before the next move; the first call reads the tag `FEN`.
    fn board(&mut self) -> Result<Board, Fault> {
        if let Some(board) = self.board {
            return Ok(board);
        }
        let fen = self.tags.iter().find(|(name, _)| name == "FEN");
        let board = match fen {
            Some((_, fen)) => Board::from_fen(fen).map_err(Fault::Fen)?,
            None => Board::startpos(),
        };
        (self.start, self.board) = (Some(board), Some(board));
        Ok(board)
    }

    fn word(&mut self, word: &str, line: usize) {
        if self.fault.is_none() {
            self.fault = self.play(word).err().map(|fault| (line, fault));
        }
    }

    fn play(&mut self, word: &str) -> Result<(), Fault> {
        let mut board = self.board()?;
        if word.bytes().all(|byte| byte.is_ascii_digit()) || word.starts_with(['!', '?']) {
            return Ok(());
        }
        let mv = board
            .parse_san(word)
            .or_else(|error| board.parse_uci(word).map_err(|_| error))
            .map_err(|error| Fault::Move(word.to_owned(), error))?;
        if self.plies.len() == MAX_PLIES {
            return Err(Fault::TooLong);
        }
        self.plies.push(Ply { mv, comment: String::new() });
        board.make(mv);
        self.board = Some(board);
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if self.depth > 0 || self.fault.is_some() {
            return;
        }
        // `Game` has no field for a comment before the first move.
        if let Some(ply) = self.plies.last_mut() {
            let space = if ply.comment.is_empty() || text.is_empty() { "" } else { " " };
            ply.comment += space;
            ply.comment += text;
        }
    }

    fn finish(mut self, line: usize) -> Result<Option<Game>, (usize, Fault)> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let start = match self.start {
            Some(start) => start,
            None => self.board().map_err(|fault| (line, fault))?,
        };
        let told = self.tags.iter().find(|(name, _)| name == "Result");
        // `*` after the moves of a game with a result means that the moves are not complete.
        let result = self.result.or_else(|| told.map(|(_, value)| value.clone()));
        let outcome = match result.as_deref() {
            Some("1-0") => Some(Outcome::White),
            Some("0-1") => Some(Outcome::Black),
            Some("1/2-1/2") => Some(Outcome::Draw),
            _ => None,
        };
        Ok(Some(Game { tags: self.tags, start, plies: self.plies, outcome }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn all(text: &str) -> Vec<Result<Game, String>> {
        read(text.as_bytes()).map(|game| game.map_err(|error| error.to_string())).collect()
    }

    fn moves(game: &Game) -> Vec<String> {
        game.plies.iter().map(|ply| ply.mv.raw().to_string()).collect()
    }

    #[test]
    fn the_styles_of_programs_are_one_game() {
        let plain = all("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1/2-1/2");
        let styles = [
            "e4 {+0.30/12} e5 {book} Nf3 {unknown} Nc6 Bc4 Bc5 0-0 {-M4/9, line=x} 1/2-1/2",
            "1.e4! e5?? $4 2.Nf3 (2.f4 exf4 (2...d5 *) {ignored} 1-0) 2...Nc6 ; rest ) { \n3.Bc4\n%\
             escape 3. a3\n Bc5 4. O-O 1/2-1/2",
            "[Result \"1/2-1/2\"]\n1. e2e4 e7e5 2. g1f3 b8c6 3. f1c4 f8c5 4. e1g1",
        ];
        for text in styles {
            let games = all(text);
            assert_eq!(games.len(), 1, "{text}");
            let (game, plain) = (games[0].as_ref().unwrap(), plain[0].as_ref().unwrap());
            assert_eq!(moves(game), moves(plain), "{text}");
            assert_eq!((game.outcome, game.result()), (Some(Outcome::Draw), "1/2-1/2"));
        }
        let commented = all(styles[0])[0].clone().unwrap();
        assert_eq!(commented.plies[0].comment, "+0.30/12");
        assert_eq!(commented.plies[6].comment, "-M4/9, line=x");
    }

    #[test]
    fn games_follow_one_another_and_errors_do_not_hide_the_next() {
        let text = "\u{feff}[Event \"a \\\"b\\\" [c]\"]\r\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 \
                    1\"]\r\n\r\ne4 Ke7 *\r\n\r\n[Event \"2\"]\n\n1. e4 e4 2. d4 1-0\n\n[Event \
                    \"3\"]\n\n1. d4\n[Event \"4\"]\n[FEN \"nonsense\"]\n\n1. e4 0-1\n[Event \
                    \"5\"]\n\n0-1\n";
        let games = all(text);
        assert_eq!(games.len(), 5, "{games:?}");
        let first = games[0].as_ref().unwrap();
        assert_eq!(first.tag("Event"), Some("a \"b\" [c]"));
        assert_eq!((first.plies.len(), first.outcome, first.result()), (2, None, "*"));
        let second = games[1].as_ref().unwrap_err();
        assert!(second.contains("line 8, game 2: \"e4\" is"), "{second}");
        assert_eq!(games[2].as_ref().unwrap().plies.len(), 1);
        assert!(games[3].as_ref().unwrap_err().contains("game 4: FEN: "), "{games:?}");
        assert_eq!(games[4].as_ref().unwrap().outcome, Some(Outcome::Black));
        assert!(all("").is_empty() && all("\n \n").is_empty());
    }

    #[test]
    fn hostile_input_ends_in_bounded_memory() {
        let long = |start: &str, fill: u8| {
            let source = io::BufReader::new(start.as_bytes().chain(io::repeat(fill).take(1 << 20)));
            read(source).map(|game| game.is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(long("1. e4 {", b'x'), [true]);
        assert_eq!(long("1. e4 ", b'x'), [false]);
        assert_eq!(long("[Event \"", b'x'), [true]);
        assert_eq!(long("1. e4 ", b'('), [true]);
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_PLIES);
        let games: Vec<_> = all(&knights);
        assert!(games[0].as_ref().unwrap_err().contains("too long"), "{games:?}");
    }

    #[test]
    fn the_limit_is_of_a_game_and_not_of_a_file() {
        let game = format!("1. e4 {{{}}} 1-0\n", "x".repeat(6 << 20));
        let games = read(io::Cursor::new(game.repeat(3)));
        assert_eq!(games.map(|game| game.is_ok()).collect::<Vec<_>>(), [true; 3]);
    }

    #[test]
    fn input_that_never_ends_is_left() {
        for (fill, why) in [(0, "not a text file"), (b'\n', "16 MiB"), (b'x', "16 MiB")] {
            let games: Vec<_> = read(io::BufReader::new(io::repeat(fill))).collect();
            assert!(games.len() == 1, "{games:?}");
            assert!(games[0].as_ref().unwrap_err().to_string().contains(why), "{games:?}");
        }
    }
}
