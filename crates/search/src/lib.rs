//! Per-thread search and the Lazy-SMP pool.
//!
//! All threads search the same position with the same code ("Lazy" SMP). They share the
//! transposition table and, by default, move histories and completed iterations: see [`Teamwork`].
//! Three types say what can race:
//!
//! - `tree::Worker` is what one thread owns for the game; `tree::Search` what it owns for one
//!   search: stack, accumulators, node count.
//! - `tree::Job` is what all threads of one search share: the table, the stop word
//!   ([`smp::Control`]), padded counters and the deepest completed iteration.
//! - `learning::Histories` is shared by a group of threads.
//!
//! On the hot path all that is shared is relaxed atomics.
//!
//! The modules, from the bottom up; none uses one below it in this list:
//!
//! | module | what happens there |
//! |---|---|
//! | [`score`], [`wdl`], [`params`] | numbers and what they mean |
//! | [`smp`] | starting, stopping, taking turns, voting: threads without chess |
//! | `request`, [`report`] | what a search is given, what it reports |
//! | `learning` | move histories and correction history |
//! | `tablebase`, `time` | Syzygy tables; the clock |
//! | `tree` | the search itself: nodes, quiescence, pruning, move ordering |
//! | `root` | iterative deepening, strength limits, the answer |
//! | `engine` | the API: start, stop, options, table, net |
//! | [`mod@bench`] | the signature of the search |
//! | `perft` | leaf counts with a table, on all threads |
//!
//! The search does no I/O: it reports to a [`Sink`].
//!
//! ```
//! use megatherium_board::Board;
//! use megatherium_search::{Engine, Limits, Root, Silent};
//!
//! let mut engine = Engine::new(1, 1)?;
//! let board = Board::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
//! let outcome = engine.search(Root::new(board), Limits::depth(5), Silent);
//! let best = outcome.best.expect("there are legal moves");
//! assert_eq!(board.uci(best, false).to_string(), "d1d8");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod bench;
mod crowding;
mod engine;
mod learning;
pub mod params;
mod perft;
pub mod report;
mod request;
mod root;
pub mod score;
pub mod smp;
mod tablebase;
mod time;
mod tree;
pub mod wdl;

pub use engine::{Engine, EngineError, THREAD_MEBIBYTES, memory_of_threads};
pub use params::Params;
pub use perft::PerftTable;
pub use report::{Info, Outcome, Report, ScoreBound, Silent, Sink};
pub use request::{Limits, Options, Root, TakeOver, TeamRule, Teamwork, TeamworkError};
pub use root::strength;
pub use smp::{NumaError, NumaPolicy, VirtualSmp};
pub use tablebase::{Inventory, TablebaseError, Tablebases, Wdl};
pub use time::nodes_as_time;
pub use tree::{
    AgeBased, Allies, Always, Bound, DepthAge, DepthPreferred, Entry, Progress, Replacement,
    SearchTable, TableStats, TwoTier, Verdict, table_key, take_in,
};

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
