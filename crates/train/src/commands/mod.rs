//! The subcommands, one file for each group.

pub mod datagen;
pub mod files;
mod losses;
pub mod nets;
pub mod train;

use indicatif::{ProgressBar, ProgressStyle};
use megatherium_nnue::Network;
use megatherium_train::data::Filter;
use megatherium_train::dataset::Dataset;
use megatherium_train::sample::Sample;
use megatherium_train::trainer::Model;
use megatherium_train::verify::{difference, model_scores, network_scores};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a command failed: one line for the terminal.
pub type Failure = String;

/// Names the file in front of what went wrong with it.
pub fn at(path: &Path) -> impl Fn(&dyn Display) -> Failure + '_ {
    move |error| format!("{}: {error}", path.display())
}

/// A progress bar over `length` steps with the rate and the time left; it draws only on a terminal.
fn progress(length: u64, unit: &str) -> ProgressBar {
    let template =
        format!("{{msg}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{per_sec}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}

/// Reads the positions of data files, showing how many there are so far.
fn samples_of(files: &[PathBuf], filter: &Filter, permille: u64) -> Result<Dataset, Failure> {
    let spinner = ProgressBar::new_spinner();
    let dataset = Dataset::load(files, filter, permille, |dataset| {
        let positions = dataset.training.len() + dataset.validation.len();
        spinner.set_message(format!("{} games, {positions} positions read", dataset.games));
        spinner.tick();
    });
    spinner.finish_and_clear();
    dataset.map_err(|(path, error)| at(&path)(&error))
}

/// Reads a net file.
fn load_network(path: &Path) -> Result<Network, Failure> {
    let bytes = fs::read(path).map_err(|error| at(path)(&error))?;
    Network::from_bytes(&bytes).map_err(|error| at(path)(&error))
}

/// Most positions a quantised net is compared with the floating one on.
const EXAMINED: usize = 100_000;

/// Quantises a model, writes it, and checks the integers against floating point.
fn export(model: &Model, path: &Path, samples: &[Sample]) -> Result<(), Failure> {
    let weights = model.quantise().map_err(|error| at(path)(&error))?;
    let network = Network::new(&weights).map_err(|error| at(path)(&error))?;
    fs::write(path, network.to_bytes()).map_err(|error| at(path)(&error))?;
    println!("net {:016x} written to {}", network.checksum(), path.display());
    let samples = &samples[..samples.len().min(EXAMINED)];
    let integers = network_scores(&network, samples);
    // The trainer rounds the weights all the time; the exact ones are only where it keeps its place.
    for (name, model) in [("as trained", &model.rounded()), ("not rounded", model)] {
        let found = difference(&model_scores(model, samples), &integers);
        println!(
            "quantised against floating point {name}, {} positions: mean {:.2} cp, 99 % within {:.2}, largest {:.2}",
            found.positions, found.mean, found.percentile_99, found.max
        );
    }
    Ok(())
}
