//! A lock-free, fixed-size, lossy hash table that threads share: a transposition table for game
//! searches, or a cache for anything that fits into 58 bits and may be forgotten.
//!
//! ```
//! use megatherium_tt::{Packed, Payload, Table};
//!
//! /// How many steps a number takes to reach one (Collatz).
//! #[derive(Clone, Copy, PartialEq, Debug)]
//! struct Steps(u16);
//!
//! impl Payload for Steps {
//!     fn pack(self) -> Packed {
//!         Packed::new((u64::from(self.0) + 1) << 41)
//!     }
//!     fn unpack(packed: Packed) -> Self {
//!         Steps((packed.bits() >> 41) as u16 - 1)
//!     }
//! }
//!
//! let table = Table::<Steps>::new(16)?; // MiB
//! let key = 0x9e37_79b9_7f4a_7c15; // a hash of what was looked for
//! std::thread::scope(|threads| {
//!     threads.spawn(|| table.store(key, Steps(111)));
//!     threads.spawn(|| {
//!         // Found or not, depending on who was first. Never anything else.
//!         if let Some(hit) = table.probe(key) {
//!             assert_eq!(hit.get(), Steps(111));
//!         }
//!     });
//! });
//! assert_eq!(table.probe(key).map(|hit| hit.get()), Some(Steps(111)));
//! # Ok::<(), megatherium_tt::SizeError>(())
//! ```
//!
//! # How to think of it
//!
//! The table is a row of cache lines. The key says which line; in it are four slots of two words
//! each. One word is the data, the other the key XOR the data. A reader takes both words, computes
//! the key from them, and compares. If two writers meet in a slot, the words of one get mixed with
//! those of the other, the key that comes out is not the one asked for, and the reader sees a miss:
//! a torn entry cannot be told from no entry, which is all the safety a table of hints needs. No
//! lock, no wait, no order between the words: all accesses are relaxed.
//!
//! ```text
//!   key ──× clusters ÷ 2⁶⁴──► cluster  ┌─────────┬─────────┬─────────┬─────────┐ 64 bytes,
//!                                      │ slot 0  │ slot 1  │ slot 2  │ slot 3  │ one cache line
//!                                      └────┬────┴─────────┴─────────┴─────────┘
//!                                           │  check = key ^ payload  data = payload (58),
//!                                           └─►  (8 bytes)            generation (6 bits)
//! ```
//!
//! # Where to read on
//!
//! [`Table`] says what is promised and what is not, [`Payload`] how to put a value into 58 bits,
//! and [`Policy`] how to choose which entry is evicted. [`check_layout`] belongs in a test of every
//! payload. The book (`docs/table` in the repository) has the proof, every anomaly that can happen,
//! and how all of it was checked. Its [stepper](../../../docs/table/stepper.html) plays the races
//! step by step.
//!
//! # Requirements
//!
//! A target with 64-bit atomics; on others the crate does not compile, and says so. Feature `std`
//! (default): clearing on several threads, huge pages on Linux. Without it the crate is `no_std`
//! with `alloc`. There are no dependencies. `fault-injection` adds a way to flip bits, for tests;
//! `internals` opens the crate to its own checkers and is exempt from semantic versioning.

#![cfg_attr(not(test), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(target_has_atomic = "64"))]
compile_error!("megatherium-tt needs 64-bit atomics: this target has none");

extern crate alloc;
#[cfg(all(feature = "std", not(test)))]
extern crate std;

mod allocator;
mod cluster;
mod error;
mod huge_pages;
mod interleave;
mod layout;
mod memory;
mod payload;
mod policy;
mod prefetch;
mod protocol;
mod record;
#[cfg(test)]
mod samples;
mod share;
mod slot;
mod table;
mod word;

pub use allocator::{give_back_large_blocks, share_one_heap};
pub use error::SizeError;
pub use huge_pages::HugePages;
pub use layout::{Layout, LayoutError, check_layout};
pub use payload::{Hit, Packed, Payload};
pub use policy::{ByRank, Newcomer, Policy, Resident};
pub use prefetch::prefetch;
pub use record::{Counters, Placement, Record};
pub use table::Table;

/// What the checkers of this crate take apart. Not part of the API.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::cluster::Cluster;
    pub use crate::memory::{Backed, Memory};
    pub use crate::protocol::{Protocol, Xor, cluster_of};
    pub use crate::slot::{SLOTS, Slot, Snapshot};
    pub use crate::word::Word;
}

/// Nobody outside can write a word into a table: a hit was stored for its key.
///
/// ```compile_fail,E0599
/// #[derive(Clone, Copy)]
/// struct Steps(u32);
/// impl megatherium_tt::Payload for Steps {
///     fn pack(self) -> megatherium_tt::Packed {
///         megatherium_tt::Packed::new(u64::from(self.0))
///     }
///     fn unpack(packed: megatherium_tt::Packed) -> Self {
///         Steps(packed.bits() as u32)
///     }
/// }
/// let table = megatherium_tt::Table::<Steps>::with_clusters(1).unwrap();
/// table.cluster(0);
/// ```
#[cfg(all(doctest, not(feature = "internals")))]
pub struct Sealed;

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
