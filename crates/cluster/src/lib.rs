//! One search on many machines.
//!
//! Every rank is a whole engine with its own table. Rank 0 speaks UCI; the others follow. During a
//! search each sends its deep table entries to all others, and at the end each has one vote. The
//! page `docs/cluster.md` has the design and what it is worth.
//!
//! ```text
//!  rank 0                                                       ranks 1 … n−1
//!  stdin ─► Shell ─► Engine ◄─ Desk ─► leader ◄──── Wire ────► follower ◄─ Desk ─► Engine
//!           reader   search    queues  main thread             main thread  queues  search
//! ```
//!
//! The main thread of a rank is the only one that uses the [`Wire`]. The search threads meet it at
//! the [`Desk`]: bounded queues, a channel and a few atomics.
//!
//! | module | what happens there |
//! |---|---|
//! | [`wire`] | what is asked of a network: post a message, poll for one |
//! | [`mesh`] | a network inside one process, with latency, loss, reordering and deaths |
//! | `mpi` | the network of a cluster; needs the feature `mpi` |
//! | [`message`] | messages to bytes and back; what is malformed is refused |
//! | [`sharing`] | which entries are worth sending |
//! | [`desk`] | where the search threads and the main thread meet |
//! | [`station`] | a rank on the wire: acknowledgements, windows, the exchange |
//! | [`options`] | the UCI options of a cluster |
//! | [`leader`], [`follower`] | the two roles |

#![forbid(unsafe_code)]

pub mod desk;
pub mod follower;
pub mod leader;
pub mod mesh;
pub mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod options;
pub mod sharing;
pub mod station;
pub mod wire;

pub use desk::Desk;
pub use follower::follow;
pub use leader::lead;
pub use station::Timing;
pub use wire::Wire;
