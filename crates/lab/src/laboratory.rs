//! The search with switches: a second copy of it, compiled for experiments, in which what the engine has fixed can be chosen.
//!
//! The engine itself is compiled without the switches and does not pay for them. In this copy all arms of an experiment pay alike.

use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use megatherium_search::correction::Corrections;
use megatherium_search::job::Job;
use megatherium_search::worker::Worker;
use megatherium_search::{Conclusion, Variant, think};
use megatherium_tt::policy::{
    AgeBased, Always, DepthAge, DepthPreferred, Newcomer, Policy, Resident, TwoTier,
};

/// A replacement policy by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The engine's: depth less eight plies per search of age.
    DepthAge,
    /// Whatever comes.
    Always,
    /// The deeper stays.
    DepthPreferred,
    /// The younger stays; within a search, the deeper.
    AgeBased,
    /// Two slots for the deep, two for the new.
    TwoTier,
}

impl Replacement {
    /// All of them, the engine's first.
    pub const ALL: [Replacement; 5] = [
        Replacement::DepthAge,
        Replacement::Always,
        Replacement::DepthPreferred,
        Replacement::AgeBased,
        Replacement::TwoTier,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Replacement::DepthAge => "depth and age (default)",
            Replacement::Always => "always replace",
            Replacement::DepthPreferred => "depth-preferred",
            Replacement::AgeBased => "age-based",
            Replacement::TwoTier => "two tiers",
        }
    }
}

/// What this copy of the search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Who gives way in the table.
    pub replacement: Replacement,
    /// Whether table lines are requested ahead.
    pub prefetch: bool,
    /// Whether all threads have one correction history.
    pub shared_corrections: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Choices { replacement: Replacement::DepthAge, prefetch: true, shared_corrections: false }
    }
}

// A policy is a type without values, so what it does can only depend on something global. One experiment runs at a time.
static EXPERIMENT: Mutex<()> = Mutex::new(());
static REPLACEMENT: AtomicU8 = AtomicU8::new(0);
static PREFETCH: AtomicBool = AtomicBool::new(true);
static SHARED: AtomicBool = AtomicBool::new(false);

/// The right to choose, for as long as it lives. Choices hold for searches and engines begun afterwards.
pub struct Bench(#[expect(dead_code, reason = "held, not read")] MutexGuard<'static, ()>);

impl Bench {
    /// Waits until no other experiment runs.
    pub fn occupy() -> Bench {
        Bench(EXPERIMENT.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the switches.
    pub fn choose(&self, choices: Choices) {
        REPLACEMENT.store(choices.replacement as u8, Ordering::Relaxed);
        PREFETCH.store(choices.prefetch, Ordering::Relaxed);
        SHARED.store(choices.shared_corrections, Ordering::Relaxed);
    }
}

/// Asks the policy chosen.
#[derive(Debug)]
pub enum Chosen {}

macro_rules! ask {
    ($question:ident($($argument:expr),*)) => {
        match REPLACEMENT.load(Ordering::Relaxed) {
            1 => <Always as Policy>::$question($($argument),*),
            2 => <DepthPreferred as Policy>::$question($($argument),*),
            3 => <AgeBased as Policy>::$question($($argument),*),
            4 => <TwoTier as Policy>::$question($($argument),*),
            _ => <DepthAge as Policy>::$question($($argument),*),
        }
    };
}

impl Policy for Chosen {
    #[inline]
    fn worth(resident: Resident, newcomer: Newcomer, slot: usize) -> i32 {
        ask!(worth(resident, newcomer, slot))
    }

    #[inline]
    fn admits(newcomer: Newcomer, victim: Resident) -> bool {
        ask!(admits(newcomer, victim))
    }

    #[inline]
    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        ask!(updates(newcomer, known))
    }
}

/// The search with switches.
#[derive(Debug)]
pub enum Laboratory {}

impl Variant for Laboratory {
    type Policy = Chosen;
    type Cell = AtomicI16;
    type Corrections = Arc<Corrections<AtomicI16>>;
    type Common = Arc<Corrections<AtomicI16>>;

    fn corrections(common: &Self::Common) -> Self::Corrections {
        if SHARED.load(Ordering::Relaxed) { Arc::clone(common) } else { Arc::default() }
    }

    #[inline]
    fn prefetches() -> bool {
        PREFETCH.load(Ordering::Relaxed)
    }

    fn think(id: usize, job: &Job<Self>, worker: &mut Worker<Self>) -> Conclusion {
        think(id, job, worker)
    }
}

#[cfg(test)]
mod tests {
    use megatherium_board::Board;
    use megatherium_search::{Engine, Limits, Root, Silent, VirtualSmp};

    use super::*;

    fn nodes<V: Variant>(mut engine: Engine<V>) -> Vec<u64> {
        engine.options.virtual_smp = Some(VirtualSmp::default());
        let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
        let root = Root::new(Board::from_fen(fen).unwrap());
        // Long enough to crowd the table, so that somebody has to give way.
        let first = engine.search(root.clone(), Limits::depth(13), Silent);
        let mut next = root;
        next.play(first.best.unwrap());
        engine.search(next, Limits::depth(12), Silent);
        engine.nodes_by_thread()
    }

    /// With the engine's choices the copy searches the engine's tree; each other choice changes it, except the one that only takes time.
    #[test]
    fn the_switches_do_what_they_say() {
        let bench = Bench::occupy();
        let with = |choices: Choices| {
            bench.choose(choices);
            nodes(Engine::<Laboratory>::variant(2, 1).unwrap())
        };
        let standard = Choices::default();
        let engine = nodes(Engine::new(2, 1).unwrap());
        assert_eq!(with(standard), engine, "the same search");
        assert_eq!(with(Choices { prefetch: false, ..standard }), engine, "prefetching changes no result");
        assert_ne!(with(Choices { shared_corrections: true, ..standard }), engine);
        for replacement in &Replacement::ALL[1..] {
            assert_ne!(with(Choices { replacement: *replacement, ..standard }), engine, "{replacement:?}");
        }
        bench.choose(standard);
    }
}
