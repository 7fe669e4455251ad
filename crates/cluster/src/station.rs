//! A rank on the wire: sequence numbers, acknowledgements, windows, and the exchange of entries.
//!
//! Every message carries its number and the number of the last one received from the other side. A
//! rank that does not answer is therefore noticed whatever the network says, and never has more
//! than a window of messages in the network's buffers.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::message::{LONGEST, MOST_ENTRIES, Message};
use crate::wire::Wire;

/// Time between two rounds of the exchange.
pub const ROUND: Duration = Duration::from_millis(1);

/// Between two looks at the wire during a search and just after.
const NAP: Duration = Duration::from_micros(200);

/// The same when there has been no search for long: a look costs some 50 µs.
const SLEEP: Duration = Duration::from_millis(10);

/// Entries a rank sends per round, to all others together: 32 MB a second at most.
const BUDGET: usize = 2048;

/// Nodes are reported at least this often.
const REPORT: Duration = Duration::from_millis(10);

/// Messages without acknowledgement up to which entries are sent.
const ENTRY_WINDOW: u64 = 16;

/// The same for all other messages; those beyond wait.
pub const WINDOW: u64 = 32;

/// Bytes before a message: its number, and that of the last one received.
pub const ENVELOPE: usize = 16;

/// Without an answer for this long, one more message is tried in a full window.
const KNOCK: Duration = Duration::from_millis(250);

/// How long a rank may be silent.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// While it searches or has nothing to do.
    pub silence: Duration,
    /// While it takes over settings, which may mean to allocate a large table.
    pub settling: Duration,
    /// After `quit`.
    pub farewell: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            silence: Duration::from_secs(5),
            settling: Duration::from_mins(1),
            farewell: Duration::from_secs(2),
        }
    }
}

/// The connection with one other rank.
struct Link {
    sent: u64,
    acknowledged: u64,
    received: u64,
    owes: bool,
    last_sent: Instant,
    /// Since when the other side owes an acknowledgement.
    waiting: Option<Instant>,
    queue: VecDeque<Vec<u8>>,
    closed: bool,
}

impl Link {
    fn has_room(&self, window: u64) -> bool {
        let stuck = self.waiting.is_some() && self.last_sent.elapsed() >= KNOCK;
        !self.closed && (self.sent - self.acknowledged < window || stuck)
    }
}

/// A rank on the wire.
pub struct Station<W> {
    wire: W,
    links: Vec<Link>,
    last_round: Instant,
    last_report: Instant,
    last_search: Instant,
    quiet: u32,
    /// Entries sent, counted once per receiver.
    pub sent_entries: u64,
    /// Entries received.
    pub received_entries: u64,
}

impl<W: Wire> Station<W> {
    /// A station at the end of `wire`.
    pub fn new(wire: W) -> Self {
        let now = Instant::now();
        let link = |_| Link {
            sent: 0,
            acknowledged: 0,
            received: 0,
            owes: false,
            last_sent: now,
            waiting: None,
            queue: VecDeque::new(),
            closed: false,
        };
        Station {
            links: (0..wire.ranks()).map(link).collect(),
            wire,
            last_round: now,
            last_report: now,
            last_search: now,
            quiet: 0,
            sent_entries: 0,
            received_entries: 0,
        }
    }

    /// This rank.
    pub fn rank(&self) -> usize {
        self.wire.rank()
    }

    /// Every other rank.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<W> {
        let own = self.wire.rank();
        (0..self.wire.ranks()).filter(move |&rank| rank != own)
    }

    /// Entries sent to all other ranks and received from them.
    pub fn traffic(&self) -> [u64; 2] {
        [self.sent_entries, self.received_entries]
    }

    /// How long to wait before the next look at the wire: the longer, the longer there has been no
    /// search, so that a rank with nothing to do uses no processor to speak of.
    pub fn nap(&mut self, searching: bool) -> Duration {
        if searching {
            self.last_search = Instant::now();
            return NAP;
        }
        (self.last_search.elapsed() / 100).clamp(NAP, SLEEP)
    }

    /// Whether this rank lives.
    pub fn is_open(&self) -> bool {
        self.wire.is_open()
    }

    /// Sends a message, or queues it until there is room in the window.
    pub fn post(&mut self, to: usize, message: &Message) {
        let body = message.encode();
        let link = &mut self.links[to];
        if link.closed || body.len() > LONGEST {
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

    /// Number 0 is that of a message that wants no acknowledgement.
    fn dispatch(&mut self, to: usize, number: u64, body: &[u8]) {
        let link = &mut self.links[to];
        link.owes = false;
        let envelope = [number.to_le_bytes(), link.received.to_le_bytes()].concat();
        self.wire.send(to, &[&envelope, body].concat());
    }

    /// The next message. Malformed ones are dropped, like everything from closed links.
    pub fn receive(&mut self) -> Option<(usize, Message)> {
        while let Some((from, bytes)) = self.wire.receive() {
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
            link.owes |= number > 0;
            if let Message::Entries { entries, .. } = &message {
                self.received_entries += entries.len() as u64;
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
    pub fn has_heard_all(&self, rank: usize) -> bool {
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
            if self.links[rank].owes && !self.links[rank].closed {
                self.dispatch(rank, 0, &Message::Nothing.encode());
            }
        }
        true
    }

    /// Sends what the search threads have left at the desk to all ranks in `to`.
    pub fn exchange(&mut self, desk: &Desk, to: &[usize], stamp: u64, search: u64) {
        let budget = (BUDGET / to.len().max(1)).max(128);
        let entries = desk.outbox.drain(budget, desk.share(), &mut self.quiet);
        if entries.is_empty() && self.last_report.elapsed() < REPORT {
            return;
        }
        self.last_report = Instant::now();
        let [nodes, tb_hits] = desk.own_progress();
        // At least one message, for the node count.
        let chunks = entries.chunks(MOST_ENTRIES).map(<[_]>::to_vec);
        let chunks: Vec<_> = if entries.is_empty() { vec![Vec::new()] } else { chunks.collect() };
        for entries in chunks {
            let count = entries.len() as u64;
            let body = Message::Entries { stamp, search, nodes, tb_hits, entries }.encode();
            for &rank in to {
                if self.links[rank].queue.is_empty() && self.links[rank].has_room(ENTRY_WINDOW) {
                    self.send(rank, &body);
                    self.sent_entries += count;
                }
            }
        }
    }
}

/// What entries must carry to be of use: the same for ranks with the same program, net and epoch.
pub fn stamp(net: u64, epoch: u64) -> u64 {
    net.rotate_left(23) ^ epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
