//! The order-free checker: any load may return anything that is ever stored to that word, by
//! anyone, now or later.
//!
//! No machine is that weak. Whatever order of accesses a processor, a compiler or a memory model
//! can come up with, a load returns a value that some store put into the word (or its first value);
//! this checker allows *every* such value at every load, even those that are stored later, or only
//! because of this very load. So what it does not find cannot happen anywhere: what holds here
//! holds on x86, on ARM, in C11 with load buffering, and in models yet to come.
//!
//! What it cannot do is say what *does* happen: it allows far too much. It is for safety only.

use crate::program::Program;
use crate::replay::{Access, Next, Threads};
use std::collections::BTreeSet;

/// What the checker found.
pub struct Closure {
    /// What each thread may see.
    pub seen: Vec<BTreeSet<String>>,
    /// Which threads may store to each word.
    pub writers: Vec<BTreeSet<usize>>,
    /// Every value each word may have.
    pub values: Vec<BTreeSet<u64>>,
    /// Points of thread executions visited in the last round.
    pub effort: usize,
}

impl Closure {
    /// Whether some thread may see an entry of another position: models mark those with an
    /// exclamation mark.
    pub fn is_wrong(&self) -> bool {
        self.seen.iter().flatten().any(|saw| saw.contains('!'))
    }
}

/// More values than any word of a model has. Without any order a counter counts for ever, because
/// it may load what it is about to store: such a program has no useful closure.
const TOO_MANY_VALUES: usize = 6;

/// More points than any model has. The number of points is exponential in the number of loads that
/// have several values: a model with a few calls too many would take all the memory there is.
const TOO_MANY_POINTS: usize = 4_000_000;

/// Runs every thread on every value; `None` if the values do not converge.
///
/// What the threads store depends on the values and the values on what they store, so it iterates
/// to a fixed point.
pub fn explore<P: Program>(program: &P) -> Option<Closure> {
    let mut threads = Threads::new(program);
    let mut values: Vec<BTreeSet<u64>> =
        threads.initial().iter().map(|&value| BTreeSet::from([value])).collect();
    let mut writers = vec![BTreeSet::new(); values.len()];
    loop {
        let known: usize = values.iter().map(BTreeSet::len).sum();
        let mut seen = Vec::new();
        let mut effort = 0;
        for thread in 0..threads.starts().len() {
            let mut outcomes = BTreeSet::new();
            let mut todo = vec![threads.starts()[thread]];
            while let Some(node) = todo.pop() {
                effort += 1;
                if effort > TOO_MANY_POINTS {
                    return None;
                }
                let access = match threads.next(node) {
                    Next::Access(access) => access,
                    Next::Done(saw) => {
                        outcomes.insert(saw);
                        continue;
                    }
                };
                let results: Vec<u64> = match access {
                    Access::Load { word } => values[word].iter().copied().collect(),
                    Access::Store { word, value } => {
                        writers[word].insert(thread);
                        values[word].insert(value);
                        vec![0]
                    }
                    Access::Exchange { word, current, new } => {
                        let may_succeed = values[word].contains(&current);
                        if may_succeed {
                            writers[word].insert(thread);
                            values[word].insert(new);
                        }
                        (0..=u64::from(may_succeed)).collect()
                    }
                };
                todo.extend(results.into_iter().map(|result| threads.step(node, result)));
            }
            seen.push(outcomes);
        }
        if known == values.iter().map(BTreeSet::len).sum::<usize>() {
            return Some(Closure { seen, writers, values, effort });
        }
        if values.iter().any(|values| values.len() > TOO_MANY_VALUES) {
            return None;
        }
    }
}
