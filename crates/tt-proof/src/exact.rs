//! The exact checker: all executions that relaxed atomics allow, and no others.
//!
//! The rules are those of C11 as repaired by RC11, for programs with relaxed accesses only:
//!
//! * All stores to one word have an order, the same for everyone (*modification order*).
//! * A thread never goes back in that order: what it has stored or seen in a word, it cannot
//!   precede by a later store or load.
//! * A compare-exchange that succeeds comes right after the store it has read.
//! * Values are not invented: an access happens after the accesses its value comes from.
//!
//! Nothing relates the orders of different words. So a state is the list of stores of each word,
//! the place in it that each thread has come to, and the point where each thread is. A step is any
//! access of any thread, with any place in the list that the rules allow. States met before are not
//! visited again.
//!
//! One reduction keeps it fast. A load of a word that no other thread ever stores to has one
//! possible value, now and later, so it is made at once. Which words those are is known from the
//! order-free checker, which allows more than can happen.

use crate::closure::Closure;
use crate::program::{Explored, Program};
use crate::replay::{Access, Next, Threads};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A store, at its place in the modification order of its word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Write {
    value: u64,
    /// Made by a compare-exchange that read the store before it: nothing may come in between.
    bound_to_last: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Where each thread is.
    at: Vec<usize>,
    /// The stores to each word, in modification order.
    writes: Vec<Vec<Write>>,
    /// How far each thread has come in each of these lists.
    seen: Vec<Vec<usize>>,
}

/// Visits every state, with the help of what the order-free checker found, if anything.
pub fn explore<P: Program>(program: &P, closure: Option<&Closure>) -> Explored {
    let Some(closure) = closure else { return explore_all(program) };
    explore_with(program, |thread, access| match access {
        Access::Load { word } => closure.writers[word].iter().all(|&writer| writer == thread),
        Access::Store { .. } | Access::Exchange { .. } => false,
    })
}

/// Visits every state without the reduction: where there is no closure, and to check that the
/// reduction loses nothing.
pub fn explore_all<P: Program>(program: &P) -> Explored {
    explore_with(program, |_, _| false)
}

/// More states than any model has; so many fit into a gigabyte.
const TOO_MANY_STATES: usize = 1_000_000;

fn explore_with<P: Program>(program: &P, is_private: impl Fn(usize, Access) -> bool) -> Explored {
    let mut threads = Threads::new(program);
    let start = State::first(&threads);
    let mut visited = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    let mut outcomes = BTreeSet::new();
    while let Some(state) = todo.pop() {
        let next: Vec<Next> = state.at.iter().map(|&node| threads.next(node)).collect();
        let mut accesses: Vec<(usize, Access)> = next
            .iter()
            .enumerate()
            .filter_map(|(thread, next)| match next {
                Next::Access(access) => Some((thread, *access)),
                Next::Done(_) => None,
            })
            .collect();
        if accesses.is_empty() {
            let saw: Vec<String> = next.into_iter().filter_map(saw_by).collect();
            let memory = state.writes.iter().map(|writes| writes[writes.len() - 1].value).collect();
            outcomes.insert(threads.outcome(&saw, memory));
            continue;
        }
        if let Some(&private) =
            accesses.iter().find(|(thread, access)| is_private(*thread, *access))
        {
            accesses = vec![private];
        }
        for (thread, access) in accesses {
            for (result, mut new) in state.after(thread, access) {
                new.at[thread] = threads.step(state.at[thread], result);
                assert!(visited.len() < TOO_MANY_STATES, "this model is too large");
                if visited.insert(new.clone()) {
                    todo.push(new);
                }
            }
        }
    }
    Explored { outcomes, effort: visited.len() }
}

/// One access of a witness.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The thread that made it.
    pub thread: usize,
    /// In which of its calls.
    pub call: usize,
    /// The access itself.
    pub access: Access,
    /// Its result: the value loaded, or whether an exchange succeeded.
    pub result: u64,
    /// Where in the modification order of its word: what it read, or where its store came to be.
    pub place: usize,
    /// All results and places that were possible.
    pub options: Vec<(u64, usize)>,
    /// Nobody else ever stores to this word.
    pub private: bool,
}

/// A shortest execution for each outcome, and for each mark that executions with this outcome are
/// given. `closure` says which words are private.
pub fn witnesses<P: Program>(
    program: &P,
    closure: Option<&Closure>,
    mark: impl Fn(&[Taken]) -> &'static str,
) -> BTreeMap<String, Vec<Taken>> {
    let mut threads = Threads::new(program);
    let is_private = |thread: usize, access: Access| {
        let writers = closure.map(|closure| &closure.writers[word_of(access)]);
        writers.is_some_and(|writers| writers.iter().all(|&writer| writer == thread))
    };
    let mut visited = HashSet::from([State::first(&threads)]);
    let mut states = vec![(State::first(&threads), 0, None::<Taken>)];
    let mut witnesses = BTreeMap::new();
    // Breadth first: what is reached first is reached by the fewest steps.
    let mut at = 0;
    while let Some((state, ..)) = states.get(at).cloned() {
        let next: Vec<Next> = state.at.iter().map(|&node| threads.next(node)).collect();
        let mut accesses: Vec<(usize, Access)> = Vec::new();
        for (thread, next) in next.iter().enumerate() {
            if let Next::Access(access) = next {
                accesses.push((thread, *access));
            }
        }
        if accesses.is_empty() {
            let saw: Vec<String> = next.into_iter().filter_map(saw_by).collect();
            let memory = state.writes.iter().map(|writes| writes[writes.len() - 1].value).collect();
            let mut path: Vec<Taken> = Vec::new();
            let mut step = at;
            while let (_, parent, Some(taken)) = &states[step] {
                path.push(taken.clone());
                step = *parent;
            }
            path.reverse();
            // What a thread did is a function of what it read, so all paths to this state are
            // marked alike.
            let name = threads.outcome(&saw, memory) + mark(&path);
            witnesses.entry(name).or_insert(path);
        }
        let load = |access: Access| matches!(access, Access::Load { .. });
        if let Some(&alone) = accesses.iter().find(|it| load(it.1) && is_private(it.0, it.1)) {
            accesses = vec![alone];
        }
        for (thread, access) in accesses {
            let (call, word) = (threads.call(state.at[thread]), word_of(access));
            let after = state.after(thread, access);
            let options: Vec<(u64, usize)> =
                after.iter().map(|(result, new)| (*result, new.seen[thread][word])).collect();
            for (result, mut new) in after {
                new.at[thread] = threads.step(state.at[thread], result);
                assert!(visited.len() < TOO_MANY_STATES, "this model is too large");
                if visited.insert(new.clone()) {
                    let (place, private) = (new.seen[thread][word], is_private(thread, access));
                    let options = options.clone();
                    let taken = Taken { thread, call, access, result, place, options, private };
                    states.push((new, at, Some(taken)));
                }
            }
        }
        at += 1;
    }
    witnesses
}

/// What a thread saw, once it is done.
fn saw_by(next: Next) -> Option<String> {
    match next {
        Next::Done(saw) => Some(saw),
        Next::Access(_) => None,
    }
}

/// The word of an access.
pub fn word_of(access: Access) -> usize {
    match access {
        Access::Load { word } | Access::Store { word, .. } | Access::Exchange { word, .. } => word,
    }
}

impl State {
    /// Nothing has happened yet.
    fn first<P: Program>(threads: &Threads<P>) -> Self {
        let first = |&value: &u64| vec![Write { value, bound_to_last: false }];
        Self {
            at: threads.starts().to_vec(),
            writes: threads.initial().iter().map(first).collect(),
            seen: vec![vec![0; threads.initial().len()]; threads.starts().len()],
        }
    }

    /// All possible results of an access, each with the state after it (except the thread's own
    /// progress).
    fn after(&self, thread: usize, access: Access) -> Vec<(u64, Self)> {
        let word = word_of(access);
        let writes = &self.writes[word];
        let visible = self.seen[thread][word]..writes.len();
        match access {
            Access::Load { .. } => visible
                .map(|place| (writes[place].value, self.having_seen(thread, word, place)))
                .collect(),
            Access::Store { value, .. } => visible
                .filter(|&place| self.may_follow(word, place))
                .map(|place| {
                    (0, self.with_write(thread, word, place, Write { value, bound_to_last: false }))
                })
                .collect(),
            Access::Exchange { current, new, .. } => visible
                .filter_map(|place| {
                    if writes[place].value != current {
                        return Some((0, self.having_seen(thread, word, place)));
                    }
                    let write = Write { value: new, bound_to_last: true };
                    self.may_follow(word, place)
                        .then(|| (1, self.with_write(thread, word, place, write)))
                })
                .collect(),
        }
    }

    /// Whether a store can come right after the one at this place.
    fn may_follow(&self, word: usize, place: usize) -> bool {
        self.writes[word].get(place + 1).is_none_or(|next| !next.bound_to_last)
    }

    fn having_seen(&self, thread: usize, word: usize, place: usize) -> Self {
        let mut state = self.clone();
        state.seen[thread][word] = place;
        state
    }

    /// The state with a store right after the one at `place`.
    fn with_write(&self, thread: usize, word: usize, place: usize, write: Write) -> Self {
        let mut state = self.clone();
        state.writes[word].insert(place + 1, write);
        for seen in &mut state.seen {
            if seen[word] > place {
                seen[word] += 1;
            }
        }
        state.seen[thread][word] = place + 1;
        state
    }
}
