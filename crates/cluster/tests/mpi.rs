//! The real binary under the real `mpirun`: on this machine, and between network namespaces.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use megatherium_board::Board;
use parking_lot::Mutex;

/// A hang, not a slow machine.
const FOREVER: Duration = Duration::from_mins(2);

/// Where the ranks run.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// On this machine.
    Here,
    /// The same, over TCP.
    HereOverTcp,
    /// In network namespaces.
    Namespaces,
}

fn script() -> Command {
    Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/namespaces.sh"))
}

/// `mpirun` and its options, up to the program.
fn mpirun(place: Place, ranks: usize, options: &[&str]) -> Command {
    let ranks = ranks.to_string();
    let mut command = match place {
        Place::Here | Place::HereOverTcp => Command::new("mpirun"),
        Place::Namespaces => script(),
    };
    match place {
        Place::Here | Place::HereOverTcp => command.args(options).args(["-n", &ranks]),
        Place::Namespaces => command.env("MPIRUN_OPTIONS", options.join(" ")).args(["run", &ranks]),
    };
    permit(&mut command);
    if place == Place::HereOverTcp {
        command.env("OMPI_MCA_btl", "tcp,self");
    }
    command
}

/// For Open MPI: containers run as root, and have fewer cores than the test has ranks.
fn permit(command: &mut Command) {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
}

/// A cluster under `mpirun`, and a conversation with it.
struct Cluster {
    mpirun: Child,
    input: ChildStdin,
    said: Receiver<String>,
    ranks: usize,
    /// Marks its processes in their environment.
    token: String,
}

impl Cluster {
    fn new(place: Place, ranks: usize, options: &[&str]) -> Cluster {
        let token = format!("{}-{ranks}-{}", std::process::id(), fastrand::u64(..));
        let mut mpirun = mpirun(place, ranks, options)
            .arg(env!("CARGO_BIN_EXE_megatherium-cluster"))
            .env("CLUSTER_TEST", &token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("mpirun can be started");
        let (sender, said) = channel();
        let out = BufReader::new(mpirun.stdout.take().unwrap());
        thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Cluster { input: mpirun.stdin.take().unwrap(), mpirun, said, ranks, token }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(start)) {
            let line = self.said.recv_timeout(FOREVER);
            lines.push(line.unwrap_or_else(|_| panic!("no {start} after {lines:#?}")));
        }
        lines
    }

    fn go(&mut self, limits: &str) -> Vec<String> {
        self.tell(&format!("go {limits}"));
        let lines = self.until("bestmove");
        let answer = lines.last().unwrap().split_ascii_whitespace().nth(1).unwrap();
        assert!(Board::startpos().parse_uci(answer).is_ok(), "{lines:#?}");
        lines
    }

    /// Processes of the cluster: all, or the one of a rank.
    fn processes(&self, rank: Option<usize>) -> Vec<String> {
        let token = format!("CLUSTER_TEST={}", self.token);
        let marks = rank.map(|rank| {
            ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].map(|variable| format!("{variable}={rank}"))
        });
        let is_one = |process: &String| {
            let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            let text = String::from_utf8_lossy(&environment);
            let mut words = text.split('\0');
            let marked =
                |word: &str| marks.as_ref().is_none_or(|marks| marks.iter().any(|m| m == word));
            words.clone().any(|word| word == token) && words.any(marked)
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let numbers = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        numbers.filter(is_one).collect()
    }

    /// Entries that all ranks together have sent and received, as `tt` shows them.
    fn traffic(&mut self) -> [u64; 2] {
        self.tell("tt");
        let lines = self.until(&format!("rank {} ", self.ranks - 1));
        let ranks: Vec<&String> = lines.iter().filter(|line| line.starts_with("rank ")).collect();
        assert_eq!(ranks.len(), self.ranks, "{lines:#?}");
        let number =
            |line: &str, at: usize| line.split_ascii_whitespace().nth(at)?.parse::<u64>().ok();
        [2, 5].map(|at| ranks.iter().map(|line| number(line, at).unwrap()).sum())
    }

    /// Seconds of processor time that the ranks have used, by process.
    fn processor_time(&self) -> Vec<f64> {
        let stat = |process: String| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            let (_, fields) = stat.rsplit_once(") ")?;
            let fields = fields.split_ascii_whitespace().skip(11).take(2);
            let ticks: f64 = fields.map(|field| field.parse::<f64>().unwrap()).sum();
            stat.contains("(megatherium-clu").then_some(ticks / 100.0)
        };
        self.processes(None).into_iter().filter_map(stat).collect()
    }

    /// Ends the cluster, and looks for processes that are still there `patience` later.
    fn quit(mut self, patience: Duration) -> bool {
        self.tell("quit");
        let status = self.mpirun.wait().unwrap();
        let deadline = Instant::now() + patience;
        while !self.processes(None).is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(self.processes(None), Vec::<String>::new(), "left running");
        status.success()
    }
}

/// A conversation. All entries sent arrive, idle ranks use no processor, no process is left.
fn converse(place: Place, ranks: usize) {
    let mut cluster = Cluster::new(place, ranks, &[]);
    cluster.tell("uci");
    assert!(cluster.until("uciok").iter().any(|line| line.contains("Cluster Share")));
    cluster.tell("setoption name Cluster Grace value 1000");
    cluster.tell("setoption name Hash value 4");
    cluster.tell("isready");
    assert_eq!(cluster.until("readyok"), ["readyok"]);
    for limits in ["depth 9", "nodes 300000", "movetime 100"] {
        let lines = cluster.go(limits);
        assert!(lines.iter().all(|line| !line.contains("error")), "{lines:#?}");
    }
    cluster.tell("ucinewgame");
    cluster.tell("go infinite");
    cluster.tell("stop");
    cluster.until("bestmove");
    // Followers report their counts twice a second.
    let deadline = Instant::now() + FOREVER;
    let mut traffic = cluster.traffic();
    while traffic[0] != traffic[1] && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(100));
        traffic = cluster.traffic();
    }
    println!("{ranks} ranks: {} entries sent, {} received", traffic[0], traffic[1]);
    assert_eq!(traffic[0], traffic[1]);
    assert_eq!(traffic[0] > 1000, ranks > 1, "{traffic:?}");

    // Idle ranks poll less and less often.
    thread::sleep(Duration::from_secs(2));
    let (began, before) = (Instant::now(), cluster.processor_time());
    assert_eq!(before.len(), ranks);
    thread::sleep(Duration::from_secs(4));
    let after = cluster.processor_time();
    // A sleep may take longer.
    let waited = began.elapsed().as_secs_f64();
    for (before, after) in before.iter().zip(after) {
        let load = (after - before) / waited;
        println!("idle: {:.2} % of a core", 100.0 * load);
        assert!(load < 0.02, "{load}");
    }
    assert!(cluster.quit(Duration::from_secs(5)));
}

/// The last follower is killed in a search: the line that says so, and the answer comes. Returns
/// the lines about ranks that are left out.
fn kill_a_follower(place: Place, ranks: usize) -> Vec<String> {
    let mut cluster = Cluster::new(place, ranks, &["--enable-recovery"]);
    cluster.tell("isready");
    cluster.until("readyok");
    cluster.tell("go infinite");
    cluster.until("info depth 5");
    let last = ranks - 1;
    let victims = cluster.processes(Some(last));
    assert_eq!(victims.len(), 1, "{victims:?}");
    assert!(Command::new("kill").args(["-9", &victims[0]]).status().unwrap().success());
    let mut said = cluster.until("info string error: left out without an answer: ");
    assert!(said.last().unwrap().contains(&format!("rank {last}")), "{said:?}");
    cluster.tell("stop");
    said.extend(cluster.until("bestmove"));
    said.extend(cluster.go("depth 8"));
    // A follower that the end does not reach gives up after ten seconds.
    cluster.quit(Duration::from_secs(20));
    said.retain(|line| line.contains("error"));
    said
}

/// One test at a time has the processors. After a death over TCP, Open MPI may spin until the end;
/// beside it another cluster would miss its deadlines.
static PROCESSORS: Mutex<()> = Mutex::new(());

/// Whether this MPI outlives a rank: Open MPI before version 5 does, with `--enable-recovery`.
fn survives_a_rank() -> bool {
    let mut help = Command::new("mpirun");
    permit(&mut help);
    let help = help.args(["--help", "ft"]).output().unwrap();
    let survives = String::from_utf8_lossy(&help.stdout).contains("enable-recovery");
    if !survives {
        println!("skipped: this mpirun has no --enable-recovery");
    }
    survives
}

#[test]
fn a_killed_follower_costs_one_line() {
    let _alone = PROCESSORS.lock();
    if !survives_a_rank() {
        return;
    }
    assert_eq!(kill_a_follower(Place::Here, 3).len(), 1);
    assert_eq!(kill_a_follower(Place::HereOverTcp, 2).len(), 1);
    // Over TCP, Open MPI may lose the other followers as well (docs/cluster.md): still one line.
    assert_eq!(kill_a_follower(Place::HereOverTcp, 3).len(), 1);
}

#[test]
fn one_two_and_three_ranks_converse_and_leave_nothing_behind() {
    let _alone = PROCESSORS.lock();
    for ranks in 1..=3 {
        converse(Place::HereOverTcp, ranks);
    }
}

/// `cargo test -p megatherium-cluster --features mpi --test mpi -- --ignored --nocapture`
#[test]
#[ignore = "needs root, for network namespaces"]
fn two_and_three_ranks_converse_between_network_namespaces() {
    /// Takes the namespaces away, whatever happened.
    struct Down;
    impl Drop for Down {
        fn drop(&mut self) {
            let _ = script().args(["down", "3"]).status();
        }
    }
    let _down = Down;
    assert!(script().args(["up", "3"]).status().unwrap().success());
    for ranks in 2..=3 {
        converse(Place::Namespaces, ranks);
        if survives_a_rank() {
            assert_eq!(kill_a_follower(Place::Namespaces, ranks).len(), 1);
        }
    }
}
