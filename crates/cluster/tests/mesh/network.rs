//! A network inside one process that injects faults from a seed: latency, loss, reordering, deaths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_cluster::Transport;
use parking_lot::Mutex;

/// How a mesh treats messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Decides everything below.
    pub seed: u64,
    /// Longest time a message takes. Each takes a random part of it, so messages overtake each
    /// other.
    pub latency: Duration,
    /// Share of the messages that are lost.
    pub loss: f64,
    /// Chance that a rank other than 0 dies when it sends a message.
    pub death: f64,
}

/// A message on its way: when it arrives, its number, sender, bytes.
type Packet = Reverse<(Instant, u64, usize, Vec<u8>)>;

struct Mailbox {
    packets: BinaryHeap<Packet>,
    alive: bool,
}

struct Net {
    mailboxes: Vec<Mailbox>,
    posted: u64,
    random: Rng,
}

/// One rank's end of a mesh.
#[derive(Clone)]
pub struct Mesh {
    rank: usize,
    ranks: usize,
    faults: Faults,
    net: Arc<Mutex<Net>>,
}

impl Mesh {
    /// The ends of a mesh of `ranks` ranks.
    pub fn new(ranks: usize, faults: Faults) -> Vec<Mesh> {
        let mailbox = |_| Mailbox { packets: BinaryHeap::new(), alive: true };
        let net = Arc::new(Mutex::new(Net {
            mailboxes: (0..ranks).map(mailbox).collect(),
            posted: 0,
            random: Rng::with_seed(faults.seed),
        }));
        (0..ranks).map(|rank| Mesh { rank, ranks, faults, net: Arc::clone(&net) }).collect()
    }

    /// Lets a rank die: nothing leaves it or reaches it any more.
    pub fn kill(&self, rank: usize) {
        self.net.lock().mailboxes[rank].alive = false;
    }

    /// How many ranks have died.
    pub fn dead(&self) -> usize {
        self.net.lock().mailboxes.iter().filter(|mailbox| !mailbox.alive).count()
    }
}

impl Transport for Mesh {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, bytes: &[u8]) {
        let mut net = self.net.lock();
        if self.rank != 0 && net.random.f64() < self.faults.death {
            net.mailboxes[self.rank].alive = false;
        }
        net.posted += 1;
        let lost = net.random.f64() < self.faults.loss;
        if lost || !net.mailboxes[self.rank].alive || !net.mailboxes[to].alive {
            return;
        }
        let latency = self.faults.latency.mul_f64(net.random.f64());
        let packet = Reverse((Instant::now() + latency, net.posted, self.rank, bytes.to_vec()));
        net.mailboxes[to].packets.push(packet);
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let mut net = self.net.lock();
        let mailbox = &mut net.mailboxes[self.rank];
        let due = mailbox.packets.peek().is_some_and(|packet| packet.0.0 <= Instant::now());
        if !mailbox.alive || !due {
            return None;
        }
        mailbox.packets.pop().map(|Reverse((_, _, from, bytes))| (from, bytes))
    }

    fn is_open(&self) -> bool {
        self.net.lock().mailboxes[self.rank].alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(faults: Faults) -> Vec<u8> {
        let mut ends = Mesh::new(2, faults);
        for byte in 0..200 {
            ends[0].send(1, &[byte]);
        }
        std::thread::sleep(faults.latency);
        std::iter::from_fn(|| ends[1].receive()).map(|(_, bytes)| bytes[0]).collect()
    }

    #[test]
    fn fine_weather_keeps_everything_in_order() {
        assert_eq!(delivered(Faults::default()), (0..200).collect::<Vec<u8>>());
    }

    #[test]
    fn bad_weather_loses_and_reorders() {
        let latency = Duration::from_millis(20);
        let faults = Faults { seed: 3, latency, loss: 0.5, death: 0.0 };
        let arrived = delivered(faults);
        assert!((60..140).contains(&arrived.len()), "{}", arrived.len());
        assert!(!arrived.is_sorted());
    }

    #[test]
    fn the_dead_neither_speak_nor_hear() {
        let mut ends = Mesh::new(3, Faults::default());
        ends[0].send(1, b"late");
        ends[0].kill(1);
        ends[1].send(2, b"never");
        assert!(!ends[1].is_open() && ends[2].is_open());
        assert_eq!((ends[1].receive(), ends[2].receive()), (None, None));
    }
}
