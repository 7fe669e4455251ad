//! `train`: data files in, a net out.

use super::files::FilterArgs;
use super::losses::Losses;
use super::{Failure, at, export, progress, samples_of};
use clap::Args;
use megatherium_nnue::format::fnv1a;
use megatherium_nnue::{HIDDEN, Network};
use megatherium_train::dataset::Dataset;
use megatherium_train::trainer::{
    AdamW, CheckpointError, Event, Model, Settings, State, TILE, Target, run, steps_per_epoch,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// Data files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Directory for the net, the checkpoint and the loss curves
    #[arg(short, long)]
    output: PathBuf,
    /// Neurons per side, a multiple of 32; only the width of this build can be exported
    #[arg(long, default_value_t = HIDDEN, value_parser = parse_hidden)]
    hidden: usize,
    /// Passes over the data
    #[arg(long, default_value_t = 10)]
    epochs: u32,
    /// Positions per step
    #[arg(long, default_value_t = 16_384, value_parser = parse_batch)]
    batch: usize,
    /// The highest learning rate
    #[arg(long, default_value_t = 1e-3)]
    rate: f32,
    /// The learning rate at the end
    #[arg(long, default_value_t = 1e-5)]
    last_rate: f32,
    /// Steps until the highest learning rate is reached
    #[arg(long, default_value_t = 100)]
    warmup: u64,
    /// Weight decay
    #[arg(long, default_value_t = AdamW::default().weight_decay)]
    decay: f32,
    /// The share of the game's result in the target, 0 to 1; the rest is the search's score
    #[arg(long, default_value_t = 0.3, value_parser = parse_share)]
    mix: f32,
    /// The score in centipawns at which a side is taken to expect 73 % of the points
    #[arg(long, default_value_t = 400.0)]
    score_scale: f32,
    /// Games of a thousand that are held out for validation
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..1000))]
    validation: u64,
    /// Decides the first weights and the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Go on from the checkpoint in the output directory
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this net or checkpoint instead of random ones; a narrower one is widened
    #[arg(long, conflicts_with = "resume")]
    from: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
}

fn parse_hidden(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(hidden) if hidden > 0 && hidden % TILE == 0 => Ok(hidden),
        _ => Err(format!("expected a multiple of {TILE}")),
    }
}

fn parse_batch(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&batch| batch > 0).ok_or_else(|| "expected a positive number".to_owned())
}

fn parse_share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

impl TrainArgs {
    fn settings(&self) -> Settings {
        Settings {
            hidden: self.hidden,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            last_rate: self.last_rate,
            warmup: self.warmup,
            adam: AdamW { weight_decay: self.decay, ..AdamW::default() },
            target: Target { mix: self.mix, scale: self.score_scale },
            seed: self.seed,
        }
    }
}

/// Trains a net.
pub fn train(args: &TrainArgs) -> Result<(), Failure> {
    let settings = args.settings();
    fs::create_dir_all(&args.output).map_err(|error| at(&args.output)(&error))?;
    let dataset = samples_of(&args.files, &args.filter.filter(), args.validation)?;
    if dataset.training.is_empty() {
        return Err("the data has no position to learn from".to_owned());
    }
    let checkpoint = args.output.join("checkpoint.bin");
    let identity = identity(&settings, &dataset);
    let state = first_state(args, &settings, &checkpoint, identity)?;
    write_settings(args, &settings, &dataset)?;
    let mut losses = Losses::open(&args.output, state.epoch).map_err(|error| at(&args.output)(&error))?;

    let steps = steps_per_epoch(dataset.training.len(), settings.batch) as u64;
    println!(
        "{} neurons, {} positions to learn from, {} held out, {} epochs of {steps} steps",
        settings.hidden,
        dataset.training.len(),
        dataset.validation.len(),
        settings.epochs
    );
    let per_epoch = steps * settings.batch.min(dataset.training.len()) as u64;
    let bar = progress(per_epoch * u64::from(settings.epochs), "positions");
    bar.set_position(per_epoch * u64::from(state.epoch));
    bar.reset_eta();
    let state = run(&settings, &dataset, state, |event| {
        match event {
            Event::Step(positions) => bar.inc(positions),
            Event::Report(report) => {
                losses.add(&report).map_err(|error| at(&args.output)(&error))?;
                bar.set_message(format!("epoch {} loss {:.6}", report.epoch, report.training_loss));
                if let Some(validation) = report.validation_loss {
                    let training = losses.epoch_mean(report.epoch);
                    bar.suspend(|| {
                        println!(
                            "epoch {:>3}  training {training:.6}  held out {validation:.6}",
                            report.epoch
                        );
                    });
                }
            }
            Event::Epoch(state) => {
                state.save(&checkpoint, identity).map_err(|error| at(&checkpoint)(&error))?;
            }
        }
        Ok::<(), Failure>(())
    })?;
    bar.finish_and_clear();
    let seconds = losses.seconds();
    let learnt = losses.positions();
    println!("{learnt} positions in {seconds:.0} s, {:.0} a second", learnt as f64 / seconds.max(1e-9));
    if settings.hidden == HIDDEN {
        let examined = if dataset.validation.is_empty() { &dataset.training } else { &dataset.validation };
        export(&state.model, &args.output.join("net.nnue"), examined)
    } else {
        println!("the net is not exported: this build is for {HIDDEN} neurons");
        Ok(())
    }
}

/// The weights to begin with.
fn first_state(
    args: &TrainArgs,
    settings: &Settings,
    checkpoint: &Path,
    identity: u64,
) -> Result<State, Failure> {
    if args.resume {
        return State::load(checkpoint, Some(identity)).map_err(|error| at(checkpoint)(&error));
    }
    let Some(path) = &args.from else { return Ok(State::new(settings)) };
    let bytes = fs::read(path).map_err(|error| at(path)(&error))?;
    let model = match State::from_bytes(&bytes, None) {
        Ok(state) => state.model,
        Err(CheckpointError::NotACheckpoint) => {
            let network = Network::from_bytes(&bytes).map_err(|error| at(path)(&error))?;
            Model::from_weights(&network.weights())
        }
        Err(error) => return Err(at(path)(&error)),
    };
    if model.hidden() > settings.hidden {
        return Err(format!("{}: has {} neurons, more than --hidden", path.display(), model.hidden()));
    }
    Ok(State::from_model(model.widened(settings.hidden, settings.seed)))
}

/// A number that is the same for the same settings and data.
fn identity(settings: &Settings, dataset: &Dataset) -> u64 {
    let counts = (dataset.games, dataset.training.len(), dataset.validation.len());
    fnv1a(format!("{settings:?} {counts:?}").bytes())
}

/// Writes down what the run was, beside what comes out of it.
fn write_settings(args: &TrainArgs, settings: &Settings, dataset: &Dataset) -> Result<(), Failure> {
    let path = args.output.join("settings.txt");
    let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    let text = format!(
        "files: {}\ngames: {}\ntraining positions: {}\nheld-out positions: {}\n{:#?}\n{:#?}\n",
        files.join(" "),
        dataset.games,
        dataset.training.len(),
        dataset.validation.len(),
        settings,
        args.filter.filter(),
    );
    fs::write(&path, text).map_err(|error| at(&path)(&error))
}
