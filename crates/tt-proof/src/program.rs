//! What the checkers run.

use megatherium_tt::internals::Backed;
use std::collections::BTreeSet;

/// A few threads that share words. What a thread does may depend on what it reads and on nothing
/// else.
pub trait Program: Send + Sync + 'static {
    /// What the threads share.
    type Shared<W: Backed>: Send + Sync + 'static;

    /// Builds the shared state, before any thread starts.
    fn before<W: Backed>(&self) -> Self::Shared<W>;

    /// How many threads there are.
    fn threads(&self) -> usize;

    /// Runs one of them, and says what it saw.
    fn thread<W: Backed>(&self, shared: &Self::Shared<W>, thread: usize) -> String;

    /// What is left when all of them are done.
    fn after<W: Backed>(&self, shared: &Self::Shared<W>) -> String;
}

/// The outcome of one execution: what each thread saw, if anything, and what is left.
pub fn outcome(threads: &[String], after: &str) -> String {
    let mut parts: Vec<&str> =
        threads.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.push(after);
    parts.retain(|part| !part.is_empty());
    parts.join(" | ")
}

/// What a checker found.
#[derive(Debug, PartialEq, Eq)]
pub struct Explored {
    /// All outcomes, of all executions.
    pub outcomes: BTreeSet<String>,
    /// How much work it was: states, or iterations.
    pub effort: usize,
}
