//! `megatherium duel`: is a change of search parameters an improvement?

use clap::Args;
use megatherium_lab::duel::{self, Rules, Side};
use megatherium_lab::observer::Observer as _;
use megatherium_lab::openings;

use super::JobResult;
use super::bar::Bar;
use super::param_args::ParamArgs;
use crate::options::MAX_HASH;
use crate::output::Output;

#[derive(Args, Debug)]
pub(super) struct DuelArgs {
    #[command(flatten)]
    change: ParamArgs,
    /// Openings, each played with both colours
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pairs: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(100..))]
    nodes: u64,
    /// Table size of each side in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    /// Another seed gives other openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The engine with the changes plays the engine as it is.
pub(super) fn run(args: &DuelArgs) -> JobResult {
    let changed = Side { params: args.change.params()?, ..Side::default() };
    let bar = Bar::new()?;
    let book = openings::random(args.pairs as usize, args.seed, bar.stop())?;
    bar.begin("pairs of games", args.pairs);
    let rules = Rules { nodes: args.nodes, mebibytes: args.hash as usize };
    let result = duel::run(&changed, &Side::default(), rules, &book, &bar)?;
    bar.clear();
    let elo = result.elo();
    Output::stdout().line(format!(
        "{} games, {} nodes a move: {:+.1} ± {:.1} Elo, pairs by half points {:?}, {:.1} % likely stronger",
        2 * result.count(),
        args.nodes,
        elo.value,
        (elo.high - elo.low) / 2.0,
        result.pairs,
        100.0 * result.superiority()
    ));
    Ok(())
}
