//! Rank 0: speaks UCI, tells the others what to search, and collects what they conclude.
//!
//! A reader thread runs the ordinary shell and engine. This thread runs the protocol. A follower
//! takes part in a search if it has the leader's settings, program and net. A late follower joins
//! the search under way; a silent one is left out. The search never waits for a follower longer
//! than the grace.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use megatherium_board::Move;
use megatherium_cli::build;
use megatherium_search::{Allies, EngineError, Verdict};
use megatherium_uci::output::Output;
use megatherium_uci::shell::Shell;

use crate::bridge::{Bridge, Event};
use crate::endpoint::{Endpoint, ROUND, Timing, stamp};
use crate::message::{Hello, MAX_LENGTH, Message, PROTOCOL};
use crate::options::ClusterOptions;
use crate::transport::Transport;

/// Settings are sent again to a follower that has not taken them over after this time.
const RETRY: Duration = Duration::from_millis(200);

/// Longest wait for the others at `isready`.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// Name, version and commit of this program.
pub fn name() -> String {
    format!("{} (commit {})", build::NAME, build::COMMIT)
}

/// A follower, as the leader sees it.
#[derive(Default)]
struct Peer {
    hello: Option<Hello>,
    /// The last thing said about it, to say it once.
    complaint: Option<String>,
    settings_sent: Option<Instant>,
    dead: bool,
}

/// The search under way.
struct Search {
    number: u64,
    nodes: u64,
    moves: Vec<Move>,
    /// Who was asked, with nodes and tablebase hits.
    asked: BTreeMap<usize, [u64; 2]>,
    concluded: BTreeMap<usize, Option<Verdict>>,
    /// Rank 0 is done, and the others are to stop.
    over: bool,
}

struct Leader<W> {
    endpoint: Endpoint<W>,
    bridge: Arc<Bridge>,
    output: Arc<Output>,
    timing: Timing,
    peers: BTreeMap<usize, Peer>,
    /// Settings: counted, and the lines that make them by option.
    number: u64,
    epoch: u64,
    lines: BTreeMap<&'static str, String>,
    unsent: bool,
    position: String,
    search: Option<Search>,
    waiting: Vec<Sender<()>>,
}

/// Runs rank 0 until the conversation ends. Returns whether all ranks are alive at the end.
pub fn lead<W: Transport>(
    transport: W,
    input: impl BufRead + Send,
    output: Arc<Output>,
    timing: Timing,
) -> Result<bool, EngineError> {
    let (bridge, events) = Bridge::new(0, transport.ranks());
    let bridge = Arc::new(bridge);
    let mut shell = Shell::new(Arc::clone(&output))?;
    shell.engine_mut().set_allies(Arc::clone(&bridge) as Arc<dyn Allies>);
    shell.set_partner(Box::new(ClusterOptions::new(Arc::clone(&bridge), READY_TIMEOUT)));
    let endpoint = Endpoint::new(transport);
    let peers = endpoint.others().map(|rank| (rank, Peer::default())).collect();
    let mut leader = Leader {
        endpoint,
        bridge: Arc::clone(&bridge),
        output,
        timing,
        peers,
        number: 1,
        epoch: 1,
        lines: BTreeMap::new(),
        unsent: true,
        position: "position startpos".to_owned(),
        search: None,
        waiting: Vec::new(),
    };
    let begun = thread::scope(|scope| {
        let reader = thread::Builder::new().spawn_scoped(scope, move || {
            shell.run(input);
            bridge.event(Event::Quit);
        });
        // Without a reader there is no conversation. The ranks are still told to leave.
        reader.map(|_| leader.run(&events))
    });
    let alone = leader.shut_down();
    begun.map_err(EngineError::Thread)?;
    Ok(alone)
}

impl<W: Transport> Leader<W> {
    fn run(&mut self, events: &Receiver<Event>) {
        // The acknowledgements also show which ranks are alive.
        self.send_settings();
        loop {
            let searching = self.search.as_ref().is_some_and(|search| !search.over);
            match events.recv_timeout(self.endpoint.poll_interval(searching)) {
                Ok(Event::Quit) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(event) => self.handle_event(event),
                Err(RecvTimeoutError::Timeout) => {}
            }
            while let Some((from, message)) = self.endpoint.receive() {
                self.handle_message(from, message);
            }
            if self.endpoint.round() {
                self.exchange();
                self.drop_silent_peers();
                self.answer_ready();
            }
        }
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Begin(number, nodes, moves) => {
                let (asked, concluded) = (BTreeMap::new(), BTreeMap::new());
                // Each its share, so that a late `stop` does not overstep the limit.
                let ranks = self.peers.len() as u64 + 1;
                let nodes = nodes.map_or(0, |nodes| (nodes / ranks).max(1));
                self.search = Some(Search { number, nodes, moves, asked, concluded, over: false });
                self.send_settings();
                for rank in self.endpoint.others() {
                    self.invite(rank);
                }
            }
            Event::End(number) => self.end(number),
            Event::Position(position) => self.position = position,
            Event::Option(name, line) => {
                if self.lines.get(name) != Some(&line) {
                    self.lines.insert(name, line);
                    self.change_settings();
                }
            }
            Event::Forget => {
                self.epoch += 1;
                self.change_settings();
            }
            Event::Ready(sender) => self.waiting.push(sender),
            Event::Traffic(sender) => {
                let _ = sender.send(self.traffic());
            }
            Event::Concluded(..) | Event::Quit => {}
        }
    }

    /// Followers in the middle of a search get the new settings after it, as this rank does.
    fn change_settings(&mut self) {
        self.number += 1;
        self.unsent = true;
        if self.search.as_ref().is_none_or(|search| search.over) {
            self.send_settings();
        }
    }

    fn send_settings(&mut self) {
        if std::mem::take(&mut self.unsent) {
            for rank in self.endpoint.others() {
                self.send_settings_to(rank);
            }
        }
    }

    fn send_settings_to(&mut self, rank: usize) {
        let lines = self.lines.values().map(String::as_str).collect::<Vec<_>>().join("\n");
        let message = Message::Settings { number: self.number, epoch: self.epoch, lines };
        self.endpoint.post(rank, &message);
        if let Some(peer) = self.peers.get_mut(&rank) {
            peer.settings_sent = Some(Instant::now());
        }
    }

    /// Asks a follower to take part, if it can and has not been asked.
    fn invite(&mut self, rank: usize) {
        let ready = self.is_member(rank);
        let Some(search) = self.search.as_mut().filter(|search| !search.over && ready) else {
            return;
        };
        let room = MAX_LENGTH - 1000;
        if search.asked.contains_key(&rank) || self.position.len() > room {
            return;
        }
        search.asked.insert(rank, [0; 2]);
        let message = Message::Go {
            number: self.number,
            search: search.number,
            nodes: search.nodes,
            moves: search.moves.clone(),
            position: self.position.clone(),
        };
        self.endpoint.post(rank, &message);
    }

    /// Whether a follower has taken over the settings, and is the same program with the same net. A
    /// permanent reason why not is reported once.
    fn is_member(&mut self, rank: usize) -> bool {
        let Some(peer) = self.peers.get_mut(&rank).filter(|peer| !peer.dead) else { return false };
        let Some(hello) = &peer.hello else { return false };
        let (net, own) = (self.bridge.net(), name());
        let complaint = if hello.protocol != PROTOCOL {
            format!("it speaks protocol {}, not {PROTOCOL}", hello.protocol)
        } else if hello.name != own {
            format!("it runs {}, not {own}", hello.name)
        } else if hello.number != self.number {
            return false;
        } else if hello.net != net {
            format!("its net is {:016x}, not {net:016x}", hello.net)
        } else {
            peer.complaint = None;
            return true;
        };
        if peer.complaint.as_ref() != Some(&complaint) {
            self.output.error(format_args!("rank {rank} is left out: {complaint}"));
            peer.complaint = Some(complaint);
        }
        false
    }

    fn handle_message(&mut self, from: usize, message: Message) {
        match message {
            Message::Hello(hello) => {
                let behind = hello.number != self.number && !self.unsent;
                if let Some(peer) = self.peers.get_mut(&from) {
                    peer.hello = Some(hello);
                    if behind && peer.settings_sent.is_none_or(|sent| sent.elapsed() > RETRY) {
                        self.send_settings_to(from);
                    }
                }
                self.is_member(from);
                self.invite(from);
            }
            Message::Entries { stamp, search, nodes, tb_hits, completed, entries } => {
                self.note_progress(from, search, [nodes, tb_hits]);
                let over = self.search.as_ref().is_none_or(|own| own.over || own.number != search);
                if stamp == self.stamp() {
                    self.bridge.deliver(entries, completed.filter(|_| !over));
                }
                // Its `stop` was lost.
                if over {
                    self.endpoint.post(from, &Message::Stop { search });
                }
            }
            Message::Conclusion { search, nodes, tb_hits, verdict } => {
                self.note_progress(from, search, [nodes, tb_hits]);
                if let Some(own) = self.search.as_mut().filter(|own| own.number == search)
                    && own.asked.contains_key(&from)
                {
                    own.concluded.insert(from, verdict);
                    self.collect();
                }
            }
            Message::Note(text) => self.output.error(format_args!("rank {from}: {text}")),
            // Followers neither lead nor leave.
            Message::Settings { .. }
            | Message::Go { .. }
            | Message::Stop { .. }
            | Message::Bye { .. }
            | Message::Nothing => {}
        }
    }

    /// As each rank has last reported it.
    fn traffic(&self) -> String {
        let followers = self.peers.iter();
        let followers = followers.filter_map(|(&rank, peer)| Some((rank, peer.hello.as_ref()?)));
        let all = std::iter::once((0, self.endpoint.traffic))
            .chain(followers.map(|(rank, hello)| (rank, hello.traffic)));
        let line = |(rank, [sent, received]): (usize, [u64; 2])| {
            format!("rank {rank:<3} {sent} entries sent, {received} received\n")
        };
        all.map(line).collect()
    }

    fn stamp(&self) -> u64 {
        stamp(self.bridge.net(), self.epoch)
    }

    fn note_progress(&mut self, from: usize, search: u64, progress: [u64; 2]) {
        if let Some(own) = self.search.as_mut().filter(|own| own.number == search)
            && let Some(known) = own.asked.get_mut(&from)
        {
            // Messages may overtake each other; counts only grow.
            *known = [0, 1].map(|which| known[which].max(progress[which]));
            let sum = |which: usize| own.asked.values().map(|known| known[which]).sum();
            self.bridge.set_others(search, [sum(0), sum(1)]);
        }
    }

    fn end(&mut self, number: u64) {
        match self.search.as_mut().filter(|search| search.number == number) {
            Some(search) => search.over = true,
            None => return self.bridge.collect(number, 0, Vec::new()),
        }
        for rank in self.participants() {
            self.endpoint.post(rank, &Message::Stop { search: number });
        }
        self.collect();
        self.send_settings();
    }

    fn participants(&self) -> Vec<usize> {
        let asked = self.search.iter().flat_map(|search| search.asked.keys());
        asked.copied().filter(|rank| !self.peers[rank].dead).collect()
    }

    /// Tells the waiting search how many conclusions are missing.
    fn collect(&self) {
        let Some(search) = self.search.as_ref().filter(|search| search.over) else { return };
        let missing = self.participants();
        let missing = missing.iter().filter(|rank| !search.concluded.contains_key(rank)).count();
        let verdicts = search.concluded.iter();
        let verdicts = verdicts.filter_map(|(&rank, verdict)| Some((rank, verdict.clone()?)));
        self.bridge.collect(search.number, missing, verdicts.collect());
    }

    fn exchange(&mut self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.over) else { return };
        let number = search.number;
        let (stamp, participants) = (self.stamp(), self.participants());
        self.endpoint.exchange(&self.bridge, &participants, stamp, number);
    }

    /// Leaves out followers that no longer acknowledge messages. What silences one may silence
    /// others a moment later, so those half way there are left out with it, in the same line.
    fn drop_silent_peers(&mut self) {
        let share_of_limit = |(&rank, peer): (&usize, &Peer)| {
            let settled = peer.hello.as_ref().is_some_and(|hello| hello.number == self.number);
            let limit = if settled { self.timing.silence } else { self.timing.settling };
            (rank, self.endpoint.silence(rank).as_secs_f64() / limit.as_secs_f64())
        };
        let shares = self.peers.iter().filter(|(_, peer)| !peer.dead).map(share_of_limit);
        let silent: BTreeMap<_, _> = shares.filter(|&(_, share)| share > 0.5).collect();
        if silent.values().any(|&share| share > 1.0) {
            for (&rank, peer) in self.peers.iter_mut().filter(|(rank, _)| silent.contains_key(rank))
            {
                peer.dead = true;
                self.endpoint.close(rank);
            }
            let ranks: Vec<_> = silent.keys().map(|rank| format!("rank {rank}")).collect();
            self.output.error(format_args!("left out without an answer: {}", ranks.join(", ")));
        }
        self.collect();
    }

    /// Answers `isready` when every follower is settled, refused or dead.
    fn answer_ready(&mut self) {
        let settled = |peer: &Peer| {
            let number = peer.hello.as_ref().map(|hello| hello.number);
            peer.dead || peer.complaint.is_some() || number == Some(self.number)
        };
        if self.peers.values().all(settled) {
            // The shell may have timed out.
            for sender in self.waiting.drain(..) {
                let _ = sender.send(());
            }
        }
    }

    /// Tells the followers to end. Returns whether all have acknowledged it.
    fn shut_down(&mut self) -> bool {
        let clean = self.peers.values().all(|peer| !peer.dead);
        for rank in self.endpoint.others() {
            self.endpoint.post(rank, &Message::Bye { clean });
        }
        let deadline = Instant::now() + self.timing.shutdown;
        let heard = |leader: &Self| leader.endpoint.others().all(|r| leader.endpoint.is_drained(r));
        while !heard(self) && Instant::now() < deadline {
            while self.endpoint.receive().is_some() {}
            self.endpoint.round();
            thread::sleep(ROUND);
        }
        clean && heard(self)
    }
}
