//! The other ranks: take over the leader's settings, and search what it searches until told to
//! stop.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use megatherium_board::Move;
use megatherium_search::{Allies, EngineError, Limits, Silent};
use megatherium_uci::command::Command;
use megatherium_uci::output::Output;
use megatherium_uci::parse::parse;
use megatherium_uci::shell::{Shell, root_of};
use parking_lot::Mutex;

use crate::bridge::{Bridge, Event};
use crate::endpoint::{Endpoint, ROUND, Timing, stamp};
use crate::leader::name;
use crate::message::{Hello, Message, PROTOCOL};
use crate::transport::Transport;

/// A follower sends its greeting again after this time, in case it was lost.
const RETRY: Duration = Duration::from_millis(500);

/// What the shell of a follower says: kept, and sent to the leader if it is an error.
#[derive(Clone, Default)]
struct CapturedOutput(Arc<Mutex<Vec<u8>>>);

impl Write for CapturedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Follower<W> {
    endpoint: Endpoint<W>,
    events: Receiver<Event>,
    bridge: Arc<Bridge>,
    shell: Shell,
    said: CapturedOutput,
    /// The settings taken over, and the lines that made them.
    number: u64,
    epoch: u64,
    lines: Vec<String>,
    /// The search under way, or the last one.
    search: u64,
    searching: bool,
    last_hello: Instant,
}

/// Follows rank 0 until it ends or falls silent. Returns whether all ranks are alive at the end.
pub fn follow<W: Transport>(transport: W, timing: Timing) -> Result<bool, EngineError> {
    let (bridge, events) = Bridge::new(transport.rank(), transport.ranks());
    let bridge = Arc::new(bridge);
    let said = CapturedOutput::default();
    let mut shell = Shell::new(Arc::new(Output::new(Box::new(said.clone()))))?;
    shell.engine_mut().set_allies(Arc::clone(&bridge) as Arc<dyn Allies>);
    let mut follower = Follower {
        endpoint: Endpoint::new(transport),
        events,
        bridge,
        shell,
        said,
        number: 0,
        epoch: 0,
        lines: Vec::new(),
        search: 0,
        searching: false,
        last_hello: Instant::now(),
    };
    Ok(follower.run(timing))
}

impl<W: Transport> Follower<W> {
    fn run(&mut self, timing: Timing) -> bool {
        self.say_hello();
        // Rank 0 acknowledges every greeting. If it does not, it has died or left this rank out.
        while self.endpoint.is_open() && self.endpoint.silence(0) < timing.leader_silence {
            if let Ok(event) = self.events.recv_timeout(self.endpoint.poll_interval(self.searching))
            {
                self.conclude(event);
            }
            while let Some((from, message)) = self.endpoint.receive() {
                if let (0, Message::Bye { clean }) = (from, &message) {
                    self.end_search();
                    // The next round acknowledges the message.
                    std::thread::sleep(ROUND);
                    self.endpoint.round();
                    return *clean;
                }
                self.handle_message(from, message);
            }
            if self.endpoint.round() {
                if self.searching {
                    let others: Vec<usize> = self.endpoint.others().collect();
                    self.endpoint.exchange(&self.bridge, &others, self.stamp(), self.search);
                }
                if self.last_hello.elapsed() > RETRY {
                    self.say_hello();
                }
            }
        }
        false
    }

    fn stamp(&self) -> u64 {
        stamp(self.bridge.net(), self.epoch)
    }

    fn say_hello(&mut self) {
        self.last_hello = Instant::now();
        let net = self.shell.engine().network().checksum();
        let (number, traffic, name) = (self.number, self.endpoint.traffic, name());
        let hello = Hello { protocol: PROTOCOL, number, net, traffic, name };
        self.endpoint.post(0, &Message::Hello(hello));
    }

    fn handle_message(&mut self, from: usize, message: Message) {
        match message {
            Message::Entries { stamp, search, completed, entries, .. } if stamp == self.stamp() => {
                self.bridge.deliver(entries, completed.filter(|_| search == self.search));
            }
            // The leader prints everything else.
            _ if from != 0 => {}
            Message::Settings { number, epoch, lines } if number > self.number => {
                self.end_search();
                self.settle(number, epoch, &lines);
                self.say_hello();
            }
            Message::Go { number, search, nodes, moves, position } => {
                if number != self.number {
                    // The settings were lost: ask for them.
                    self.say_hello();
                } else if search > self.search {
                    self.go(search, nodes, moves, &position);
                }
            }
            Message::Stop { search } if search == self.search => self.shell.engine().stop(),
            _ => {}
        }
    }

    /// Takes over settings. What goes wrong is told to the leader, who tells the user.
    fn settle(&mut self, number: u64, epoch: u64, lines: &str) {
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        for line in lines.iter().filter(|line| !self.lines.contains(line)) {
            // Only what sets an option: a leader cannot make a follower quit.
            if line.starts_with("setoption ") {
                let _ = self.shell.obey(line);
            }
        }
        if epoch != self.epoch {
            self.shell.engine_mut().new_game();
        }
        (self.number, self.epoch, self.lines) = (number, epoch, lines);
        let said = std::mem::take(&mut *self.said.0.lock());
        for line in String::from_utf8_lossy(&said).lines() {
            if let Some(error) = line.strip_prefix("info string error: ") {
                self.endpoint.post(0, &Message::Note(error.to_owned()));
            }
        }
    }

    fn go(&mut self, search: u64, nodes: u64, moves: Vec<Move>, position: &str) {
        self.end_search();
        let Some(Command::Position(position)) = parse(position).command else { return };
        let Ok(root) = root_of(&position) else { return };
        if !moves.iter().all(|&mv| root.board.is_legal(mv)) {
            return;
        }
        let threads = self.shell.engine().threads();
        self.bridge.set_seats_before(self.endpoint.rank() * threads);
        (self.search, self.searching) = (search, true);
        let nodes = (nodes > 0).then_some(nodes);
        let limits = Limits { infinite: true, nodes, search_moves: moves, ..Limits::default() };
        self.shell.engine_mut().start(root, limits, Arc::new(Silent));
    }

    /// Ends the search, if one is under way, and says what it concluded.
    fn end_search(&mut self) {
        self.shell.engine().stop();
        self.shell.engine().wait();
        while let Ok(event) = self.events.try_recv() {
            self.conclude(event);
        }
    }

    fn conclude(&mut self, event: Event) {
        if let Event::Concluded(verdict, total) = event {
            self.searching = false;
            let (search, nodes, tb_hits) = (self.search, total.nodes, total.tb_hits);
            self.endpoint.post(0, &Message::Conclusion { search, nodes, tb_hits, verdict });
        }
    }
}
