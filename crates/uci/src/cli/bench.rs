//! `megatherium bench`.

use clap::Args;
use megatherium_cli::params::ParamArgs;
use megatherium_cli::progress::Progress;
use megatherium_cli::{JobResult, MAX_DEPTH, MAX_HASH, MAX_THREADS};
use megatherium_search::{Engine, VirtualSmp, bench};

use crate::task;

#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Table size in MiB, threads and depth, as in the UCI command
    #[arg(value_name = "HASH THREADS DEPTH", num_args = 0..=3)]
    words: Vec<u64>,
    /// Depth of each search
    #[arg(long, value_name = "PLIES", conflicts_with = "words", value_parser = clap::value_parser!(u64).range(1..=MAX_DEPTH))]
    depth: Option<u64>,
    /// Search threads; the count is reproducible only with one thread or with --virtual
    #[arg(long, value_name = "N", conflicts_with = "words", value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,
    /// Table size in MiB
    #[arg(long, value_name = "MIB", conflicts_with = "words", value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: Option<u64>,
    /// Virtual SMP: the threads take turns, so the count is reproducible
    #[arg(long)]
    r#virtual: bool,
    #[command(flatten)]
    params: ParamArgs,
}

impl BenchArgs {
    /// The value of an option, or of the positional argument at `place`.
    fn value(
        &self,
        (name, place): (&str, usize),
        option: Option<u64>,
        default: u64,
        max: u64,
    ) -> Result<u64, String> {
        let value = option.or(self.words.get(place).copied()).unwrap_or(default);
        let valid = (1..=max).contains(&value);
        valid.then_some(value).ok_or_else(|| format!("{name} {value} is not in 1..{max}"))
    }
}

pub(super) fn run(args: &BenchArgs) -> JobResult {
    let hash = args.value(("hash", 0), args.hash, bench::DEFAULT_HASH as u64, MAX_HASH)?;
    let threads = args.value(("threads", 1), args.threads, 1, MAX_THREADS)?;
    let depth = args.value(("depth", 2), args.depth, u64::from(bench::DEFAULT_DEPTH), MAX_DEPTH)?;
    let mut engine = Engine::new(threads as usize, hash as usize)?;
    engine.options.virtual_smp = args.r#virtual.then(VirtualSmp::default);
    engine.options.params = args.params.params()?;
    let bar = Progress::new("positions")?;
    bar.begin("positions", bench::POSITIONS.len() as u64);
    task::run_bench(&mut engine, depth as u32, "", bar.stop(), |line| {
        bar.step(1, "");
        bar.line(line);
    });
    bar.clear();
    Ok(())
}
