//! A network inside one process. Its weather comes from a seed: latency, loss, reordering, deaths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use parking_lot::Mutex;

use crate::wire::Wire;

/// How a mesh treats messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
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
type Parcel = Reverse<(Instant, u64, usize, Vec<u8>)>;

struct Mailbox {
    parcels: BinaryHeap<Parcel>,
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
    weather: Weather,
    net: Arc<Mutex<Net>>,
}

impl Mesh {
    /// The ends of a mesh of `ranks` ranks.
    pub fn new(ranks: usize, weather: Weather) -> Vec<Mesh> {
        let mailbox = |_| Mailbox { parcels: BinaryHeap::new(), alive: true };
        let net = Arc::new(Mutex::new(Net {
            mailboxes: (0..ranks).map(mailbox).collect(),
            posted: 0,
            random: Rng::with_seed(weather.seed),
        }));
        (0..ranks).map(|rank| Mesh { rank, ranks, weather, net: Arc::clone(&net) }).collect()
    }

    /// Lets a rank die: nothing leaves it or reaches it any more.
    pub fn kill(&self, rank: usize) {
        self.net.lock().mailboxes[rank].alive = false;
    }

    /// Messages posted so far, lost ones included.
    pub fn posted(&self) -> u64 {
        self.net.lock().posted
    }
}

impl Wire for Mesh {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, bytes: &[u8]) {
        let mut net = self.net.lock();
        if self.rank != 0 && net.random.f64() < self.weather.death {
            net.mailboxes[self.rank].alive = false;
        }
        net.posted += 1;
        let lost = net.random.f64() < self.weather.loss;
        if lost || !net.mailboxes[self.rank].alive || !net.mailboxes[to].alive {
            return;
        }
        let latency = self.weather.latency.mul_f64(net.random.f64());
        let parcel = Reverse((Instant::now() + latency, net.posted, self.rank, bytes.to_vec()));
        net.mailboxes[to].parcels.push(parcel);
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let mut net = self.net.lock();
        let mailbox = &mut net.mailboxes[self.rank];
        let due = mailbox.parcels.peek().is_some_and(|parcel| parcel.0.0 <= Instant::now());
        if !mailbox.alive || !due {
            return None;
        }
        mailbox.parcels.pop().map(|Reverse((_, _, from, bytes))| (from, bytes))
    }

    fn is_open(&self) -> bool {
        self.net.lock().mailboxes[self.rank].alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(weather: Weather) -> Vec<u8> {
        let mut ends = Mesh::new(2, weather);
        for byte in 0..200 {
            ends[0].send(1, &[byte]);
        }
        std::thread::sleep(weather.latency);
        std::iter::from_fn(|| ends[1].receive()).map(|(_, bytes)| bytes[0]).collect()
    }

    #[test]
    fn fine_weather_keeps_everything_in_order() {
        assert_eq!(delivered(Weather::default()), (0..200).collect::<Vec<u8>>());
    }

    #[test]
    fn bad_weather_loses_and_reorders() {
        let latency = Duration::from_millis(20);
        let weather = Weather { seed: 3, latency, loss: 0.5, death: 0.0 };
        let arrived = delivered(weather);
        assert!((60..140).contains(&arrived.len()), "{}", arrived.len());
        assert!(!arrived.is_sorted());
    }

    #[test]
    fn the_dead_neither_speak_nor_hear() {
        let mut ends = Mesh::new(3, Weather::default());
        ends[0].send(1, b"late");
        ends[0].kill(1);
        ends[1].send(2, b"never");
        assert!(!ends[1].is_open() && ends[2].is_open());
        assert_eq!((ends[1].receive(), ends[2].receive()), (None, None));
    }
}
