//! The tree search: one thread's walk through the positions below the root.
//!
//! [`Search`] is everything one thread touches during one search, [`Job`] what all threads share. A
//! node is in `node.rs`, its leaves in `quiescence.rs`; decisions about whole nodes and about
//! single moves are in `pruning.rs` and `moves.rs`.

// Import cycle: job, root_moves, search, table.
// Import cycle: moves, node.
// `Search` is one type whose methods are spread over these files by subject, so each file uses the
// type, and `search.rs` and `node.rs` use the data of those methods.

mod allies;
mod attacks;
mod entry;
#[cfg(test)]
mod fixture;
mod job;
mod movepick;
mod moves;
mod node;
mod pruning;
mod pv;
mod quiescence;
mod reductions;
mod replacement;
mod replicas;
mod root_moves;
mod search;
mod stack;
mod stats;
mod table;
mod worker;

pub use allies::{Allies, Progress, SearchTable, Verdict, take_in};
pub use entry::{Bound, Entry};
#[cfg(test)]
pub use fixture::{Quiet, START, Scene};
pub use job::Job;
pub use node::ROOT;
pub use replacement::{AgeBased, Always, DepthAge, DepthPreferred, Replacement, TwoTier};
pub use replicas::Replicas;
pub use root_moves::{LONG_SEARCH, RootMove};
pub use search::Search;
pub use stats::TableStats;
pub use table::table_key;
pub use worker::Worker;
