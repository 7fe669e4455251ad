//! Evaluation by a small neural network, efficiently updated along the search path.
//!
//! A [`Network`] holds weights that never change and can be shared by all threads. Each thread owns
//! [`Accumulators`], which follow its moves:
//!
//! ```
//! use megatherium_board::Board;
//! use megatherium_nnue::{Accumulators, Network};
//!
//! let network = Network::embedded();
//! let board = Board::startpos();
//! let mut accumulators = Accumulators::new(&network, &board);
//! let score = accumulators.evaluate(&network, &board);
//! assert_eq!(score, network.evaluate(&board));
//! ```
//!
//! Where to read on: [`layout`] has the shape of the net, [`format`](mod@format) its file,
//! [`constructed`] the net that all trained ones descend from, [`simd`] the inner loops.

// Import cycle: format, network. A net file is a header that declares the shape of the weights, and
// the weights: `Architecture` is both that header and the shape of a `Network`. `format` reads and
// writes networks, `network` asks the architecture for its sizes. Separated, each would be half of
// one concept.
pub mod constructed;
pub mod format;
pub mod layout;
pub mod simd;

mod accumulator;
mod explain;
mod network;
mod refresh;

pub use accumulator::{Accumulators, Counters};
pub use explain::Explanation;
pub use format::{Architecture, NetError};
pub use layout::HIDDEN;
pub use network::{EVAL_LIMIT, Network, WeightError, Weights};

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
