//! The UCI shell of Megatherium: parse a line, call the engine, print the answer.
//!
//! One thread reads the input and owns the engine. It never waits for a search, so `stop`,
//! `ponderhit` and `isready` take effect at once; the search prints its own lines through [one
//! formatter](mod@format).
//!
//! ```text
//! stdin ─► input::Lines ─► parse ─► Command ─► Shell ─► Engine
//!                                                         │
//!               stdout ◄─ Output ◄─ format ◄─ Sink ◄──────╯
//! ```
//!
//! The manual for users is `docs/uci.md`; its tables are generated from the declarations in
//! [`command`] and [`options`].

#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod cli;
pub mod command;
pub mod format;
pub mod human;
pub mod input;
pub mod log;
mod memory;
pub mod output;
pub mod parse;
pub mod shell;
pub mod speaker;
pub mod task;
pub mod version;

pub use shell::options;
