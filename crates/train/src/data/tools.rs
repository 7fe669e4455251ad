//! Statistics, merging and shuffling of data files.

use super::{DataError, Ending, Filter, Game, Reader, Writer};
use fastrand::Rng;
use megatherium_board::Color;
use megatherium_nnue::layout::{OUTPUT_BUCKETS, output_bucket};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// What is in a data file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Whole games.
    pub games: u64,
    /// Games by result: Black won, draw, White won.
    pub outcomes: [u64; 3],
    /// Games that were adjudicated.
    pub adjudicated: u64,
    /// Games that could not be replayed to their end.
    pub illegal: u64,
    /// Nodes of search trees, which are no games.
    pub tree: u64,
    /// Plies of all games, and one for each node of a tree.
    pub plies: u64,
    /// Plies without a score.
    pub random: u64,
    /// Positions in check.
    pub in_check: u64,
    /// Positions with a noisy move.
    pub noisy: u64,
    /// Positions that occurred earlier in their game.
    pub repeated: u64,
    /// Positions the filter keeps.
    pub kept: u64,
    /// Kept positions by output head.
    pub kept_by_bucket: [u64; OUTPUT_BUCKETS],
    /// Games by net.
    pub nets: BTreeMap<u32, u64>,
    /// Bytes of a truncated record at the end.
    pub cut: u64,
}

impl Stats {
    fn count(&mut self, game: &Game, filter: &Filter) {
        if game.ending == Ending::Tree {
            self.tree += 1;
        } else {
            self.games += 1;
            self.outcomes[game.outcome.half_points(Color::White)] += 1;
            self.adjudicated += u64::from(game.ending == Ending::Adjudicated);
            *self.nets.entry(game.net).or_default() += 1;
        }
        self.plies += game.plies.len() as u64;
        let mut replay = game.replay();
        for position in replay.by_ref() {
            self.random += u64::from(position.flags.random);
            self.in_check += u64::from(position.flags.in_check);
            self.noisy += u64::from(position.flags.noisy);
            self.repeated += u64::from(position.flags.repeated);
            if filter.keeps(&position) {
                self.kept += 1;
                self.kept_by_bucket[output_bucket(position.board.occupied().count())] += 1;
            }
        }
        self.illegal += u64::from(replay.illegal());
    }

    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Stats) {
        let pairs = [
            (&mut self.games, other.games),
            (&mut self.adjudicated, other.adjudicated),
            (&mut self.illegal, other.illegal),
            (&mut self.tree, other.tree),
            (&mut self.plies, other.plies),
            (&mut self.random, other.random),
            (&mut self.in_check, other.in_check),
            (&mut self.noisy, other.noisy),
            (&mut self.repeated, other.repeated),
            (&mut self.kept, other.kept),
            (&mut self.cut, other.cut),
        ];
        for (sum, count) in pairs {
            *sum += count;
        }
        let arrays = self.outcomes.iter_mut().chain(&mut self.kept_by_bucket);
        for (sum, count) in arrays.zip(other.outcomes.iter().chain(&other.kept_by_bucket)) {
            *sum += count;
        }
        for (&net, &games) in &other.nets {
            *self.nets.entry(net).or_default() += games;
        }
    }

    /// White's share of the points.
    pub fn white_share(&self) -> f64 {
        let [_, drawn, won] = self.outcomes;
        let points = drawn + 2 * won;
        points as f64 / (2 * self.games.max(1)) as f64
    }
}

/// Is told how many more games were read; returns whether to continue.
pub type Watch<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Games between two calls of a [`Watch`].
const WATCHED: u64 = 1024;

/// Counts a game, and calls `watch` every [`WATCHED`] games.
pub(crate) fn tell(watch: Watch<'_>, games: &mut u64) -> Result<(), DataError> {
    *games += 1;
    let due = (*games).is_multiple_of(WATCHED);
    if due && !watch(WATCHED) { Err(DataError::Stopped) } else { Ok(()) }
}

/// Games counted together by one thread.
const CHUNK: usize = 1024;

/// Counts what is in a data file and what a filter would keep.
pub fn stats(path: &Path, filter: &Filter, watch: Watch<'_>) -> Result<Stats, DataError> {
    let mut reader = Reader::open(path)?;
    let mut total = Stats::default();
    loop {
        let games = reader.by_ref().take(64 * CHUNK).collect::<Result<Vec<_>, _>>()?;
        if games.is_empty() {
            total.cut = reader.cut();
            return Ok(total);
        }
        if !watch(games.len() as u64) {
            return Err(DataError::Stopped);
        }
        let parts: Vec<Stats> = games
            .par_chunks(CHUNK)
            .map(|games| {
                let mut part = Stats::default();
                for game in games {
                    part.count(game, filter);
                }
                part
            })
            .collect();
        for part in &parts {
            total.add(part);
        }
    }
}

/// What [`merge`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Games written.
    pub games: u64,
    /// Duplicate games, not written.
    pub repeated: u64,
    /// Bytes of damaged records left out.
    pub skipped: u64,
}

/// Appends the games of several files to one, each game once. Damage is an error, or, with
/// `salvage`, skipped. If it is stopped, what was written stays, and the same call continues.
pub fn merge(
    sources: &[PathBuf],
    target: &Path,
    salvage: bool,
    watch: Watch<'_>,
) -> Result<Merged, (PathBuf, DataError)> {
    let fail_target = |error| (target.to_owned(), error);
    refuse_input(sources, target).map_err(fail_target)?;
    let mut seen = HashSet::new();
    let (mut writer, _) = Writer::append_after(target, |game| {
        seen.insert(game.fingerprint());
    })
    .map_err(fail_target)?;
    let (mut merged, mut read) = (Merged::default(), 0);
    for source in sources {
        let fail = |error| (source.clone(), error);
        let mut reader = Reader::open(source).map_err(fail)?;
        while let Some(game) = reader.next() {
            tell(watch, &mut read).map_err(fail)?;
            match game {
                Ok(game) if seen.insert(game.fingerprint()) => {
                    writer.write(&game).map_err(fail_target)?;
                    merged.games += 1;
                }
                Ok(_) => merged.repeated += 1,
                Err(DataError::Damaged { .. }) if salvage => {
                    merged.skipped += reader.skip_damage().map_err(fail)?;
                }
                Err(error) => return Err(fail(error)),
            }
        }
    }
    writer.finish().map_err(fail_target)?;
    Ok(merged)
}

/// Refuses a target that is one of the sources: reading it would never end, or writing it would
/// destroy it.
pub fn refuse_input<'a>(
    sources: impl IntoIterator<Item = &'a PathBuf>,
    target: &Path,
) -> Result<(), DataError> {
    // A target that does not exist yet is no source.
    let same = |source: &PathBuf| same_file::is_same_file(source, target).unwrap_or(false);
    if sources.into_iter().any(same) { Err(DataError::OutputIsInput) } else { Ok(()) }
}

/// Writes the games of several files into a new one, in random order. Returns their number.
///
/// All games are held in memory: about half a kilobyte each.
pub fn shuffle(
    sources: &[PathBuf],
    target: &Path,
    seed: u64,
    watch: Watch<'_>,
) -> Result<u64, (PathBuf, DataError)> {
    refuse_input(sources, target).map_err(|error| (target.to_owned(), error))?;
    let (mut games, mut read) = (Vec::new(), 0);
    for source in sources {
        let fail = |error| (source.clone(), error);
        for game in Reader::open(source).map_err(fail)? {
            games.push(game.map_err(fail)?);
            tell(watch, &mut read).map_err(fail)?;
        }
    }
    Rng::with_seed(seed).shuffle(&mut games);
    let fail = |error| (target.to_owned(), error);
    let (mut writer, resumed) = Writer::append(target).map_err(fail)?;
    if resumed.games > 0 {
        let exists = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        return Err(fail(DataError::Io(exists)));
    }
    games.iter().try_for_each(|game| writer.write(game)).map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(games.len() as u64)
}
