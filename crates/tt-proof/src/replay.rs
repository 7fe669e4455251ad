//! Threads that can be stopped before each access to a shared word.
//!
//! A thread is a function of what it reads. So there is no need to freeze it: it is enough to
//! remember the results of its accesses so far, and to run it again from the start. It gets the
//! same answers, arrives at the same point, and asks for one more access. (From there on it is
//! given any answers, until it is done: that shows where they would lead, and is noted as well. So
//! threads must come to an end whatever they read; those of the table do.)
//!
//! All that is known about a thread is kept in a tree: a node is a sequence of results, and says
//! what the thread does next; an edge is one more result.

use crate::program::{Program, outcome};
use megatherium_tt::internals::{Backed, Cluster, Word};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A word whose accesses are decided by whoever runs the thread: just its number.
#[derive(Debug)]
pub struct ReplayWord(usize);

/// An access to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Its result is the value.
    Load {
        /// Which word.
        word: usize,
    },
    /// Its result is 0.
    Store {
        /// Which word.
        word: usize,
        /// What is stored.
        value: u64,
    },
    /// A compare-exchange. Its result is 1 if it took place, otherwise 0.
    Exchange {
        /// Which word.
        word: usize,
        /// What it must hold.
        current: u64,
        /// What it holds then.
        new: u64,
    },
}

/// What a thread does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// It asks for an access.
    Access(Access),
    /// It is done, and this is what it saw.
    Done(String),
}

/// What the words of this (real) thread do at the moment.
enum Mode {
    /// Work as words do, one thread alone: before and after the threads of a program.
    Plain { memory: Vec<u64> },
    /// Answer from the results of an earlier run; after that, loads answer the first values of the
    /// words and exchanges fail, and all of it is noted.
    Replay { results: Vec<u64>, answered: usize, first: Vec<u64>, noted: Vec<(Access, u64, usize)> },
}

thread_local! {
    /// Which of a thread's calls is being made.
    static CALL: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    static MODE: RefCell<Mode> = const { RefCell::new(Mode::Plain { memory: Vec::new() }) };
}

/// Says which of its calls a thread is about to make, for those who want to show it.
pub fn begin_call(number: usize) {
    CALL.set(number);
}

impl Backed for ReplayWord {
    type Memory = Box<[Cluster<Self>]>;
}

impl Word for ReplayWord {
    fn new(value: u64) -> Self {
        MODE.with_borrow_mut(|mode| match mode {
            Mode::Plain { memory } => {
                memory.push(value);
                Self(memory.len() - 1)
            }
            Mode::Replay { .. } => panic!("threads do not make new words"),
        })
    }

    fn load(&self) -> u64 {
        access(Access::Load { word: self.0 })
    }

    fn store(&self, value: u64) {
        access(Access::Store { word: self.0, value });
    }

    fn compare_exchange(&self, current: u64, new: u64) -> bool {
        access(Access::Exchange { word: self.0, current, new }) == 1
    }
}

fn access(access: Access) -> u64 {
    MODE.with_borrow_mut(|mode| match mode {
        Mode::Plain { memory } => perform(memory, access),
        Mode::Replay { results, answered, first, noted } => {
            *answered += 1;
            if let Some(&result) = results.get(*answered - 1) {
                return result;
            }
            let result = if let Access::Load { word } = access { first[word] } else { 0 };
            noted.push((access, result, CALL.get()));
            result
        }
    })
}

fn perform(memory: &mut [u64], access: Access) -> u64 {
    match access {
        Access::Load { word } => memory[word],
        Access::Store { word, value } => {
            memory[word] = value;
            0
        }
        Access::Exchange { word, current, new } => {
            let matches = memory[word] == current;
            if matches {
                memory[word] = new;
            }
            u64::from(matches)
        }
    }
}

/// A point in a thread's execution: the results of all its accesses so far.
struct Node {
    thread: usize,
    results: Vec<u64>,
    next: Next,
    call: usize,
    children: BTreeMap<u64, usize>,
}

/// All that was found out about the threads of a program so far.
pub struct Threads<'p, P: Program> {
    program: &'p P,
    shared: P::Shared<ReplayWord>,
    initial: Vec<u64>,
    starts: Vec<usize>,
    nodes: Vec<Node>,
}

impl<'p, P: Program> Threads<'p, P> {
    /// Builds the shared state.
    pub fn new(program: &'p P) -> Self {
        MODE.set(Mode::Plain { memory: Vec::new() });
        let shared = program.before::<ReplayWord>();
        let Mode::Plain { memory: initial } = MODE.replace(Mode::Plain { memory: Vec::new() })
        else {
            unreachable!("nobody replays while the stage is set")
        };
        let mut threads = Self { program, shared, initial, starts: Vec::new(), nodes: Vec::new() };
        threads.starts =
            (0..program.threads()).map(|thread| threads.grow(thread, Vec::new())).collect();
        threads
    }

    /// The values of the words when the threads start.
    pub fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Where each thread starts.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// What the thread does at this point.
    pub fn next(&self, node: usize) -> Next {
        self.nodes[node].next.clone()
    }

    /// Which of the thread's calls it is in.
    pub fn call(&self, node: usize) -> usize {
        self.nodes[node].call
    }

    /// The point it comes to if the access it asks for has this result.
    pub fn step(&mut self, node: usize, result: u64) -> usize {
        if let Some(&child) = self.nodes[node].children.get(&result) {
            return child;
        }
        let mut results = self.nodes[node].results.clone();
        results.push(result);
        let child = self.grow(self.nodes[node].thread, results);
        self.nodes[node].children.insert(result, child);
        child
    }

    /// The outcome of an execution that left the words with these values.
    pub fn outcome(&self, saw: &[String], memory: Vec<u64>) -> String {
        MODE.set(Mode::Plain { memory });
        outcome(saw, &self.program.after(&self.shared))
    }

    /// Runs a thread that has had these results, and adds what it does from there on. Returns the
    /// first of the new nodes.
    fn grow(&mut self, thread: usize, mut results: Vec<u64>) -> usize {
        let first = self.nodes.len();
        MODE.set(Mode::Replay {
            results: results.clone(),
            answered: 0,
            first: self.initial.clone(),
            noted: Vec::new(),
        });
        let saw = self.program.thread(&self.shared, thread);
        let Mode::Replay { noted, .. } = MODE.replace(Mode::Plain { memory: Vec::new() }) else {
            unreachable!("the mode only changes here")
        };
        for (access, result, call) in noted {
            let children = BTreeMap::from([(result, self.nodes.len() + 1)]);
            self.nodes.push(Node {
                thread,
                results: results.clone(),
                next: Next::Access(access),
                call,
                children,
            });
            results.push(result);
        }
        let (next, children) = (Next::Done(saw), BTreeMap::new());
        self.nodes.push(Node { thread, results, next, call: usize::MAX, children });
        first
    }
}
