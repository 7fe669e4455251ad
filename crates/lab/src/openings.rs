//! Openings for matches: positions of a book file, or a few random moves that leave a fair game.

use std::path::Path;

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_board::position_file::{self, PositionFileError};
use megatherium_cli::openings::Fair;
use megatherium_search::{Engine, EngineError};

/// Random moves each opening begins with.
const PLIES: usize = 8;

/// Matches need openings that either side can win.
const FAIR: Fair = Fair { nodes: 4000, margin: 120 };

/// A numbered source of openings.
#[derive(Clone, Debug)]
pub enum Openings {
    /// The positions of a book, in an order that depends on the seed.
    Book(Vec<Board>),
    /// Random moves; the seed and the number of the opening decide which.
    Random {
        /// Seed of the moves.
        seed: u64,
    },
}

impl Openings {
    /// The positions of a file, shuffled.
    pub fn book(path: &Path, seed: u64) -> Result<Openings, PositionFileError> {
        let mut boards: Vec<Board> =
            position_file::read(path)?.into_iter().map(|epd| epd.board).collect();
        boards.retain(Board::has_legal_move);
        Rng::with_seed(seed).shuffle(&mut boards);
        Ok(Openings::Book(boards))
    }

    /// Number of openings; `None` if unlimited.
    pub fn len(&self) -> Option<usize> {
        match self {
            Openings::Book(boards) => Some(boards.len()),
            Openings::Random { .. } => None,
        }
    }

    /// Whether there are no openings.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The opening of a number; a book begins again after its end.
    pub fn get(&self, number: usize) -> Result<Board, EngineError> {
        match self {
            Openings::Book(boards) => Ok(boards[number % boards.len()]),
            Openings::Random { seed } => random(*seed, number),
        }
    }

    /// The first `count` openings.
    pub fn take(&self, count: usize) -> Result<Vec<Board>, EngineError> {
        (0..count).map(|number| self.get(number)).collect()
    }
}

/// A random opening that is fair by a short search.
fn random(seed: u64, number: usize) -> Result<Board, EngineError> {
    let mut random = Rng::with_seed(Rng::with_seed(seed).u64(..) ^ number as u64);
    let mut engine = Engine::new(1, 1)?;
    Ok(FAIR.opening(&mut engine, &mut random, |_| (Board::startpos(), PLIES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_on_the_seed_and_the_number_alone() {
        let keys = |seed| {
            let openings = Openings::Random { seed }.take(6).unwrap();
            openings.iter().map(Board::key).collect::<Vec<_>>()
        };
        assert_eq!(keys(1), keys(1));
        assert_ne!(keys(1), keys(2));
        assert_eq!(Openings::Random { seed: 1 }.get(3).unwrap().key(), keys(1)[3]);
        let mut distinct = keys(1);
        distinct.dedup();
        assert_eq!(distinct.len(), 6);
    }

    #[test]
    fn a_book_is_shuffled_whole_and_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.epd");
        let boards = crate::positions::suite(20);
        let text: Vec<String> = boards.iter().map(Board::fen).collect();
        std::fs::write(&path, text.join("\n")).unwrap();
        let book = Openings::book(&path, 7).unwrap();
        assert_eq!(book.len(), Some(20));
        let keys = |openings: &[Board]| openings.iter().map(Board::key).collect::<Vec<_>>();
        let (mut drawn, mut given) = (keys(&book.take(20).unwrap()), keys(&boards));
        assert_ne!(drawn, given, "in another order");
        drawn.sort_unstable();
        given.sort_unstable();
        assert_eq!(drawn, given);
        assert_eq!(book.get(20).unwrap().key(), book.get(0).unwrap().key());
    }
}
