//! No files unless asked, no network, no surprises from the environment.
#![cfg(target_os = "linux")]

use std::fs;

use megatherium_tests::conversation::{number, pv};
use megatherium_tests::{Conversation, binary};

/// A conversation with everything in it that needs no file.
fn session(engine: &mut Conversation) -> Vec<String> {
    let mut said = Vec::new();
    engine.send("uci");
    said.extend(engine.until("uciok"));
    engine.send("setoption name Threads value 3\nsetoption name Hash value 32\nucinewgame");
    // With several threads the answer may differ from run to run.
    engine.go("go movetime 30");
    engine.send("setoption name Threads value 1\nucinewgame\nposition startpos moves e2e4 e7e5");
    let answer = engine.go("go nodes 20000");
    // The line of every depth, and the answer: with one thread they are the same everywhere. A
    // search that takes seconds, on a busy machine, shows more: current moves, bounds, and after
    // those the last line again.
    let exact = answer.iter().filter(|line| line.contains(" pv ") && !line.contains("bound "));
    let mut lines: Vec<_> = exact.map(|line| (number(line, "depth"), pv(line).join(" "))).collect();
    lines.dedup_by_key(|line| line.0);
    said.extend(lines.into_iter().map(|line| line.1));
    said.extend(answer.last().cloned());
    engine.send("perft 3");
    said.extend(
        engine.until("info string perft").iter().filter(|line| line.starts_with("Nodes")).cloned(),
    );
    // Only now: a new order stops the one before.
    engine.send("bench 1 1 1");
    let bench = engine.until("checksum of moves");
    said.extend(bench.last().cloned());
    engine.next_line(); // nodes and speed
    said
}

/// What the process has open besides its three channels.
fn open_files(process: u32) -> Vec<String> {
    let folder = fs::read_dir(format!("/proc/{process}/fd")).expect("a list of open files");
    let links = folder.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    links.map(|link| link.display().to_string()).filter(|link| !link.starts_with("pipe:")).collect()
}

#[test]
fn nothing_is_opened_or_written() {
    // Cargo may have left something open in the test itself, and so in its child.
    let inherited = open_files(std::process::id());
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine = Conversation::start_command(binary::command().current_dir(folder.path()));
    session(&mut engine);
    engine.send("go infinite");
    engine.ready();
    let opened: Vec<_> = open_files(engine.process_id())
        .into_iter()
        .filter(|file| !inherited.contains(file))
        .collect();
    assert_eq!(opened, [""; 0], "while it searches");
    engine.send("stop");
    engine.until("bestmove");
    engine.quit();
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A folder one may not write into, and no environment at all; then one with variables that other
/// programs obey.
#[test]
fn the_environment_changes_nothing() {
    let run = |prepare: &dyn Fn(&mut std::process::Command)| {
        let mut command = binary::command();
        prepare(&mut command);
        let mut engine = Conversation::start_command(&mut command);
        let said = session(&mut engine);
        engine.quit();
        said
    };
    let ordinary = run(&|_| {});
    assert!(ordinary.len() > 20, "{ordinary:?}");
    let bare = run(&|command| {
        command.env_clear().current_dir("/proc");
    });
    assert_eq!(bare, ordinary);
    let loud = run(&|command| {
        for (name, value) in [
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "ar_EG.UTF-8"),
            ("RUST_LOG", "trace"),
            ("RUST_BACKTRACE", "full"),
            ("RAYON_NUM_THREADS", "1"),
            ("TERM", "dumb"),
            ("HOME", "/nowhere"),
            ("TMPDIR", "/nowhere"),
            ("EvalFile", "/nowhere"),
            ("SYZYGY_PATH", "/nowhere"),
            ("CLICOLOR_FORCE", "1"),
        ] {
            command.env(name, value);
        }
    });
    assert_eq!(loud, ordinary);
}
