//! The proof: the shipped code under checkers that see what no test on a real machine can be relied upon to
//! see.
//!
//! | module | what it does |
//! |---|---|
//! | [`program`] | what all checkers run: a few threads over shared words, of whatever kind |
//! | [`model`] | programs made of calls to the table, written as data |
//! | [`models`] | the models, each with the exact set of its outcomes |
//! | [`replay`] | words that stop a thread at each access, so that someone else can decide what it reads |
//! | [`exact`] | every execution that C11's relaxed atomics allow, one state at a time |
//! | [`closure`] | every value a word ever has, at any time: covers all memory models at once |
//! | [`weave`] | loom |
//! | [`litmus`] | the checkers themselves put to the test |
//! | [`sequential`] | one thread, against a plain description of what the table should do |
//! | [`counting`] | how many accesses each call makes |
//! | [`refreshes`] | six ways to refresh a generation |
//! | [`keys`] | numbers as good as random |
//! | [`stress`] | real threads on real memory |
//! | [`healing`] | torn slots, put there on purpose |
//! | [`layout`] | why the fields are where they are |
//! | [`mutants`] | the protocol with one step changed, each in its own way |
//! | [`book`] | the tables that the book takes from here |
//! | [`verdicts`] | which checker catches which mutant |

mod book;
mod closure;
mod counting;
mod exact;
mod healing;
pub(crate) mod keys;
mod layout;
mod litmus;
mod model;
mod models;
mod mutants;
mod program;
mod refreshes;
mod replay;
mod sequential;
mod stress;
mod verdicts;
mod weave;
