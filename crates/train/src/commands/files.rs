//! `stats`, `wdl`, `merge` and `shuffle`: inspect and rearrange data files.

use super::{Failure, at, start_threads};
use clap::Args;
use megatherium_cli::progress::Progress;
use megatherium_nnue::Network;
use megatherium_search::wdl::FITTED;
use megatherium_train::data::{self, Filter, Stats};
use megatherium_train::wdl_fit::Tally;
use std::path::PathBuf;

/// Which positions to train on.
#[derive(Args, Clone, Copy, Debug)]
pub struct FilterArgs {
    /// Leave out positions scored beyond this many centipawns
    #[arg(long, default_value_t = Filter::default().max_score, value_parser = clap::value_parser!(i16).range(0..))]
    max_score: i16,
    /// Leave out positions with a halfmove clock beyond this
    #[arg(long, default_value_t = Filter::default().max_halfmove_clock)]
    max_halfmove_clock: u32,
    /// Keep positions with the side to move in check
    #[arg(long)]
    keep_checks: bool,
    /// Keep positions in which a capture or a promotion was played
    #[arg(long)]
    keep_noisy: bool,
    /// Keep positions that occurred earlier in their game
    #[arg(long)]
    keep_repeated: bool,
}

impl FilterArgs {
    /// The filter these arguments describe.
    pub fn filter(self) -> Filter {
        Filter {
            in_check: !self.keep_checks,
            noisy: !self.keep_noisy,
            repeated: !self.keep_repeated,
            max_score: self.max_score,
            max_halfmove_clock: self.max_halfmove_clock,
        }
    }
}

/// Arguments of `stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Data files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Progress of reading data files.
struct Reading {
    bar: Progress,
    games: u64,
}

impl Reading {
    fn begin(stage: &str, steps: usize) -> Result<Reading, Failure> {
        let bar = Progress::new(stage).map_err(|error| error.to_string())?;
        bar.begin(stage, steps as u64);
        Ok(Reading { bar, games: 0 })
    }

    /// Adds games that were read. Returns whether to continue.
    fn watch(&mut self, games: u64) -> bool {
        self.games += games;
        self.bar.step(0, &format!("{} games", self.games));
        !self.bar.stopped()
    }
}

/// Prints what is in data files.
pub fn stats(args: &StatsArgs) -> Result<(), Failure> {
    start_threads(None)?;
    let mut total = Stats::default();
    let mut reading = Reading::begin("reading files", args.files.len())?;
    for path in &args.files {
        let counted = data::stats(path, &args.filter.filter(), &mut |games| reading.watch(games));
        total.add(&counted.map_err(|error| at(path)(&error))?);
        reading.bar.step(1, "");
    }
    reading.bar.clear();
    let Stats { games, tree, plies, kept, .. } = total;
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let [black, drawn, white] = total.outcomes;
    say!("{games:>12} games, {:.1} plies each", (plies - tree) as f64 / games.max(1) as f64);
    say!(
        "{:>12} by White, {drawn} drawn, {black} by Black: White scores {:.1} %",
        white,
        100.0 * total.white_share()
    );
    say!("{:>12} adjudicated ({:.1} %)", total.adjudicated, share(total.adjudicated, games));
    if tree > 0 {
        say!("{tree:>12} nodes of search trees");
    }
    say!("{plies:>12} positions");
    for (count, what) in [
        (total.random, "without a score"),
        (total.in_check, "in check"),
        (total.noisy, "with a noisy move"),
        (total.repeated, "repeated"),
    ] {
        say!("{count:>12} {what} ({:.1} %)", share(count, plies));
    }
    say!("{kept:>12} suited to training ({:.1} %)", share(kept, plies));
    for (bucket, &count) in total.kept_by_bucket.iter().enumerate() {
        say!("{count:>12} of them for output head {bucket} ({:.1} %)", share(count, kept));
    }
    let embedded = Network::embedded().checksum() as u32;
    for (&net, games) in &total.nets {
        let name = if net == embedded { " (embedded in this build)" } else { "" };
        say!("{games:>12} games played by net …{net:08x}{name}");
    }
    if total.illegal > 0 {
        say!("{:>12} games with an illegal move, dropped from there on", total.illegal);
    }
    if total.cut > 0 {
        say!("{:>12} bytes of truncated records at the ends of files", total.cut);
    }
    Ok(())
}

/// Fits the win/draw/loss model to the results of games, and shows the quality of the fit.
pub fn wdl(args: &StatsArgs) -> Result<(), Failure> {
    let mut tally = Tally::default();
    let mut reading = Reading::begin("reading files", args.files.len())?;
    for path in &args.files {
        tally
            .read(path, &args.filter.filter(), &mut |games| reading.watch(games))
            .map_err(|error| at(path)(&error))?;
        reading.bar.step(1, "");
    }
    reading.bar.clear();
    let model = tally.fit(FITTED);
    say!("{} positions", tally.positions());
    say!("in use: {FITTED:?}, {:.4} nats a position", tally.surprise(&FITTED));
    say!("fitted: {model:?}, {:.4} nats a position", tally.surprise(&model));
    say!("     score   won drawn  lost    model says");
    for from in (-500..500).step_by(100) {
        let (seen, said) = tally.compare(&model, from, from + 100);
        let row =
            |shares: [f64; 3]| shares.map(|share| format!("{:>5.1}", 100.0 * share)).join(" ");
        say!("{:>10}  {}    {}", format!("{from}…{}", from + 100), row(seen), row(said));
    }
    Ok(())
}

/// Arguments of `merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Data files to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The data file to append to
    #[arg(short, long)]
    output: PathBuf,
    /// Skip damaged records instead of stopping at them
    #[arg(long)]
    salvage: bool,
}

/// Appends the games of several files to one.
pub fn merge(args: &MergeArgs) -> Result<(), Failure> {
    let mut reading = Reading::begin("merging files", 1)?;
    let watch = &mut |games| reading.watch(games);
    let merged = data::merge(&args.files, &args.output, args.salvage, watch)
        .map_err(|(path, error)| at(&path)(&error))?;
    reading.bar.clear();
    say!("{} games appended to {}", merged.games, args.output.display());
    say!("{} duplicate games dropped", merged.repeated);
    if merged.skipped > 0 {
        say!("{} bytes of damaged records skipped", merged.skipped);
    }
    Ok(())
}

/// Arguments of `shuffle`.
#[derive(Args, Debug)]
pub struct ShuffleArgs {
    /// Data files to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The data file to make
    #[arg(short, long)]
    output: PathBuf,
    /// Seed of the shuffle
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Writes games into a new file in random order.
pub fn shuffle(args: &ShuffleArgs) -> Result<(), Failure> {
    let mut reading = Reading::begin("mixing files", 1)?;
    let watch = &mut |games| reading.watch(games);
    let games = data::shuffle(&args.files, &args.output, args.seed, watch)
        .map_err(|(path, error)| at(&path)(&error))?;
    reading.bar.clear();
    say!("{games} games written to {}", args.output.display());
    Ok(())
}
