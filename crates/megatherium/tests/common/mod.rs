//! Running the binary.

#![allow(dead_code)] // no test uses all of it

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

pub fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_megatherium"))
}

pub fn run(arguments: &[&str]) -> Output {
    engine().args(arguments).stdin(Stdio::null()).output().expect("the engine can be started")
}

/// Standard output of a run that must succeed.
pub fn success(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The one line on standard error of a run that must fail.
pub fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?}: {output:?}");
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(errors.lines().count(), 1, "{arguments:?}: {errors}");
    errors
}

/// Starts a command whose output is read when it ends.
pub fn start(arguments: &[&str]) -> Child {
    let mut command = engine();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("an engine")
}

/// Ctrl-C for a command, and everything it said.
#[cfg(unix)]
pub fn interrupt(child: Child) -> Output {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill").success());
    child.wait_with_output().expect("an end")
}

/// Waits until a file has at least so many lines.
pub fn wait_for_lines(path: &Path, count: usize) {
    let lines = || std::fs::read_to_string(path).map_or(0, |text| text.lines().count());
    while lines() < count {
        std::thread::sleep(Duration::from_millis(10));
    }
}
