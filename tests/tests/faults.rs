//! Things that break: outputs, signals, tablebase files. The engine says so and goes on, or leaves
//! in good order.
#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fastrand::Rng;
use megatherium_tests::conversation::number;
use megatherium_tests::game::plays_on;
use megatherium_tests::{Conversation, binary, tablebases};

/// Standard output fails: the engine reports it on standard error and exits.
#[test]
fn a_full_disk_behind_the_output() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut child = binary::command()
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let _ = input.write_all(b"uci\ngo infinite\n");
    // The input stays open: the engine must notice by itself.
    let status = wait(&mut child);
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(
        errors.lines().count() == 1 && errors.contains("cannot write to standard output"),
        "{errors}"
    );
}

/// Neither output nor errors are there at all.
#[test]
fn nothing_to_write_to() {
    let mut command = Command::new("sh");
    command.arg("-c").arg("exec \"$0\" >&- 2>&-").arg(binary::engine());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(b"uci\ngo depth 5\nquit\n");
    wait(&mut child);
}

fn wait(child: &mut std::process::Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("the engine does not exit");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether this process ignores a signal, as under `nohup` or in the background of a script. The
/// engine inherits that, and is right to stay.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

/// A signal to end ends the engine at once, in the middle of a search with many threads. There is
/// nothing to save.
#[test]
fn a_signal_to_end() {
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        if is_ignored(number) {
            println!("skipped: {signal} is ignored here");
            continue;
        }
        let mut engine = Conversation::start_uci();
        engine.send("setoption name Threads value 8\ngo infinite");
        engine.ready();
        let kill = Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(engine.process_id().to_string())
            .status();
        assert!(kill.unwrap().success());
        let status = engine.wait();
        assert_eq!(status.signal(), Some(number), "{status}");
    }
}

/// A folder with copies of some of the tables, if there are any.
fn tables(names: &[&str]) -> Option<(tempfile::TempDir, Vec<PathBuf>)> {
    let Some(all) = tablebases() else {
        println!("skipped: no tablebases");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &&str| {
        let to = folder.path().join(name);
        fs::copy(all.join(name), &to).unwrap();
        to
    };
    let files = names.iter().map(copy).collect();
    Some((folder, files))
}

const SOME: [&str; 8] = [
    "KQvK.rtbw",
    "KQvK.rtbz",
    "KRvK.rtbw",
    "KPvK.rtbw",
    "KPvK.rtbz",
    "KQvKR.rtbw",
    "KQvKR.rtbz",
    "KRPvK.rtbw",
];

fn load(engine: &mut Conversation, folder: &Path) -> String {
    let said = engine.ask(&format!("setoption name SyzygyPath value {}", folder.display()));
    assert_eq!(said.len(), 1, "{said:?}");
    said[0].clone()
}

/// A table cut anywhere is refused by name, nothing else is said, and the tables there were stay.
#[test]
fn a_tablebase_file_cut_off() {
    let Some((good, _)) = tables(&SOME) else { return };
    let Some((folder, files)) = tables(&SOME) else { return };
    let mut engine = Conversation::start_uci();
    assert!(load(&mut engine, good.path()).starts_with("info string tablebases with up to 4 men"));
    let mut random = Rng::with_seed(5);
    for file in &files {
        let whole = fs::read(file).unwrap();
        let half = whole.len() / 2;
        // Also at lengths that look like a whole file's, which the probing library does not notice.
        let looks_whole = half / 64 * 64 + 16;
        for length in [
            0,
            3,
            4,
            5,
            80,
            looks_whole,
            half,
            whole.len() - 64,
            whole.len() - 1,
            random.usize(..whole.len()),
        ] {
            if length >= whole.len() {
                continue;
            }
            fs::write(file, &whole[..length]).unwrap();
            let said = load(&mut engine, folder.path());
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(
                said.starts_with("info string error: ") && said.contains(name),
                "{name} {length}: {said}"
            );
        }
        fs::write(file, &whole).unwrap();
    }
    // Those loaded first still answer.
    engine.send("position fen 8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    let lines = engine.go("go depth 1");
    assert!(
        lines.iter().filter_map(|line| number(line, "cp")).any(|score| score > 10_000),
        "{lines:?}"
    );
    // And once mended they load, however the path is written.
    for path in
        [format!("{}:", folder.path().display()), format!("::{}::", folder.path().display())]
    {
        let said = load(&mut engine, Path::new(&path));
        assert!(said.starts_with("info string tablebases with up to 4 men"), "{said}");
        // The same folders again would not be read again.
        load(&mut engine, good.path());
    }
    engine.quit();
}

/// Every table there is passes for whole; one byte of its header changed is refused, or at least
/// does no harm.
#[test]
fn a_tablebase_file_with_a_damaged_header() {
    let (Some((folder, files)), Some(all)) = (tables(&SOME), tablebases()) else { return };
    let mut random = Rng::with_seed(6);
    let (mut refused, mut loaded) = (0, 0);
    let mut engine = Conversation::start_uci();
    assert!(load(&mut engine, &all).starts_with("info string tablebases with up to "));
    for file in &files {
        let whole = fs::read(file).unwrap();
        for _ in 0..12 {
            let mut bytes = whole.clone();
            let place = random.usize(..bytes.len().min(60));
            bytes[place] ^= 1 << random.usize(..8);
            fs::write(file, &bytes).unwrap();
            if load(&mut engine, folder.path()).starts_with("info string error: ") {
                refused += 1;
            } else {
                loaded += 1;
                // The same folder would not be read again.
                load(&mut engine, &all);
            }
        }
        fs::write(file, &whole).unwrap();
    }
    println!("{refused} damaged headers refused, {loaded} not noticed");
    assert!(refused > loaded);
    plays_on(&mut engine);
    engine.quit();
}
