//! The real binary under the real `mpirun`, on this machine.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use megatherium_board::Board;

/// A hang, not a slow machine.
const FOREVER: Duration = Duration::from_mins(2);

fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    // For Open MPI: containers run as root, and have fewer cores than the test has ranks.
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command
}

/// A cluster under `mpirun`, and a conversation with it.
struct Cluster {
    mpirun: Child,
    input: ChildStdin,
    said: Receiver<String>,
    /// Marks its processes in their environment.
    token: String,
}

impl Cluster {
    fn new(ranks: usize, options: &[&str]) -> Cluster {
        let token = format!("{}-{ranks}-{}", std::process::id(), fastrand::u64(..));
        let mut mpirun = mpirun()
            .args(options)
            .args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_megatherium-cluster")])
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
        Cluster { input: mpirun.stdin.take().unwrap(), mpirun, said, token }
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

    fn quit(mut self) -> bool {
        self.tell("quit");
        let status = self.mpirun.wait().unwrap();
        assert_eq!(self.processes(None), Vec::<String>::new(), "left running");
        status.success()
    }
}

#[test]
fn one_two_and_three_ranks_converse_and_leave_nothing_behind() {
    for ranks in 1..=3 {
        let mut cluster = Cluster::new(ranks, &[]);
        cluster.tell("uci");
        assert!(cluster.until("uciok").iter().any(|line| line.contains("Cluster Share")));
        cluster.tell("setoption name Cluster Grace value 1000");
        cluster.tell("setoption name Hash value 4");
        cluster.tell("isready");
        assert_eq!(cluster.until("readyok"), ["readyok"]);
        for limits in ["depth 9", "nodes 30000", "movetime 100"] {
            let lines = cluster.go(limits);
            assert!(lines.iter().all(|line| !line.contains("error")), "{lines:#?}");
        }
        cluster.tell("ucinewgame");
        cluster.tell("go infinite");
        cluster.tell("stop");
        cluster.until("bestmove");
        assert!(cluster.quit());
    }
}

/// Needs an MPI that outlives a rank: Open MPI before version 5, with `--enable-recovery`.
#[test]
fn a_killed_follower_costs_one_line() {
    let help = mpirun().args(["--help", "ft"]).output().unwrap();
    if !String::from_utf8_lossy(&help.stdout).contains("enable-recovery") {
        println!("skipped: this mpirun has no --enable-recovery");
        return;
    }
    let mut cluster = Cluster::new(3, &["--enable-recovery"]);
    cluster.tell("isready");
    cluster.until("readyok");
    cluster.tell("go infinite");
    cluster.until("info depth 5");
    let victims = cluster.processes(Some(2));
    assert_eq!(victims.len(), 1, "{victims:?}");
    assert!(Command::new("kill").args(["-9", &victims[0]]).status().unwrap().success());
    let said = cluster.until("info string error");
    assert!(said.last().unwrap().ends_with("rank 2 does not answer and is left out"), "{said:#?}");
    cluster.tell("stop");
    cluster.until("bestmove");
    let lines = cluster.go("depth 8");
    assert!(lines.iter().all(|line| !line.contains("error")), "{lines:#?}");
    cluster.quit();
}
