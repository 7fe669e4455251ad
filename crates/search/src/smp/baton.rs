//! Virtual SMP: the threads of a search take turns.
//!
//! Lazy SMP is not reproducible, because the order of one thread's probes and another's stores is
//! up to the scheduler. Here a baton decides: only the thread that holds it searches. After some
//! nodes it hands the baton to the next thread and sleeps. The number of nodes of a turn is drawn
//! from a seeded generator, so
//!
//! - the same seed gives the same search, bit for bit: same tree, same nodes of every thread, same
//!   move, on every machine;
//! - another seed is another sample of Lazy SMP's randomness;
//! - any number of threads can be studied on any number of cores: it costs speed, not accuracy.
//!
//! ```text
//!  thread 0 ──61──╮           ╭──97──╮                    ╭──  leader ends: leaves the ring
//!  thread 1       ╰──12──╮    │      ╰──44──╮             │
//!  thread 2              ╰─80─╯             ╰──103── … ───╯
//! ```
//!
//! A free-running search does not pay for this: a thread polls its limits every few hundred nodes
//! anyway, and the baton is passed there and nowhere else. Under a baton a thread polls at the end
//! of its turn.
//!
//! The hand-over goes through the receiver's monitor, a lock that the giver releases and the
//! receiver acquires, so everything written in earlier turns is visible in later ones. That is why
//! the other words here can be relaxed.

use crossbeam_utils::CachePadded;

use super::monitor::Monitor;
use super::primitives::{Native, Primitives, SharedWord};

/// How the threads of a virtual search take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VirtualSmp {
    /// Decides how long each turn lasts.
    pub seed: u64,
    /// Mean number of nodes of a turn; turns last from 1 to twice this number. At 1 the threads
    /// go in lock-step.
    pub quantum: u32,
}

impl VirtualSmp {
    /// The default mean of a turn in nodes: short against everything a thread can learn from
    /// another.
    pub const DEFAULT_QUANTUM: u32 = 64;
}

impl Default for VirtualSmp {
    fn default() -> Self {
        VirtualSmp { seed: 1, quantum: VirtualSmp::DEFAULT_QUANTUM }
    }
}

/// One thread's place in the ring.
struct Seat<P: Primitives> {
    /// Whether the thread holds the baton.
    turn: Monitor<bool, P>,
    /// 1 once the thread has left for good. Written and read by holders of the baton only.
    left: P::Word,
}

/// The right to search, held by one thread at a time.
pub struct Baton<P: Primitives = Native> {
    seats: Box<[CachePadded<Seat<P>>]>,
    /// State of the generator; only the holder draws.
    generator: P::Word,
    quantum: u64,
}

impl<P: Primitives> Baton<P> {
    /// A baton for `threads` threads, held by thread 0.
    pub fn new(settings: VirtualSmp, threads: usize) -> Self {
        let seat =
            |id| CachePadded::new(Seat { turn: Monitor::new(id == 0), left: P::Word::new(0) });
        Baton {
            seats: (0..threads).map(seat).collect(),
            generator: P::Word::new(fastrand::Rng::with_seed(settings.seed).u64(..)),
            quantum: u64::from(settings.quantum.max(1)),
        }
    }

    /// Takes part as thread `id`: sleeps until its first turn. When the returned value is dropped,
    /// also by a panic, the thread leaves the ring and the others go on.
    pub fn join(&self, id: usize) -> Turns<'_, P> {
        self.sleep(id);
        Turns { baton: self, id }
    }

    /// Ends the turn of thread `id`, which holds the baton, and sleeps until its next.
    pub fn pass(&self, id: usize) {
        if self.give(id) {
            self.sleep(id);
        }
    }

    /// The length of the holder's turn, in nodes.
    pub fn draw(&self) -> u64 {
        let mut generator = fastrand::Rng::with_seed(self.generator.load());
        let turn = generator.u64(1..2 * self.quantum);
        self.generator.store(generator.get_seed());
        turn
    }

    /// Hands the baton to the next thread that has not left; false if there is none.
    fn give(&self, id: usize) -> bool {
        let threads = self.seats.len();
        let mut others = (1..threads).map(|step| (id + step) % threads);
        let Some(next) = others.find(|&other| self.seats[other].left.load() == 0) else {
            return false;
        };
        // Before the baton changes hands: it may be back before this line otherwise.
        self.seats[id].turn.change(|turn| *turn = false);
        self.seats[next].turn.change(|turn| *turn = true);
        true
    }

    fn sleep(&self, id: usize) {
        self.seats[id].turn.wait_for(|turn| turn.then_some(()));
    }
}

/// A thread's part in the ring.
pub struct Turns<'a, P: Primitives = Native> {
    baton: &'a Baton<P>,
    id: usize,
}

impl<P: Primitives> Drop for Turns<'_, P> {
    fn drop(&mut self) {
        self.baton.seats[self.id].left.store(1);
        self.baton.give(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns of all lengths from 1 to 2q − 1, q on average.
    #[test]
    fn turns_last_as_long_as_asked_on_average() {
        for quantum in [1, 2, 64, 1000] {
            let baton: Baton = Baton::new(VirtualSmp { seed: 7, quantum }, 1);
            let turns: Vec<u64> = (0..20_000).map(|_| baton.draw()).collect();
            assert!(turns.iter().all(|&turn| turn >= 1 && turn < 2 * u64::from(quantum)));
            let mean = turns.iter().sum::<u64>() as f64 / turns.len() as f64;
            assert!((mean / f64::from(quantum) - 1.0).abs() < 0.02, "{quantum}: {mean}");
        }
    }

    #[test]
    fn seeds_decide() {
        let turns = |seed| {
            let baton: Baton = Baton::new(VirtualSmp { seed, quantum: 64 }, 3);
            (0..8).map(|_| baton.draw()).collect::<Vec<_>>()
        };
        assert_eq!(turns(1), turns(1));
        assert_ne!(turns(1), turns(2));
    }

    /// Threads that come, pass and leave at different times: one at a time, in ring order.
    #[test]
    fn the_ring_goes_round_and_shrinks() {
        let baton: Baton = Baton::new(VirtualSmp::default(), 4);
        let log = parking_lot::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for id in (0..4).rev() {
                let (baton, log) = (&baton, &log);
                scope.spawn(move || {
                    let _turns = baton.join(id);
                    // Thread 1 leaves first, thread 2 next, the others last.
                    for _ in 0..[3, 1, 2, 3][id] {
                        log.try_lock().expect("nobody else holds the baton").push(id);
                        baton.pass(id);
                    }
                });
            }
        });
        assert_eq!(log.into_inner(), [0, 1, 2, 3, 0, 2, 3, 0, 3]);
    }
}
