//! `megatherium ablate`: what each technique of the search is worth.

use super::match_args::MatchArgs;
use crate::ablation::{self, TECHNIQUES, Technique};
use crate::duel::Side;
use clap::Args;
use megatherium_search::bench;

use megatherium_cli::JobResult;
use megatherium_cli::progress::Progress;

#[derive(Args, Debug)]
pub struct AblateArgs {
    /// Only techniques whose name contains this
    only: Option<String>,
    /// Depth of the node-count searches
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Openings to play with both colours; 0 skips the games
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pairs: u64,
    #[command(flatten)]
    play: MatchArgs,
}

/// Prints a row of a Markdown table for every technique as soon as it is measured.
pub(super) fn run(args: &AblateArgs) -> JobResult {
    let wanted = args.only.as_deref().unwrap_or_default().to_lowercase();
    let chosen: Vec<&Technique> = TECHNIQUES
        .iter()
        .filter(|technique| technique.name.to_lowercase().contains(&wanted))
        .collect();
    if chosen.is_empty() {
        let names: Vec<_> = TECHNIQUES.iter().map(|technique| technique.name).collect();
        return Err(
            format!("no technique is called {wanted:?}; there are: {}", names.join(", ")).into()
        );
    }
    let bar = Progress::new("all techniques")?;
    let (rules, openings) = (args.play.rules(), args.play.openings()?);
    let pairs = args.pairs as usize;
    let positions = bench::POSITIONS.len() as u64;
    bar.begin("all techniques", positions);
    let whole = ablation::nodes(&Side::default(), args.depth, &bar)?;
    if bar.stopped() {
        bar.clear();
        return Err("stopped before the engine with all techniques was measured".into());
    }
    bar.line(format!(
        "{positions} positions to depth {}: {} nodes with all techniques",
        args.depth,
        whole.iter().sum::<u64>()
    ));
    if pairs > 0 {
        bar.line(format!("{} games a row, {}", 2 * pairs, args.play.budget()));
    }
    bar.line("");
    bar.line("| without | nodes to depth | Elo |");
    bar.line("|---|---|---|");
    for (done, technique) in chosen.iter().enumerate() {
        bar.begin(technique.name, positions + args.pairs);
        let nodes = ablation::nodes(&technique.without(), args.depth, &bar)?;
        let result = ablation::games(technique, rules, &openings, pairs, &bar)?;
        if bar.stopped() {
            bar.line(format!("stopped after {done} of {} techniques", chosen.len()));
            break;
        }
        let ratio = ablation::ratio(&nodes, &whole);
        let elo = result.elo_text().unwrap_or_else(|| "–".to_owned());
        bar.line(format!(
            "| {} | × {:.2} ({:.2}–{:.2}) | {elo} |",
            technique.name, ratio.value, ratio.low, ratio.high
        ));
    }
    bar.clear();
    Ok(())
}
