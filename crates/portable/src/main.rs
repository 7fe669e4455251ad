//! One program that runs on every x86-64 Linux machine and is fast on each.
//!
//! A chess engine gains from popcount, BMI2 and wide vectors in all its code, not in one loop that
//! could be dispatched at run time. So this program carries the whole engine four times, compiled
//! for the four levels of x86-64, writes the best one that the processor can run into a file in
//! memory, and becomes it. That costs a few milliseconds at the start and nothing afterwards.
//!
//! `MEGATHERIUM_LEVEL=2` starts the engine of a lower level, for comparison.

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rustix::fs::{MemfdFlags, memfd_create};

static ENGINES: [&[u8]; 4] = [
    include_bytes!(env!("ENGINE_V1")),
    include_bytes!(env!("ENGINE_V2")),
    include_bytes!(env!("ENGINE_V3")),
    include_bytes!(env!("ENGINE_V4")),
];

fn main() -> ExitCode {
    let level = match wanted(env::var("MEGATHERIUM_LEVEL").ok().as_deref(), supported()) {
        Ok(level) => level,
        Err(problem) => return refuse(&problem),
    };
    let error = become_engine(ENGINES[level - 1]);
    refuse(&format!("the engine for x86-64-v{level} cannot be started: {error}"))
}

fn refuse(problem: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "megatherium: {problem}");
    ExitCode::FAILURE
}

/// The highest level whose instructions the processor has, by the definition of the psABI.
fn supported() -> usize {
    macro_rules! has {
        ($($feature:tt)+) => { $(is_x86_feature_detected!($feature))&&+ };
    }
    let v2 = has!("cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2");
    let v3 = v2 && has!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "xsave");
    let v4 = v3 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    1 + usize::from(v2) + usize::from(v3) + usize::from(v4)
}

/// The level to start: the highest one, or the one asked for.
fn wanted(asked: Option<&str>, supported: usize) -> Result<usize, String> {
    let Some(text) = asked else { return Ok(supported) };
    match text.parse() {
        Ok(level) if (1..=supported).contains(&level) => Ok(level),
        _ => Err(format!("MEGATHERIUM_LEVEL must be between 1 and {supported} on this processor")),
    }
}

/// Replaces this process; returns only if that fails.
fn become_engine(program: &[u8]) -> io::Error {
    let start = || -> io::Result<io::Error> {
        let mut file = File::from(memfd_create("megatherium", MemfdFlags::CLOEXEC)?);
        file.write_all(program)?;
        let mut arguments = env::args_os();
        let mut engine = Command::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if let Some(name) = arguments.next() {
            engine.arg0(name);
        }
        Ok(engine.args(arguments).exec())
    };
    start().unwrap_or_else(|error| error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_the_processor_lacks_is_refused() {
        assert_eq!(wanted(None, 3), Ok(3));
        assert_eq!(wanted(Some("1"), 3), Ok(1));
        for text in ["4", "0", "-1", "v3", ""] {
            assert!(wanted(Some(text), 3).is_err(), "{text}");
        }
    }
}
