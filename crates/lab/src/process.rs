//! An engine in another process, through UCI: this one or any other.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Write as _};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use megatherium_board::Board;
use megatherium_search::Limits;

use crate::error::LabError;
use crate::game::{Choice, Line, Player};

/// How often a stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// How long an engine may take to answer `stop`.
const GRACE: Duration = Duration::from_secs(1);

/// A running engine, killed on drop.
pub struct Process {
    child: Child,
    input: ChildStdin,
    /// What it says, from the thread that reads it.
    lines: Receiver<io::Result<String>>,
    name: String,
    /// The options it lists, in lower case: UCI names are case-insensitive.
    options: Vec<String>,
}

impl Process {
    /// Starts an engine and sets its threads and the size of its table.
    pub fn start(binary: &Path, threads: usize, mebibytes: usize) -> Result<Process, LabError> {
        let mut command = Command::new(binary);
        // Ctrl-C on a terminal is for this program, which then ends the engine.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| LabError::Process(format!("{}: {error}", binary.display())))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(LabError::Process("no pipe".to_owned()));
        };
        let (sender, lines) = channel();
        let read = move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        let reader = thread::Builder::new().name("engine output".to_owned()).spawn(read);
        reader.map_err(|error| LabError::Process(error.to_string()))?;
        let name = binary.display().to_string();
        let mut process = Process { child, input, lines, name, options: Vec::new() };
        // Some engines accept options only after they have listed them.
        process.say("uci")?;
        let mut name = None;
        let mut options = Vec::new();
        process.listen("uciok", |line| {
            if let Some(given) = line.strip_prefix("id name ") {
                name = Some(given.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option name ") {
                let end = option.find(" type ").unwrap_or(option.len());
                options.push(option[..end].trim().to_lowercase());
            }
        })?;
        process.options = options;
        if let Some(name) = name {
            process.name = name;
        }
        process.say(&format!(
            "setoption name Threads value {threads}\nsetoption name Hash value {mebibytes}"
        ))?;
        process.ready()?;
        Ok(process)
    }

    /// What the engine calls itself, or the path of its binary.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds of processor time so far, all threads together, in steps of 10 ms; `None` where the
    /// system does not say.
    pub fn processor_seconds(&self) -> Option<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name of the program, in brackets, may contain anything.
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut ticks = fields.split_ascii_whitespace().skip(11);
        let mut next = || ticks.next()?.parse::<f64>().ok();
        Some((next()? + next()?) / 100.0)
    }

    /// Sends a line. An engine that has ended is no error yet: what it said before it ended may be
    /// waiting, and who listens for its answer learns of the end.
    fn say(&mut self, line: &str) -> Result<(), LabError> {
        match writeln!(self.input, "{line}").and_then(|()| self.input.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(LabError::Process(error.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Reads until a line begins with the word `end` and returns it; `each` sees the lines before.
    fn listen(&mut self, end: &str, each: impl FnMut(&str)) -> Result<String, LabError> {
        let never = AtomicBool::new(false);
        let line = self.listen_until(end, &never, each)?;
        line.ok_or_else(|| LabError::Process(format!("did not say {end:?}")))
    }

    /// Like [`listen`](Process::listen), but asks the engine to stop when `stop` is set. `None` if
    /// it was: what the engine says then is not its answer.
    fn listen_until(
        &mut self,
        end: &str,
        stop: &AtomicBool,
        mut each: impl FnMut(&str),
    ) -> Result<Option<String>, LabError> {
        let mut asked: Option<Instant> = None;
        loop {
            match self.lines.recv_timeout(TICK) {
                Ok(Ok(line)) if line.split_whitespace().next() == Some(end) => {
                    return Ok((!stop.load(Ordering::Relaxed)).then_some(line));
                }
                Ok(Ok(line)) => each(line.trim()),
                Ok(Err(error)) => return Err(LabError::Process(error.to_string())),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LabError::Process(format!("ended before it said {end:?}")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.load(Ordering::Relaxed) {
                match asked {
                    None => self.say("stop")?,
                    Some(since) if since.elapsed() > GRACE => return Ok(None),
                    Some(_) => {}
                }
                asked = asked.or_else(|| Some(Instant::now()));
            }
        }
    }

    fn ready(&mut self) -> Result<(), LabError> {
        self.say("isready")?;
        self.listen("readyok", |_| {}).map(drop)
    }

    /// Sets a position up, from scratch.
    pub fn set_up(&mut self, board: &Board) -> Result<(), LabError> {
        self.say(&format!("ucinewgame\nposition fen {}", board.fen()))?;
        self.ready()
    }

    /// Sets an option. One that the engine does not list is refused: it would be ignored.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), LabError> {
        if !self.options.contains(&name.to_lowercase()) {
            return Err(LabError::Process(format!("{} has no option {name:?}", self.name)));
        }
        self.say(&format!("setoption name {name} value {value}"))?;
        self.ready()
    }

    /// Searches within `limits`, the words after `go`. `each` sees the lines before the answer;
    /// returns the move, or `None` if `stop` was set before.
    pub fn search(
        &mut self,
        limits: &str,
        stop: &AtomicBool,
        each: impl FnMut(&str),
    ) -> Result<Option<String>, LabError> {
        self.say(&format!("go {limits}"))?;
        let answer = self.listen_until("bestmove", stop, each)?;
        let word = |line: String| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok(answer.map(word))
    }
}

impl Player for Process {
    fn new_game(&mut self) -> Result<(), LabError> {
        self.say("ucinewgame")?;
        self.ready()
    }

    fn choose(
        &mut self,
        line: &Line,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Choice>, LabError> {
        let chess960 = line.start.is_chess960();
        let mut position = format!("position fen {} moves", line.start.fen());
        let mut board = line.start;
        for &mv in &line.moves {
            let _ = write!(position, " {}", board.uci(mv, chess960));
            board.make(mv);
        }
        self.say(&position)?;
        let mut score = None;
        let best = self.search(&go_words(&limits), stop, |line| {
            let info = Info::parse(line).filter(|info| info.first);
            score = info.and_then(|info| info.centipawns()).or(score);
        })?;
        let Some(best) = best else { return Ok(None) };
        let fen = board.fen();
        let best = board
            .parse_uci(&best)
            .map_err(|error| LabError::Process(format!("{best:?} in {fen} is {error}")))?;
        Ok(Some(Choice { best, score, time: None }))
    }
}

/// Limits as the words after `go`.
pub fn go_words(limits: &Limits) -> String {
    let milliseconds = |time: Duration| time.as_millis() as u64;
    let clock = limits.clock.map(|clock| clock.map(milliseconds));
    let increment = |side: usize| clock[side].map(|_| milliseconds(limits.increment[side]));
    [
        ("wtime", clock[0]),
        ("btime", clock[1]),
        ("winc", increment(0)),
        ("binc", increment(1)),
        ("movetime", limits.move_time.map(milliseconds)),
        ("nodes", limits.nodes),
        ("depth", limits.depth.map(u64::from)),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| format!("{name} {value}")))
    .collect::<Vec<_>>()
    .join(" ")
}

/// What an `info` line says about a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info<'a> {
    /// Depth of the iteration.
    pub depth: Option<u32>,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// The word after `score`, `cp` or `mate`, and the number after it.
    pub score: Option<(&'a str, i32)>,
    /// Whether the score is not a bound.
    pub exact: bool,
    /// Whether the line is that of the best move (`multipv 1`).
    pub first: bool,
    /// The first move of the principal variation.
    pub best: Option<&'a str>,
}

impl<'a> Info<'a> {
    /// Reads a line; `None` if it is not an `info` line or holds a remark.
    pub fn parse(line: &'a str) -> Option<Info<'a>> {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace();
        let mut info =
            Info { depth: None, nodes: None, score: None, exact: true, first: true, best: None };
        while let Some(word) = words.next() {
            match word {
                "string" => return None,
                "depth" => info.depth = words.next()?.parse().ok(),
                "nodes" => info.nodes = words.next()?.parse().ok(),
                "multipv" => info.first = words.next()? == "1",
                "score" => info.score = words.next().zip(words.next()?.parse().ok()),
                "lowerbound" | "upperbound" => info.exact = false,
                "pv" => {
                    info.best = words.next();
                    break;
                }
                _ => {}
            }
        }
        Some(info)
    }

    /// The score in centipawns; all mates count alike.
    fn centipawns(&self) -> Option<i32> {
        self.score.map(|(kind, value)| match kind {
            "cp" => value,
            _ if value > 0 => 30_000,
            _ => -30_000,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input would end it too; this is faster, and nothing is lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_as_words() {
        let limits = Limits {
            move_time: Some(Duration::from_millis(250)),
            depth: Some(9),
            ..Limits::default()
        };
        assert_eq!(go_words(&limits), "movetime 250 depth 9");
        let limits = Limits {
            clock: [Some(Duration::from_secs(5)), Some(Duration::from_secs(4))],
            increment: [Duration::from_millis(50); 2],
            ..Limits::default()
        };
        assert_eq!(go_words(&limits), "wtime 5000 btime 4000 winc 50 binc 50");
    }

    #[test]
    fn scores_of_the_best_line() {
        let score = |line| Info::parse(line).filter(|info| info.first)?.centipawns();
        assert_eq!(score("info depth 5 multipv 1 score cp -31 nodes 9"), Some(-31));
        assert_eq!(score("info depth 5 score mate -3 pv e2e4"), Some(-30_000));
        assert_eq!(score("info depth 5 multipv 2 score cp 4"), None);
        assert_eq!(score("info string score cp 4"), None);
        assert_eq!(score("bestmove e2e4"), None);
    }
}
