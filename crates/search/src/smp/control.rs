//! Starting, stopping and ponder-hitting a search: one word, and a monitor to sleep at.
//!
//! The whole state is one 64-bit word:
//!
//! ```text
//!  63                                                   4    3     2     1     0
//! ┌──────────────────────────────────────────────────────┬──────┬─────┬─────┬──────┐
//! │ search id                                            │FINISH│ HOLD│PONDR│ STOP │
//! └──────────────────────────────────────────────────────┴──────┴─────┴─────┴──────┘
//! ```
//!
//! Every request names the search it is meant for and takes effect only while the word carries that
//! id. So a `stop` can be neither lost (the id exists before the workers wake) nor applied to a
//! later search (the id has changed), however late a thread delivers it.
//!
//! Stopping and finishing are different. A search that has reached one of its limits is
//! *finished*: its threads end, but under `go infinite` or `go ponder` it does not answer yet. Only
//! a *stop* or a ponderhit from outside releases the answer.
//!
//! Workers poll the word with relaxed loads: it publishes no other data, it only has to arrive.
//! Every change is made under the monitor's lock, so a plain load and store are enough there, and a
//! search that sleeps until it is released cannot miss its wake-up.

use super::monitor::Monitor;
use super::primitives::{Native, Primitives, SharedWord};

const STOP: u64 = 1;
const PONDER: u64 = 2;
const HOLD: u64 = 4;
const FINISHED: u64 = 8;
const FLAGS: u32 = 4;

/// Names one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchId(u64);

/// The stop state all threads share.
pub struct Control<P: Primitives = Native> {
    word: P::Word,
    /// Guards every change of the word.
    gate: Monitor<(), P>,
}

impl<P: Primitives> Default for Control<P> {
    fn default() -> Self {
        Control { word: P::Word::new(STOP), gate: Monitor::new(()) }
    }
}

impl<P: Primitives> Control<P> {
    /// Opens a new search and names it. The previous one, if it still runs, reads this as a stop.
    ///
    /// `hold` is for `go infinite`: do not answer before a stop.
    pub fn begin(&self, ponder: bool, hold: bool) -> SearchId {
        self.gate.change(|()| {
            let id = (self.word.load() >> FLAGS) + 1;
            self.word
                .store(id << FLAGS | if ponder { PONDER } else { 0 } | if hold { HOLD } else { 0 });
            SearchId(id)
        })
    }

    /// Ends the named search. Returns whether this call was the one that did.
    pub fn stop(&self, id: SearchId) -> bool {
        self.update(id, |word| word | STOP)
    }

    /// The named search has reached a limit: its threads end, its answer waits until it is wanted.
    pub fn finish(&self, id: SearchId) {
        self.update(id, |word| word | FINISHED);
    }

    /// The opponent played the expected move: the named search now runs on its own clock.
    /// Returns whether it was pondering.
    pub fn ponder_hit(&self, id: SearchId) -> bool {
        self.update(id, |word| word & !PONDER)
    }

    /// True once the named search has been stopped or has finished. Polled on the hot path.
    #[inline]
    pub fn is_over(&self, id: SearchId) -> bool {
        let word = self.word.load();
        word >> FLAGS != id.0 || word & (STOP | FINISHED) != 0
    }

    /// True while the named search is pondering.
    #[inline]
    pub fn is_pondering(&self, id: SearchId) -> bool {
        let word = self.word.load();
        word >> FLAGS == id.0 && word & PONDER != 0
    }

    /// Sleeps until the named search may answer: stopped, or neither infinite nor pondering.
    pub fn wait_for_release(&self, id: SearchId) {
        self.gate.wait_for(|()| {
            let word = self.word.load();
            let held = word >> FLAGS == id.0 && word & STOP == 0 && word & (PONDER | HOLD) != 0;
            (!held).then_some(())
        });
    }

    /// Applies `change` to the word of search `id`; false if the search is over or nothing changes.
    fn update(&self, id: SearchId, change: impl Fn(u64) -> u64) -> bool {
        self.gate.change(|()| {
            let word = self.word.load();
            let new = change(word);
            if word >> FLAGS != id.0 || new == word {
                return false;
            }
            self.word.store(new);
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_belongs_to_its_search() {
        let control: Control = Control::default();
        let first = control.begin(false, false);
        let second = control.begin(false, false);
        assert!(control.is_over(first));
        assert!(!control.stop(first));
        assert!(!control.is_over(second));
        assert!(control.stop(second));
        assert!(!control.stop(second), "only one caller ends a search");
        assert!(control.is_over(second));
    }

    /// Every search has a name of its own, and the flags do not touch it.
    #[test]
    fn a_thousand_searches_have_a_thousand_names() {
        let control: Control = Control::default();
        let mut names: Vec<SearchId> = Vec::new();
        for number in 0..1000 {
            let id = control.begin(number % 2 == 0, number % 3 == 0);
            assert!(!control.is_over(id) && !names.contains(&id), "search {number}");
            assert_eq!(control.is_pondering(id), number % 2 == 0);
            names.push(id);
            control.finish(id);
            control.finish(id);
            assert!(control.is_over(id), "finished, however often");
            assert!(control.stop(id));
        }
    }

    /// The id is part of every question: a later search's flags say nothing about an earlier one.
    #[test]
    fn an_earlier_search_is_neither_pondering_nor_held() {
        let control: Control = Control::default();
        let first = control.begin(false, false);
        let second = control.begin(true, true);
        assert!(!control.is_pondering(first));
        assert!(control.is_pondering(second));
        control.wait_for_release(first);
    }

    #[test]
    fn a_finished_search_still_waits_for_its_release() {
        let control: Control = Control::default();
        let id = control.begin(true, false);
        control.finish(id);
        assert!(control.is_over(id) && control.is_pondering(id));
        assert!(control.ponder_hit(id), "what is left is to be released");
        control.wait_for_release(id);
        assert!(control.stop(id));
    }

    #[test]
    fn ponder_hit_releases_only_its_own_search() {
        let control: Control = Control::default();
        let first = control.begin(true, false);
        assert!(control.is_pondering(first));
        let second = control.begin(true, false);
        assert!(!control.ponder_hit(first));
        assert!(control.is_pondering(second));
        assert!(control.ponder_hit(second));
        assert!(!control.is_pondering(second));
        control.wait_for_release(second);
    }
}
