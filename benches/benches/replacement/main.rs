//! Replacement policies on the traffic of real searches.
//!
//! `cargo bench -p megatherium-benches --bench replacement` prints the comparison; `-- --quick` a
//! shorter one. Nothing is timed: the numbers are the same on every machine. What they mean:
//! `docs/table/09-benchmarks.md`.
#![forbid(unsafe_code)]

mod game;
mod memory;
mod policies;
mod replay;
mod search;

use megatherium_search::{AgeBased, Always, DepthAge, DepthPreferred, Entry, TwoTier};
use megatherium_tt::{Policy, Table};

use game::Game;
use memory::Recorder;
use policies::Within;
use replay::{Tally, replay};

/// Sizes in clusters of 64 bytes: small ones, so that short searches fill them as long searches
/// fill large ones.
const SIZES: [usize; 3] = [1 << 11, 1 << 13, 1 << 15];

/// A policy by name, and functions that play a game with it in a table of a given size: the trace,
/// and the live search.
struct Entrant {
    name: &'static str,
    play: fn(&Game, usize) -> (Tally, u64),
}

const ENTRANTS: [Entrant; 14] = [
    Entrant { name: "always", play: play::<Always> },
    Entrant { name: "depth-preferred", play: play::<DepthPreferred> },
    Entrant { name: "age-based", play: play::<AgeBased> },
    Entrant { name: "two-tier", play: play::<TwoTier> },
    Entrant { name: "depth − 0 · age", play: play::<DepthAge<0>> },
    Entrant { name: "depth − 1 · age", play: play::<DepthAge<1>> },
    Entrant { name: "depth − 2 · age", play: play::<DepthAge<2>> },
    Entrant { name: "depth − 4 · age", play: play::<DepthAge<4>> },
    Entrant { name: "depth − 8 · age", play: play::<DepthAge<8>> },
    Entrant { name: "depth − 16 · age", play: play::<DepthAge<16>> },
    Entrant { name: "default, update if not shallower", play: play::<Within<DepthAge, 1>> },
    Entrant { name: "default, update if < 4 plies shallower", play: play::<Within<DepthAge, 4>> },
    Entrant { name: "default, update if < 8 plies shallower", play: play::<Within<DepthAge, 8>> },
    Entrant { name: "default, update always", play: play::<Within<DepthAge, 128>> },
];

/// The entrant with the engine's policy.
const DEFAULT: usize = 8;

fn play<P: Policy<Entry>>(game: &Game, clusters: usize) -> (Tally, u64) {
    let table = || Table::<Entry, P>::with_clusters(clusters).expect("memory for a small table");
    (replay(&game.trace, &mut table()), game.nodes_with(table()))
}

/// What a policy made of all games, in tables of one size.
#[derive(Clone, Default)]
struct Score {
    tally: Tally,
    /// For each game, the logarithm of its nodes over those with a memory that forgets nothing.
    /// Games count alike, however long they are.
    effort: Vec<f64>,
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (games, searches, budget) = if quick { (6, 4, 10_000) } else { (60, 6, 20_000) };
    let mut scores = vec![vec![Score::default(); ENTRANTS.len()]; SIZES.len()];
    let mut ideal = Tally::default();
    let (mut played, mut nodes, mut stores) = (0, 0, 0);
    for (number, board) in game::starts().take(games).enumerate() {
        let game = Game::record(board, searches, budget);
        ideal += replay(&game.trace, &mut Recorder::default());
        played += game.len();
        nodes += game.nodes;
        stores += game.trace.stored.len();
        for (size, scores) in SIZES.iter().zip(&mut scores) {
            for (entrant, score) in ENTRANTS.iter().zip(scores) {
                let (tally, nodes) = (entrant.play)(&game, *size);
                score.tally += tally;
                score.effort.push((nodes as f64 / game.nodes as f64).ln());
            }
        }
        eprintln!("game {} of {games}: {} nodes", number + 1, game.nodes);
    }
    println!(
        "\n# Replacement\n\n{games} games, {played} searches, {nodes} nodes, {stores} stores.\n"
    );
    for (clusters, scores) in SIZES.iter().zip(&scores) {
        print_size(*clusters, stores / games, &ideal, scores);
    }
    print_all(&ideal, &scores);
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Mean of the logarithms, as percent.
fn effort(logarithms: &[f64]) -> f64 {
    100.0 * (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

fn print_size(clusters: usize, stores: usize, ideal: &Tally, scores: &[Score]) {
    let slots = 4 * clusters;
    println!(
        "## {} KiB: {slots} slots, {:.0} stores for each in a game\n",
        clusters / 16,
        stores as f64 / slots as f64
    );
    println!("| | hits | hits by depth | cutoffs | work saved | nodes of the search |");
    println!("|---|---|---|---|---|---|");
    let row = |name: &str, tally: &Tally, effort: f64| {
        println!(
            "| {name} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {effort:.1} % |",
            percent(tally.hits, tally.probes),
            percent(tally.depth, ideal.depth),
            percent(tally.cutoffs, ideal.cutoffs),
            percent(tally.saved, ideal.saved),
        );
    };
    row("a memory that forgets nothing", ideal, 100.0);
    for (entrant, score) in ENTRANTS.iter().zip(scores) {
        row(entrant.name, &score.tally, effort(&score.effort));
    }
    println!();
}

/// All sizes together, the fewest nodes first. Nodes are compared game by game with the policy of
/// plain `Table`: the games differ far more from each other than the policies do.
fn print_all(ideal: &Tally, scores: &[Vec<Score>]) {
    println!("## All sizes, the fewest nodes first\n");
    println!("| | cutoffs | work saved | nodes, compared with the default |");
    println!("|---|---|---|---|");
    // The games are the samples: what one of them shows in three sizes is not independent.
    let games = |number: usize| -> Vec<f64> {
        let default = |scores: &[Score], game: usize| scores[DEFAULT].effort[game];
        let difference = |game: usize| {
            scores
                .iter()
                .map(|scores| scores[number].effort[game] - default(scores, game))
                .sum::<f64>()
        };
        (0..scores[0][number].effort.len())
            .map(|game| difference(game) / SIZES.len() as f64)
            .collect()
    };
    let mut rows: Vec<(f64, String)> = ENTRANTS
        .iter()
        .enumerate()
        .map(|(number, entrant)| {
            let mut tally = Tally::default();
            for scores in scores {
                tally += scores[number].tally;
            }
            let games = games(number);
            let mean = games.iter().sum::<f64>() / games.len() as f64;
            let spread = games.iter().map(|game| (game - mean).powi(2)).sum::<f64>();
            let error = (spread / (games.len() * (games.len() - 1)) as f64).sqrt();
            let line = format!(
                "| {} | {:.1} % | {:.1} % | {:+.1} ± {:.1} % |",
                entrant.name,
                percent(tally.cutoffs, SIZES.len() as u64 * ideal.cutoffs),
                percent(tally.saved, SIZES.len() as u64 * ideal.saved),
                100.0 * mean,
                100.0 * error,
            );
            (mean, line)
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, line) in rows {
        println!("{line}");
    }
}
