//! Which entries are worth sending: those of at least a depth, and the depth follows the traffic.

use std::sync::atomic::{AtomicI32, Ordering};

use crossbeam_queue::ArrayQueue;

use crate::message::Keyed;

/// The option `Cluster Share`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// As much as the budget allows.
    #[default]
    Auto,
    /// Nothing: ranks only vote.
    Off,
    /// Entries of at least this depth.
    From(i32),
}

/// Depths that can be chosen; the adaptive depth stays within them.
pub const DEPTHS: std::ops::RangeInclusive<i32> = 2..=20;

/// Where the adaptive depth begins.
const START: i32 = 4;

/// Rounds with little traffic before the depth falls.
const QUIET: u32 = 8;

/// Threads share queues when there are more of them than this.
const QUEUES: usize = 32;

/// Entries one queue holds; those that do not fit are not sent.
const QUEUE: usize = 1024;

/// Entries of the search threads on their way out.
pub struct Outbox {
    queues: Box<[ArrayQueue<Keyed>]>,
    /// The shallowest depth that is sent.
    depth: AtomicI32,
}

impl Default for Outbox {
    fn default() -> Self {
        let queues = (0..QUEUES).map(|_| ArrayQueue::new(QUEUE)).collect();
        Outbox { queues, depth: AtomicI32::new(i32::MAX) }
    }
}

impl Outbox {
    /// Empties the queues for a new search.
    pub fn begin(&self, share: Share) {
        for queue in &self.queues {
            while queue.pop().is_some() {}
        }
        // Under `auto` the depth of the last search is the best guess for the next.
        let depth = match share {
            Share::Auto if DEPTHS.contains(&self.depth()) => return,
            Share::Auto => START,
            Share::Off => i32::MAX,
            Share::From(depth) => depth,
        };
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// The shallowest depth that is sent.
    pub fn depth(&self) -> i32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Takes an entry, if it is deep enough and there is room.
    pub fn push(&self, thread: usize, entry: Keyed) {
        if i32::from(entry.1.depth) >= self.depth() {
            let _ = self.queues[thread % QUEUES].push(entry);
        }
    }

    /// Takes up to `budget` entries out, the same share from every queue first. The depth rises if
    /// more were waiting, and falls after some rounds with less than half.
    pub fn drain(&self, budget: usize, share: Share, quiet: &mut u32) -> Vec<Keyed> {
        let mut entries = Vec::new();
        let mut any = true;
        while any && entries.len() < budget {
            any = false;
            for queue in &self.queues {
                if entries.len() < budget
                    && let Some(entry) = queue.pop()
                {
                    entries.push(entry);
                    any = true;
                }
            }
        }
        let left = self.queues.iter().any(|queue| !queue.is_empty());
        *quiet = if entries.len() < budget / 2 { *quiet + 1 } else { 0 };
        let change = if left { 1 } else { -i32::from(*quiet >= QUIET) };
        if share == Share::Auto && change != 0 {
            *quiet = 0;
            let depth = (self.depth() + change).clamp(*DEPTHS.start(), *DEPTHS.end());
            self.depth.store(depth, Ordering::Relaxed);
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use megatherium_search::{Bound, Entry};

    use super::*;

    fn entry(depth: u8) -> Keyed {
        (0, Entry { mv: 0, score: 0, eval: 0, depth, pv: false, bound: Bound::Lower })
    }

    #[test]
    fn the_depth_follows_the_traffic() {
        let (outbox, mut quiet) = (Outbox::default(), 0);
        outbox.begin(Share::Auto);
        assert_eq!(outbox.depth(), START);
        for round in 1..=3 {
            (0..100).for_each(|thread| outbox.push(thread, entry(30)));
            assert_eq!(outbox.drain(50, Share::Auto, &mut quiet).len(), 50);
            assert_eq!(outbox.depth(), START + round, "half of them had to wait");
        }
        outbox.begin(Share::Auto);
        assert_eq!(outbox.depth(), START + 3, "kept for the next search");
        for _ in 0..1000 {
            assert!(outbox.drain(50, Share::Auto, &mut quiet).is_empty());
        }
        assert_eq!(outbox.depth(), *DEPTHS.start());
    }

    #[test]
    fn a_fixed_depth_stays_and_off_means_nothing() {
        let (outbox, mut quiet) = (Outbox::default(), 0);
        outbox.begin(Share::From(7));
        for depth in [6, 7, 8] {
            outbox.push(0, entry(depth));
        }
        let sent = outbox.drain(1, Share::From(7), &mut quiet);
        assert_eq!((sent, outbox.depth()), (vec![entry(7)], 7));
        outbox.begin(Share::Off);
        outbox.push(0, entry(126));
        assert!(outbox.drain(9, Share::Off, &mut quiet).is_empty());
    }
}
