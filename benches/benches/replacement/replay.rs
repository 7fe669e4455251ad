//! Replays a recorded trace on a table, and counts hits, cutoffs and the work saved.

use std::ops::AddAssign;

use megatherium_search::Entry;

use crate::memory::{Event, Memory, Question, Stored, Trace};
use crate::search::cutoff;

/// What a table saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Positions looked up.
    pub probes: u64,
    /// Positions found.
    pub hits: u64,
    /// Sum of depth plus one over the entries found.
    pub depth: u64,
    /// Entries found that answered the question.
    pub cutoffs: u64,
    /// Nodes that had been searched for those entries: the work saved.
    pub saved: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.depth += other.depth;
        self.cutoffs += other.cutoffs;
        self.saved += other.saved;
    }
}

/// Plays the trace against a table.
pub fn replay(trace: &Trace, memory: &mut impl Memory) -> Tally {
    let mut tally = Tally::default();
    for &event in &trace.events {
        match event {
            Event::NewSearch => memory.new_search(),
            Event::Store(number) => {
                let Stored { key, entry, effort } = trace.stored[number as usize];
                memory.store(key, numbered(entry, number), u64::from(effort));
            }
            Event::Probe { key, depth, alpha, beta } => {
                let question = Question {
                    depth: i32::from(depth),
                    alpha: i32::from(alpha),
                    beta: i32::from(beta),
                };
                tally.probes += 1;
                if let Some(entry) = memory.probe(key, question) {
                    tally.hits += 1;
                    tally.depth += u64::from(entry.depth) + 1;
                    if cutoff(entry, question.depth, question.alpha, question.beta).is_some() {
                        tally.cutoffs += 1;
                        tally.saved += u64::from(trace.stored[number_of(entry)].effort);
                    }
                }
            }
        }
    }
    tally
}

/// The entry with the number of its store instead of move and evaluation, which no table looks at.
/// The move stays "some", so that no table fetches another one.
fn numbered(entry: Entry, number: u32) -> Entry {
    assert!(number < 1 << 31, "a trace of fewer than two thousand million stores");
    Entry { mv: number as u16 | 0x8000, eval: (number >> 15) as i16, ..entry }
}

fn number_of(entry: Entry) -> usize {
    usize::from(entry.eval as u16) << 15 | usize::from(entry.mv & 0x7FFF)
}
