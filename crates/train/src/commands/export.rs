//! `export`: from a training run to the net that the next build embeds.

use super::{Failure, at, read_bounded};
use clap::Args;
use megatherium_nnue::{Network, Weights};
use megatherium_search::{Engine, bench};
use megatherium_train::data::refuse_input;
use megatherium_train::trainer::{CheckpointError, LARGEST_CHECKPOINT, State};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where the embedded net lies in the source tree.
const PLACE: &str = "crates/nnue/net/megatherium.nnue";

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// A net file, or the checkpoint of a run
    source: PathBuf,
    /// The file to replace; by default the embedded net of the source tree around the working
    /// directory
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Replaces the embedded net, and prints the node count of `bench` that the next build has.
pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    let source = &args.source;
    let place = match &args.output {
        Some(path) => path.clone(),
        None => find_place()?,
    };
    for path in [&place, &fresh(&place)] {
        refuse_input([source], path).map_err(|error| at(path)(&error))?;
    }
    let bytes = read_bounded(source, LARGEST_CHECKPOINT)?;
    let weights = match State::from_bytes(&bytes, None) {
        Ok(state) => state.model.quantise().map_err(|error| at(source)(&error))?,
        Err(CheckpointError::NotACheckpoint) => {
            Weights::from_bytes(&bytes).map_err(|error| at(source)(&error))?
        }
        Err(error) => return Err(at(source)(&error)),
    };
    let network = Network::new(&weights).map_err(|error| at(source)(&error))?;
    replace(&place, &weights.to_bytes())?;
    say!("net {:016x}, {}", network.checksum(), network.architecture());
    say!("written to {}", place.display());
    let mut engine = Engine::new(1, bench::DEFAULT_HASH).map_err(|error| error.to_string())?;
    engine.set_network(Arc::new(network));
    let never = AtomicBool::new(false);
    let found = bench::run_on(&mut engine, bench::DEFAULT_DEPTH, &never, &mut |_| {});
    say!("Bench: {}", found.nodes);
    Ok(())
}

/// The embedded net of the source tree that contains the working directory.
fn find_place() -> Result<PathBuf, Failure> {
    let directory = env::current_dir().map_err(|error| error.to_string())?;
    let places = directory.ancestors().map(|directory| directory.join(PLACE));
    let place = places.into_iter().find(|place| place.is_file());
    place.ok_or_else(|| format!("no {PLACE} in the working directory or above it: use --output"))
}

/// Where a file is written before it takes its place.
fn fresh(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Replaces a file by a complete new one.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fresh = fresh(path);
    fs::write(&fresh, bytes).map_err(|error| at(&fresh)(&error))?;
    fs::rename(&fresh, path).map_err(|error| at(path)(&error))
}
