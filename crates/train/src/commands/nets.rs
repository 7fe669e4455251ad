//! `quantise`, `average`, `inspect` and `compare`: make and examine net files.

use super::files::FilterArgs;
use super::{Failure, at, load_network, ranged, samples_of, start_threads, write_net};
use clap::Args;
use megatherium_board::PieceType;
use megatherium_cli::chart::svg::{Frame, picture};
use megatherium_cli::chart::{Chart, Curves, Estimate, Heat, Series};
use megatherium_nnue::layout::{INPUTS_PER_BUCKET, KING_BUCKET_MAP, OUTPUT_BUCKETS, QA, QB};
use megatherium_nnue::{Network, Weights};
use megatherium_train::data::refuse_input;
use megatherium_train::sample::{PIECES, Sample};
use megatherium_train::trainer::{State, Target};
use megatherium_train::verify::{difference, loss, network_scores};
use std::fs;
use std::iter;
use std::path::PathBuf;

/// Arguments of `quantise`.
#[derive(Args, Debug)]
pub struct QuantiseArgs {
    /// The checkpoint of a run
    checkpoint: PathBuf,
    /// The net file to make
    #[arg(short, long)]
    output: PathBuf,
    /// Data files on which to compare the quantised net with the floating-point one
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Makes a net file from a checkpoint.
pub fn quantise(args: &QuantiseArgs) -> Result<(), Failure> {
    let inputs = iter::once(&args.checkpoint).chain(&args.data);
    refuse_input(inputs, &args.output).map_err(|error| at(&args.output)(&error))?;
    start_threads(None)?;
    let state =
        State::load(&args.checkpoint, None).map_err(|error| at(&args.checkpoint)(&error))?;
    let dataset = samples_of(&args.data, &args.filter.filter(), 0)?;
    write_net(&state.model, &args.output, &dataset.training)
}

/// Arguments of `average`.
#[derive(Args, Debug)]
pub struct AverageArgs {
    /// Net files of one shape: a net, and nets trained from it
    #[arg(required = true, num_args = 2..)]
    nets: Vec<PathBuf>,
    /// The net file to make
    #[arg(short, long)]
    output: PathBuf,
}

/// Averages the weights of nets. Nets that started from the same weights have the same neurons, so
/// their mean is a net too, and what each has learnt by accident cancels out.
pub fn average(args: &AverageArgs) -> Result<(), Failure> {
    refuse_input(&args.nets, &args.output).map_err(|error| at(&args.output)(&error))?;
    let networks: Result<Vec<_>, Failure> =
        args.nets.iter().map(|path| Ok(load_network(path)?.weights())).collect();
    let networks = networks?;
    let mut mean = networks[0].clone();
    if let Some(other) = networks.iter().find(|net| net.architecture != mean.architecture) {
        return Err(format!("{} and {} differ in shape", mean.architecture, other.architecture));
    }
    for at in 0..mean.input.len() {
        mean.input[at] = mean_of(networks.iter().map(|net| net.input[at])) as i16;
    }
    for at in 0..mean.input_bias.len() {
        mean.input_bias[at] = mean_of(networks.iter().map(|net| net.input_bias[at])) as i16;
    }
    for at in 0..mean.output.len() {
        mean.output[at] = mean_of(networks.iter().map(|net| net.output[at])) as i16;
    }
    for at in 0..mean.output_bias.len() {
        mean.output_bias[at] = mean_of(networks.iter().map(|net| net.output_bias[at])) as i32;
    }
    fs::write(&args.output, mean.to_bytes()).map_err(|error| at(&args.output)(&error))?;
    say!("net {:016x} written to {}", mean.checksum(), args.output.display());
    Ok(())
}

/// The mean, rounded to an integer, ties to even: always rounding up would add a bias.
fn mean_of<T: Into<f64>>(numbers: impl ExactSizeIterator<Item = T>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.map(Into::into).sum::<f64>() / count).round_ties_even()
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// A net file
    first: PathBuf,
    /// Another net file
    second: PathBuf,
    /// Data files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Share of the game's result in the target of the losses
    #[arg(long, default_value_t = 0.3, value_parser = ranged(0.0, 1.0))]
    mix: f32,
    /// Scale of the sigmoid: the score in centipawns that stands for 73 % of the points
    #[arg(long, default_value_t = 400.0, value_parser = ranged(1.0, 10_000.0))]
    score_scale: f32,
    /// Exponent of the error in the loss
    #[arg(long, default_value_t = 2.0, value_parser = ranged(1.0, 4.0))]
    loss_exponent: f32,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Compares two nets on the positions of data files.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    start_threads(None)?;
    let networks = [Box::new(load_network(&args.first)?), Box::new(load_network(&args.second)?)];
    let samples = samples_of(&args.files, &args.filter.filter(), 0)?.training;
    if samples.is_empty() {
        return Err("the data has no position to compare on".to_owned());
    }
    let target = Target {
        mix: args.mix,
        outlook: 0.0,
        scale: args.score_scale,
        exponent: args.loss_exponent,
    };
    let scores = networks.each_ref().map(|network| network_scores(network, &samples));
    for ((network, path), scores) in networks.iter().zip([&args.first, &args.second]).zip(&scores) {
        let sizes: f64 = scores.iter().map(|score| score.abs()).sum();
        say!(
            "{:016x}  loss {:.6}  mean magnitude {:.1} cp  {}",
            network.checksum(),
            loss(scores, &samples, target),
            sizes / samples.len() as f64,
            path.display()
        );
    }
    let found = difference(&scores[0], &scores[1]);
    say!("{} positions", found.positions);
    say!(
        "difference: mean {:.1} cp, median {:.1}, 99 % within {:.1}, largest {:.0} ({:.0} against {:.0})",
        found.mean,
        found.median,
        found.percentile_99,
        found.max,
        scores[0][found.max_at],
        scores[1][found.max_at]
    );
    say!(
        "correlation {:.4}, same side better in {:.1} %",
        found.correlation,
        100.0 * found.same_side
    );
    for bucket in 0..OUTPUT_BUCKETS {
        let chosen: Vec<usize> =
            (0..samples.len()).filter(|&at| samples[at].bucket() == bucket).collect();
        if chosen.is_empty() {
            continue;
        }
        let pick = |scores: &[f64]| chosen.iter().map(|&at| scores[at]).collect::<Vec<f64>>();
        let positions: Vec<Sample> = chosen.iter().map(|&at| samples[at]).collect();
        let picked = scores.each_ref().map(|scores| pick(scores));
        let [first, second] = picked.each_ref().map(|scores| loss(scores, &positions, target));
        let mean = difference(&picked[0], &picked[1]).mean;
        say!(
            "head {bucket}: {:>9} positions, losses {first:.6} and {second:.6}, mean difference {mean:.1} cp",
            chosen.len()
        );
    }
    Ok(())
}

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// A net file
    net: PathBuf,
    /// Data files on which to measure the activity of the neurons
    #[arg(long, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Directory for the drawings
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Bins of a weight histogram.
const BINS: usize = 128;

/// Neurons in a row of their drawing.
const COLUMNS: usize = 16;

/// Prints statistics of the weights and draws charts of them.
pub fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    for drawing in ["input.svg", "output.svg", "neurons.svg"] {
        let path = args.output.join(drawing);
        let inputs = iter::once(&args.net).chain(&args.data);
        refuse_input(inputs, &path).map_err(|error| at(&path)(&error))?;
    }
    start_threads(None)?;
    let network = load_network(&args.net)?;
    let weights = network.weights();
    fs::create_dir_all(&args.output).map_err(|error| at(&args.output)(&error))?;
    let write = |name: &str, text: String| {
        let path = args.output.join(name);
        fs::write(&path, text)
            .map_err(|error| at(&path)(&error))
            .map(|()| say!("  {}", path.display()))
    };
    say!("net {:016x}: {}", network.checksum(), network.architecture());
    print_layer("input weights", &weights.input, QA);
    print_layer("input biases", &weights.input_bias, QA);
    print_layer("output weights", &weights.output, QB);
    print_pieces(&weights);
    say!("drawings:");
    for (name, title, values, scale) in [
        ("input.svg", "Input weights", &weights.input, QA),
        ("output.svg", "Output weights", &weights.output, QB),
    ] {
        write(name, picture(&histogram(title, values, scale), Frame::PICTURE))?;
    }
    if args.data.is_empty() {
        say!("with --data the activity of the neurons is measured too");
        return Ok(());
    }
    let samples = samples_of(&args.data, &args.filter.filter(), 0)?.training;
    let activity = activity(&network, &samples);
    let dead = activity.iter().filter(|&&(active, _)| active == 0.0).count();
    let full = activity.iter().filter(|&&(_, full)| full > 0.5).count();
    say!(
        "{dead} of {} neurons are never active, {full} are saturated more often than not",
        activity.len()
    );
    let shares: Vec<f64> = activity.iter().map(|&(active, _)| 100.0 * active).collect();
    let heat = Heat {
        title: format!("Neurons: how often each is active in {} positions", samples.len()),
        x_label: "neuron".to_owned(),
        y_label: "from neuron".to_owned(),
        columns: (0..COLUMNS).map(|column| format!("+{column}")).collect(),
        rows: (0..shares.len()).step_by(COLUMNS).map(|first| first.to_string()).collect(),
        values: shares.chunks(COLUMNS).map(<[f64]>::to_vec).collect(),
    };
    write("neurons.svg", picture(&Chart::Heat(heat), Frame::PICTURE))
}

/// Statistics of the weights of a layer.
fn print_layer(name: &str, values: &[i16], scale: i32) {
    let count = values.len() as f64;
    let mean: f64 = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let square: f64 = values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>() / count;
    let zeros = values.iter().filter(|&&value| value == 0).count();
    let largest = values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
    let scale = f64::from(scale);
    say!(
        "{name:>15}: {:>7}, mean {:+.4}, deviation {:.4}, largest {:.3}, {:.1} % zero",
        values.len(),
        mean / scale,
        (square - mean * mean).max(0.0).sqrt() / scale,
        f64::from(largest) / scale,
        100.0 * zeros as f64 / count,
    );
}

/// Mean magnitude of the input weights by piece.
fn print_pieces(weights: &Weights) {
    say!("mean magnitude of the input weights by piece:");
    for (side, name) in ["own", "opponent's"].into_iter().enumerate() {
        let sizes = PieceType::ALL.map(|kind| {
            let first = (side * 6 + kind.index()) * 64;
            let rows = weights.input.chunks_exact(weights.input_bias.len()).enumerate();
            let rows =
                rows.filter(|(row, _)| (first..first + 64).contains(&(row % INPUTS_PER_BUCKET)));
            let (count, sum) =
                rows.flat_map(|(_, row)| row).fold((0_u64, 0_u64), |(count, sum), &weight| {
                    (count + 1, sum + u64::from(weight.unsigned_abs()))
                });
            format!("{kind:?} {:.4}", sum as f64 / count.max(1) as f64 / f64::from(QA))
        });
        say!("{name:>15}: {}", sizes.join(", "));
    }
}

/// How many weights fall into each of [`BINS`] equal bins, as a curve on a logarithmic scale.
fn histogram(title: &str, values: &[i16], scale: i32) -> Chart {
    let largest = values.iter().map(|value| i32::from(value.unsigned_abs())).max().unwrap_or(0);
    let largest = largest.max(1);
    let mut counts = [0_u32; BINS];
    for &value in values {
        let bin = (i32::from(value) + largest) as usize * BINS / (2 * largest as usize + 1);
        counts[bin] += 1;
    }
    let middle = |bin: usize| (2 * bin + 1) as f64 / BINS as f64 - 1.0;
    let weight = |bin: usize| middle(bin) * f64::from(largest) / f64::from(scale);
    let filled = counts.into_iter().enumerate().filter(|&(_, count)| count > 0);
    let points = filled.map(|(bin, count)| (weight(bin), Estimate::exact(f64::from(count))));
    Chart::Curves(Curves {
        title: title.to_owned(),
        x_label: "weight".to_owned(),
        y_label: "weights in a bin".to_owned(),
        log_y: true,
        series: vec![Series { name: title.to_owned(), points: points.collect(), ideal: false }],
        ..Curves::default()
    })
}

/// For each neuron the share of views in which it is active (above zero), and saturated.
fn activity(network: &Network, samples: &[Sample]) -> Vec<(f64, f64)> {
    let mut counts = vec![(0_u64, 0_u64); network.architecture().hidden as usize];
    for sample in samples {
        let mut inputs = [[0; PIECES]; 2];
        let count = sample.inputs(&mut inputs, &KING_BUCKET_MAP);
        for inputs in &inputs {
            for (count, value) in counts.iter_mut().zip(network.neurons(&inputs[..count])) {
                count.0 += u64::from(value > 0);
                count.1 += u64::from(i32::from(value) >= QA);
            }
        }
    }
    let views = (2 * samples.len()).max(1) as f64;
    counts.into_iter().map(|(active, full)| (active as f64 / views, full as f64 / views)).collect()
}
