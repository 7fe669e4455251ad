//! Threads that work together: starting, stopping, taking turns, voting. Knows no chess tree.
//!
//! Everything here runs on [`Primitives`], so that `tests/protocol.rs` checks this very code with
//! loom's mutexes, condition variables and atomics instead of the shipped ones.

pub mod baton;
pub mod control;
pub mod counters;
pub mod groups;
pub mod lead;
pub mod monitor;
pub mod numa;
pub mod pool;
pub mod primitives;
pub mod vote;

pub use baton::{Baton, VirtualSmp};
pub use control::{Control, SearchId};
pub use counters::{Counters, Opinion};
pub use groups::Groups;
pub use lead::Lead;
pub use monitor::Monitor;
pub use numa::{NumaError, NumaPolicy, Placement, Topology};
pub use pool::{Pool, STACK_BYTES};
pub use primitives::{Native, Primitives, SharedWord};
