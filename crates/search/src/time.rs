//! Time management.
//!
//! Two limits: past the *soft* one no new iteration begins, the *hard* one ends the search in the
//! middle of one. The soft limit is scaled by what the search sees: see [`TimeManager::rescale`].
//!
//! Nothing here reads a clock. Times are counted from the moment thinking began, and the caller
//! says what time it is, so that nodes can stand for time ([`nodes_per_millisecond`]).
//!
//! [`nodes_per_millisecond`]: crate::Options::nodes_per_millisecond

use std::time::Duration;

use megatherium_board::Color;

use crate::params::Params;
use crate::request::Limits;
use crate::score::Score;

/// Largest part of the clock that the last move before a time control may take.
const LAST_SHARE: f64 = 0.9;
/// Largest part of the clock that is kept in reserve on a machine that is not crowded.
const RESERVE_SHARE: f64 = 0.5;
/// So many threads at a processor are no trouble: their turns are short, the reserve is enough.
const EASY_CROWDING: f64 = 8.0;
/// After this many iterations with the same best move more do not count.
const SETTLED: f64 = 10.0;

/// The time budget of one search.
#[derive(Clone, Debug)]
pub struct TimeManager {
    /// When the clock that counts began to run.
    began: Duration,
    soft: Option<Duration>,
    hard: Option<Duration>,
    scale: f64,
}

/// How settled the last iteration looked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// For how many iterations the best move has not changed, on average over the threads: less
    /// time.
    pub stable_iterations: f64,
    /// How much worse the score has become since the last move, and over the last two iterations:
    /// more time, trouble needs thought.
    pub score_drops: [Score; 2],
    /// Share of all nodes spent on the best move: near 1 it has no rival, less time.
    pub best_move_share: f64,
    /// Share of the other threads that prefer another move, if there are others: more time.
    pub disagreement: Option<f64>,
}

/// The time that this many nodes stand for.
pub fn nodes_as_time(nodes: u64, per_millisecond: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(1000) / per_millisecond.max(1))
}

/// A parameter in percent.
fn percent(value: i32) -> f64 {
    f64::from(value) / 100.0
}

impl TimeManager {
    /// Budgets for the side to move. `overhead` is the time lost between engine and clock, `ponder`
    /// whether the GUI allows pondering, `crowding` how much time passes while the thread runs for
    /// a second.
    pub fn new(
        limits: &Limits,
        side: Color,
        overhead: Duration,
        ponder: bool,
        crowding: f64,
        params: &Params,
    ) -> TimeManager {
        let mut soft = None;
        let mut hard = None;
        if let Some(clock) = limits.clock_of(side) {
            let increment = limits.increment[side.index()].as_secs_f64();
            let overhead = overhead.as_secs_f64();
            let clock = clock.as_secs_f64();
            // A thread that must wait for its turn may be late by several turns of the others.
            let crowding = (crowding / EASY_CROWDING).max(1.0);
            let reserve = f64::from(params.time_reserve) / 1000.0 * crowding;
            let reserve = reserve.min(clock * (1.0 - (1.0 - RESERVE_SHARE) / crowding));
            // A nearly empty clock still gets a moment: a late answer beats an unsearched one.
            let available = (clock - overhead - reserve).max(clock * 0.2).max(0.001);
            let horizon = f64::from(params.time_horizon);
            let moves = limits.moves_to_go.map_or(horizon, |moves| f64::from(moves.clamp(1, 50)));
            let mut per_move = if moves <= 1.5 {
                available * 0.85
            } else {
                // What is lost between engine and clock grows likewise.
                let increment = (increment - overhead * crowding).max(0.0) / crowding;
                available / moves + percent(params.time_increment) * increment
            };
            if ponder {
                // Some of the moves ahead will be thought out on the opponent's time.
                per_move *= 1.2;
            }
            let share = percent(params.time_hard_share);
            let ceiling = available * if moves <= 1.5 { LAST_SHARE } else { share };
            soft = Some(Duration::from_secs_f64(per_move.min(ceiling)));
            let factor = percent(params.time_hard_factor);
            hard = Some(Duration::from_secs_f64((per_move * factor).min(ceiling)));
        }
        if let Some(time) = limits.move_time {
            // Use exactly this time: there is no soft limit.
            let time = time.saturating_sub(overhead).max(Duration::from_millis(1));
            hard = Some(hard.map_or(time, |hard| hard.min(time)));
        }
        TimeManager { began: Duration::ZERO, soft, hard, scale: 1.0 }
    }

    /// The clock that counts starts now: the opponent has just played.
    pub fn restart(&mut self, now: Duration) {
        self.began = now;
    }

    /// True when the search must end at once.
    pub fn is_hard_limit_reached(&self, now: Duration) -> bool {
        self.hard.is_some_and(|hard| now.saturating_sub(self.began) >= hard)
    }

    /// True when another iteration is not worth beginning. What was thought before the own clock
    /// began to run counts, too.
    pub fn is_soft_limit_reached(&self, now: Duration) -> bool {
        self.soft.is_some_and(|soft| now.as_secs_f64() >= soft.as_secs_f64() * self.scale)
    }

    /// Whether the clock matters at all.
    pub fn has_soft_limit(&self) -> bool {
        self.soft.is_some()
    }

    /// Adjusts the soft limit to how settled the last iteration looked.
    pub fn rescale(&mut self, outlook: &Outlook, params: &Params) {
        let stability = percent(params.time_unstable)
            - percent(params.time_stable) * outlook.stable_iterations.min(SETTLED);
        let [since_last_move, lately] = outlook.score_drops.map(percent);
        let trend = 1.0
            + percent(params.time_fall_game) * since_last_move
            + percent(params.time_fall_search) * lately;
        let trend = trend.clamp(percent(params.time_fall_min), percent(params.time_fall_max));
        let effort = percent(params.time_effort)
            - percent(params.time_effort_slope) * outlook.best_move_share;
        let effort = effort.clamp(percent(params.time_effort_min), percent(params.time_effort_max));
        let together = outlook.disagreement.map_or(1.0, |share| {
            percent(params.time_agreed) + percent(params.time_disagreed) * share
        });
        let scale = stability * trend * effort * together;
        self.scale = scale.min(percent(params.time_max_scale));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manager(limits: &Limits, overhead_ms: u64) -> TimeManager {
        TimeManager::new(
            limits,
            Color::White,
            Duration::from_millis(overhead_ms),
            false,
            1.0,
            &Params::default(),
        )
    }

    fn clock(milliseconds: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            clock: [Some(Duration::from_millis(milliseconds)), None],
            increment: [Duration::from_millis(increment), Duration::ZERO],
            moves_to_go,
            ..Limits::default()
        }
    }

    fn outlook(stable: u32, score_drops: [Score; 2], best_move_share: f64) -> Outlook {
        let stable_iterations = f64::from(stable);
        Outlook { stable_iterations, score_drops, best_move_share, disagreement: None }
    }

    #[test]
    fn no_budget_ever_exceeds_the_clock() {
        for milliseconds in [0, 1, 5, 50, 500, 60_000, 7_200_000] {
            for increment in [0, 10, 1000, 30_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 5000] {
                        let manager =
                            manager(&clock(milliseconds, increment, moves_to_go), overhead);
                        let available = Duration::from_millis(milliseconds.max(2));
                        assert!(
                            manager.hard.unwrap() < available,
                            "{milliseconds} {increment} {moves_to_go:?}"
                        );
                        assert!(manager.soft.unwrap() <= manager.hard.unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn without_a_clock_there_is_no_limit() {
        let manager = manager(&Limits::depth(10), 10);
        let late = Duration::from_secs(1 << 40);
        assert!(!manager.is_hard_limit_reached(late) && !manager.has_soft_limit());
    }

    #[test]
    fn the_tighter_of_clock_and_move_time_counts() {
        let mut limits = clock(60_000, 0, None);
        limits.move_time = Some(Duration::from_millis(100));
        assert_eq!(manager(&limits, 10).hard, Some(Duration::from_millis(90)));
    }

    #[test]
    fn unsettled_positions_get_more_time() {
        let mut manager = manager(&clock(60_000, 0, None), 10);
        let params = Params::default();
        manager.rescale(&outlook(10, [0; 2], 0.95), &params);
        let settled = manager.scale;
        manager.rescale(&outlook(0, [60, 60], 0.3), &params);
        assert!(manager.scale > 2.0 * settled);
        manager.rescale(&outlook(0, [900, 900], 0.0), &params);
        assert!((manager.scale - percent(params.time_max_scale)).abs() < 1e-9);
    }

    #[test]
    fn budgets_are_what_the_rule_says() {
        let params = Params {
            time_horizon: 20,
            time_increment: 50,
            time_hard_share: 40,
            time_hard_factor: 300,
            time_reserve: 0,
            ..Params::default()
        };
        let cautious = Params { time_reserve: 400, ..params };
        let budgets_on = |crowding, params: &Params, limits: &Limits, overhead, ponder| {
            let overhead = Duration::from_millis(overhead);
            let manager =
                TimeManager::new(limits, Color::White, overhead, ponder, crowding, params);
            [manager.soft.unwrap(), manager.hard.unwrap()].map(|limit| limit.as_secs_f64())
        };
        let budgets =
            |limits: &Limits, overhead, ponder| budgets_on(1.0, &params, limits, overhead, ponder);
        let are = |found: [f64; 2], expected: [f64; 2]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6)
        };
        // 59.99 s are available: a 20th of them, and half of 0.99 s of increment.
        let limits = clock(60_000, 1000, None);
        let per_move = 59.99 / 20.0 + 0.5 * 0.99;
        assert!(are(budgets(&limits, 10, false), [per_move, 3.0 * per_move]));
        assert!(are(budgets(&limits, 10, true), [1.2 * per_move, 3.6 * per_move]));
        // No more than 40 % of the clock, however large the increment.
        let ceiling = 0.4 * 0.99;
        assert!(are(budgets(&clock(1000, 60_000, None), 10, false), [ceiling, ceiling]));
        let last = [0.85 * 59.99, 0.9 * 59.99];
        assert!(are(budgets(&clock(60_000, 0, Some(1)), 10, false), last));
        // An overhead that is nearly all there is: a fifth of the clock.
        assert!(are(budgets(&clock(100, 0, None), 90, false), [0.02 / 20.0, 0.06 / 20.0]));
        // The reserve is taken off, but no more than half of the clock.
        let per_move = 59.59 / 20.0;
        let full = budgets_on(1.0, &cautious, &clock(60_000, 0, None), 10, false);
        assert!(are(full, [per_move, 3.0 * per_move]));
        let short = budgets_on(1.0, &cautious, &clock(500, 0, None), 10, false);
        assert!(are(short, [0.24 / 20.0, 0.72 / 20.0]));
        // Eight threads at a processor change nothing.
        let easy = budgets_on(8.0, &cautious, &clock(500, 20, None), 10, false);
        assert!(are(easy, budgets_on(1.0, &cautious, &clock(500, 20, None), 10, false)));
        // With more of them the reserve grows, and so does its largest share.
        let per_move = 58.79 / 20.0;
        let full = budgets_on(24.0, &cautious, &clock(60_000, 0, None), 10, false);
        assert!(are(full, [per_move, 3.0 * per_move]));
        let short = budgets_on(16.0, &cautious, &clock(1000, 0, None), 10, false);
        assert!(are(short, [0.24 / 20.0, 0.72 / 20.0]));
        // Of the increment it uses what it can think for, not what passes meanwhile.
        let per_move = 59.99 / 20.0 + 0.5 * 0.97 / 3.0;
        let crowded = budgets_on(24.0, &params, &limits, 10, false);
        assert!(are(crowded, [per_move, 3.0 * per_move]));
    }

    /// Parameters of round numbers, so that the tests do not change when the defaults do.
    fn round() -> Params {
        Params {
            time_unstable: 150,
            time_stable: 10,
            time_fall_game: 100,
            time_fall_search: 50,
            time_effort: 200,
            time_effort_slope: 100,
            time_agreed: 80,
            time_disagreed: 50,
            ..Params::default()
        }
    }

    #[test]
    fn nodes_stand_for_time() {
        assert_eq!(nodes_as_time(1500, 1000), Duration::from_micros(1500));
        assert_eq!(nodes_as_time(7, 2), Duration::from_micros(3500));
        assert_eq!(nodes_as_time(3, 0), Duration::from_millis(3));
    }

    #[test]
    fn the_scale_is_a_product() {
        let mut manager = manager(&clock(60_000, 0, None), 10);
        let scale = |manager: &mut TimeManager, outlook: &Outlook| {
            manager.rescale(outlook, &round());
            manager.scale
        };
        // 1.5 − 0.1 · 6; 1 + 0.1 + 0.1; 2 − 0.6
        let alone = outlook(6, [10, 20], 0.6);
        assert!((scale(&mut manager, &alone) - 0.9 * 1.2 * 1.4).abs() < 1e-9);
        let split = Outlook { disagreement: Some(0.5), ..alone };
        let together = 0.8 + 0.5 * 0.5;
        assert!((scale(&mut manager, &split) - 0.9 * 1.2 * 1.4 * together).abs() < 1e-9);
    }

    #[test]
    fn the_soft_limit_is_scaled() {
        let seconds = Duration::from_secs_f64;
        let mut manager = manager(&clock(60_000, 0, None), 10);
        let soft = manager.soft.unwrap().as_secs_f64();
        assert!(manager.has_soft_limit());
        assert!(!manager.is_soft_limit_reached(seconds(0.99 * soft)));
        assert!(manager.is_soft_limit_reached(seconds(1.01 * soft)));
        manager.scale = 3.0;
        assert!(!manager.is_soft_limit_reached(seconds(2.99 * soft)));
        assert!(manager.is_soft_limit_reached(seconds(3.01 * soft)));
    }

    #[test]
    fn a_clock_that_starts_late_ends_late() {
        let seconds = Duration::from_secs_f64;
        let mut manager = manager(&clock(60_000, 0, None), 10);
        let hard = manager.hard.unwrap().as_secs_f64();
        assert!(manager.is_hard_limit_reached(seconds(1.01 * hard)));
        manager.restart(seconds(hard));
        assert!(!manager.is_hard_limit_reached(seconds(1.99 * hard)));
        assert!(manager.is_hard_limit_reached(seconds(2.01 * hard)));
    }
}
