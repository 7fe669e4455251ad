//! Files that are missing or damaged.

use std::path::Path;

use megatherium_board::Board;
use megatherium_nnue::Network;
use megatherium_tests::Conversation;

use crate::subject::{Check, Done, Subject, promise, quit, search};

pub const CHECKS: &[Check] = &[
    promise("a missing net is refused and the engine plays on", missing_net),
    promise("a net cut off, of another shape, or with a flipped bit is refused", damaged_net),
    promise("missing tablebases are refused and the engine plays on", missing_tables),
    promise("files that never end are not read to their end", endless_files),
    promise("a log on a full disk ends with one error", full_disk),
];

fn refused(engine: &mut Conversation, option: &str, path: &Path) -> String {
    let error = engine.error(&format!("setoption name {option} value {}", path.display()));
    assert!(error.contains(option), "{error}");
    search(engine, "go depth 3", &Board::startpos());
    error
}

fn missing_net(subject: &Subject) -> Done {
    if subject.option("EvalFile").is_none() {
        return Done::Skipped("no option EvalFile");
    }
    let mut engine = subject.start_uci();
    let error = refused(&mut engine, "EvalFile", Path::new("/nowhere/net.nnue"));
    assert!(error.contains("/nowhere/net.nnue"), "{error}");
    quit(engine);
    Done::Passed
}

fn damaged_net(subject: &Subject) -> Done {
    if !subject.own {
        return Done::Skipped("the nets are Megatherium's");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let good = Network::embedded().to_bytes();
    let changed = |at: usize, bit: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << bit;
        bytes
    };
    let mut engine = subject.start_uci();
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
    quit(engine);
    Done::Passed
}

fn missing_tables(subject: &Subject) -> Done {
    if subject.option("SyzygyPath").is_none() {
        return Done::Skipped("no option SyzygyPath");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine = subject.start_uci();
    for path in [Path::new("/nowhere/at all"), folder.path(), Path::new(":"), Path::new("/dev/null")] {
        refused(&mut engine, "SyzygyPath", path);
    }
    quit(engine);
    Done::Passed
}

fn endless_files(subject: &Subject) -> Done {
    if !subject.own {
        return Done::Skipped("dangerous to an engine that does not expect it");
    }
    let mut engine = subject.start_uci();
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
    quit(engine);
    Done::Passed
}

fn full_disk(subject: &Subject) -> Done {
    if !Path::new("/dev/full").exists() || subject.option("Debug Log File").is_none() {
        return Done::Skipped("no /dev/full, or no option Debug Log File");
    }
    let mut engine = subject.start_uci();
    engine.send("setoption name Debug Log File value /dev/full");
    let said = engine.ready();
    let errors = said.iter().filter(|line| line.starts_with("info string error: ")).count();
    assert_eq!(errors, 1, "{said:?}");
    search(&mut engine, "go depth 3", &Board::startpos());
    quit(engine);
    Done::Passed
}
