//! `megatherium scale`: how the engine scales with threads, on real and on simulated cores.

mod cluster;
mod measure;

use std::path::PathBuf;

use crate::error::LabError;
use crate::experiments::Question;
use crate::hash::Hash;
use crate::journal::Journal;
use crate::report::Report;
use crate::stats::distinct;
use crate::{machine, positions};
use clap::Args;
use megatherium_board::position_file;
use megatherium_cli::{build, stdio};
use megatherium_nnue::Network;
use megatherium_search::{EngineError, Teamwork, VirtualSmp, bench};

use megatherium_cli::JobResult;
use megatherium_cli::progress::Progress;
use megatherium_cli::{MAX_HASH, MAX_THREADS};

/// Largest number of threads that take turns.
const MAX_VIRTUAL_THREADS: u64 = 256;

#[derive(Args, Debug)]
pub struct ScaleArgs {
    /// Only virtual threads: they take turns, so the numbers are the same on every machine
    #[arg(long, group = "mode")]
    r#virtual: bool,
    /// Strength: N threads with B nodes each against one thread with k·B nodes
    #[arg(long, group = "mode")]
    elo: bool,
    /// Virtual cluster: ranks that exchange table entries with a delay
    #[arg(long, group = "mode")]
    cluster: bool,
    #[command(flatten)]
    cluster_args: cluster::ClusterArgs,
    /// One experiment, which changes one thing; an unknown name lists them
    #[arg(long, group = "mode", value_name = "QUESTION", value_parser = question)]
    experiment: Option<&'static Question>,
    /// Measure another UCI engine side by side with this one; may be repeated
    #[arg(long, group = "mode", value_name = "BINARY")]
    engine: Vec<PathBuf>,
    /// A smaller measurement: under two minutes on two cores
    #[arg(long)]
    quick: bool,
    /// Numbers of threads to compare with one; a single number for --elo
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Vec<u64>,
    /// Number of positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    positions: Option<u64>,
    /// A file of positions (FEN or EPD) to use instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Approximate nodes of one thread per position; with --elo, nodes of each thread per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1_000_000_000_000))]
    nodes: Option<u64>,
    /// Table size in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: Option<u64>,
    /// The table size is per thread, not in total
    #[arg(long)]
    hash_per_thread: bool,
    /// Real threads: searches of each position with each number of threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: Option<u64>,
    /// Real threads: blocks that compare threads with processes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=10_000))]
    blocks: Option<u64>,
    /// Virtual threads: seed of the turns
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Virtual threads: mean length of a turn in nodes
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    quantum: Option<u32>,
    /// Virtual threads: lengths of turns to compare
    #[arg(long, value_name = "NODES,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    quanta: Vec<u32>,
    /// Strength: nodes of the single thread, in multiples of those of each other thread
    #[arg(long, value_name = "K,K,…", value_delimiter = ',', value_parser = factor)]
    factors: Vec<f64>,
    /// Strength: pairs of games for each factor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: Option<u64>,
    /// Strength: a file of openings (FEN or EPD) to use instead of random ones
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Strength: threads run in parallel instead of taking turns
    #[arg(long)]
    real: bool,
    /// Strength: threads of the other side, which uses the default rules of teamwork
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_VIRTUAL_THREADS))]
    against_threads: Option<u64>,
    /// Virtual threads or ranks, strength: rules of teamwork; an unknown name lists them
    #[arg(long, value_name = "RULE=N,…")]
    team: Option<Teamwork>,
    /// Experiment `sizes`: table sizes in MiB
    #[arg(long, value_name = "MIB,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    sizes: Vec<u64>,
    /// Append every finished result to FILE, and skip those already in it
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Folder for the page, the JSON and the CSV files
    #[arg(long, value_name = "FOLDER", default_value = "scale-report")]
    out: PathBuf,
}

fn question(text: &str) -> Result<&'static Question, String> {
    let names = || Question::ALL.iter().map(|question| question.name).collect::<Vec<_>>();
    Question::find(text).ok_or_else(|| format!("one of {}", names().join(", ")))
}

fn factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.01..=10_000.0).contains(&factor) {
        Ok(factor)
    } else {
        Err("not between 0.01 and 10000".to_owned())
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Everything,
    Virtual,
    Elo,
    Engines,
    Cluster,
    Experiment(&'static Question),
}

impl Mode {
    fn title(self) -> &'static str {
        match self {
            Mode::Everything => "How Megatherium scales with threads",
            Mode::Virtual => "Virtual threads",
            Mode::Elo => "What threads are worth in games",
            Mode::Engines => "Engines side by side",
            Mode::Cluster => "What machines are worth",
            Mode::Experiment(_) => "An experiment",
        }
    }
}

impl ScaleArgs {
    fn mode(&self) -> Mode {
        match self.experiment {
            Some(question) => Mode::Experiment(question),
            None if self.r#virtual => Mode::Virtual,
            None if self.elo => Mode::Elo,
            None if !self.engine.is_empty() => Mode::Engines,
            None if self.cluster => Mode::Cluster,
            None => Mode::Everything,
        }
    }

    /// No option is taken and then ignored: what does not belong to the mode is refused.
    fn check(&self, mode: Mode) -> Result<(), String> {
        let experiment = matches!(mode, Mode::Experiment(_));
        let timed = matches!(mode, Mode::Experiment(question) if question.is_timed);
        let everything = matches!(mode, Mode::Everything);
        let sizes = matches!(mode, Mode::Experiment(question) if question.varies_size);
        let elo = matches!(mode, Mode::Elo);
        let engines = matches!(mode, Mode::Engines);
        let curves = everything || matches!(mode, Mode::Virtual);
        let cluster = matches!(mode, Mode::Cluster);
        let own = self.cluster_args.given();
        let under_turns = !timed && !self.real && !engines;
        let real = everything || engines;
        let allowed = [
            ("--repeats", self.repeats.is_some(), real, "a measurement of real threads"),
            ("--blocks", self.blocks.is_some(), real, "a measurement of real threads"),
            (
                "--resume",
                self.resume.is_some(),
                elo || engines || cluster || matches!(mode, Mode::Virtual),
                "--virtual, --elo, --cluster and --engine",
            ),
            (
                "--seed",
                self.seed.is_some(),
                under_turns || elo,
                "virtual threads and random openings",
            ),
            ("--quantum", self.quantum.is_some(), under_turns, "virtual threads"),
            ("--quanta", !self.quanta.is_empty(), curves, "a measurement of virtual threads"),
            (
                "--hash-per-thread",
                self.hash_per_thread,
                curves || engines,
                "measurements without --elo and --experiment",
            ),
            ("--factors", !self.factors.is_empty(), elo, "--elo"),
            ("--pairs", self.pairs.is_some(), elo || cluster, "--elo and --cluster"),
            ("--threads", !self.threads.is_empty(), !cluster, "threads; --cluster has --ranks"),
            (own.unwrap_or_default(), own.is_some(), cluster, "--cluster"),
            ("--book", self.book.is_some(), elo, "--elo"),
            ("--real", self.real, elo, "--elo"),
            ("--against-threads", self.against_threads.is_some(), elo, "--elo"),
            (
                "--team",
                self.team.is_some(),
                elo || cluster || matches!(mode, Mode::Virtual),
                "--virtual, --elo and --cluster",
            ),
            (
                "--positions",
                self.positions.is_some(),
                !elo,
                "measurements without --elo, which has --pairs",
            ),
            ("--suite", self.suite.is_some(), !elo, "measurements without --elo, which has --book"),
            ("--sizes", !self.sizes.is_empty(), sizes, "--experiment sizes"),
            (
                "--hash",
                self.hash.is_some(),
                !sizes,
                "measurements other than --experiment sizes, which has --sizes",
            ),
        ];
        if let Some((name, .., whom)) =
            allowed.into_iter().find(|&(_, given, allowed, _)| given && !allowed)
        {
            return Err(format!("{name} is for {whom}"));
        }
        if elo && self.threads.len() > 1 {
            return Err("--elo takes one number of threads".to_owned());
        }
        let virtual_threads =
            matches!(mode, Mode::Virtual) || elo && !self.real || experiment && !timed;
        match self.threads.iter().find(|&&threads| virtual_threads && threads > MAX_VIRTUAL_THREADS)
        {
            Some(threads) => {
                Err(format!("{threads} virtual threads are more than {MAX_VIRTUAL_THREADS}"))
            }
            None => Ok(()),
        }
    }

    /// The distinct numbers of threads, sorted.
    fn threads(&self, default: &[usize]) -> Vec<usize> {
        if self.threads.is_empty() {
            return distinct(default.iter().copied());
        }
        distinct(self.threads.iter().map(|&threads| threads as usize))
    }

    fn boards(&self, default: usize) -> Result<Vec<megatherium_board::Board>, String> {
        let count = self.positions.map(|count| count as usize);
        match &self.suite {
            None => Ok(positions::suite(count.unwrap_or(default))),
            Some(path) => {
                let file = position_file::read(path).map_err(|error| error.to_string())?;
                let boards: Vec<_> = file.iter().map(|epd| epd.board).collect();
                Ok(positions::spread(&boards, count.unwrap_or(boards.len())))
            }
        }
    }

    fn hash(&self, default: usize) -> Hash {
        let mebibytes = self.hash.map_or(default, |hash| hash as usize);
        if self.hash_per_thread { Hash::PerThread(mebibytes) } else { Hash::Total(mebibytes) }
    }

    /// The journal to resume; `settings` describes what its results depend on besides the engine.
    /// The engine is known by the facts of its report: version, net and bench signature.
    fn journal(&self, report: &Report, settings: &str) -> Result<Journal, LabError> {
        let fact = |name: &str| {
            let fact = report.facts.iter().find(|(known, _)| known == name);
            fact.map_or("unknown", |(_, value)| value.as_str())
        };
        // Interrupted before the signature was known, a run measures nothing. A journal with its
        // name would be refused by the next one.
        let known = |_: &&PathBuf| fact(SIGNATURE) != "unknown";
        let Some(path) = self.resume.as_ref().filter(known) else {
            return Ok(Journal::default());
        };
        let engine = ["engine", "net", SIGNATURE].map(|name| format!("{name} {}", fact(name)));
        Journal::open(path, &format!("{}, {settings}", engine.join(", ")))
    }

    fn turns(&self) -> VirtualSmp {
        let default = VirtualSmp::default();
        VirtualSmp {
            seed: self.seed.unwrap_or(default.seed),
            quantum: self.quantum.unwrap_or(default.quantum),
        }
    }
}

const SIGNATURE: &str = "bench signature";

/// The bench's node count: it tells versions of the search apart. None if it was interrupted.
fn signature(bar: &Progress) -> Result<Option<(String, String)>, EngineError> {
    bar.begin(SIGNATURE, bench::POSITIONS.len() as u64);
    let (depth, hash) = (bench::DEFAULT_DEPTH, bench::DEFAULT_HASH);
    let bench = bench::run(depth, 1, hash, bar.stop(), &mut |_| bar.step(1, ""))?;
    Ok(bench.complete.then(|| (SIGNATURE.to_owned(), format!("{} nodes", bench.nodes))))
}

/// Measures, prints the tables, writes the files.
pub(super) fn run(args: &ScaleArgs) -> JobResult {
    let mode = args.mode();
    args.check(mode)?;
    // Before anything is measured: a folder that cannot be written to would be noticed too late.
    std::fs::create_dir_all(&args.out)
        .map_err(|error| format!("{}: {error}", args.out.display()))?;
    let bar = Progress::new("starting")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut report = Report {
        title: mode.title().to_owned(),
        command: format!("megatherium {}", words.join(" ")),
        facts: machine::facts(),
        ..Report::default()
    };
    report.facts.push(("engine".to_owned(), build::NAME.to_owned()));
    report.facts.push(("net".to_owned(), format!("{:016x}", Network::embedded().checksum())));
    report.facts.extend(signature(&bar)?);
    let result = match mode {
        Mode::Everything => measure::everything(args, &mut report, &bar),
        Mode::Virtual => measure::virtual_threads(args, &mut report, &bar),
        Mode::Elo => measure::elo(args, &mut report, &bar),
        Mode::Engines => measure::engines(args, &mut report, &bar),
        Mode::Cluster => cluster::run(args, &mut report, &bar),
        Mode::Experiment(question) => measure::experiment(args, question, &mut report, &bar),
    };
    bar.clear();
    report.interrupted = bar.stopped();
    if !report.sections.is_empty() {
        stdio::line(report.to_text().trim_end());
        let files =
            report.save(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
        stdio::line(format_args!(
            "\n{} files in {}, the page is report.html",
            files.len(),
            args.out.display()
        ));
    } else if report.interrupted && result.is_ok() {
        let kept = match &args.resume {
            Some(path) if path.exists() => {
                format!("; what was finished is in {}", path.display())
            }
            _ => String::new(),
        };
        return Err(format!("stopped before there was a result{kept}").into());
    }
    result
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        scale: ScaleArgs,
    }

    #[test]
    fn no_journal_is_begun_before_the_signature_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let args = Command::parse_from(["scale", "--resume", path.to_str().unwrap()]).scale;
        let mut report = Report::default();
        args.journal(&report, "test").unwrap();
        assert!(!path.exists());
        report.facts.push((SIGNATURE.to_owned(), "1 nodes".to_owned()));
        args.journal(&report, "test").unwrap();
        assert!(path.exists());
    }
}
