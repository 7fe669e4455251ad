//! `train`: data files in, a net out.

use super::files::FilterArgs;
use super::losses::Losses;
use super::{Failure, at, counted, ranged, read_bounded, samples_of, start_threads, write_net};
use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};
use megatherium_cli::progress::Progress;
use megatherium_nnue::format::fnv1a;
use megatherium_nnue::layout::KING_BUCKETS;
use megatherium_nnue::{Architecture, HIDDEN, Weights};
use megatherium_train::dataset::Dataset;
use megatherium_train::trainer::{
    AdamW, CheckpointError, Event, LARGEST_CHECKPOINT, Model, Settings, State, TILE, Target, run,
    steps_per_epoch,
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
    /// Neurons per side, a multiple of 32
    #[arg(long, default_value_t = HIDDEN as u16, value_parser = parse_hidden)]
    hidden: u16,
    /// King buckets, sets of input weights chosen by the own king's square: 1 or 5
    #[arg(long, default_value_t = KING_BUCKETS, value_parser = parse_king_buckets)]
    king_buckets: usize,
    /// Epochs: passes over the data
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=100_000))]
    epochs: u32,
    /// Positions per step (batch size)
    #[arg(long, default_value_t = 16_384, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 24))]
    batch: usize,
    /// Peak learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = ranged(1e-9, 1.0))]
    rate: f32,
    /// Final learning rate
    #[arg(long, default_value_t = 1e-5, value_parser = ranged(0.0, 1.0))]
    last_rate: f32,
    /// Warm-up steps until the peak learning rate
    #[arg(long, default_value_t = 100)]
    warmup: u64,
    /// Weight decay
    #[arg(long, default_value_t = AdamW::default().weight_decay, value_parser = ranged(0.0, 1.0))]
    decay: f32,
    /// Share of the game's result in the target, 0 to 1; the rest is the search score
    #[arg(long, default_value_t = 0.1, value_parser = ranged(0.0, 1.0))]
    mix: f32,
    /// Share of the scores of the next moves, 0 to 1, in what the search score is worth
    #[arg(long, default_value_t = 0.0, value_parser = ranged(0.0, 1.0))]
    outlook: f32,
    /// Scale of the sigmoid: the score in centipawns that stands for 73 % of the points
    #[arg(long, default_value_t = 400.0, value_parser = ranged(1.0, 10_000.0))]
    score_scale: f32,
    /// Exponent of the error in the loss; more than 2 stresses large errors
    #[arg(long, default_value_t = 2.0, value_parser = ranged(1.0, 4.0))]
    loss_exponent: f32,
    /// Games per thousand held out for validation
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u64).range(0..1000))]
    validation: u64,
    /// Seed of the initial weights and of the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: one per core]; the net does not depend on it
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Continue from the checkpoint in the output directory
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this net or checkpoint instead of random ones; a smaller one is
    /// enlarged
    #[arg(long, conflicts_with = "resume")]
    from: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
}

fn parse_hidden(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(hidden) if Architecture::one_bucket(hidden).is_sound() => Ok(hidden),
        _ => Err(format!("expected a multiple of {TILE} up to 2048")),
    }
}

fn parse_king_buckets(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(buckets @ (1 | 5)) => Ok(buckets),
        _ => Err("expected 1 or 5".to_owned()),
    }
}

impl TrainArgs {
    fn settings(&self) -> Settings {
        Settings {
            hidden: self.hidden,
            king_buckets: self.king_buckets > 1,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            last_rate: self.last_rate,
            warmup: self.warmup,
            adam: AdamW { weight_decay: self.decay, ..AdamW::default() },
            target: Target {
                mix: self.mix,
                outlook: self.outlook,
                scale: self.score_scale,
                exponent: self.loss_exponent,
            },
            seed: self.seed,
        }
    }
}

/// Trains a net.
pub fn train(args: &TrainArgs) -> Result<(), Failure> {
    let settings = args.settings();
    start_threads(args.threads)?;
    fs::create_dir_all(&args.output).map_err(|error| at(&args.output)(&error))?;
    let dataset = samples_of(&args.files, &args.filter.filter(), args.validation)?;
    if dataset.training.is_empty() {
        return Err("the data has no position to learn from".to_owned());
    }
    check_memory(settings.memory(dataset.training.len()))?;
    let checkpoint = args.output.join("checkpoint.bin");
    let identity = identity(&settings, &dataset);
    let state = first_state(args, &settings, &checkpoint, identity)?;
    write_settings(args, &settings, &dataset)?;
    let mut losses =
        Losses::open(&args.output, state.epoch).map_err(|error| at(&args.output)(&error))?;

    let steps = steps_per_epoch(dataset.training.len(), settings.batch) as u64;
    let epochs = counted(u64::from(settings.epochs), "epoch");
    say!(
        "{}: {} positions to learn from, {} held out, {epochs} of {}",
        settings.architecture(),
        dataset.training.len(),
        dataset.validation.len(),
        counted(steps, "step")
    );
    let per_epoch = steps * settings.batch.min(dataset.training.len()) as u64;
    let bar = Progress::new("positions").map_err(|error| error.to_string())?;
    bar.begin("positions", per_epoch * u64::from(settings.epochs));
    bar.resume(per_epoch * u64::from(state.epoch));
    let mut saved = state.epoch;
    let state = run(&settings, &dataset, state, |event| {
        match event {
            Event::Step(positions) => {
                bar.step(positions, "");
                if bar.stopped() {
                    let kept = if saved == 0 {
                        "the first epoch was not finished".to_owned()
                    } else {
                        format!("epoch {saved} is in the checkpoint, --resume continues after it")
                    };
                    return Err(format!("stopped: {kept}"));
                }
            }
            Event::Report(report) => {
                losses.add(&report).map_err(|error| at(&args.output)(&error))?;
                bar.step(0, &format!("epoch {} loss {:.6}", report.epoch, report.training_loss));
                if let Some(validation) = report.validation_loss {
                    let training = losses.epoch_mean(report.epoch);
                    bar.line(format_args!(
                        "epoch {:>3}  training {training:.6}  held out {validation:.6}",
                        report.epoch
                    ));
                }
            }
            Event::Epoch(state) => {
                state.save(&checkpoint, identity).map_err(|error| at(&checkpoint)(&error))?;
                saved = state.epoch;
            }
        }
        Ok::<(), Failure>(())
    });
    bar.clear();
    let state = state?;
    let seconds = losses.seconds();
    let learnt = losses.positions();
    say!("{learnt} positions in {seconds:.0} s, {:.0} a second", learnt as f64 / seconds.max(1e-9));
    let examined =
        if dataset.validation.is_empty() { &dataset.training } else { &dataset.validation };
    write_net(&state.model, &args.output.join("net.nnue"), examined)
}

/// An allocation that fails later ends the program without a word about training, so all of it is
/// tried first.
fn check_memory(bytes: usize) -> Result<(), Failure> {
    /// For smaller allocations, and the gaps between them.
    const REST: usize = 8 << 20;
    let tried = Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(REST));
    tried.map_err(|_| {
        let mebibytes = (bytes >> 20) + 1;
        format!("not enough memory: training needs about {mebibytes} MiB beside the data")
    })
}

/// The initial weights.
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
    let bytes = read_bounded(path, LARGEST_CHECKPOINT)?;
    let model = match State::from_bytes(&bytes, None) {
        Ok(state) => state.model,
        Err(CheckpointError::NotACheckpoint) => {
            Model::from_weights(&Weights::from_bytes(&bytes).map_err(|error| at(path)(&error))?)
        }
        Err(error) => return Err(at(path)(&error)),
    };
    let (found, wanted) = (model.architecture, settings.architecture());
    let refusal = || at(path)(&format!("{found} cannot become {wanted}"));
    model.grown(wanted, settings.seed).map(State::from_model).ok_or_else(refusal)
}

/// A checksum of the settings and the data.
fn identity(settings: &Settings, dataset: &Dataset) -> u64 {
    let counts = (dataset.games, dataset.training.len(), dataset.validation.len());
    fnv1a(format!("{settings:?} {counts:?}").bytes())
}

/// Records the settings of the run in its output directory.
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
