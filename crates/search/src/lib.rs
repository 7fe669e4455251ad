//! Per-thread search and the Lazy-SMP pool.
//!
//! All threads search the same position with the same code and share one thing that matters: the transposition table.
//! What one finds out, the others read there; that is the whole of "Lazy" SMP. Two types say what can race:
//!
//! - [`worker::Worker`] is what only one thread touches and keeps for the game, [`thread::Search`] the same for one search: stack,
//!   histories, accumulators, its node count.
//! - [`job::Job`] holds what all threads of one search see: the table, the stop word ([`control::Control`]) and padded counters. Every
//!   access there on the hot path is a relaxed atomic.
//!
//! The search never prints: it reports to a [`report::Sink`].
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

pub mod baton;
pub mod bench;
pub mod control;
pub mod correction;
mod engine;
pub mod history;
pub mod job;
mod lead;
mod limits;
mod movepick;
mod moves;
mod negamax;
pub mod params;
mod pool;
mod prune;
mod pv;
mod quiescence;
pub mod random;
mod reductions;
pub mod report;
mod root;
pub mod score;
mod stack;
pub mod strength;
mod syzygy;
mod table_stats;
mod tablebase_file;
pub mod thread;
mod time;
pub mod variant;
pub mod vote;
mod walk;
pub mod wdl;
pub mod worker;

pub use baton::VirtualSmp;
pub use engine::{Engine, EngineError, Options, Root};
pub use lead::Conclusion;
pub use limits::Limits;
pub use params::Params;
pub use pool::THREAD_MEBIBYTES;
pub use report::{Info, Outcome, Report, ScoreBound, Silent, Sink};
pub use root::think;
pub use syzygy::{TablebaseError, Tablebases, Wdl};
pub use table_stats::TableStats;
pub use variant::{Standard, Variant};
