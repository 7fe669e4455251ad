//! A map of the table after some moves of a game: what is in it, by depth and age.

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Root, VirtualSmp};

use crate::error::LabError;
use crate::measure::go_on;
use crate::observer::Observer;

/// Number of ages shown: the current search and the ones before it.
pub const AGES: usize = 12;

/// Depths that share a row.
const DEPTHS_PER_ROW: usize = 2;

/// Rows: the last takes everything deeper.
const ROWS: usize = 12;

/// Number of clusters sampled.
const SAMPLE: usize = 1 << 14;

/// Settings of a map.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Threads, which take turns.
    pub threads: usize,
    /// Nodes per move, all threads together.
    pub nodes: u64,
    /// Moves played; the table is kept between them.
    pub moves: usize,
    /// Size of the table in MiB.
    pub mebibytes: usize,
    /// How the threads take turns.
    pub turns: VirtualSmp,
}

/// A map of the table, in permille of all slots.
#[derive(Clone, Debug)]
pub struct TableMap {
    /// Number of threads.
    pub threads: usize,
    /// By row of depths, then by age.
    pub cells: Vec<Vec<f64>>,
    /// Slots in use.
    pub occupied: f64,
    /// Slots of the current search.
    pub hashfull: u32,
}

/// The depths of a row.
pub fn row_name(row: usize) -> String {
    let from = row * DEPTHS_PER_ROW;
    if row + 1 == ROWS {
        format!("{from}+")
    } else {
        format!("{from}–{}", from + DEPTHS_PER_ROW - 1)
    }
}

/// Plays a game and samples the table. `None` if it was stopped.
pub fn run(
    board: &Board,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Option<TableMap>, LabError> {
    let mut engine = Engine::new(settings.threads, settings.mebibytes)?;
    engine.options.virtual_smp = Some(settings.turns);
    let mut root = Root::new(*board);
    for _ in 0..settings.moves {
        let limits = Limits::nodes(settings.nodes);
        let Some(run) = go_on(&mut engine, root.clone(), limits, observer.stop()) else {
            return Ok(None);
        };
        observer.step(1, "");
        let Some(best) = run.outcome.best else { break };
        root.play(best);
    }
    let clusters = SAMPLE.min(settings.mebibytes << 14);
    let slots = (4 * clusters) as f64;
    let mut cells = vec![vec![0.0; AGES]; ROWS];
    let mut occupied = 0.0;
    engine.table().survey(clusters, |entry| {
        let row = (entry.rank() as usize / DEPTHS_PER_ROW).min(ROWS - 1);
        cells[row][(entry.age as usize).min(AGES - 1)] += 1000.0 / slots;
        occupied += 1000.0 / slots;
    });
    Ok(Some(TableMap {
        threads: settings.threads,
        cells,
        occupied,
        hashfull: engine.table().hashfull(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;

    #[test]
    fn the_map_accounts_for_every_entry() {
        let settings = Settings {
            threads: 2,
            nodes: 20_000,
            moves: 4,
            mebibytes: 1,
            turns: VirtualSmp::default(),
        };
        let map = run(&Board::startpos(), &settings, &Nobody::default()).unwrap().unwrap();
        let sum: f64 = map.cells.iter().flatten().sum();
        assert!((sum - map.occupied).abs() < 1e-6 && sum > 100.0 && sum <= 1000.5, "{sum}");
        let by_age = |age: usize| map.cells.iter().map(|row| row[age]).sum::<f64>();
        assert!(
            by_age(0) > 0.0 && by_age(1) > 0.0 && by_age(4).abs() < 1e-12,
            "four searches, four ages"
        );
        assert!(
            (by_age(0) - f64::from(map.hashfull)).abs() < 60.0,
            "{} {}",
            by_age(0),
            map.hashfull
        );
        assert_eq!((row_name(0), row_name(ROWS - 1)), ("0–1".to_owned(), "22+".to_owned()));
    }
}
