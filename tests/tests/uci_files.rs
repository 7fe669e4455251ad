//! Files named in options that are missing, damaged, or never end.

use std::path::Path;

use megatherium_board::Board;
use megatherium_nnue::Network;
use megatherium_tests::Conversation;
use megatherium_tests::game::judge;

/// A search gives one legal answer.
fn plays_on(engine: &mut Conversation) {
    let lines = engine.go("go depth 3");
    if let Err(error) = judge(&lines, &Board::startpos()) {
        engine.fail(&error);
    }
}

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
