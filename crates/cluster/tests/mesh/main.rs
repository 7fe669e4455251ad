//! Whole clusters over a mesh: real engines, real searches, a faulty network.

mod network;

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use megatherium_board::Board;
use megatherium_cluster::endpoint::Endpoint;
use megatherium_cluster::message::{Hello, Message, PROTOCOL};
use megatherium_cluster::{Timing, follow, lead};
use megatherium_uci::output::Output;

use crate::network::{Faults, Mesh};

/// A hang, not a slow machine.
const FOREVER: Duration = Duration::from_mins(2);

/// When a rank is taken for dead in tests where it does not matter which.
const SOON: Duration = Duration::from_millis(300);

/// Lines that the test sends, as the leader's input.
struct Feed(Receiver<String>, Vec<u8>);

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().map(String::into_bytes).unwrap_or_default();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// What the leader says, as it comes.
struct Ear(Sender<String>);

impl Write for Ear {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            let _ = self.0.send(line.to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn timing(silence: Duration) -> Timing {
    Timing { silence, settling: 4 * silence, shutdown: 2 * silence, leader_silence: FOREVER }
}

/// A cluster and a conversation with it.
struct Cluster {
    mesh: Mesh,
    lines: Sender<String>,
    said: Receiver<String>,
    leader: JoinHandle<bool>,
    followers: Vec<JoinHandle<bool>>,
}

impl Cluster {
    /// A cluster without faults, in which no rank is ever left out.
    fn calm(ranks: usize) -> Cluster {
        Cluster::new(ranks, Faults::default(), FOREVER)
    }

    fn new(ranks: usize, faults: Faults, silence: Duration) -> Cluster {
        let mut ends = Mesh::new(ranks, faults).into_iter();
        let mesh = ends.next().unwrap();
        let timing = timing(silence);
        let followers =
            ends.map(|end| thread::spawn(move || follow(end, timing).unwrap())).collect();
        Cluster::with(mesh, followers, timing)
    }

    fn with(mesh: Mesh, followers: Vec<JoinHandle<bool>>, timing: Timing) -> Cluster {
        let (lines, feed) = channel();
        let (ear, said) = channel();
        let transport = mesh.clone();
        let leader = thread::spawn(move || {
            let output = Arc::new(Output::new(Box::new(Ear(ear))));
            lead(transport, BufReader::new(Feed(feed, Vec::new())), output, timing).unwrap()
        });
        Cluster { mesh, lines, said, leader, followers }
    }

    fn tell(&self, line: &str) {
        self.lines.send(format!("{line}\n")).unwrap();
    }

    /// Everything up to the first line that begins like this.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(start)) {
            let line = self.said.recv_timeout(FOREVER);
            lines.push(line.unwrap_or_else(|_| panic!("no {start} after {lines:#?}")));
        }
        lines
    }

    fn ready(&self) -> Vec<String> {
        self.tell("isready");
        self.until("readyok")
    }

    /// Searches `board` and checks the answer.
    fn go(&self, board: &Board, limits: &str) -> Vec<String> {
        self.tell(&format!("position fen {}", board.fen()));
        self.tell(&format!("go {limits}"));
        let lines = self.until("bestmove");
        let answer = lines.last().unwrap().split_ascii_whitespace().nth(1).unwrap();
        assert!(board.parse_uci(answer).is_ok(), "{lines:#?}");
        lines
    }

    /// Ends everything. Returns the output since, and whether each rank saw all others alive.
    fn quit(self) -> (Vec<String>, Vec<bool>) {
        self.tell("quit");
        let mut clean = vec![self.leader.join().unwrap()];
        // Followers that have missed the last message are killed.
        for rank in 1..=self.followers.len() {
            if !clean[0] {
                self.mesh.kill(rank);
            }
        }
        clean.extend(self.followers.into_iter().map(|follower| follower.join().unwrap()));
        (self.said.try_iter().collect(), clean)
    }
}

fn number(line: &str, word: &str) -> u64 {
    let mut words = line.split_ascii_whitespace().skip_while(|&found| found != word);
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn middlegame() -> Board {
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 9";
    Board::from_fen(fen).unwrap()
}

#[test]
fn clusters_of_several_sizes_answer_once_and_count_everybody() {
    for ranks in [1, 2, 4, 8] {
        let cluster = Cluster::calm(ranks);
        cluster.tell("uci");
        let listing = cluster.until("uciok").join("\n");
        assert!(listing.contains("option name Cluster Share type combo default auto"), "{listing}");
        assert!(listing.contains("option name Cluster Grace type spin default 5"), "{listing}");
        cluster.tell("setoption name Hash value 1");
        cluster.tell("setoption name Cluster Grace value 1000");
        assert_eq!(cluster.ready(), ["readyok"]);
        let lines = cluster.go(&middlegame(), "nodes 200000");
        assert!(lines.iter().all(|line| !line.contains("error")), "{lines:#?}");
        // A search of one rank, to compare with.
        cluster.tell("ucinewgame");
        for go in ["depth 1", "movetime 50", "mate 1 nodes 3000", "nodes 500 searchmoves a2a3"] {
            cluster.go(&middlegame(), go);
        }
        cluster.tell("go infinite");
        cluster.tell("stop");
        cluster.until("bestmove");
        cluster.tell("go ponder wtime 1000 btime 1000");
        cluster.tell("ponderhit");
        cluster.until("bestmove");
        cluster.tell("go infinite");
        cluster.tell("go depth 2");
        cluster.until("bestmove");
        cluster.until("bestmove");
        let (rest, clean) = cluster.quit();
        assert!(rest.is_empty(), "{rest:?}");
        assert_eq!(clean, vec![true; ranks]);
    }
}

/// Everything that is sent arrives, and `tt` says how much.
#[test]
fn entries_are_exchanged_and_counted() {
    let cluster = Cluster::calm(3);
    cluster.ready();
    let deadline = Instant::now() + FOREVER;
    let mut sums = [0, 1];
    while sums[0] != sums[1] || sums[0] <= 1000 {
        assert!(Instant::now() < deadline, "{sums:?}");
        // On a busy machine a search may be over before much has been exchanged.
        if sums[0] <= 1000 {
            cluster.go(&middlegame(), "nodes 100000");
        }
        cluster.tell("tt");
        let lines = cluster.until("rank 2");
        let ranks: Vec<&String> = lines.iter().filter(|line| line.starts_with("rank ")).collect();
        assert_eq!(ranks.len(), 3, "{lines:#?}");
        let word = |line: &str, at: usize| line.split_ascii_whitespace().nth(at).unwrap().parse();
        sums = [2, 5].map(|at| ranks.iter().map(|line| word(line, at).unwrap_or(0)).sum::<u64>());
        // Followers report twice a second.
        thread::sleep(Duration::from_millis(100));
    }
    cluster.quit();
}

/// The nodes of followers are counted: the last line of a search with several ranks has more of
/// them than rank 0 can have. With several lines no iteration is taken over; that would save nodes.
#[test]
fn followers_work_on_the_same_position() {
    let nodes = |cluster: &Cluster| {
        cluster.tell("ucinewgame");
        cluster.ready();
        let lines = cluster.go(&middlegame(), "depth 12");
        lines.iter().map(|line| number(line, "nodes")).max().unwrap()
    };
    let alone = Cluster::calm(1);
    alone.tell("setoption name MultiPV value 2");
    let single = nodes(&alone);
    alone.quit();
    let cluster = Cluster::calm(3);
    cluster.tell("setoption name Cluster Grace value 1000");
    cluster.tell("setoption name MultiPV value 2");
    // Entries of others change the nodes of rank 0 a little: half as many again are more. On a busy
    // machine it may be done before the others have begun, and then it searches once more.
    let deadline = Instant::now() + FOREVER;
    while nodes(&cluster) <= single + single / 2 {
        assert!(Instant::now() < deadline, "never more than {single} and half of it");
    }
    cluster.quit();
}

#[test]
fn a_cluster_of_one_searches_like_the_engine() {
    use megatherium_search::{Engine, Limits, Root, Silent};
    let cluster = Cluster::calm(1);
    let lines = cluster.go(&middlegame(), "depth 9");
    cluster.quit();
    let mut engine = Engine::new(1, 16).unwrap();
    let outcome = engine.search(Root::new(middlegame()), Limits::depth(9), Silent);
    let nodes = lines.iter().map(|line| number(line, "nodes")).max();
    assert_eq!(nodes, Some(outcome.nodes));
}

#[test]
fn strangers_are_refused_by_name() {
    let name = megatherium_cluster::leader::name();
    let net = megatherium_nnue::Network::embedded().checksum();
    let own = Hello { protocol: PROTOCOL, number: 1, net, name, ..Hello::default() };
    for (hello, reason) in [
        (Hello { protocol: 9, ..own.clone() }, "protocol 9"),
        (Hello { name: "Other 7".to_owned(), ..own.clone() }, "it runs Other 7"),
        (Hello { net: 0xbad, ..own.clone() }, "its net is 0000000000000bad"),
    ] {
        let mut ends = Mesh::new(2, Faults::default());
        let mut stranger = Endpoint::new(ends.pop().unwrap());
        stranger.post(0, &Message::Hello(hello));
        // It acknowledges nothing: only at the end is that waited for.
        let timing = Timing { shutdown: SOON, ..timing(FOREVER) };
        let cluster = Cluster::with(ends.pop().unwrap(), Vec::new(), timing);
        let said = cluster.ready();
        assert_eq!(said.len(), 2, "{said:?}");
        let text = format!("info string error: rank 1 is left out: {reason}");
        assert!(said[0].starts_with(&text) || said[0].contains(reason), "{said:?}");
        cluster.go(&middlegame(), "depth 4");
        let heard: Vec<Message> =
            std::iter::from_fn(|| stranger.receive()).map(|(_, message)| message).collect();
        assert!(!heard.iter().any(|heard| matches!(heard, Message::Go { .. })), "{heard:?}");
        cluster.quit();
    }
}

/// What goes wrong at a follower is said once, by the leader, with its rank.
#[test]
fn settings_reach_the_followers_and_their_errors_come_back() {
    let cluster = Cluster::calm(3);
    cluster.tell("setoption name EvalFile value /no/such/net");
    let said = cluster.ready();
    for rank in [1, 2] {
        let error = format!("info string error: rank {rank}: EvalFile '/no/such/net'");
        assert_eq!(said.iter().filter(|line| line.starts_with(&error)).count(), 1, "{said:#?}");
    }
    cluster.go(&middlegame(), "depth 5");
    cluster.quit();
}

/// A follower that dies in a search is left out with one line, and the search goes on.
#[test]
fn a_death_is_noticed_once_and_the_answer_comes() {
    // Longer than the other follower is ever kept from the processor.
    let cluster = Cluster::new(3, Faults::default(), Duration::from_secs(5));
    cluster.ready();
    cluster.tell("go infinite");
    cluster.until("info depth 4");
    cluster.mesh.kill(2);
    let said = cluster.until("info string");
    let last = said.last().unwrap();
    assert_eq!(last, "info string error: left out without an answer: rank 2");
    cluster.tell("stop");
    cluster.until("bestmove");
    let lines = cluster.go(&middlegame(), "depth 8");
    assert!(!lines.iter().any(|line| line.contains("left out")), "{lines:#?}");
    let (_, clean) = cluster.quit();
    assert!(!clean[0], "a rank is missing");
}

/// A follower does not wait for ever for a dead leader.
#[test]
fn a_follower_ends_itself_when_rank_0_is_silent() {
    let mut ends = Mesh::new(2, Faults::default());
    let leader_silence = Duration::from_millis(50);
    assert!(!follow(ends.remove(1), Timing { leader_silence, ..Timing::default() }).unwrap());
}

/// Four searches over a faulty network. Returns how many were answered and how many ranks died.
fn storm(seed: u64, deaths: bool) -> [usize; 2] {
    let faults = Faults {
        seed,
        latency: Duration::from_micros(seed % 7 * 300),
        loss: 0.5,
        death: if deaths { 0.005 } else { 0.0 },
    };
    let cluster = Cluster::new(4, faults, SOON);
    cluster.tell("setoption name Hash value 1");
    let mut said = cluster.ready();
    for go in ["nodes 3000", "depth 9", "movetime 100", "nodes 100000"] {
        said.extend(cluster.go(&middlegame(), go));
    }
    let answers = said.iter().filter(|line| line.starts_with("bestmove")).count();
    assert_eq!(answers, 4, "{said:#?}");
    let dead = cluster.mesh.dead();
    let (rest, _) = cluster.quit();
    assert!(!rest.iter().any(|line| line.starts_with("bestmove")), "{rest:#?}");
    [answers, dead]
}

#[test]
fn every_search_answers_once_in_bad_weather() {
    for seed in 0..12 {
        storm(seed, seed % 2 == 0);
    }
}

/// `cargo test -p megatherium-cluster --test mesh -- --ignored --nocapture hundred`
#[test]
#[ignore = "a few minutes"]
fn a_hundred_storms() {
    let storms: Vec<[usize; 2]> = (0..100).map(|seed| storm(seed, true)).collect();
    let [answers, deaths] = [0, 1].map(|which| storms.iter().map(|storm| storm[which]).sum());
    println!("100 storms: {answers} of 400 searches answered once, {deaths} ranks died");
    assert!((answers, deaths > 20) == (400, true), "{answers} {deaths}");
}

/// Lets ranks die at random moments of searches until `deaths` have died. Returns how long the
/// answers took after `stop`, the shortest first.
fn dying(mut deaths: usize, seed: u64) -> Vec<Duration> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut times = Vec::new();
    while deaths > 0 {
        let cluster = Cluster::new(5, Faults { seed: random.u64(..), ..Faults::default() }, SOON);
        cluster.tell("setoption name Hash value 1");
        cluster.ready();
        let mut left: Vec<usize> = (1..5).collect();
        while deaths > 0 && !left.is_empty() {
            cluster.tell("go infinite");
            thread::sleep(Duration::from_micros(random.u64(..4000)));
            cluster.mesh.kill(left.swap_remove(random.usize(..left.len())));
            deaths -= 1;
            thread::sleep(Duration::from_micros(random.u64(..2000)));
            let stopped = Instant::now();
            cluster.tell("stop");
            let said = cluster.until("bestmove");
            times.push(stopped.elapsed());
            let answer = said.last().unwrap().split_ascii_whitespace().nth(1).unwrap();
            assert!(Board::startpos().parse_uci(answer).is_ok(), "{said:#?}");
        }
        let (rest, _) = cluster.quit();
        assert!(!rest.iter().any(|line| line.starts_with("bestmove")), "{rest:#?}");
    }
    times.sort_unstable();
    times
}

#[test]
fn deaths_at_any_moment_never_cost_the_answer() {
    dying(40, 1);
}

/// Waiting for a dead rank would take [`SOON`]; the grace is 5 ms.
///
/// `cargo test -p megatherium-cluster --test mesh -- --ignored --nocapture thousand`
#[test]
#[ignore = "a few minutes"]
fn a_thousand_deaths() {
    let times = dying(1000, 2);
    let (median, worst) = (times[500], times[999]);
    println!("1000 deaths: {} answers, after {median:.1?}, at most {worst:.1?}", times.len());
    assert!(worst < SOON, "{worst:?}");
}
