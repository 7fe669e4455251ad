//! Strength: N threads with B nodes each against one thread with k·B nodes, and the factor at which
//! they are equal. Or against several threads, to compare rules of teamwork.

use fastrand::Rng;
use megatherium_board::{Board, Color};
use megatherium_search::{Engine, Teamwork, VirtualSmp};

use crate::crew::share_out;
use crate::equal_strength::Match;
use crate::error::LabError;
use crate::game::{Budget, Player, play};
use crate::journal::Journal;
use crate::machine::processors;
use crate::observer::Observer;

/// What to play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads of the first side.
    pub threads: usize,
    /// Nodes per move of each of its threads.
    pub nodes: u64,
    /// How they work together.
    pub team: Teamwork,
    /// Threads of the other side, usually one. They use the default rules of teamwork.
    pub against: usize,
    /// Nodes of each thread of the other side, in multiples of `nodes`.
    pub factors: Vec<f64>,
    /// Openings, each played with both colours.
    pub openings: Vec<Board>,
    /// Size of each side's table in MiB.
    pub mebibytes: usize,
    /// How the threads take turns; `None` lets them run in parallel, as in a game.
    pub turns: Option<VirtualSmp>,
}

/// Plays every opening against every factor. Openings are the outer loop, so that an early end
/// leaves all factors with as many games.
pub fn run(
    settings: &Settings,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<Vec<Match>, LabError> {
    let pairs: Vec<(Board, usize)> = settings
        .openings
        .iter()
        .flat_map(|opening| (0..settings.factors.len()).map(move |factor| (*opening, factor)))
        .collect();
    let mode = if settings.turns.is_some() { "virtual" } else { "real" };
    observer
        .begin(&format!("pairs of games, {} {mode} threads", settings.threads), pairs.len() as u64);
    // Threads that run in parallel need processors of their own.
    let workers = if settings.turns.is_some() {
        processors()
    } else {
        processors() / settings.threads.max(settings.against)
    };
    let pair = |index: usize, opening: Board, factor: usize| {
        let other_nodes =
            (settings.factors[factor] * settings.nodes as f64).round().max(1.0) as u64;
        let mut other = Engine::new(settings.against, settings.mebibytes)?;
        let mut several = Engine::new(settings.threads, settings.mebibytes)?;
        several.options.teamwork = settings.team;
        let other_budget = Budget::Nodes(other_nodes * settings.against as u64);
        let several_budget = Budget::Nodes(settings.nodes * settings.threads as u64);
        let mut half_points = 0;
        for side in [Color::White, Color::Black] {
            let game = 2 * index as u64 + u64::from(side == Color::Black);
            let mut random =
                Rng::with_seed(settings.turns.map_or(0, |turns| turns.seed) ^ game << 20);
            let mut turns =
                || settings.turns.map(|turns| VirtualSmp { seed: random.u64(..), ..turns });
            several.options.virtual_smp = turns();
            other.options.virtual_smp = turns().filter(|_| settings.against > 1);
            let mut players: [&mut dyn Player; 2] = [&mut several, &mut other];
            let mut budgets = [several_budget, other_budget];
            if side == Color::Black {
                players.reverse();
                budgets.reverse();
            }
            let Some(finish) = play(&opening, players, budgets, observer.stop())? else {
                return Ok(None);
            };
            half_points += finish.outcome.half_points(side);
        }
        Ok(Some(half_points))
    };
    let results = share_out(&pairs, workers.max(1), observer, |index, &(opening, factor)| {
        let points =
            journal.recall_or(&format!("pair {index}"), || pair(index, opening, factor))?;
        observer.step(1, "");
        Ok(points)
    })?;
    let mut matches: Vec<Match> =
        settings.factors.iter().map(|&factor| Match { factor, pairs: Vec::new() }).collect();
    for ((_, factor), half_points) in pairs.iter().zip(results) {
        matches[*factor].pairs.extend(half_points);
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    /// Four times the nodes win against a quarter, and the same match gives the same result.
    #[test]
    fn more_nodes_win_and_matches_repeat() {
        let settings = Settings {
            threads: 2,
            team: Teamwork::default(),
            against: 1,
            nodes: 2500,
            factors: vec![0.08],
            openings: suite(5),
            mebibytes: 1,
            turns: Some(VirtualSmp::default()),
        };
        let first = run(&settings, &Journal::default(), &Nobody::default()).unwrap();
        assert_eq!(first[0].pairs.len(), 5);
        assert!(first[0].result().score() > 0.6, "{first:?}");
        assert_eq!(
            first[0].pairs,
            run(&settings, &Journal::default(), &Nobody::default()).unwrap()[0].pairs
        );
    }
}
