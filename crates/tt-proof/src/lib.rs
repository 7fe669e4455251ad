//! The checkers of `megatherium-tt`: the shipped code under programs that see what no test on a
//! real machine can be relied upon to see.
//!
//! | module | what it does |
//! |---|---|
//! | [`program`] | what all checkers run: a few threads over shared words, of whatever kind |
//! | [`sample`] | the payload of the models |
//! | [`model`] | programs made of calls to the table, written as data |
//! | [`models`] | the models, each with the exact set of its outcomes |
//! | [`replay`] | words that stop a thread at each access: a checker decides what it reads |
//! | [`exact`] | every execution that C11's relaxed atomics allow, one state at a time |
//! | [`closure`] | every value a word ever has, at any time: covers all memory models at once |
//! | [`mutants`] | the protocol with one step changed, each in its own way |
//!
//! The rest is tests: `checks` (every model under every checker), `verdicts` (which checker catches
//! which mutant), `weave` (loom), `litmus` (the checkers put to the test), `narrow` (every key and
//! payload of small words), `sequential` (one thread, against a plain description), `counting`
//! (accesses of each call), `refreshes` (six ways to refresh a generation), `stress` (real
//! threads), `healing` (torn slots, put there on purpose), `stepper` (the page that plays the
//! models) and `book` (the tables that the book takes from here).
#![forbid(unsafe_code)]

pub mod closure;
pub mod exact;
pub mod model;
pub mod models;
pub mod mutants;
pub mod program;
pub mod replay;
pub mod sample;

#[cfg(test)]
mod book;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod counting;
#[cfg(test)]
mod healing;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod litmus;
#[cfg(test)]
mod narrow;
#[cfg(test)]
mod refreshes;
#[cfg(test)]
mod sequential;
#[cfg(test)]
mod stepper;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod verdicts;
#[cfg(test)]
mod weave;
