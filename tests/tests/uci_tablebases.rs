//! Tablebases through the options. Without Syzygy files (the variable `SYZYGY` names their folder)
//! the tests say so and pass.

use megatherium_tests::conversation::number;
use megatherium_tests::{Conversation, tablebases};

/// An engine with the tables loaded, if they are there.
fn engine_with_tables() -> Option<Conversation> {
    let Some(tables) = tablebases() else {
        println!("skipped: no tablebases");
        return None;
    };
    let mut engine = Conversation::start_uci();
    let said = engine.ask(&format!("setoption name SyzygyPath value {}", tables.display()));
    assert!(
        said.len() == 1 && said[0].starts_with("info string tablebases with up to "),
        "{said:?}"
    );
    Some(engine)
}

fn hits(lines: &[String]) -> i64 {
    lines.iter().filter_map(|line| number(line, "tbhits")).max().unwrap_or(0)
}

fn best_score(lines: &[String]) -> i64 {
    lines.iter().rev().find_map(|line| number(line, "cp")).expect("a score in centipawns")
}

/// One capture away from a table.
const CLOSE: &str = "position fen 4k3/8/8/8/8/8/1p2P3/2R1K3 b - - 0 1";

#[test]
fn probing_in_the_tree_and_its_limits() {
    let Some(mut engine) = engine_with_tables() else { return };
    engine.send(CLOSE);
    assert!(hits(&engine.go("go depth 8")) > 0);
    engine.send("setoption name SyzygyProbeLimit value 0\nsetoption name Clear Hash");
    engine.send(CLOSE);
    assert_eq!(hits(&engine.go("go depth 8")), 0);
    engine.send("setoption name SyzygyProbeLimit value 7\nsetoption name SyzygyPath value <empty>");
    engine.send(CLOSE);
    assert_eq!(hits(&engine.go("go depth 8")), 0);
    engine.quit();
}

/// At the root the tables know the result at once.
#[test]
fn the_root_in_a_table() {
    let Some(mut engine) = engine_with_tables() else { return };
    engine.send("position fen 8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    assert!(best_score(&engine.go("go depth 1")) > 10_000);
    engine.send("position fen 8/8/8/8/8/2k5/8/KQ6 b - - 0 1");
    assert!(best_score(&engine.go("go depth 1")) < -10_000);
    engine.send("position fen 8/8/8/8/8/2k5/8/KB6 w - - 0 1");
    assert_eq!(best_score(&engine.go("go depth 1")), 0);
    engine.quit();
}

/// A path that cannot be used is refused, and the tables loaded before stay.
#[test]
fn a_bad_path_keeps_the_old_tables() {
    let Some(mut engine) = engine_with_tables() else { return };
    assert!(engine.error("setoption name SyzygyPath value /nowhere").contains("'/nowhere'"));
    let folder = tempfile::tempdir().expect("a folder");
    assert!(
        engine
            .error(&format!("setoption name SyzygyPath value {}", folder.path().display()))
            .contains("SyzygyPath")
    );
    engine.send("position fen 8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    assert!(best_score(&engine.go("go depth 1")) > 10_000);
    engine.quit();
}
