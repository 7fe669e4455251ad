//! `analyse` with files: many positions in shards, and games.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{failure, success};
use serde_json::Value;

const RECORDS: usize = 23;

/// A file of different positions with ids, comments and blank lines between them.
fn positions(folder: &Path) -> PathBuf {
    let path = folder.join("in.epd");
    let record = |number: usize| {
        let (before, clock) = (1 + number % 6, number / 6);
        let rank = format!("{before}P{}", 7 - before);
        let gap = if number == 9 { "\n# a comment\n" } else { "" };
        let id = format!("id \"p {number}\"; c0 \"kept\";\n{gap}");
        format!("4k3/8/8/8/8/{rank}/8/4K3 w - - {clock} 1 {id}")
    };
    let mut text: String = (1..=RECORDS).map(record).collect();
    // The last positions have no move to find, or a mate.
    text += "7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";\n";
    text += "6k1/5ppp/8/8/8/8/8/R5K1 w - - id \"mate\"; ce 3;\n";
    fs::write(&path, text).expect("a file");
    path
}

fn analyse(input: &Path, out: &Path, more: &[&str]) -> String {
    let (input, out) = (input.to_str().expect("text"), out.to_str().expect("text"));
    let fixed = ["analyse", "--epd", input, "--out", out, "--nodes", "300", "--hash", "1"];
    success(&[&fixed[..], more].concat())
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).expect("a file").lines().map(str::to_owned).collect()
}

#[test]
fn shards_never_overlap_and_miss_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    for end in ["epd", "jsonl"] {
        let whole = folder.path().join(format!("whole.{end}"));
        let said = analyse(&input, &whole, &[]);
        assert!(said.starts_with("25 positions written to "), "{said}");
        let whole = lines(&whole);
        assert_eq!(whole.len(), RECORDS + 2);
        let mut shared = vec![None; whole.len()];
        for shard in 1..=4 {
            let out = folder.path().join(format!("{shard}.{end}"));
            analyse(&input, &out, &["--shard", &format!("{shard}/4")]);
            for (index, line) in lines(&out).into_iter().enumerate() {
                let place = &mut shared[shard - 1 + 4 * index];
                assert_eq!(*place, None, "two shards have the same position");
                *place = Some(line);
            }
        }
        let shared: Option<Vec<String>> = shared.into_iter().collect();
        assert_eq!(shared.expect("every position is in a shard"), whole, "{end}");
    }
}

#[test]
fn records_can_be_read_by_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    let (epd, json) = (folder.path().join("out.epd"), folder.path().join("out.jsonl"));
    analyse(&input, &epd, &[]);
    analyse(&input, &json, &["--multipv", "2"]);
    let epd = lines(&epd);
    assert!(epd[0].contains("id \"p 1\"; c0 kept; acd "), "{}", epd[0]);
    assert!(epd[0].contains("; pm ") && epd[0].contains("; pv "), "{}", epd[0]);
    assert!(epd[23].ends_with("id \"stalemate\"; acd 0; acn 0; ce 0;"), "{}", epd[23]);
    assert!(epd[24].contains("; ce 32766; dm 1; pm Ra8#; pv Ra8#;"), "{}", epd[24]);
    assert!(!epd[24].contains("ce 3;"), "the old evaluation is replaced: {}", epd[24]);
    let records: Vec<Value> =
        lines(&json).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (number, record) in (1..).zip(&records) {
        assert_eq!(record["n"], number);
        assert!(record["fen"].is_string(), "{record}");
    }
    assert_eq!((&records[0]["id"], &records[24]["id"]), (&"p 1".into(), &"mate".into()));
    assert_eq!(records[0]["lines"].as_array().map(Vec::len), Some(2));
    assert_eq!((&records[23]["best"], &records[23]["cp"]), (&Value::Null, &0.into()));
    assert_eq!((&records[24]["best"], &records[24]["mate"]), (&"a1a8".into(), &1.into()));
    assert_eq!(records[24]["lines"][0]["pv"][0], "a1a8");
}

#[test]
fn a_killed_run_continues_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    for end in ["epd", "jsonl"] {
        let (whole, out) =
            (folder.path().join(format!("whole.{end}")), folder.path().join(format!("out.{end}")));
        analyse(&input, &whole, &["--shard", "1/2"]);
        let whole = fs::read(&whole).expect("a file");
        // Killed before anything was written, within a record, between two, and after the last.
        let second = whole.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
        for cut in [0, second - 1, second, second + 10, whole.len() - 1, whole.len()] {
            fs::write(&out, &whole[..cut]).expect("a file");
            let said = analyse(&input, &out, &["--shard", "1/2", "--resume"]);
            assert_eq!(fs::read(&out).expect("a file"), whole, "cut at {cut}");
            let there = whole[..cut].split(|&byte| byte == b'\n').count() - 1;
            assert_eq!(said.contains(&format!("{there} were there already")), there > 0, "{said}");
        }
        fs::remove_file(&out).expect("it is there");
        analyse(&input, &out, &["--shard", "1/2", "--resume"]);
        assert_eq!(fs::read(&out).expect("a file"), whole, "nothing to resume");
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    let (input, out) = (input.to_str().expect("text"), folder.path().join("out.epd"));
    let out_text = out.to_str().expect("text");
    let run = ["analyse", "--epd", input, "--out", out_text, "--nodes", "50"];
    let refused = |more: &[&str]| failure(&[&run[..], more].concat());
    success(&[&run[..], &["--shard", "1/2"]].concat());
    let before = fs::read(&out).expect("a file");
    assert!(refused(&["--shard", "1/2"]).contains("exists; --resume continues it"));
    assert!(refused(&["--shard", "2/2", "--resume"]).contains("line 1 is not a record"));
    assert_eq!(fs::read(&out).expect("a file"), before);
    assert!(refused(&["--multipv", "2", "--resume"]).contains("--multipv"));
    assert!(refused(&["--shard", "3/2"]).contains("3/16"));
    assert!(failure(&["analyse", "--epd", input, "--out", "out.txt"]).contains(".jsonl"));
    assert!(failure(&["analyse", "--epd", input]).contains("--out"));
    assert!(failure(&["analyse", "startpos", "--out", "a.epd"]).contains("--epd"));
    let bad = folder.path().join("bad.epd");
    fs::write(&bad, "4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n").expect("a file");
    let new = folder.path().join("new.epd");
    let (bad, new_text) = (bad.to_str().expect("text"), new.to_str().expect("text"));
    assert!(failure(&["analyse", "--epd", bad, "--out", new_text]).contains("bad.epd:2: "));
    assert!(!new.exists(), "a fault in the input is found before the work begins");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_continue_and_keeps_whole_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    let out = folder.path().join("out.jsonl");
    let (input_text, out_text) = (input.to_str().expect("text"), out.to_str().expect("text"));
    let run = ["analyse", "--epd", input_text, "--out", out_text, "--hash", "1"];
    let child = common::start(&[&run[..], &["--movetime", "400"]].concat());
    common::wait_for_lines(&out, 1);
    let second = common::run(&[&run[..], &["--movetime", "400", "--resume"]].concat());
    let errors = String::from_utf8_lossy(&second.stderr);
    assert!(errors.contains("another process is writing it"), "{errors}");
    let stopped = common::interrupt(child);
    assert_eq!(stopped.status.code(), Some(1), "{stopped:?}");
    let errors = String::from_utf8_lossy(&stopped.stderr);
    assert!(errors.contains(" of 25 positions; --resume continues"), "{errors}");
    let before = fs::read_to_string(&out).expect("text");
    assert!(before.ends_with('\n') && before.lines().count() < 25);
    analyse(&input, &out, &["--resume"]);
    assert!(fs::read_to_string(&out).expect("text").starts_with(&before));
    assert_eq!(lines(&out).len(), 25);
}

const GAMES: &str = r#"[Event "Fool's \"mate\""]
[White "A"]
[Result "0-1"]

1. f3 {[%clk 0:05:00]} e5 2. g4 (2. e4 d5) 2... Qh4# 0-1

[Event "from a position"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/8/R3Q1K1 b - - 0 30"]

30... h6 31. Kh1 *
"#;

#[test]
fn games_are_annotated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    fs::write(&path, GAMES).expect("a file");
    let path = path.to_str().expect("text");
    let output = success(&["analyse", path, "--depth", "7", "--hash", "1"]);
    assert!(output.lines().all(|line| line.len() < 100), "{output}");
    assert!(output.starts_with("[Event \"Fool's \\\"mate\\\"\"]\n[White \"A\"]\n"), "{output}");
    assert!(output.contains("\n[Annotator \"Megatherium "), "{output}");
    let text = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("2. g4 $4 {[%eval #-1,"), "the blunder is marked: {text}");
    assert!(text.contains("blunder} (2. "), "and the best line is given: {text}");
    assert!(text.contains("{[%clk 0:05:00]}"), "comments are kept: {text}");
    assert!(text.contains("2... Qh4# 0-1 [Event"), "{text}");
    assert!(text.contains("30... h6 {[%eval ") && text.trim_end().ends_with('*'), "{text}");

    // What it writes it reads, and the file has the same games.
    let out = folder.path().join("out.pgn");
    let out = out.to_str().expect("text");
    let said = success(&["analyse", path, "--depth", "7", "--hash", "1", "--out", out]);
    let blunders = text.matches(" $4 ").count();
    assert!(said.contains(&format!("out.pgn: games 2, blunders {blunders}, mistakes ")), "{said}");
    assert_eq!(fs::read_to_string(out).expect("text").trim_end(), output.trim_end());
    assert!(success(&["analyse", out, "--depth", "1"]).contains("2. g4"));
    assert!(failure(&["analyse", path, "--depth", "1", "--out", out]).contains("out.pgn"));
    assert!(failure(&["analyse", path, "startpos"]).contains("cannot be mixed"));
    assert!(failure(&["analyse", path, "--multipv", "2"]).contains("--multipv"));
    fs::write(folder.path().join("bad.pgn"), "1. e4 e5 2. Ke3 *").expect("a file");
    let bad = folder.path().join("bad.pgn");
    let error = failure(&["analyse", bad.to_str().expect("text"), "--depth", "1"]);
    assert!(error.contains("bad.pgn: line 1, game 1: \"Ke3\" is"), "{error}");
}

/// The commands of the manual, as they stand there: GNU parallel is a function that does the same
/// one after another, and Slurm is its two variables.
#[cfg(unix)]
#[test]
fn the_examples_of_the_manual_work() {
    const PAGE: &str = include_str!("../../../docs/using.md");
    const PARALLEL: &str = r#"parallel() {
        local words=(); while [ "$1" != ":::" ]; do words+=("$1"); shift; done; shift
        for value in "$@"; do "${words[@]//\{\}/$value}" || return 1; done
    }"#;
    let example = |word: &str| {
        let blocks =
            PAGE.split("```sh\n").skip(1).map(|rest| rest.split("```").next().expect("a block"));
        let mut found = blocks.filter(|block| block.contains(word) && block.contains("--epd"));
        // Fewer nodes: the test is about the shell, not about the search.
        found.next().expect("an example").replace("100000", "100")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let input = positions(folder.path());
    fs::rename(&input, folder.path().join("positions.epd")).expect("a file");
    let binary = Path::new(env!("CARGO_BIN_EXE_megatherium")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let shell = |script: &str| {
        let mut bash = std::process::Command::new("bash");
        bash.args(["-e", "-c", script]).env("PATH", &path).current_dir(folder.path());
        bash.env("SLURM_ARRAY_TASK_ID", "2").env("SLURM_ARRAY_TASK_COUNT", "3");
        let output = bash.output().expect("bash");
        assert!(output.status.success(), "{script}: {output:?}");
    };
    shell(&example("analysed.jsonl"));
    assert_eq!(lines(&folder.path().join("analysed.jsonl")).len(), 25);
    shell(&format!("{PARALLEL}\n{}", example("parallel")));
    // The ids of the records, in their order.
    let ids = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).expect("text");
        let ids =
            text.lines().filter_map(|line| Some(line.split_once("id \"")?.1.split_once('"')?.0));
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ids("analysed.epd"), ids("positions.epd"));
    assert_eq!(ids("analysed.epd").len(), 25);
    shell(&example("SLURM_ARRAY_TASK_COUNT"));
    let numbers: Vec<i64> = lines(&folder.path().join("analysed-2.jsonl"))
        .iter()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["n"].as_i64().expect("a number")
        })
        .collect();
    assert_eq!(numbers, (2..=25).step_by(3).collect::<Vec<_>>());
}
