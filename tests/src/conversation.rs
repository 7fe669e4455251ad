//! A conversation with a running engine.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::binary;

/// How long an answer may take before the test gives up. Far more than any answer takes, also on a
/// busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Held while an engine is started, and while an input is closed. A process that is just being
/// started has a copy of all that is open here, and would keep the input open for a moment.
static STARTING: Mutex<()> = Mutex::new(());

fn nobody_starts() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An engine process and what has been said so far.
///
/// Everything is written down; when a test fails, the conversation is part of the message.
#[derive(Debug)]
pub struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    transcript: Vec<String>,
    patience: Duration,
}

impl Conversation {
    /// Starts the engine without arguments.
    pub fn start() -> Self {
        Self::start_command(&mut binary::command())
    }

    /// Starts any engine, in any way.
    pub fn start_command(command: &mut Command) -> Self {
        let alone = nobody_starts();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine can be started");
        drop(alone);
        let mut output = BufReader::new(child.stdout.take().expect("output is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // Not every engine speaks UTF-8 when it repeats what it was told.
            while output.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
                let line = String::from_utf8_lossy(&bytes);
                if sender.send(line.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut stderr = child.stderr.take().expect("errors are piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        let input = child.stdin.take();
        Conversation {
            child,
            input,
            lines,
            errors: Some(errors),
            transcript: Vec::new(),
            patience: PATIENCE,
        }
    }

    /// How long to wait for an answer from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Starts the engine and goes through `uci` … `uciok`.
    pub fn start_uci() -> Self {
        let mut engine = Self::start();
        engine.send("uci");
        engine.until("uciok");
        engine
    }

    /// Sends lines (the newline is added).
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(lines.as_bytes());
        self.send_bytes(b"\n");
    }

    /// Sends bytes as they are. An engine that has gone away is noticed when its answer is missed.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if bytes != b"\n" {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(800)]);
            self.transcript.push(format!("> {}", text.chars().take(200).collect::<String>()));
        }
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// The next line, `None` if the engine has closed its output.
    pub fn next_line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(self.patience) {
            Ok(line) => {
                self.transcript.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => self.fail("no answer"),
        }
    }

    /// The lines up to and including the first that begins with `start`.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.next_line() {
                Some(line) => {
                    let found = line.starts_with(start);
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                None => self.fail(&format!("the engine went away before it said {start:?}")),
            }
        }
    }

    /// Sends a line and returns everything said up to the following `readyok`, without that.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ready()
    }

    /// Everything said up to the `readyok` of an `isready` sent now, without that.
    pub fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a `go` and returns everything said up to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.until("bestmove")
    }

    /// The one error line that `line` must be answered with, without its start.
    pub fn error(&mut self, line: &str) -> String {
        let lines = self.ask(line);
        match lines.as_slice() {
            [only] if only.starts_with("info string error: ") => {
                only["info string error: ".len()..].to_owned()
            }
            _ => self.fail(&format!(
                "{line:?} must be answered with one error line, not with {lines:?}"
            )),
        }
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.transcript.push("> (end of input)".to_owned());
        let _alone = nobody_starts();
        self.input = None;
    }

    /// Everything the engine says until it exits, and how it exited. It must not have complained on
    /// standard error.
    pub fn finish(mut self) -> (Vec<String>, ExitStatus) {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line() {
            lines.push(line);
        }
        let status = self.wait();
        let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        if !errors.is_empty() {
            self.fail(&format!("on standard error: {errors}"));
        }
        (lines, status)
    }

    /// Sends `quit`; the engine must say nothing more and exit without a fault.
    pub fn quit(mut self) {
        self.send("quit");
        let (lines, status) = self.finish();
        assert!(lines.is_empty(), "said after quit: {lines:?}");
        assert!(status.success(), "{status}");
    }

    /// The engine's process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Memory of the engine's process that lies in RAM, in MiB; `None` where the system does not
    /// say.
    pub fn resident_mebibytes(&self) -> Option<f64> {
        self.memory("VmRSS:")
    }

    /// Address space that the engine's process has reserved, in MiB; `None` where the system does
    /// not say.
    pub fn reserved_mebibytes(&self) -> Option<f64> {
        self.memory("VmSize:")
    }

    /// A line of the system's report on the process, in MiB.
    fn memory(&self, name: &str) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process_id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: f64 = line.split_ascii_whitespace().next()?.parse().ok()?;
        Some(kibibytes / 1024.0)
    }

    /// Processor time of the engine's process so far, all threads together, also of one that has
    /// exited but was not waited for; `None` where the system does not say. In steps of 10 ms.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.stat().map(|stat| time_in(&stat))
    }

    /// Processor time so far of the engine's thread of that name; `None` if there is none, or the
    /// system does not say.
    pub fn thread_cpu_time(&self, name: &str) -> Option<Duration> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process_id())).ok()?;
        threads.flatten().find_map(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("stat")).ok()?;
            let (start, rest) = stat.rsplit_once(") ")?;
            start.ends_with(&format!("({name}")).then(|| time_in(rest))
        })
    }

    /// Processor time at the end of the process.
    pub fn final_cpu_time(&mut self) -> Option<Duration> {
        let deadline = Instant::now() + self.patience;
        while !self.stat()?.starts_with('Z') {
            if Instant::now() > deadline {
                self.fail("the engine does not exit");
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.cpu_time()
    }

    /// What Linux says about the process, from its state on.
    fn stat(&self) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process_id())).ok()?;
        stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned())
    }

    /// Waits until the engine has exited and says how.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + self.patience;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                return status;
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.fail("the engine does not exit")
    }

    /// Forgets what was said so far: a long test keeps its memory and its messages short.
    pub fn forget(&mut self) {
        self.transcript.clear();
    }

    /// Ends the test with the conversation so far.
    pub fn fail(&self, what: &str) -> ! {
        let skipped = self.transcript.len().saturating_sub(60);
        panic!("{what}\n… {skipped} lines, then\n{}", self.transcript[skipped..].join("\n"));
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // Does nothing to an engine that has exited; one left over from a failed test must not live
        // on.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processor time in what Linux says about a process or thread, from its state on.
fn time_in(stat: &str) -> Duration {
    let words = stat.split_ascii_whitespace().skip(11).take(2);
    Duration::from_millis(10 * words.flat_map(str::parse::<u64>).sum::<u64>())
}

/// The value after `key` in an `info` line.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split_ascii_whitespace();
    words.find(|&word| word == key)?;
    words.next()
}

/// The number after `key` in an `info` line.
pub fn number(line: &str, key: &str) -> Option<i64> {
    field(line, key)?.parse().ok()
}

/// The moves after `pv`.
pub fn pv(line: &str) -> Vec<&str> {
    let mut words = line.split_ascii_whitespace();
    words.find(|&word| word == "pv");
    words.collect()
}

/// The move of a `bestmove` line.
pub fn best_move(line: &str) -> &str {
    field(line, "bestmove").expect("a move after bestmove")
}
