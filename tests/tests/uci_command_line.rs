//! The command line: `bench`, `perft`, `analyse`, `suite`.

use std::process::{Output, Stdio};

use megatherium_tests::binary;

fn run(arguments: &[&str]) -> Output {
    binary::command()
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the engine can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Standard output of a run that must succeed and say nothing on standard error.
fn success(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    text(&output.stdout)
}

/// The one line on standard error of a run that must fail.
fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    let errors = text(&output.stderr);
    assert_eq!(errors.lines().count(), 1, "{arguments:?}: {errors}");
    assert!(errors.starts_with("megatherium: "), "{arguments:?}: {errors}");
    errors
}

/// Test frameworks read the last line, and count on the same number of nodes every time.
#[test]
fn bench_ends_with_nodes_and_speed_and_is_deterministic() {
    let nodes = |output: &str| {
        let last = output.lines().last().expect("a last line").to_owned();
        let words: Vec<_> = last.split(' ').collect();
        let [nodes, "nodes", speed, "nps"] = words.as_slice() else { panic!("{last}") };
        speed.parse::<u64>().expect("a speed");
        nodes.parse::<u64>().expect("a number of nodes")
    };
    let first = nodes(&success(&["bench", "--depth", "5"]));
    assert!(first > 1000, "{first}");
    assert_eq!(
        first,
        nodes(&success(&["bench", "--depth", "5", "--threads", "1", "--hash", "16"]))
    );
    assert!(nodes(&success(&["bench", "--depth", "3", "--threads", "2", "--hash", "1"])) > 0);
}

#[test]
fn perft() {
    assert!(success(&["perft", "4"]).contains("\nNodes searched: 197281\n"));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let output = success(&["perft", "3", kiwipete, "--threads", "2"]);
    assert!(
        output.contains("\nNodes searched: 97862\n") && output.contains("\ne1g1: "),
        "{output}"
    );
    assert!(success(&["perft", "2", kiwipete, "--chess960"]).contains("\ne1h1: "));
    assert!(failure(&["perft", "3", "nonsense"]).contains("nonsense"));
}

#[test]
fn analyse_positions_and_files() {
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let output = success(&["analyse", mate, "--depth", "5"]);
    assert!(
        output.contains(mate) && output.contains("#1") && output.contains("1. Ra8#"),
        "{output}"
    );

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("positions.epd");
    std::fs::write(&file, format!("{mate}\n7k/5Q2/6K1/8/8/8/8/8 b - - id \"stale\";\n"))
        .expect("a file");
    let output = success(&["analyse", file.to_str().unwrap(), "--nodes", "500", "--multipv", "2"]);
    assert!(output.contains("stale: ") && output.contains("stalemate"), "{output}");
    assert!(failure(&["analyse", "no such file", "--depth", "1"]).contains("no such file"));
    assert!(!run(&["analyse"]).status.success());
}

#[test]
fn suites_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("suite.epd");
    let path = file.to_str().unwrap();
    std::fs::write(
        &file,
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"mate\";\n\
         6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#; id \"impossible\";\n\
         4k3/8/8/8/8/8/4P3/4K3 w - - ce 5; id \"no moves named\";\n",
    )
    .expect("a file");
    let output = success(&["suite", path, "--depth", "4", "--all"]);
    assert!(output.ends_with("solved 1 of 2 (50.0 %)\n"), "{output}");
    assert!(output.contains("+ mate") && output.contains("- impossible"), "{output}");
    let output = success(&["suite", path, "--movetime", "20", "--threads", "2", "--at-least", "1"]);
    assert!(output.contains("wanted not Ra8#"), "{output}");
    assert!(
        failure(&["suite", path, "--nodes", "1000", "--at-least", "2"]).contains("fewer than 2")
    );
    assert!(failure(&["suite", "nowhere.epd", "--depth", "1"]).contains("nowhere.epd"));
    // Any UCI engine can be asked; this one gives the answers it gives itself.
    let engine = binary::engine();
    let other =
        success(&["suite", path, "--depth", "4", "--all", "--engine", engine.to_str().unwrap()]);
    assert!(other.ends_with("solved 1 of 2 (50.0 %)\n") && other.contains("#1"), "{other}");
    assert!(failure(&["suite", path, "--depth", "4", "--engine", "/nowhere"]).contains("/nowhere"));
    std::fs::write(&file, "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Kh8;\n").expect("a file");
    assert!(failure(&["suite", path, "--depth", "1"]).contains("bm"));
}

#[test]
fn arguments_are_checked() {
    for arguments in [
        &["nonsense"][..],
        &["bench", "--threads", "0"],
        &["bench", "--depth", "deep"],
        &["perft", "256"],
        &["perft", "20000"],
        &["perft", "5000", "--hash", "1"],
        &["perft", "4294967295"],
        &["perft", "-1"],
        &["tune", "razor-depth", "--rounds", "18446744073709551615"],
        &["suite", "x", "--movetime", "0"],
        &["suite", "x", "--engine", "y", "--set", "killers=0"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    assert!(success(&["--version"]).starts_with("megatherium "));
    for command in ["bench", "perft", "analyse", "suite"] {
        assert!(success(&["--help"]).contains(command));
        assert!(success(&[command, "--help"]).contains("Usage"));
    }
    assert!(failure(&["bench", "--hash", "33554432"]).contains("33554432"));
}
