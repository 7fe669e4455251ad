//! Time management.
//!
//! Two limits: past the *soft* one no new iteration begins, the *hard* one ends the search in the
//! middle of one. The soft limit is scaled by what the search sees: see [`TimeManager::rescale`].

use std::time::{Duration, Instant};

use megatherium_board::Color;

use crate::request::Limits;
use crate::score::Score;

/// Moves assumed to be left in a game without time controls ahead.
const HORIZON: f64 = 24.0;
/// Largest part of the clock one move may take.
const HARD_SHARE: f64 = 0.4;
/// The same for the last move before a time control.
const LAST_SHARE: f64 = 0.9;
/// Largest factor by which an unsettled position stretches the soft limit.
const MAX_SCALE: f64 = 2.3;
/// The hard limit as a multiple of the unscaled soft one.
const HARD_FACTOR: f64 = 3.5;

/// The time budget of one search.
#[derive(Clone, Debug)]
pub struct TimeManager {
    started: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    scale: f64,
}

impl TimeManager {
    /// Budgets for the side to move. `overhead` is the time lost between engine and clock, `ponder`
    /// whether the GUI allows pondering.
    pub fn new(
        limits: &Limits,
        side: Color,
        overhead: Duration,
        ponder: bool,
        started: Instant,
    ) -> TimeManager {
        let mut soft = None;
        let mut hard = None;
        if let Some(clock) = limits.clock_of(side) {
            let increment = limits.increment[side.index()].as_secs_f64();
            let overhead = overhead.as_secs_f64();
            // A nearly empty clock still gets a moment: a late answer beats an unsearched one.
            let available =
                (clock.as_secs_f64() - overhead).max(clock.as_secs_f64() * 0.2).max(0.001);
            let moves = limits.moves_to_go.map_or(HORIZON, |moves| f64::from(moves.clamp(1, 50)));
            let mut per_move = if moves <= 1.5 {
                available * 0.85
            } else {
                available / moves + 0.75 * (increment - overhead).max(0.0)
            };
            if ponder {
                // Some of the moves ahead will be thought out on the opponent's time.
                per_move *= 1.2;
            }
            let ceiling = available * if moves <= 1.5 { LAST_SHARE } else { HARD_SHARE };
            soft = Some(Duration::from_secs_f64(per_move.min(ceiling)));
            hard = Some(Duration::from_secs_f64((per_move * HARD_FACTOR).min(ceiling)));
        }
        if let Some(time) = limits.move_time {
            // Use exactly this time: there is no soft limit.
            let time = time.saturating_sub(overhead).max(Duration::from_millis(1));
            hard = Some(hard.map_or(time, |hard| hard.min(time)));
        }
        TimeManager { started, soft, hard, scale: 1.0 }
    }

    /// The clock that counts starts now: the opponent has just played.
    pub fn restart(&mut self) {
        self.started = Instant::now();
    }

    /// True when the search must end at once.
    pub fn is_hard_limit_reached(&self) -> bool {
        self.hard.is_some_and(|hard| self.started.elapsed() >= hard)
    }

    /// True when another iteration is not worth beginning.
    ///
    /// `since` is when thinking began, which with pondering is earlier than the clock.
    pub fn is_soft_limit_reached(&self, since: Instant) -> bool {
        self.soft
            .is_some_and(|soft| since.elapsed().as_secs_f64() >= soft.as_secs_f64() * self.scale)
    }

    /// Whether the clock matters at all.
    pub fn has_soft_limit(&self) -> bool {
        self.soft.is_some()
    }

    /// Adjusts the soft limit to how settled the last iteration looked.
    ///
    /// - `stable_iterations`: for how long the best move has not changed: less time.
    /// - `score_drops`: how much worse the score has become since the last move, and over the last
    ///   two iterations: more time, trouble needs thought.
    /// - `best_move_share`: share of all nodes spent on the best move: near 1 it has no rival, less
    ///   time.
    pub fn rescale(
        &mut self,
        stable_iterations: u32,
        score_drops: [Score; 2],
        best_move_share: f64,
    ) {
        let stability = 1.35 - 0.06 * f64::from(stable_iterations.min(10));
        let [since_last_move, lately] = score_drops.map(f64::from);
        let trend = (1.0 + since_last_move / 130.0 + lately / 160.0).clamp(0.75, 1.6);
        let effort = (1.75 - 1.2 * best_move_share).clamp(0.5, 1.6);
        self.scale = (stability * trend * effort).min(MAX_SCALE);
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
            Instant::now(),
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
        assert!(!manager.is_hard_limit_reached() && !manager.has_soft_limit());
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
        manager.rescale(10, [0; 2], 0.95);
        let settled = manager.scale;
        manager.rescale(0, [60, 60], 0.3);
        assert!(manager.scale > 2.0 * settled);
        manager.rescale(0, [900, 900], 0.0);
        assert!((manager.scale - MAX_SCALE).abs() < 1e-9);
    }

    fn is(found: Option<Duration>, seconds: f64) -> bool {
        found.is_some_and(|found| (found.as_secs_f64() - seconds).abs() < 1e-6)
    }

    #[test]
    fn budgets_are_what_the_rule_says() {
        // 59.99 s are available: a 24th of them, and three quarters of 0.99 s of increment.
        let limits = clock(60_000, 1000, None);
        let per_move = 59.99 / 24.0 + 0.75 * 0.99;
        let game = manager(&limits, 10);
        assert!(is(game.soft, per_move) && is(game.hard, 3.5 * per_move), "{game:?}");
        let overhead = Duration::from_millis(10);
        let ponder = TimeManager::new(&limits, Color::White, overhead, true, Instant::now());
        assert!(is(ponder.soft, 1.2 * per_move), "{ponder:?}");
        let last = manager(&clock(60_000, 0, Some(1)), 10);
        assert!(is(last.soft, 0.85 * 59.99) && is(last.hard, 0.9 * 59.99), "{last:?}");
        // An overhead that is nearly all there is: a fifth of the clock.
        let late = manager(&clock(100, 0, None), 90);
        assert!(is(late.soft, 0.02 / 24.0) && is(late.hard, 3.5 * 0.02 / 24.0), "{late:?}");
    }

    #[test]
    fn the_scale_is_a_product_of_three() {
        let mut manager = manager(&clock(60_000, 0, None), 10);
        manager.rescale(5, [13, 16], 0.5);
        // 1.35 − 0.06 · 5; 1 + 0.1 + 0.1; 1.75 − 1.2 · 0.5
        assert!((manager.scale - 1.05 * 1.2 * 1.15).abs() < 1e-9, "{}", manager.scale);
    }

    #[test]
    fn the_soft_limit_is_scaled() {
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs_f64(seconds)).unwrap();
        let mut manager = manager(&clock(60_000, 0, None), 10); // 2.5 s
        assert!(manager.has_soft_limit());
        assert!(!manager.is_soft_limit_reached(ago(1.5)));
        assert!(manager.is_soft_limit_reached(ago(3.0)));
        manager.scale = 3.0; // 7.5 s, not 5.5 and not 0.8
        assert!(!manager.is_soft_limit_reached(ago(6.0)));
        assert!(manager.is_soft_limit_reached(ago(8.0)));
    }
}
