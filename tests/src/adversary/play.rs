//! Holds a conversation: sends every line at its time, and collects all that is said.

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::process::{ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{Case, Surroundings};
use crate::conversation::PATIENCE;

/// All that was said, and the end.
#[derive(Debug)]
pub(super) struct Played {
    pub said: Vec<String>,
    pub errors: String,
    pub status: ExitStatus,
}

pub(super) fn play(case: &Case) -> Result<Played, String> {
    let non_blocking = case.surroundings == Surroundings::NonBlocking;
    let pipe = || io::pipe().map_err(|error| error.to_string());
    let ((input, mut to_engine), (from_engine, output)) = (pipe()?, pipe()?);
    if non_blocking {
        unblock(&input)?;
        unblock(&output)?;
    }
    let mut command = case.surroundings.command();
    command.stdin(input).stdout(output).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start: {error}"))?;
    // The command holds the engine's ends of the pipes.
    drop(command);
    let mut stderr = child.stderr.take().ok_or("standard error is piped")?;
    let errors = thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        text
    });
    let surroundings = case.surroundings.clone();
    let reader = thread::spawn(move || read(from_engine, &surroundings));
    send(case, &mut to_engine);
    drop(to_engine);
    // From its last line on; it may still be busy with those before.
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                let said = reader.join().unwrap_or_default();
                let last: Vec<&String> = said.iter().rev().take(3).collect();
                return Err(format!("the engine does not leave; it said last {last:?}"));
            }
            None => thread::sleep(Duration::from_micros(500)),
        }
    };
    let said = reader.join().unwrap_or_default();
    Ok(Played { said, errors: errors.join().unwrap_or_default(), status })
}

fn unblock(end: &impl std::os::fd::AsFd) -> Result<(), String> {
    let set = fcntl_getfl(end).and_then(|flags| fcntl_setfl(end, flags | OFlags::NONBLOCK));
    set.map_err(|error| error.to_string())
}

fn send(case: &Case, to: &mut impl Write) {
    let pieces = match case.surroundings {
        Surroundings::Pieces(size) => size,
        _ => usize::MAX,
    };
    let mut line = |bytes: &[u8]| {
        for piece in [bytes, b"\n"].concat().chunks(pieces) {
            // An engine that has gone away is noticed at the end.
            let _ = to.write_all(piece);
        }
    };
    if case.chess960 {
        line(b"setoption name UCI_Chess960 value true");
    }
    for step in &case.steps {
        if step.pause > 0 {
            thread::sleep(Duration::from_micros(step.pause));
        }
        line(&step.line);
    }
    if case.quits {
        line(b"quit");
    }
}

fn read(from: impl io::Read, surroundings: &Surroundings) -> Vec<String> {
    let mut from = BufReader::new(from);
    let (mut said, mut bytes) = (Vec::new(), Vec::new());
    while from.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
        said.push(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned());
        bytes.clear();
        match surroundings {
            Surroundings::SlowReader if said.len() % 8 == 0 => {
                thread::sleep(Duration::from_millis(2));
            }
            Surroundings::Deaf(lines) if said.len() >= *lines => break,
            _ => {}
        }
    }
    said
}
