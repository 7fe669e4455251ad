//! Whole-engine tests live in `tests/`; this library holds what they share.

#![forbid(unsafe_code)]

pub mod binary;
pub mod conversation;
pub mod fuzz;
pub mod game;
pub mod random;

pub use conversation::Conversation;
