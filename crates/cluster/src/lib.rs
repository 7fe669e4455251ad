//! One search on many machines.
//!
//! Every rank is a whole engine with its own table. Rank 0 speaks UCI; the others follow. During a
//! search each sends its deep table entries to all others, and at the end each has one vote. The
//! page `docs/cluster.md` has the design and what it is worth.
//!
//! ```text
//!  rank 0                                                       ranks 1 … n−1
//!  stdin ─► Shell ─► Engine ◄─ Bridge ─► leader ◄── Transport ──► follower ◄─ Bridge ─► Engine
//!           reader   search    queues    protocol                 protocol    queues    search
//! ```
//!
//! The protocol thread of a rank is the only one that uses the [`Transport`]. It shares the
//! [`Bridge`] with the search threads: bounded queues, a channel and a few atomics.
//!
//! | module | what happens there |
//! |---|---|
//! | [`transport`] | what the protocol needs of a network: send a message, poll for one |
//! | `mpi` | the network of a cluster, with the feature `mpi`; tests use one inside one process |
//! | [`message`] | messages to bytes and back; what is malformed is refused |
//! | [`sharing`] | which entries are worth sending |
//! | [`bridge`] | queues between the search threads and the protocol thread |
//! | [`endpoint`] | sequence numbers, acknowledgements, windows, the exchange of entries |
//! | [`options`] | the UCI options of a cluster |
//! | [`leader`], [`follower`] | the two roles |

#![forbid(unsafe_code)]

pub mod bridge;
pub mod endpoint;
pub mod follower;
pub mod leader;
pub mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod options;
pub mod sharing;
pub mod transport;

pub use bridge::Bridge;
pub use endpoint::Timing;
pub use follower::follow;
pub use leader::lead;
pub use transport::Transport;
