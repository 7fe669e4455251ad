//! The training and validation positions, in memory.

use crate::data::{DataError, Ending, Filter, Game, Reader};
use crate::sample::{Sample, outlooks};
use fastrand::Rng;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Training and validation positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataset {
    /// Training positions.
    pub training: Vec<Sample>,
    /// Held-out positions, never trained on.
    pub validation: Vec<Sample>,
    /// Games read.
    pub games: u64,
}

/// Games read before they are replayed together.
const GAMES: usize = 16_384;

impl Dataset {
    /// Reads the positions that `filter` keeps from data files; `permille` of the games are held
    /// out. `progress` sees what was read so far and says whether to read on.
    ///
    /// Whole games are held out, not positions: neighbouring positions are so similar that one
    /// leaks the other. Which games is decided by their moves, so it stays the same when files are
    /// joined, mixed or grow, and a game that occurs twice is not on both sides.
    pub fn load(
        files: &[PathBuf],
        filter: &Filter,
        permille: u64,
        mut progress: impl FnMut(&Dataset) -> bool,
    ) -> Result<Dataset, (PathBuf, DataError)> {
        let mut dataset = Dataset::default();
        for path in files {
            dataset
                .read(path, filter, permille, &mut progress)
                .map_err(|error| (path.clone(), error))?;
        }
        Ok(dataset)
    }

    fn read(
        &mut self,
        path: &Path,
        filter: &Filter,
        permille: u64,
        progress: &mut impl FnMut(&Dataset) -> bool,
    ) -> Result<(), DataError> {
        let mut reader = Reader::open(path)?;
        loop {
            let games = reader.by_ref().take(GAMES).collect::<Result<Vec<_>, _>>()?;
            if games.is_empty() {
                return Ok(());
            }
            let replayed: Vec<(bool, Vec<Sample>)> = games
                .par_iter()
                .map(|game| (is_held_out(game, permille), samples(game, filter)))
                .collect();
            for (held_out, samples) in replayed {
                if held_out { &mut self.validation } else { &mut self.training }.extend(samples);
            }
            self.games += games.len() as u64;
            if !progress(self) {
                return Ok(());
            }
        }
    }
}

/// Whether a game belongs to the validation set. Nodes of search trees never do: their bounds would
/// make losses incomparable.
pub fn is_held_out(game: &Game, permille: u64) -> bool {
    game.ending != Ending::Tree && Rng::with_seed(game.fingerprint()).u64(..) % 1000 < permille
}

/// The positions of a game that the filter keeps.
pub fn samples(game: &Game, filter: &Filter) -> Vec<Sample> {
    game.replay()
        .zip(outlooks(game))
        .filter(|(position, _)| filter.keeps(position))
        .map(|(position, outlook)| Sample::new(&position, outlook))
        .collect()
}
