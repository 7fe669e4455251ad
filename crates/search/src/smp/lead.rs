//! The deepest iteration that any thread has completed.

use super::monitor::Monitor;
use super::primitives::{Native, Primitives, SharedWord};

/// The result of the deepest completed iteration, for threads that have not completed it yet.
///
/// One word says whether a thread is behind and is polled; the result is under a lock that a thread
/// takes once or twice per iteration.
pub struct Lead<T: Send, P: Primitives = Native> {
    standing: P::Word,
    result: Monitor<Option<(i32, T)>, P>,
}

/// The state of the deepest iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its depth; 0 before the first.
    pub depth: i32,
    /// Threads that have completed it themselves.
    pub finished: usize,
    /// The tag of the first result, chosen by its thread.
    pub tag: u16,
}

impl Standing {
    fn pack(self) -> u64 {
        self.depth as u64 | u64::from(self.tag) << 16 | (self.finished as u64) << 32
    }

    fn unpack(word: u64) -> Standing {
        Standing {
            depth: i32::from(word as u16),
            finished: (word >> 32) as usize,
            tag: (word >> 16) as u16,
        }
    }
}

impl<T: Send, P: Primitives> Default for Lead<T, P> {
    fn default() -> Self {
        Lead { standing: P::Word::new(0), result: Monitor::default() }
    }
}

impl<T: Send + Clone, P: Primitives> Lead<T, P> {
    /// A thread has completed `depth`, with a result of this tag. The first result of a depth
    /// stays; returns whether this is it.
    pub fn publish(&self, depth: i32, tag: u16, result: impl FnOnce() -> T) -> bool {
        self.result.change(|lead| {
            let mut standing = self.standing();
            let first = standing.depth < depth;
            if first {
                *lead = Some((depth, result()));
                standing = Standing { depth, finished: 1, tag };
            } else if standing.depth == depth {
                standing.finished += 1;
            }
            self.standing.store(standing.pack());
            first
        })
    }

    /// The state of the deepest iteration: one relaxed load.
    #[inline]
    pub fn standing(&self) -> Standing {
        Standing::unpack(self.standing.load())
    }

    /// The deepest result and its depth.
    pub fn get(&self) -> Option<(i32, T)> {
        self.result.read(Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_result_of_the_deepest_iteration_leads() {
        let lead: Lead<&str> = Lead::default();
        assert_eq!(lead.standing(), Standing { depth: 0, finished: 0, tag: 0 });
        assert!(lead.get().is_none());
        assert!(lead.publish(3, 0xfff1, || "first"));
        assert!(!lead.publish(3, 2, || "second"));
        assert!(!lead.publish(2, 3, || "shallow"));
        assert_eq!(lead.get(), Some((3, "first")));
        assert_eq!(lead.standing(), Standing { depth: 3, finished: 2, tag: 0xfff1 });
        lead.publish(4, 4, || "deep");
        assert_eq!(lead.get(), Some((4, "deep")));
        assert_eq!(lead.standing(), Standing { depth: 4, finished: 1, tag: 4 });
    }
}
