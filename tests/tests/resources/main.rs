//! Limits of the system: memory, threads, file sizes, pipes that do not block, long tablebase
//! paths. Whatever is denied, the engine says so in one line and goes on; it never panics, hangs,
//! or dies of a signal.
//!
//! The whole scan of memory limits takes minutes with all commands in one conversation, and hours
//! with each command in one of its own, too:
//!
//! ```sh
//! cargo test --release -p megatherium-tests --test resources every_limit -- --ignored --nocapture
//! ```
#![cfg(target_os = "linux")]

mod groups;
mod running;

use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use megatherium_tests::game::plays_on;
use megatherium_tests::{Conversation, binary, tablebases};
use running::{Files, conversations, run, verdict};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// The engine under limits that `prlimit` understands.
fn limited(limits: &[String], engine: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("prlimit");
    command.args(limits).arg(engine).args(arguments);
    command
}

/// Scans limits of memory. Limits under which not even `--version` runs are left out: there the
/// system, not the engine, decides how the process ends.
fn scan(mebibytes: impl Iterator<Item = u64>, every_command: bool) {
    let files = Files::make();
    let conversations = conversations(&files);
    let chosen = if every_command { &conversations[..] } else { &conversations[..1] };
    let (mut runs, mut wrong, mut skipped) = (0, Vec::new(), 0);
    for size in mebibytes {
        for kind in ["as", "data"] {
            let limits = [format!("--{kind}={}", size << 20)];
            if !run(&mut limited(&limits, binary::engine(), &["--version"]), "")
                .status
                .is_some_and(|status| status.success())
            {
                skipped += 1;
                continue;
            }
            for (input, searches) in chosen {
                runs += 1;
                let ended = run(&mut limited(&limits, binary::engine(), &[]), input);
                if let Err(error) = verdict(&ended, *searches) {
                    let first = input.lines().next().unwrap_or_default();
                    wrong.push(format!("{} {first}: {error}", limits[0]));
                }
            }
        }
    }
    println!("{runs} conversations under limits of memory, {skipped} limits too small to start");
    assert!(runs > 0);
    assert!(wrong.is_empty(), "{} of {runs} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn short_memory() {
    scan([16, 32, 40, 48, 64, 100, 200, 400, 1024].into_iter(), false);
}

#[test]
#[ignore = "long: minutes; --release"]
fn every_limit_of_memory() {
    scan((16..=1024).step_by(4), false);
}

#[test]
#[ignore = "long: hours; --release"]
fn every_limit_of_memory_and_every_command() {
    scan((16..=1024).step_by(4), true);
}

/// A thread reserves its stack and what it works with, and no heap of its own: while 64 or 128 MiB
/// were reserved for one, another thread could miss the few bytes it needed to start.
#[test]
fn threads_reserve_little() {
    const THREADS: f64 = 32.0;
    let mut engine = Conversation::start_uci();
    let before = engine.reserved_mebibytes();
    engine.ask("setoption name Threads value 32");
    engine.go("go nodes 10000");
    if let (Some(before), Some(after)) = (before, engine.reserved_mebibytes()) {
        let each = (after - before) / THREADS;
        println!("{each:.1} MiB of address space a thread");
        assert!(each < 24.0, "{each:.1} MiB of address space a thread");
    }
    engine.quit();
}

/// The engine in a place where another user may run it, and the words that make it run as one: the
/// limit on threads does not hold for root. Each test has a user of its own, 0 or 1, in each run of
/// the tests: the limit counts all processes of a user, and tests run side by side.
fn as_nobody(number: u32) -> Option<(tempfile::TempDir, Vec<String>)> {
    let is_root = std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")));
    let folder = tempfile::tempdir().ok()?;
    let engine = folder.path().join("engine");
    // Not by this process: one that another test is just starting would have the copy open for
    // writing, too, and a file that is open for writing cannot be run.
    let copied = Command::new("cp").arg(binary::engine()).arg(&engine).status();
    if !copied.is_ok_and(|status| status.success()) {
        return None;
    }
    for path in [folder.path(), &engine] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).ok()?;
    }
    let mut words = Vec::new();
    if is_root {
        // A user without other processes, so that only this one counts.
        let user = 61_184 + 2 * (std::process::id() % 2000) + number;
        words = vec!["setpriv".into(), format!("--reuid={user}"), "--clear-groups".into()];
        let works = Command::new(&words[0]).args(&words[1..]).arg("true").status();
        if !works.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    words.push(engine.display().to_string());
    Some((folder, words))
}

/// No thread, or only a few, can be started.
#[test]
fn threads_that_cannot_be_started() {
    let Some((_folder, words)) = as_nobody(0) else {
        println!("skipped: no other user to run as");
        return;
    };
    let files = Files::make();
    for threads in [1, 2, 3, 4, 6] {
        for (input, searches) in conversations(&files) {
            let mut command = Command::new("prlimit");
            command.arg(format!("--nproc={threads}")).args(&words);
            let ended = run(&mut command, &input);
            if let Err(error) = verdict(&ended, searches) {
                panic!("{threads} threads, {:?}: {error}", input.lines().next());
            }
        }
    }
}

/// The same for the tools: fewer threads do the work, or there is one line of error.
#[test]
fn tools_without_their_threads() {
    let Some((folder, words)) = as_nobody(1) else {
        println!("skipped: no other user to run as");
        return;
    };
    let suite = folder.path().join("suite.epd");
    std::fs::write(&suite, "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n").expect("a file");
    let suite = format!("suite {} --nodes 50 --threads 2", suite.display());
    for threads in [1, 2, 3, 5] {
        for arguments in [
            "tune victim-weight --rounds 2 --pairs 1 --nodes 100 --hash 1 --concurrency 4",
            "duel --kib 8 --against-kib 16 --pairs 2 --nodes 100 --hash 1 --concurrency 3",
            "ablate null-move --depth 2 --pairs 2 --nodes 100 --hash 1 --concurrency 3",
            "scale --virtual --positions 2 --nodes 200 --threads 2 --hash 1",
            "perft 4 --threads 3",
            "perft 4 --threads 3 --hash 1",
            "bench --depth 1 --threads 3",
            &suite,
        ] {
            let mut command = Command::new("prlimit");
            command.arg(format!("--nproc={threads}")).args(&words).args(arguments.split(' '));
            let ended = run(command.current_dir(folder.path()), "");
            let code = ended.status.and_then(|status| status.code());
            assert!(matches!(code, Some(0 | 1)), "{threads} threads, {arguments}: {ended:?}");
            let errors = ended.errors.lines().count();
            assert_eq!(errors, code.unwrap_or(0) as usize, "{threads}, {arguments}: {ended:?}");
        }
    }
}

/// Little address space: the table and the threads that do not fit are refused, and those there
/// were play on.
#[test]
fn memory_that_is_not_there_is_refused() {
    let limits = [format!("--as={}", 1500u64 << 20)];
    let mut engine = Conversation::start_command(&mut limited(&limits, binary::engine(), &[]));
    for line in [
        "setoption name Hash value 1490",
        "setoption name Hash value 4000000",
        "setoption name Threads value 1024",
        "setoption name Threads value 256",
        "bench 100000 1 1",
        "bench 1 1024 1",
    ] {
        let error = engine.error(line);
        let named = line.rsplit(' ').next().unwrap_or_default();
        assert!(error.contains(named) || error.contains(line), "{line}: {error}");
        plays_on(&mut engine);
    }
    assert!(engine.ask("setoption name Hash value 64").is_empty());
    assert!(engine.ask("ucinewgame").is_empty());
    plays_on(&mut engine);
    engine.quit();
}

/// A log that may not grow any further ends with one error line; the engine goes on without it.
#[test]
fn a_log_beyond_the_largest_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for bytes in [0, 1, 100, 5000] {
        let limits = [format!("--fsize={bytes}")];
        let mut engine = Conversation::start_command(&mut limited(&limits, binary::engine(), &[]));
        let log = folder.path().join(bytes.to_string());
        engine.send(&format!("setoption name Debug Log File value {}", log.display()));
        let mut errors = 0;
        for _ in 0..50 {
            let said = engine.go("go depth 3");
            errors += said.iter().filter(|line| line.starts_with("info string error: ")).count();
        }
        assert_eq!(errors, 1, "with {bytes} bytes");
        engine.quit();
    }
}

/// Sets a pipe or socket of the engine to return at once where it would wait.
fn unblock(end: &impl std::os::fd::AsFd) {
    let flags = fcntl_getfl(end).expect("flags");
    fcntl_setfl(end, flags | OFlags::NONBLOCK).expect("flags can be set");
}

/// An input that has nothing to read yet is not at its end.
#[test]
fn an_input_that_does_not_block() {
    let (input, mut writer) = io::pipe().expect("a pipe");
    unblock(&input);
    let child = binary::command()
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine can be started");
    for line in ["uci", "position startpos", "go depth 3", "isready"] {
        std::thread::sleep(Duration::from_millis(30));
        let _ = writeln!(writer, "{line}");
    }
    std::thread::sleep(Duration::from_millis(30));
    let _ = writeln!(writer, "quit");
    let output = child.wait_with_output_and_patience();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("uciok\n") && said.contains("readyok\n"), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 1, "{said}");
}

/// An output that is full for a while loses nothing.
#[test]
fn an_output_that_does_not_block() {
    const QUESTIONS: usize = 30_000;
    let (mut reader, output) = io::pipe().expect("a pipe");
    unblock(&output);
    let mut child = binary::command()
        .stdin(Stdio::piped())
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine can be started");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        // The engine may stop reading while nobody reads from it.
        let _ = input.write_all("isready\n".repeat(QUESTIONS).as_bytes());
        let _ = input.write_all(b"go depth 3\nquit\n");
    });
    // Long enough for the pipe to be full.
    std::thread::sleep(Duration::from_millis(300));
    let mut said = String::new();
    reader.read_to_string(&mut said).expect("text");
    writer.join().expect("the writer ends");
    let output = child.wait_with_output_and_patience();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(said.lines().filter(|line| *line == "readyok").count(), QUESTIONS);
    assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 1);
}

trait Patience {
    fn wait_with_output_and_patience(self) -> std::process::Output;
}

impl Patience for std::process::Child {
    /// The rest of the output, of a process that must end within a minute.
    fn wait_with_output_and_patience(mut self) -> std::process::Output {
        let deadline = Instant::now() + Duration::from_mins(1);
        while self.try_wait().expect("a child").is_none() {
            if Instant::now() > deadline {
                let _ = self.kill();
                let _ = self.wait();
                panic!("the engine does not exit");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.wait_with_output().expect("output")
    }
}

/// The same folder a hundred times over costs no more than once.
#[test]
fn the_same_tablebases_a_hundred_times() {
    let Some(tables) = tablebases() else {
        println!("skipped: no tablebases");
        return;
    };
    let load = |times: usize| {
        let mut engine = Conversation::start_uci();
        let before = engine.cpu_time().unwrap_or_default();
        let path = vec![tables.display().to_string(); times].join(":");
        let said = engine.ask(&format!("setoption name SyzygyPath value {path}"));
        assert!(said.iter().any(|line| line.starts_with("info string tablebases")), "{said:?}");
        let spent = engine.cpu_time().unwrap_or_default().saturating_sub(before);
        plays_on(&mut engine);
        engine.quit();
        spent
    };
    let (once, often) = (load(1), load(100));
    println!("{once:?} of processor time once, {often:?} a hundred times");
    assert!(often < 3 * once + Duration::from_millis(500), "{once:?} once, {often:?} 100 times");
}
