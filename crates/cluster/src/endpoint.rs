//! A rank's end of the network: sequence numbers, acknowledgements, windows, exchange of entries.
//!
//! Every message carries its number and the number of the last one received from the other side. A
//! rank that does not answer is therefore noticed whatever the network says, and never has more
//! than a window of messages in the network's buffers.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::bridge::Bridge;
use crate::message::{MAX_ENTRIES, MAX_LENGTH, Message};
use crate::transport::Transport;

/// Time between two rounds of the exchange.
pub const ROUND: Duration = Duration::from_millis(1);

/// Between two polls of the transport during a search and just after.
const MIN_POLL: Duration = Duration::from_micros(200);

/// The same when there has been no search for long: a look costs some 50 µs.
const MAX_POLL: Duration = Duration::from_millis(10);

/// Entries a rank sends per round, to all others together: 32 MB a second at most.
const BUDGET: usize = 2048;

/// Nodes are reported at least this often.
const REPORT: Duration = Duration::from_millis(10);

/// Messages without acknowledgement up to which entries are sent.
const ENTRY_WINDOW: u64 = 16;

/// The same for all other messages; those beyond wait.
const WINDOW: u64 = 32;

/// Without an answer for this long, one more message is tried in a full window.
const PROBE: Duration = Duration::from_millis(250);

/// How long a rank may be silent.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// While it searches or has nothing to do.
    pub silence: Duration,
    /// While it takes over settings, which may mean to allocate a large table.
    pub settling: Duration,
    /// After `quit`.
    pub shutdown: Duration,
    /// Of rank 0, before a follower ends itself.
    pub leader_silence: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            silence: Duration::from_secs(5),
            settling: Duration::from_mins(1),
            shutdown: Duration::from_secs(2),
            leader_silence: Duration::from_secs(10),
        }
    }
}

/// The connection with one other rank.
struct Link {
    sent: u64,
    acknowledged: u64,
    received: u64,
    owes_ack: bool,
    last_sent: Instant,
    /// Since when the other side owes an acknowledgement.
    waiting: Option<Instant>,
    queue: VecDeque<Vec<u8>>,
    closed: bool,
}

impl Link {
    fn has_room(&self, window: u64) -> bool {
        let stuck = self.waiting.is_some() && self.last_sent.elapsed() >= PROBE;
        !self.closed && (self.sent - self.acknowledged < window || stuck)
    }
}

/// A rank's end of the network.
pub struct Endpoint<W> {
    transport: W,
    links: Vec<Link>,
    last_round: Instant,
    last_report: Instant,
    last_search: Instant,
    quiet: u32,
    /// Entries sent, counted once per receiver, and received.
    pub traffic: [u64; 2],
}

impl<W: Transport> Endpoint<W> {
    /// An endpoint on `transport`.
    pub fn new(transport: W) -> Self {
        let now = Instant::now();
        let link = |_| Link {
            sent: 0,
            acknowledged: 0,
            received: 0,
            owes_ack: false,
            last_sent: now,
            waiting: None,
            queue: VecDeque::new(),
            closed: false,
        };
        Endpoint {
            links: (0..transport.ranks()).map(link).collect(),
            transport,
            last_round: now,
            last_report: now,
            last_search: now,
            quiet: 0,
            traffic: [0; 2],
        }
    }

    /// This rank.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Every other rank.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<W> {
        let own = self.transport.rank();
        (0..self.transport.ranks()).filter(move |&rank| rank != own)
    }

    /// How long to wait before the next poll of the transport: longer, the longer there has been no
    /// search, so that a rank with nothing to do uses no processor to speak of.
    pub fn poll_interval(&mut self, searching: bool) -> Duration {
        if searching {
            self.last_search = Instant::now();
        }
        let poll_interval = (self.last_search.elapsed() / 100).clamp(MIN_POLL, MAX_POLL);
        self.transport.set_poll_interval(poll_interval);
        poll_interval
    }

    /// Whether this rank is alive.
    pub fn is_open(&self) -> bool {
        self.transport.is_open()
    }

    /// Sends a message, or queues it until there is room in the window.
    pub fn post(&mut self, to: usize, message: &Message) {
        let body = message.encode();
        let link = &mut self.links[to];
        if link.closed || body.len() > MAX_LENGTH {
            return;
        }
        if link.queue.is_empty() && link.has_room(WINDOW) {
            self.send(to, &body);
        } else {
            link.queue.push_back(body);
        }
    }

    fn send(&mut self, to: usize, body: &[u8]) {
        let link = &mut self.links[to];
        link.sent += 1;
        link.last_sent = Instant::now();
        link.waiting = link.waiting.or(Some(link.last_sent));
        let number = link.sent;
        self.dispatch(to, number, body);
    }

    /// Messages that need no acknowledgement have number 0.
    fn dispatch(&mut self, to: usize, number: u64, body: &[u8]) {
        let link = &mut self.links[to];
        link.owes_ack = false;
        let envelope = [number.to_le_bytes(), link.received.to_le_bytes()].concat();
        self.transport.send(to, &[&envelope, body].concat());
    }

    /// The next message. Malformed ones are dropped, like everything from closed links.
    pub fn receive(&mut self) -> Option<(usize, Message)> {
        while let Some((from, bytes)) = self.transport.receive() {
            let Some((number, rest)) = bytes.split_first_chunk() else { continue };
            let Some((acknowledged, body)) = rest.split_first_chunk() else { continue };
            let (number, acknowledged) =
                (u64::from_le_bytes(*number), u64::from_le_bytes(*acknowledged));
            let Some(link) = self.links.get_mut(from).filter(|link| !link.closed) else { continue };
            let Ok(message) = Message::decode(body) else { continue };
            if acknowledged > link.acknowledged && acknowledged <= link.sent {
                link.acknowledged = acknowledged;
                link.waiting = (acknowledged < link.sent).then(Instant::now);
            }
            link.received = link.received.max(number);
            link.owes_ack |= number > 0;
            if let Message::Entries { entries, .. } = &message {
                self.traffic[1] += entries.len() as u64;
            }
            if message != Message::Nothing {
                return Some((from, message));
            }
        }
        None
    }

    /// How long the other side has owed an acknowledgement.
    pub fn silence(&self, rank: usize) -> Duration {
        self.links[rank].waiting.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Whether everything for that rank has arrived.
    pub fn is_drained(&self, rank: usize) -> bool {
        let link = &self.links[rank];
        link.closed || link.queue.is_empty() && link.sent == link.acknowledged
    }

    /// Ends the connection: nothing is sent or received any more.
    pub fn close(&mut self, rank: usize) {
        self.links[rank].closed = true;
        self.links[rank].queue.clear();
    }

    /// Whether it is time for a round. If so, queued messages and owed acknowledgements go out.
    pub fn round(&mut self) -> bool {
        if self.last_round.elapsed() < ROUND {
            return false;
        }
        self.last_round = Instant::now();
        for rank in self.others() {
            while self.links[rank].has_room(WINDOW)
                && let Some(body) = self.links[rank].queue.pop_front()
            {
                self.send(rank, &body);
            }
            if self.links[rank].owes_ack && !self.links[rank].closed {
                self.dispatch(rank, 0, &Message::Nothing.encode());
            }
        }
        true
    }

    /// Sends the entries that the search threads have queued to all ranks in `to`.
    pub fn exchange(&mut self, bridge: &Bridge, to: &[usize], stamp: u64, search: u64) {
        let budget = (BUDGET / to.len().max(1)).max(128);
        let entries = bridge.outbox.drain(budget, bridge.share(), &mut self.quiet);
        let mut completed = bridge.completed.lock().take();
        if entries.is_empty() && completed.is_none() && self.last_report.elapsed() < REPORT {
            return;
        }
        self.last_report = Instant::now();
        let [nodes, tb_hits] = bridge.own_progress();
        // At least one message, for the node count and the iteration.
        let chunks = entries.chunks(MAX_ENTRIES).map(<[_]>::to_vec);
        let chunks: Vec<_> = if entries.is_empty() { vec![Vec::new()] } else { chunks.collect() };
        for entries in chunks {
            let count = entries.len() as u64;
            let completed = completed.take();
            let message = Message::Entries { stamp, search, nodes, tb_hits, completed, entries };
            let body = message.encode();
            for &rank in to {
                if self.links[rank].queue.is_empty() && self.links[rank].has_room(ENTRY_WINDOW) {
                    self.send(rank, &body);
                    self.traffic[0] += count;
                }
            }
        }
    }
}

/// What entries must carry to be of use: the same for ranks with the same program, net and epoch.
pub fn stamp(net: u64, epoch: u64) -> u64 {
    net.rotate_left(23) ^ epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
