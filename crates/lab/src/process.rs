//! An engine in another process, spoken to in UCI: this one or anyone's.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use megatherium_board::Board;

use crate::error::LabError;

/// A running engine. It is ended when this is dropped.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts an engine and sets its threads and the size of its table.
    pub fn start(binary: &Path, threads: usize, mebibytes: usize) -> Result<Process, LabError> {
        let mut child = Command::new(binary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| LabError::Process(format!("{}: {error}", binary.display())))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(LabError::Process("no pipe".to_owned()));
        };
        let mut process = Process { child, input, output: BufReader::new(output) };
        // Some engines know no options before they have listed them.
        process.say("uci")?;
        process.listen("uciok", |_| {})?;
        process
            .say(&format!("setoption name Threads value {threads}\nsetoption name Hash value {mebibytes}"))?;
        process.ready()?;
        Ok(process)
    }

    fn say(&mut self, line: &str) -> Result<(), LabError> {
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .map_err(|error| LabError::Process(error.to_string()))
    }

    /// Reads until a line begins with the word `end`, shows `each` the ones before, and returns the last.
    fn listen(&mut self, end: &str, mut each: impl FnMut(&str)) -> Result<String, LabError> {
        let mut line = String::new();
        loop {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err(LabError::Process(format!("ended before it said {end:?}"))),
                Ok(_) if line.split_whitespace().next() == Some(end) => return Ok(line),
                Ok(_) => each(line.trim()),
                Err(error) => return Err(LabError::Process(error.to_string())),
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

    /// Searches within `limits`, the words after `go`. Shows `each` what the engine says meanwhile, and returns its move.
    pub fn search(&mut self, limits: &str, each: impl FnMut(&str)) -> Result<String, LabError> {
        self.say(&format!("go {limits}"))?;
        let answer = self.listen("bestmove", each)?;
        Ok(answer.split_whitespace().nth(1).unwrap_or_default().to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input would end it too; this is quicker, and it has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
