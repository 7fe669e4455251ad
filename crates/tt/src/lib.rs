//! A lock-free transposition table, shared by all threads of a search.
//!
//! ```
//! use megatherium_tt::{Bound, Entry, Table};
//!
//! let table = Table::new(16)?; // MiB
//! let key = 0x9e37_79b9_7f4a_7c15; // a hash of the position
//! std::thread::scope(|threads| {
//!     threads.spawn(|| {
//!         table.store(key, Entry { mv: 796, score: 35, eval: 28, depth: 9, pv: true, bound: Bound::Exact });
//!     });
//!     threads.spawn(|| {
//!         // Found or not, depending on who was first. Never half of it.
//!         if let Some(entry) = table.probe(key) {
//!             assert_eq!((entry.mv, entry.score, entry.depth), (796, 35, 9));
//!         }
//!     });
//! });
//! assert_eq!(table.probe(key).map(|entry| entry.eval), Some(28));
//! # Ok::<(), megatherium_tt::SizeError>(())
//! ```
//!
//! # How to think of it
//!
//! The table is a row of cache lines. The key of a position says which line; in it are four slots of two
//! words each. One word is the data, the other the key XOR the data. A reader takes both words, puts the key
//! together again, and compares. If two writers meet in a slot, the words of one get mixed with those of the
//! other, the key that comes out is not the one asked for, and the reader sees a miss: a torn entry cannot be
//! told from no entry, which is all the safety a table of hints needs. No lock, no wait, no order between the
//! words: all accesses are relaxed.
//!
//! ```text
//!   key ──× clusters ÷ 2⁶⁴──► cluster  ┌─────────┬─────────┬─────────┬─────────┐ 64 bytes, one cache line
//!                                      │ slot 0  │ slot 1  │ slot 2  │ slot 3  │
//!                                      └────┬────┴─────────┴─────────┴─────────┘
//!                                           │     check = key ^ data   data = move, score, eval,
//!                                           └──►  (8 bytes)            (8 bytes)   depth, pv, bound
//! ```
//!
//! # Where to read on
//!
//! [`Table`] says what is promised and what is not; [`policy`] who gives way when a cluster is full;
//! [`Record`] how to count. The book in `docs/` has the proof, every anomaly that can happen, and how all of
//! it was checked.
//!
//! # Features
//!
//! `std` (default): clearing on all cores, huge pages on Linux. Without it the crate is `no_std` with
//! `alloc`.

#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(all(feature = "std", not(test)))]
extern crate std;

mod allocator;
mod cluster;
mod entry;
mod error;
mod huge_pages;
mod memory;
pub mod policy;
mod prefetch;
#[cfg(test)]
mod proof;
mod protocol;
mod record;
mod slot;
mod table;
mod word;

pub use allocator::give_back_large_blocks;
pub use cluster::Cluster;
pub use entry::{Bound, Entry};
pub use error::SizeError;
pub use huge_pages::HugePages;
pub use memory::Memory;
pub use prefetch::prefetch;
pub use record::{Counters, Placement, Record};
pub use table::Table;
pub use word::Word;
