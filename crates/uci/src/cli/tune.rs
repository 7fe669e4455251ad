//! `megatherium tune`: search parameters tuned by games against themselves.

use clap::Args;
use megatherium_lab::duel::{self, Rules, Side};
use megatherium_lab::observer::Observer as _;
use megatherium_lab::openings;
use megatherium_lab::spsa::Spsa;
use megatherium_search::Params;

use super::JobResult;
use super::bar::Bar;
use super::param_args::ParamArgs;
use crate::options::MAX_HASH;
use crate::output::Output;

#[derive(Args, Debug)]
pub(super) struct TuneArgs {
    /// Parameters to tune (`crates/search/src/params.rs` has their names)
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Rounds; each plays a few openings with both colours, and learns from the result
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Openings a round
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pairs: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(100..))]
    nodes: u64,
    /// Table size in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    /// Rounds between two lines of output
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Openings of a final match between the values found and those at the start
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    check: u64,
    /// Another seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    start: ParamArgs,
}

/// Openings looked up front; rounds walk through them.
const BOOK: usize = 1000;

/// Prints the values from time to time, in the form in which `--set` takes them up again.
pub(super) fn run(args: &TuneArgs) -> JobResult {
    let start = args.start.params()?;
    let mut spsa = Spsa::new(&args.names, start, args.rounds, args.seed)?;
    let out = Output::stdout();
    let bar = Bar::new()?;
    let rules = Rules { nodes: args.nodes, mebibytes: args.hash as usize };
    let book = openings::random(BOOK, args.seed, bar.stop())?;
    if bar.stopped() {
        return Ok(());
    }
    bar.begin("pairs of games", args.rounds * args.pairs);
    let mut next = 0;
    for round_number in 1..=args.rounds {
        let openings: Vec<_> = (0..args.pairs as usize).map(|i| book[(next + i) % book.len()]).collect();
        next += openings.len();
        let round = spsa.round();
        let plus = Side { params: round.plus, ..Side::default() };
        let minus = Side { params: round.minus, ..Side::default() };
        let result = duel::run(&plus, &minus, rules, &openings, &bar)?;
        if bar.stopped() {
            break;
        }
        spsa.learn(&round, result.count() as f64 * (2.0 * result.score() - 1.0));
        if round_number % args.every == 0 {
            out.line(format!("{round_number} {}", changes(&spsa)));
        }
    }
    out.line(changes(&spsa));
    if args.check > 0 && !bar.stopped() {
        let fresh = openings::random(args.check as usize, args.seed ^ 0x5EED, bar.stop())?;
        bar.begin("values found against values at the start", args.check);
        let side = |params: Params| Side { params, ..Side::default() };
        let result = duel::run(&side(spsa.params()), &side(start), rules, &fresh, &bar)?;
        let elo = result.elo();
        let margin = (elo.high - elo.low) / 2.0;
        out.line(format!("{} games: {:+.1} ± {margin:.1} Elo", 2 * result.count(), elo.value));
    }
    bar.clear();
    Ok(())
}

fn changes(spsa: &Spsa) -> String {
    let params = spsa.params();
    let values = spsa.knobs.iter().filter_map(|knob| {
        let name = knob.spec.name;
        params.get(name).map(|value| format!("{name}={value}"))
    });
    values.collect::<Vec<_>>().join(",")
}
