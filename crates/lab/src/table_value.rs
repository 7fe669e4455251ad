//! What the table is worth: the same positions to the same depth with tables of different sizes,
//! and with a single cluster.

use std::time::{Duration, Instant};

use megatherium_board::Board;
use megatherium_search::{Engine, EngineError, Limits, Root, Silent, TableStats, bench};

/// A table of one size, over all positions.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its size in MiB; `None` for a single cluster, which is practically no table.
    pub mebibytes: Option<usize>,
    /// Nodes to reach the depth.
    pub nodes: u64,
    /// Sum over positions of the logarithm of the nodes, for a geometric mean in which no position
    /// outweighs another.
    pub log_nodes: f64,
    /// Search time.
    pub time: Duration,
    /// Hits, cutoffs and move hints.
    pub stats: TableStats,
    /// Fill at the end of the last search, averaged over positions, in permille.
    pub hashfull: f64,
}

/// Searches the bench positions to `depth` with a table of a size.
pub fn run(depth: u32, mebibytes: Option<usize>) -> Result<Row, EngineError> {
    let mut engine = Engine::new(1, mebibytes.unwrap_or(1))?;
    if mebibytes.is_none() {
        engine.disable_table()?;
    }
    let mut row = Row {
        mebibytes,
        nodes: 0,
        log_nodes: 0.0,
        time: Duration::ZERO,
        stats: TableStats::default(),
        hashfull: 0.0,
    };
    for fen in bench::POSITIONS {
        let board = Board::from_fen(fen).expect("the bench positions are valid");
        engine.new_game();
        let started = Instant::now();
        let outcome = engine.search(Root::new(board), Limits::depth(depth), Silent);
        row.time += started.elapsed();
        row.nodes += outcome.nodes;
        row.log_nodes += (outcome.nodes as f64).ln();
        row.stats += engine.table_stats();
        row.hashfull += f64::from(engine.table().hashfull()) / bench::POSITIONS.len() as f64;
    }
    Ok(row)
}
