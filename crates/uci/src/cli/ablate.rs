//! `megatherium ablate`: what each technique of the search is worth.

use clap::Args;
use megatherium_lab::ablation::{self, TECHNIQUES, Technique};
use megatherium_lab::duel::{Rules, Side};
use megatherium_lab::observer::Observer as _;
use megatherium_lab::openings;
use megatherium_search::bench;

use super::JobResult;
use super::bar::Bar;
use crate::options::MAX_HASH;
use crate::output::Output;

#[derive(Args, Debug)]
pub(super) struct AblateArgs {
    /// Only techniques whose name contains this
    only: Option<String>,
    /// Depth of the searches whose nodes are counted
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Openings to play with both colours; none leaves out the games
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pairs: u64,
    /// Nodes per move in the games
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(100..))]
    nodes: u64,
    /// Table size in the games, in MiB
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    /// Another seed gives other openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Prints a row of a Markdown table for every technique as soon as it is measured.
pub(super) fn run(args: &AblateArgs) -> JobResult {
    let wanted = args.only.as_deref().unwrap_or_default().to_lowercase();
    let chosen: Vec<&Technique> =
        TECHNIQUES.iter().filter(|technique| technique.name.to_lowercase().contains(&wanted)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TECHNIQUES.iter().map(|technique| technique.name).collect();
        return Err(format!("no technique is called {wanted:?}; there are: {}", names.join(", ")).into());
    }
    let out = Output::stdout();
    let bar = Bar::new()?;
    let rules = Rules { nodes: args.nodes, mebibytes: args.hash as usize };
    let book = openings::random(args.pairs as usize, args.seed, bar.stop())?;
    let positions = bench::POSITIONS.len() as u64;
    bar.begin("all techniques", positions);
    let whole = ablation::nodes(&Side::default(), args.depth, &bar)?;
    out.line(format!(
        "{positions} positions to depth {}: {} nodes with all techniques",
        args.depth,
        whole.iter().sum::<u64>()
    ));
    if !book.is_empty() {
        out.line(format!("{} games a row, {} nodes a move", 2 * book.len(), args.nodes));
    }
    out.line("");
    out.line("| without | nodes to depth | Elo |");
    out.line("|---|---|---|");
    for technique in chosen {
        bar.begin(technique.name, positions + book.len() as u64);
        let nodes = ablation::nodes(&technique.without(), args.depth, &bar)?;
        let result = ablation::games(technique, rules, &book, &bar)?;
        if bar.stopped() {
            break;
        }
        let ratio = ablation::ratio(&nodes, &whole);
        let elo = if result.count() == 0 {
            "–".to_owned()
        } else {
            let elo = result.elo();
            format!("{:+.0} ± {:.0}", elo.value, (elo.high - elo.low) / 2.0)
        };
        out.line(format!(
            "| {} | × {:.2} ({:.2}–{:.2}) | {elo} |",
            technique.name, ratio.value, ratio.low, ratio.high
        ));
    }
    bar.clear();
    Ok(())
}
