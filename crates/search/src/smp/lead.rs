//! The deepest iteration that any thread has completed.

use super::monitor::Monitor;
use super::primitives::{Native, Primitives, SharedWord};

/// The result of the deepest completed iteration, for threads that have not completed it yet.
///
/// The depth is a word of its own, so that a thread can ask at every poll whether it is behind; the
/// result is under a lock that is taken once per iteration.
pub struct Lead<T: Send, P: Primitives = Native> {
    depth: P::Word,
    result: Monitor<Option<(i32, T)>, P>,
}

impl<T: Send, P: Primitives> Default for Lead<T, P> {
    fn default() -> Self {
        Lead { depth: P::Word::new(0), result: Monitor::default() }
    }
}

impl<T: Send + Clone, P: Primitives> Lead<T, P> {
    /// A thread has completed `depth`. The first result of a depth stays.
    pub fn publish(&self, depth: i32, result: impl FnOnce() -> T) {
        if self.has(depth) {
            return;
        }
        self.result.change(|lead| {
            if lead.as_ref().is_none_or(|&(known, _)| known < depth) {
                *lead = Some((depth, result()));
                self.depth.store(depth as u64);
            }
        });
    }

    /// Whether some thread has completed `depth`.
    #[inline]
    pub fn has(&self, depth: i32) -> bool {
        self.depth.load() >= depth as u64
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
        assert!(!lead.has(1) && lead.get().is_none());
        lead.publish(3, || "first");
        lead.publish(3, || "second");
        lead.publish(2, || "shallow");
        assert_eq!(lead.get(), Some((3, "first")));
        assert!(lead.has(3) && !lead.has(4));
        lead.publish(4, || "deep");
        assert_eq!(lead.get(), Some((4, "deep")));
    }
}
