//! The subcommands, one file for each group.

pub mod datagen;
pub mod export;
pub mod files;
pub mod import;
mod losses;
pub mod nets;
pub mod train;

use megatherium_cli::progress::Progress;
use megatherium_nnue::format::LARGEST_FILE;
use megatherium_nnue::{Architecture, Network};
use megatherium_train::data::Filter;
use megatherium_train::dataset::Dataset;
use megatherium_train::sample::Sample;
use megatherium_train::trainer::Model;
use megatherium_train::verify::{difference, model_scores, network_scores};
use rayon::ThreadPoolBuilder;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

/// Why a command failed: one line for the terminal.
pub type Failure = String;

/// Names the file in front of what went wrong with it.
pub fn at(path: &Path) -> impl Fn(&dyn Display) -> Failure + '_ {
    move |error| format!("{}: {error}", path.display())
}

/// Starts the threads of parallel work, as many as there are processors unless told otherwise.
///
/// Rayon would start them itself when they are first needed, and panic if one is refused. Here the
/// work is then done on this thread alone.
fn start_threads(count: Option<usize>) -> Result<(), Failure> {
    let wanted = count.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let pool = ThreadPoolBuilder::new();
    let pool = match can_start(wanted) {
        Ok(()) => pool.num_threads(wanted),
        Err(error) => {
            // Not `eprintln!`, which panics when standard error is closed.
            let _ = writeln!(io::stderr(), "one thread instead of {wanted}: {error}");
            pool.num_threads(1).use_current_thread()
        }
    };
    pool.build_global().map_err(|error| format!("cannot start {wanted} threads: {error}"))
}

/// Whether so many threads can run at a time. They are tried out: a pool that failed to start
/// cannot be started again with fewer.
fn can_start(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    let wait = || drop(gate.lock());
    thread::scope(|scope| {
        let _closed = gate.lock();
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, wait).map(drop);
        (0..count).try_for_each(spawn)
    })
}

/// Reads the positions of data files, showing how many there are so far.
fn samples_of(files: &[PathBuf], filter: &Filter, permille: u64) -> Result<Dataset, Failure> {
    let bar = Progress::new("reading games").map_err(|error| error.to_string())?;
    let dataset = Dataset::load(files, filter, permille, |dataset| {
        let positions = dataset.training.len() + dataset.validation.len();
        bar.step(0, &format!("{} games, {positions} positions", dataset.games));
        !bar.stopped()
    });
    bar.clear();
    if bar.stopped() {
        return Err("stopped while reading".to_owned());
    }
    dataset.map_err(|(path, error)| at(&path)(&error))
}

/// Parses a number from `least` to `most`.
fn ranged(least: f32, most: f32) -> impl Fn(&str) -> Result<f32, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a number from {least} to {most}"))
    }
}

/// Reads a file of at most `limit` bytes: some files have no end.
fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| at(path)(&error))?;
    if bytes.len() as u64 > limit {
        return Err(at(path)(&format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a net file.
fn load_network(path: &Path) -> Result<Network, Failure> {
    let bytes = read_bounded(path, LARGEST_FILE as u64)?;
    Network::from_bytes(&bytes).map_err(|error| at(path)(&error))
}

/// Most positions a quantised net is compared with the floating one on.
const EXAMINED: usize = 100_000;

/// Quantises a model, writes it, and checks the integers against floating point.
fn write_net(model: &Model, path: &Path, samples: &[Sample]) -> Result<(), Failure> {
    let weights = model.quantise().map_err(|error| at(path)(&error))?;
    fs::write(path, weights.to_bytes()).map_err(|error| at(path)(&error))?;
    say!("net {:016x} written to {}", weights.checksum(), path.display());
    let Ok(network) = Network::new(&weights) else {
        say!("this build cannot play with it: it needs {}", Architecture::OURS);
        return Ok(());
    };
    let samples = &samples[..samples.len().min(EXAMINED)];
    let integers = network_scores(&network, samples);
    // Training uses the rounded weights; the exact ones only accumulate small steps.
    for (name, model) in [("as trained", &model.rounded()), ("not rounded", &model.merged())] {
        let found = difference(&model_scores(model, samples), &integers);
        say!(
            "quantised against floating point {name}, {} positions: mean {:.2} cp, 99 % within {:.2}, largest {:.2}",
            found.positions,
            found.mean,
            found.percentile_99,
            found.max
        );
    }
    Ok(())
}

/// A number of things: `1 step`, `2 steps`.
fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
