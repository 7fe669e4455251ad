//! Options of a search, besides its limits.

use std::time::Duration;

use super::teamwork::Teamwork;
use crate::params::Params;
use crate::smp::VirtualSmp;

/// What a search is told besides its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Time lost between the engine and the clock, subtracted from every budget.
    pub move_overhead: Duration,
    /// The GUI allows pondering, so a move may take a little more of our own time.
    pub ponder: bool,
    /// Play like a weaker opponent of about this rating.
    pub elo: Option<u32>,
    /// Shallowest remaining depth at which tablebases are probed in the tree.
    pub syzygy_probe_depth: u32,
    /// Largest number of men to probe.
    pub syzygy_probe_limit: u32,
    /// Whether the 50-move rule counts in tablebase results.
    pub syzygy_50_move_rule: bool,
    /// Let the threads take turns instead of running at once: see [`VirtualSmp`]. A search limited
    /// by depth or nodes is then the same every time.
    pub virtual_smp: Option<VirtualSmp>,
    /// Count this many nodes of the leading thread as a millisecond on the clock, for games that
    /// the load of the machine must not change.
    pub nodes_per_millisecond: Option<u64>,
    /// The tunable parameters of the search.
    pub params: Params,
    /// Prefetch table lines. Off only to measure what it gains.
    pub prefetch: bool,
    /// How several threads work together.
    pub teamwork: Teamwork,
    /// A thread that panics on purpose, to test that the others answer without it.
    #[cfg(feature = "fault-injection")]
    pub failing_thread: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            ponder: false,
            elo: None,
            syzygy_probe_depth: 1,
            syzygy_probe_limit: 7,
            syzygy_50_move_rule: true,
            virtual_smp: None,
            nodes_per_millisecond: None,
            params: Params::default(),
            prefetch: true,
            teamwork: Teamwork::default(),
            #[cfg(feature = "fault-injection")]
            failing_thread: None,
        }
    }
}
