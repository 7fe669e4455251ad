//! Files named in options that are missing, damaged, or never end.

use std::path::Path;

use megatherium_nnue::Network;
use megatherium_tests::Conversation;
use megatherium_tests::game::plays_on;

fn refused(engine: &mut Conversation, option: &str, path: &Path) -> String {
    let error = engine.error(&format!("setoption name {option} value {}", path.display()));
    assert!(error.contains(option), "{error}");
    plays_on(engine);
    error
}

#[test]
fn a_missing_net() {
    let mut engine = Conversation::start_uci();
    let error = refused(&mut engine, "EvalFile", Path::new("/nowhere/net.nnue"));
    assert!(error.contains("/nowhere/net.nnue"), "{error}");
    engine.quit();
}

#[test]
fn a_damaged_net_is_refused_and_the_old_one_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Network::embedded().to_bytes();
    let changed = |at: usize, bit: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << bit;
        bytes
    };
    let mut engine = Conversation::start_uci();
    let before = engine.ask("eval");
    for (name, bytes, reason) in [
        ("empty", Vec::new(), "not a Megatherium net"),
        ("cut", good[..good.len() / 2].to_vec(), "bytes instead of"),
        ("cut-by-one", good[..good.len() - 1].to_vec(), "bytes instead of"),
        ("padded", [&good[..], &[0]].concat(), "bytes instead of"),
        ("other-width", changed(10, 0), "this build needs"),
        ("other-activation", changed(12, 1), "this build needs"),
        ("other-version", changed(8, 1), "version"),
        ("flipped-first-weight", changed(96, 0), "damaged"),
        ("flipped-middle", changed(good.len() / 2, 3), "damaged"),
        ("flipped-last-byte", changed(good.len() - 1, 7), "damaged"),
        ("flipped-checksum", changed(24, 0), "damaged"),
        ("text", b"this is no net".to_vec(), "not a Megatherium net"),
        ("zeros", vec![0; 100_000], "not a Megatherium net"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let error = refused(&mut engine, "EvalFile", &path);
        assert!(error.contains(reason), "{name}: {error}");
        assert_eq!(engine.ask("eval"), before, "{name}: the old net stays");
    }
    let path = folder.path().join("good");
    std::fs::write(&path, &good).expect("a file");
    let said = engine.ask(&format!("setoption name EvalFile value {}", path.display()));
    assert!(said.len() == 1 && said[0].contains("checksum"), "{said:?}");
    engine.quit();
}

#[test]
fn missing_tablebases() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine = Conversation::start_uci();
    for path in
        [Path::new("/nowhere/at all"), folder.path(), Path::new("/dev/null"), Path::new(":")]
    {
        refused(&mut engine, "SyzygyPath", path);
    }
    plays_on(&mut engine);
    engine.quit();
}

#[test]
fn files_that_never_end_are_not_read() {
    let mut engine = Conversation::start_uci();
    for path in ["/dev/zero", "/dev/urandom", "/proc/self/mem", "/"] {
        refused(&mut engine, "EvalFile", Path::new(path));
    }
    // A pipe that nobody writes into, or reads from.
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("KQvK.rtbw");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|status| status.success()) {
        refused(&mut engine, "EvalFile", &pipe);
        refused(&mut engine, "Debug Log File", &pipe);
        refused(&mut engine, "SyzygyPath", folder.path());
    }
    engine.quit();
}

#[test]
fn a_log_on_a_full_disk_ends_with_one_error() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: no /dev/full");
        return;
    }
    let mut engine = Conversation::start_uci();
    engine.send("setoption name Debug Log File value /dev/full");
    let said = engine.ready();
    let errors = said.iter().filter(|line| line.starts_with("info string error: ")).count();
    assert_eq!(errors, 1, "{said:?}");
    plays_on(&mut engine);
    engine.quit();
}

/// The smallest table there is: king and knight against king is always drawn.
fn smallest_table() -> Vec<u8> {
    let mut file = vec![0x71, 0xE8, 0x23, 0x5D, 1, 0, 0x66, 0xEE, 0x22, 0, 0x80, 2, 0x80, 2];
    file.resize(64 + 16, 0);
    file
}

/// A folder with one table in it.
fn tables() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("KNvK.rtbw");
    std::fs::write(&table, smallest_table()).expect("a file");
    (folder, table)
}

/// The same path sent again is checked, and loaded again only if a file has changed.
#[test]
fn tablebases_are_loaded_again_if_they_changed() {
    let (folder, table) = tables();
    let mut engine = Conversation::start_uci();
    let set = format!("setoption name SyzygyPath value {}", folder.path().display());
    let said = engine.ask(&set);
    assert!(said.len() == 1 && said[0].contains("tablebases with up to 3 men"), "{said:?}");
    assert!(engine.ask(&set).is_empty(), "nothing has changed");
    std::fs::write(&table, &smallest_table()[..40]).expect("a file");
    assert!(engine.error(&set).contains("KNvK.rtbw"), "truncated since");
    std::fs::write(&table, smallest_table()).expect("a file");
    let said = engine.ask(&set);
    assert!(said.len() == 1 && said[0].contains("tablebases with up to 3 men"), "{said:?}");
    plays_on(&mut engine);
    engine.quit();
}

/// A process that blocks others from opening a file, by default for 45 seconds (a lease). `None`
/// without Python or leases.
#[cfg(target_os = "linux")]
fn lease(table: &Path) -> Option<std::process::Child> {
    use std::io::BufRead as _;
    const PROGRAM: &str = "\
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('held', flush=True)
sys.stdin.read()
";
    let mut keeper = std::process::Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(table)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    let mut line = String::new();
    let output = keeper.stdout.take().expect("piped");
    let _ = std::io::BufReader::new(output).read_line(&mut line);
    if line == "held\n" {
        return Some(keeper);
    }
    let _ = keeper.wait();
    None
}

/// While a file of a tablebase does not open, `isready` and `go` wait; a `stop` is answered, and
/// `quit` leaves.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_does_not_answer() {
    let (folder, table) = tables();
    let Some(mut keeper) = lease(&table) else {
        println!("skipped: a file cannot be kept from being opened");
        return;
    };
    let mut engine = Conversation::start_uci();
    engine.send(&format!("setoption name SyzygyPath value {}", folder.path().display()));
    engine.send("isready\nposition startpos\ngo infinite\nstop");
    let lines = engine.until("bestmove");
    if let Err(error) =
        megatherium_tests::game::judge(&lines, &megatherium_board::Board::startpos())
    {
        engine.fail(&error);
    }
    assert!(!lines.iter().any(|line| line == "readyok"), "{lines:?}");
    engine.send("go infinite\nquit");
    let (lines, status) = engine.finish();
    assert!(status.success(), "{status}");
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{lines:?}");
    drop(keeper.stdin.take());
    let _ = keeper.wait();
}
