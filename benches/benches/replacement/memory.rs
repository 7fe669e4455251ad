//! Memories for the search: a table with a policy, or one that forgets nothing and records
//! everything.

use std::collections::HashMap;

use megatherium_benches::already_hashed::BuildAlreadyHashed;
use megatherium_search::Entry;
use megatherium_tt::{Hit, Policy, Table};

/// What a search asks of an entry: at least this depth, and a score that decides this window.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Depth to be searched.
    pub depth: i32,
    /// Lower end of the window.
    pub alpha: i32,
    /// Upper end of the window.
    pub beta: i32,
}

/// A table, seen from the search.
pub trait Memory {
    /// A search begins.
    fn new_search(&mut self);

    /// What is known about a position.
    fn probe(&mut self, key: u64, question: Question) -> Option<Entry>;

    /// What was found out about a position, and how many nodes that took.
    fn store(&mut self, key: u64, entry: Entry, effort: u64);
}

impl<P: Policy<Entry>> Memory for Table<Entry, P> {
    fn new_search(&mut self) {
        self.new_generation();
    }

    fn probe(&mut self, key: u64, _: Question) -> Option<Entry> {
        Table::probe(self, key).map(Hit::get)
    }

    fn store(&mut self, key: u64, entry: Entry, _: u64) {
        Table::store(self, key, entry);
    }
}

/// Something that happened at the table.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A search began.
    NewSearch,
    /// A position was looked up.
    Probe {
        /// Its key.
        key: u64,
        /// What the search wanted to know, in as few bits as possible: a trace has millions of
        /// these.
        depth: u8,
        alpha: i16,
        beta: i16,
    },
    /// A position was stored: the number says which of the trace's [`Stored`] it was.
    Store(u32),
}

/// What was stored.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// Key of the position.
    pub key: u64,
    /// The entry.
    pub entry: Entry,
    /// Nodes searched to find it out: what a later cutoff by this entry saves.
    pub effort: u32,
}

/// The traffic of a few searches in a row, in order.
#[derive(Default)]
pub struct Trace {
    /// Searches begun, probes and stores, in order.
    pub events: Vec<Event>,
    /// The stored entries, numbered by [`Event::Store`].
    pub stored: Vec<Stored>,
}

/// A memory that forgets nothing, and records what it is asked and told.
#[derive(Default)]
pub struct Recorder {
    /// What was recorded.
    pub trace: Trace,
    known: HashMap<u64, Entry, BuildAlreadyHashed>,
}

impl Memory for Recorder {
    fn new_search(&mut self) {
        self.trace.events.push(Event::NewSearch);
    }

    fn probe(&mut self, key: u64, Question { depth, alpha, beta }: Question) -> Option<Entry> {
        let (depth, alpha, beta) = (depth as u8, alpha as i16, beta as i16);
        self.trace.events.push(Event::Probe { key, depth, alpha, beta });
        self.known.get(&key).copied()
    }

    fn store(&mut self, key: u64, mut entry: Entry, effort: u64) {
        self.trace.events.push(Event::Store(self.trace.stored.len() as u32));
        self.trace.stored.push(Stored { key, entry, effort: effort as u32 });
        // The deeper of two results for a position would answer more questions, the newer one is
        // what the search just asked for; the newer one it is, as in the tables, with the old move
        // if it brings none.
        let known = self.known.entry(key).or_default();
        if entry.mv == 0 {
            entry.mv = known.mv;
        }
        *known = entry;
    }
}
