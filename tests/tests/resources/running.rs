//! Whole conversations with a process that may be denied what it asks for.

use std::io::{Read as _, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use megatherium_nnue::Network;
use megatherium_tests::tablebases;

/// What a process said and how it ended.
#[derive(Debug)]
pub struct Ended {
    pub said: String,
    pub errors: String,
    pub status: Option<ExitStatus>,
}

/// Runs a command with an input; a process that is still there after five minutes is killed, and
/// its status is `None`.
pub fn run(command: &mut Command, input: &str) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prlimit can be started");
    let mut pipe = child.stdin.take().expect("piped");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(input.as_bytes());
    });
    let mut output = child.stdout.take().expect("piped");
    let mut errors = child.stderr.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let error_reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        text
    });
    let deadline = Instant::now() + Duration::from_mins(5);
    let status = loop {
        match child.try_wait().expect("a child") {
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
            status => break status,
        }
    };
    let _ = writer.join();
    let said = reader.join().unwrap_or_default();
    Ended { said, errors: error_reader.join().unwrap_or_default(), status }
}

/// What is wrong with the end of a conversation in which `searches` moves were asked for.
///
/// An engine that cannot even start may leave with code 1 and one line on standard error.
pub fn verdict(ended: &Ended, searches: usize) -> Result<(), String> {
    let lines = |start: &str| ended.said.lines().filter(|line| line.starts_with(start)).count();
    let refused = ended.status.and_then(|status| status.code()) == Some(1)
        && ended.said.is_empty()
        && ended.errors.lines().count() == 1;
    if refused || ended.status.is_some_and(|status| status.success()) && ended.errors.is_empty() {
        return match lines("bestmove ") {
            answers if refused || answers == searches => Ok(()),
            answers => Err(format!("{answers} answers to {searches} searches: {}", ended.said)),
        };
    }
    let end: Vec<&str> = ended.said.lines().rev().take(3).collect();
    Err(format!("{:?}, said last {end:?}, on standard error: {}", ended.status, ended.errors))
}

/// Files that the commands name.
pub struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    pub fn make() -> Files {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("net"), Network::embedded().to_bytes()).expect("a file");
        Files { folder }
    }

    /// Every command that allocates, starts threads, or opens files.
    fn commands(&self) -> Vec<String> {
        let folder = self.folder.path().display();
        let tables =
            tablebases().map_or_else(|| folder.to_string(), |path| path.display().to_string());
        vec![
            "ucinewgame".to_owned(),
            "setoption name Clear Hash".to_owned(),
            "setoption name Hash value 1".to_owned(),
            "setoption name Hash value 64".to_owned(),
            "setoption name Hash value 512".to_owned(),
            "setoption name Threads value 2".to_owned(),
            "setoption name Threads value 4".to_owned(),
            "setoption name Threads value 64".to_owned(),
            "setoption name MultiPV value 10".to_owned(),
            format!("setoption name SyzygyPath value {tables}"),
            format!("setoption name EvalFile value {folder}/net"),
            format!("setoption name Debug Log File value {folder}/log"),
            "bench 1 1 1".to_owned(),
            "bench 16 4 1".to_owned(),
            "perft 3".to_owned(),
            "eval".to_owned(),
            "tt".to_owned(),
            "position startpos moves e2e4".to_owned(),
        ]
    }
}

/// All commands in one conversation, each followed by a search; and each in a conversation of its
/// own.
pub fn conversations(files: &Files) -> Vec<(String, usize)> {
    let commands = files.commands();
    let with_search = |command: &String| format!("{command}\nisready\ngo nodes 300\nisready\n");
    let all: String = commands.iter().map(with_search).collect();
    let mut list = vec![(format!("uci\n{all}quit\n"), commands.len())];
    list.extend(commands.iter().map(|command| (format!("{}quit\n", with_search(command)), 1)));
    list
}
