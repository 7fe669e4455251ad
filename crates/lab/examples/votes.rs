//! Whose move should several threads play, and what does it mean that they disagree?
//!
//! ```sh
//! cargo run --release -p megatherium-lab --example votes -- [--threads 8] [--positions 512]
//!     [--nodes 10000] [--reference 200000]
//! ```
//!
//! Virtual threads search many positions, with `--nodes` nodes each. Where they disagree, one
//! thread judges each of their moves with `--reference` nodes. The first table says how much worse
//! than the best of these moves each rule of the vote chooses, in centipawns over all positions;
//! the second how often a search of the whole position with `--reference` nodes prefers another
//! move than the elected one, by how many threads agreed. The output is the same on every machine.

#![forbid(unsafe_code)]

use clap::Parser;
use megatherium_board::Move;
use megatherium_lab::crew::{Rig, share_out};
use megatherium_lab::error::LabError;
use megatherium_lab::machine::processors;
use megatherium_lab::observer::Nobody;
use megatherium_lab::openings::Openings;
use megatherium_lab::stats::{Estimate, bootstrap, distinct, mean};
use megatherium_search::score::Score;
use megatherium_search::smp::vote::{Ballot, elect, elect_by};
use megatherium_search::{Engine, Limits, Root, Silent, VirtualSmp};

/// Size of the table in MiB.
const HASH: usize = 8;
/// A blunder costs at most this much, so that single positions do not decide.
const WORST: Score = 200;
/// Moves played from each opening before the first position counts, and between two of them.
const APART: usize = 7;
/// Positions of one game.
const PER_GAME: usize = 8;

#[derive(Parser)]
struct Args {
    /// Virtual threads
    #[arg(long, default_value_t = 8)]
    threads: usize,
    /// Positions
    #[arg(long, default_value_t = 512)]
    positions: usize,
    /// Nodes of each thread
    #[arg(long, default_value_t = 10_000)]
    nodes: u64,
    /// Nodes of the judge for each move, and for the whole position
    #[arg(long, default_value_t = 200_000)]
    reference: u64,
}

/// A way to choose one of the ballots.
type Rule = (&'static str, fn(&[Ballot]) -> usize);

const RULES: [Rule; 6] = [
    ("as shipped: (score − worst + 14) · depth", elect),
    ("the leading thread", |_| 0),
    ("one thread, one vote", |ballots| elect_by(ballots, |_, _| 1)),
    ("depth", |ballots| elect_by(ballots, |ballot, _| i64::from(ballot.depth))),
    ("score − worst + 14", |ballots| {
        elect_by(ballots, |ballot, worst| i64::from(ballot.score - worst + 14))
    }),
    ("(score − worst + 40) · depth", |ballots| {
        elect_by(ballots, |ballot, worst| {
            i64::from(ballot.score - worst + 40) * i64::from(ballot.depth)
        })
    }),
];

/// What was seen in one position.
struct Seen {
    /// How much worse than the best ballot each rule chose.
    regrets: [f64; RULES.len()],
    /// Threads that voted for the elected move.
    agreed: usize,
    /// Whether the judge of the whole position prefers another move.
    mistaken: bool,
}

fn main() -> Result<(), LabError> {
    let args = Args::parse();
    let games: Vec<usize> = (0..args.positions.div_ceil(PER_GAME)).collect();
    let seen = share_out(&games, processors(), &Nobody::default(), |_, &game| {
        play(&args, game).map(Some)
    })?;
    let seen: Vec<Seen> = seen.into_iter().flatten().flatten().collect();

    println!("| rule | centipawns lost a position | more than as shipped |");
    println!("|---|---|---|");
    for (index, (name, _)) in RULES.iter().enumerate() {
        let regrets: Vec<f64> = seen.iter().map(|seen| seen.regrets[index]).collect();
        let more: Vec<f64> =
            seen.iter().map(|seen| seen.regrets[index] - seen.regrets[0]).collect();
        println!("| {name} | {} | {} |", text(&regrets), text(&more));
    }
    println!("\n| threads that agree | positions | another move is better |");
    println!("|---|---|---|");
    for agreed in distinct(seen.iter().map(|seen| seen.agreed)) {
        let of: Vec<f64> = seen
            .iter()
            .filter(|seen| seen.agreed == agreed)
            .map(|seen| f64::from(u8::from(seen.mistaken)) * 100.0)
            .collect();
        println!("| {agreed} of {} | {} | {} % |", args.threads, of.len(), text(&of));
    }
    Ok(())
}

fn text(values: &[f64]) -> String {
    let Estimate { value, low, high } = bootstrap(values, mean);
    format!("{value:.2} [{low:.2}, {high:.2}]")
}

/// Plays a game and looks at several of its positions.
fn play(args: &Args, game: usize) -> Result<Vec<Seen>, LabError> {
    let mut root = Root::new(Openings::Random { seed: 18 }.get(game)?);
    let (mut rig, mut judge) = (Rig::default(), Engine::new(1, HASH)?);
    let mut seen = Vec::new();
    for ply in 1..=APART * PER_GAME {
        let engine = rig.engine(args.threads, HASH)?;
        engine.options.virtual_smp = Some(VirtualSmp::default());
        let limits = Limits::nodes(args.nodes * args.threads as u64);
        let outcome = engine.search(root.clone(), limits, Silent);
        let Some(best) = outcome.best else { break };
        if ply % APART == 0 {
            seen.push(look(args, &root, &engine.ballots(), &mut judge));
        }
        root.play(best);
    }
    Ok(seen)
}

/// Judges the ballots of one position.
fn look(args: &Args, root: &Root, ballots: &[Ballot], judge: &mut Engine) -> Seen {
    let limits = || Limits::nodes(args.reference);
    let elected = ballots[elect(ballots)].mv;
    judge.new_game();
    let better = judge.search(root.clone(), limits(), Silent).best;
    let agreed = ballots.iter().filter(|ballot| ballot.mv == elected).count();
    let mut regrets = [0.0; RULES.len()];
    if agreed < ballots.len() {
        let moves: Vec<Move> = distinct(ballots.iter().map(|ballot| ballot.mv.raw()))
            .into_iter()
            .filter_map(|bits| ballots.iter().map(|ballot| ballot.mv).find(|mv| mv.raw() == bits))
            .collect();
        let scores: Vec<Score> = moves
            .iter()
            .map(|&mv| {
                judge.new_game();
                let limits = Limits { search_moves: vec![mv], ..limits() };
                judge.search(root.clone(), limits, Silent).score
            })
            .collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        for (regret, (_, rule)) in regrets.iter_mut().zip(RULES) {
            let chosen = ballots[rule(ballots)].mv;
            let score = moves.iter().zip(&scores).find(|(mv, _)| **mv == chosen);
            *regret = score.map_or(0.0, |(_, score)| f64::from((best - score).min(WORST)));
        }
    }
    Seen { regrets, agreed, mistaken: better != Some(elected) }
}
