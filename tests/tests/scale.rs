//! `megatherium scale` through the real binary: what it prints, what it writes, what it refuses,
//! and what Ctrl-C leaves.

mod scale_support;

use std::path::Path;
use std::process::{Output, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use megatherium_tests::binary;
use serde_json::Value;

fn scale(folder: &Path, arguments: &[&str]) -> Output {
    binary::command()
        .arg("scale")
        .args(arguments)
        .arg("--out")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the engine can be started")
}

/// Runs `scale`, which must succeed; returns its output and `report.json`.
fn report(folder: &Path, arguments: &[&str]) -> (String, Value) {
    let output = scale(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.lines().all(is_progress), "{arguments:?}: {errors}");
    let json = std::fs::read_to_string(folder.join("report.json")).expect("a report");
    let json = serde_json::from_str(&json).expect("valid JSON");
    if let Err(error) = scale_support::conforms(&json) {
        panic!("{arguments:?}: report.json {error}");
    }
    (String::from_utf8(output.stdout).expect("text"), json)
}

/// Whether a line says how far a measurement has come, `stage 3/40 …`: on a slow machine there is
/// one a minute.
fn is_progress(line: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let is_step =
        |word: &str| word.split_once('/').is_some_and(|(at, of)| is_number(at) && is_number(of));
    !line.starts_with("megatherium: ") && line.split(' ').any(is_step)
}

fn section<'a>(report: &'a Value, name: &str) -> &'a Value {
    let sections = report["sections"].as_array().expect("sections");
    sections
        .iter()
        .find(|section| section["name"] == name)
        .unwrap_or_else(|| panic!("no section {name}"))
}

fn rows<'a>(report: &'a Value, name: &str) -> &'a Vec<Value> {
    section(report, name)["rows"].as_array().expect("rows")
}

/// Small enough for a test, and everything is there.
const SMALL: [&str; 8] =
    ["--quick", "--positions", "2", "--nodes", "4000", "--hash", "1", "--blocks"];

#[test]
fn a_full_report_has_all_its_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = SMALL.to_vec();
    arguments.extend(["1", "--threads", "1,2", "--quanta", "16,64"]);
    let (text, report) = report(folder.path(), &arguments);
    assert_eq!(report["interrupted"], false);

    let real = rows(&report, "real-threads");
    assert_eq!(real.len(), 2, "{real:?}");
    for row in real {
        let value = |name: &str| row[name]["value"].as_f64().unwrap();
        let product = value("NPS ratio") / value("node overhead");
        assert!(
            (value("time-to-depth speed-up") / product - 1.0).abs() < 1e-9,
            "the identity: {row}"
        );
        let interval = &row["node overhead"];
        assert!(interval["low"].as_f64() <= interval["high"].as_f64());
    }
    assert!(text.contains("NPS ratio") && text.contains("÷ node overhead"), "{text}");
    assert_eq!(rows(&report, "ceiling").len(), 1);
    assert_eq!(rows(&report, "virtual-threads").len(), 5, "1, 2, 4, 8 and 16 virtual threads");
    assert_eq!(rows(&report, "quanta").len(), 2);
    assert!(rows(&report, "table-map").len() > 100);

    let page = std::fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(page.matches("<svg").count() >= 9 && !page.contains("http"));
    for fact in
        ["date", "system", "operating system", "compiler", "commit", "net", "bench signature"]
    {
        assert!(page.contains(&format!("<dt>{fact}</dt>")), "{fact}");
        assert!(report["facts"][fact].as_str().is_some_and(|text| !text.is_empty()), "{fact}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    plain_headers(folder.path());
    let samples = std::fs::read_to_string(folder.path().join("real-samples.csv")).expect("samples");
    assert_eq!(samples.lines().count(), 1 + 4);
    assert!(samples.starts_with("position,repeat,threads,depth,nodes,seconds,"));
    render(folder.path());
}

/// The first line of every CSV file is words, numbers and hyphens.
fn plain_headers(folder: &Path) {
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut count = 0;
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "csv")) {
        let text = std::fs::read_to_string(&path).expect("text");
        let header = text.lines().next().expect("a header");
        let plain = |c: char| c.is_ascii_alphanumeric() || [' ', '-', ','].contains(&c);
        assert!(header.chars().all(plain), "{}: {header}", path.display());
        count += 1;
    }
    assert!(count >= 6, "{count} files");
}

/// The same command gives the same numbers, another seed gives others.
#[test]
fn virtual_threads_are_reproducible() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = |seed: &str| {
        let arguments = [
            "--virtual",
            "--quick",
            "--threads",
            "4",
            "--positions",
            "2",
            "--nodes",
            "4000",
            "--quanta",
            "32",
            "--seed",
            seed,
        ];
        let (_, report) = report(folder.path(), &arguments);
        rows(&report, "virtual-samples").clone()
    };
    let first = samples("1");
    assert_eq!(first.len(), 4);
    assert_eq!(first, samples("1"));
    assert_ne!(first, samples("2"));
}

#[test]
fn strength_is_reported_with_its_margin() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "--elo",
        "--threads",
        "2",
        "--nodes",
        "400",
        "--pairs",
        "3",
        "--factors",
        "0.25,1",
        "--hash",
        "1",
    ];
    let (text, report) = report(folder.path(), &arguments);
    let rows = rows(&report, "elo");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["pairs"] == 3 && row["Elo"]["low"].is_number()));
    assert!(text.contains("Elo"), "{text}");
    let arguments = [
        "--elo",
        "--real",
        "--threads",
        "2",
        "--nodes",
        "400",
        "--pairs",
        "1",
        "--factors",
        "1",
        "--hash",
        "1",
    ];
    let (_, report) = self::report(folder.path(), &arguments);
    let rows = self::rows(&report, "elo");
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["normalised Elo"].is_null(), "of one pair: {rows:?}");
    assert!(rows[0]["chance to be stronger percent"].is_null(), "{rows:?}");
    assert_eq!(report["highlights"].as_array().map(Vec::len), Some(0), "{report}");
}

/// The schema is a promise: a key that is missing, new or of another type breaks it.
#[test]
fn the_schema_refuses_other_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--elo", "--threads", "2", "--nodes", "100", "--pairs", "1", "--factors", "1"];
    let (_, report) = report(folder.path(), &arguments);
    let broken = |change: fn(&mut Value)| {
        let mut other = report.clone();
        change(&mut other);
        scale_support::conforms(&other).expect_err("a broken promise")
    };
    let gone = broken(|report| drop(report["facts"].as_object_mut().unwrap().remove("net")));
    assert_eq!(gone, "report/facts has no \"net\"");
    assert_eq!(broken(|report| report["more"] = Value::Null), "has report/more");
    assert!(broken(|report| report["schema"] = 1.into()).contains("report/schema is 1"));
    assert!(
        broken(|report| report["sections"][0]["rows"][0]["pairs"] = true.into()).contains("true")
    );
}

#[test]
fn experiments_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    for question in ["table", "policies", "huge-pages", "prefetch", "correction"] {
        let arguments = [
            "--experiment",
            question,
            "--threads",
            "1,2",
            "--positions",
            "2",
            "--nodes",
            "2000",
            "--hash",
            "2",
        ];
        let (_, report) = report(folder.path(), &arguments);
        let arms = if question == "policies" { 5 } else { 2 };
        assert_eq!(rows(&report, &format!("experiment-{question}")).len(), 2 * arms, "{question}");
    }
    let arguments = [
        "--experiment",
        "sizes",
        "--threads",
        "2",
        "--positions",
        "1",
        "--nodes",
        "1000",
        "--sizes",
        "1,2,3",
    ];
    assert_eq!(rows(&report(folder.path(), &arguments).1, "experiment-sizes").len(), 6);
}

/// This engine beside another one, here itself under another name: all three questions for both,
/// and a second run takes everything from the journal.
#[test]
fn engines_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let rival = binary::engine();
    let journal = folder.path().join("journal");
    let mut arguments = SMALL.to_vec();
    arguments.extend(["1", "--threads", "2", "--engine", rival.to_str().expect("a path")]);
    arguments.extend(["--resume", journal.to_str().expect("a path")]);
    let (text, first) = report(folder.path(), &arguments);
    let engines = rows(&first, "engines");
    assert_eq!(engines.len(), 4, "two engines with one thread and with two: {engines:?}");
    assert_ne!(engines[0]["engine"], engines[2]["engine"], "they can be told apart");
    let samples = rows(&first, "engine-samples");
    assert_eq!(samples.len(), 8);
    for row in engines {
        assert_eq!(row["positions"], 2, "{row}");
        // The geometric mean of its searches, however slow the machine is.
        let own = samples.iter().filter(|sample| {
            sample["engine"] == row["engine"] && sample["threads"] == row["threads"]
        });
        let number = |value: &Value| value.as_f64().expect("a number");
        let logs: Vec<f64> = own
            .map(|sample| (number(&sample["nodes"]) / number(&sample["seconds"]) / 1e3).ln())
            .collect();
        assert_eq!(logs.len(), 2, "{row}");
        let speed = f64::midpoint(logs[0], logs[1]).exp();
        assert!((number(&row["kilonodes per second"]) / speed - 1.0).abs() < 1e-9, "{row}");
    }
    assert_eq!(rows(&first, "engine-ceilings").len(), 2);
    assert!(text.contains("time to depth, 2 threads"), "{text}");

    let pieces = std::fs::read_to_string(&journal).expect("a journal");
    let (_, second) = report(folder.path(), &arguments);
    assert_eq!(std::fs::read_to_string(&journal).expect("a journal"), pieces, "nothing to add");
    for part in ["engines", "engine-samples", "engine-ceilings"] {
        assert_eq!(rows(&first, part), rows(&second, part), "{part}");
    }
}

/// An interrupted measurement resumes.
#[test]
fn a_match_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    let play = |pairs: &str, resume: bool| {
        let mut arguments = vec!["--elo", "--threads", "2", "--nodes", "300", "--factors", "1"];
        arguments.extend(["--hash", "1", "--pairs", pairs]);
        if resume {
            arguments.extend(["--resume", journal.to_str().expect("a path")]);
        }
        rows(&report(folder.path(), &arguments).1, "elo")[0].clone()
    };
    play("2", true);
    let known = std::fs::read_to_string(&journal).expect("a journal");
    let resumed = play("4", true);
    let journal = std::fs::read_to_string(&journal).expect("a journal");
    assert!(journal.starts_with(&known) && journal.lines().count() == 5, "{journal}");
    assert_eq!(resumed, play("4", false), "the same match as in one go");
}

/// A bad argument is one clear line that names it.
#[test]
fn bad_arguments_are_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, wanted) in [
        (&["--threads", "0"][..], "'0'"),
        (&["--threads", "2,many"], "'many'"),
        (&["--virtual", "--threads", "512"], "512 virtual threads"),
        (&["--virtual", "--elo"], "cannot be used with"),
        (&["--experiment", "luck"], "one of table, sizes,"),
        (&["--elo", "--factors", "-1"], "-1"),
        (&["--elo", "--threads", "2,4"], "one number of threads"),
        (&["--elo", "--positions", "4"], "--positions is for"),
        (&["--elo", "--team", "luck=1"], "take-over"),
        (&["--team", "jitter=0"], "--team is for --virtual, --elo and --cluster"),
        (&["--virtual", "--against-threads", "2"], "--against-threads is for --elo"),
        (&["--pairs", "4"], "--pairs is for --elo"),
        (&["--virtual", "--repeats", "2"], "--repeats is for"),
        (&["--experiment", "prefetch", "--quantum", "9"], "--quantum is for"),
        (&["--elo", "--real", "--quantum", "9"], "--quantum is for"),
        (&["--experiment", "table", "--sizes", "4"], "--sizes is for"),
        (&["--engine", "/nowhere/engine"], "/nowhere/engine"),
        (&["--engine", "/bin/true"], "uciok"),
        (&["--engine", "/bin/true", "--quantum", "9"], "--quantum is for"),
        (&["--engine", "/bin/true", "--virtual"], "cannot be used with"),
        (&["--quick", "--resume", "journal"], "--resume is for"),
        (&["--virtual", "--resume", "/nowhere/journal"], "/nowhere/journal"),
        (&["--virtual", "--suite", "nowhere.epd"], "nowhere.epd"),
        (&["--elo", "--book", "nowhere.epd"], "nowhere.epd"),
        (&["--nonsense"], "--nonsense"),
    ] {
        let output = scale(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}: {output:?}");
        assert_eq!(errors.lines().count(), 1, "{arguments:?}: {errors}");
        assert!(
            errors.starts_with("megatherium: ") && errors.contains(wanted),
            "{arguments:?}: {errors}"
        );
    }
    let file = folder.path().join("a file");
    std::fs::write(&file, "").expect("a file");
    let output = scale(&file, &["--quick"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a file"), "{output:?}");
}

/// Ctrl-C ends the measurement early, and what was measured is written down.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    let mut child = binary::command()
        .args([
            "scale",
            "--elo",
            "--threads",
            "2",
            "--nodes",
            "300",
            "--pairs",
            "100000",
            "--factors",
            "1",
            "--hash",
            "1",
        ])
        .args(["--book", book(folder.path()).to_str().expect("a path")])
        .args(["--resume", journal.to_str().expect("a path"), "--out"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine can be started");
    // The first line of the journal says what is measured, the next is the first pair of games.
    let deadline = Instant::now() + Duration::from_mins(5);
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        let ended = child.try_wait().expect("it can be waited for");
        if ended.is_some() || Instant::now() > deadline {
            let _ = child.kill();
            panic!("no pair of games: {ended:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()), "the interrupt can be sent");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let json = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&json).expect("valid JSON");
    assert_eq!(report["interrupted"], true);
    let pairs = rows(&report, "elo")[0]["pairs"].as_u64().expect("pairs");
    assert!((1..100_000).contains(&pairs), "{pairs}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Ended early"));
}

/// A book of one opening many times over: games soon end in it.
#[cfg(unix)]
fn book(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("book.epd");
    std::fs::write(&path, "8/5k2/8/8/8/3QK3/8/8 w - - 0 1\n".repeat(100_000)).expect("a book");
    path
}

/// On a phone and on a desk, light and dark: nothing fails, nothing is wider than the window, every
/// chart has its points, and the smallest letters can be read.
fn render(folder: &Path) {
    let Some(browser) = scale_support::browser() else {
        println!("skipped: no Chromium is installed, the page is not looked at");
        return;
    };
    let mut papers = Vec::new();
    for (width, dark) in [(360, false), (360, true), (1280, false), (1280, true)] {
        let seen = scale_support::look(browser, folder, width, dark);
        assert_eq!(seen["faults"].as_array().map(Vec::len), Some(0), "{seen}");
        assert_eq!(seen["width"], width, "{seen}");
        assert!(seen["needed"].as_u64() <= Some(u64::from(width)), "too wide: {seen}");
        assert!(seen["tiles"].as_u64() >= Some(3), "{seen}");
        let charts = seen["charts"].as_array().expect("charts");
        assert!(charts.len() >= 8, "{seen}");
        for chart in charts {
            assert!(chart["marks"].as_u64() >= Some(1), "no points: {chart}");
            assert!(chart["smallest"].as_f64() >= Some(10.0), "illegible at {width}: {chart}");
            assert_eq!(chart["outside"].as_array().map(Vec::len), Some(0), "{width}: {chart}");
        }
        papers.push(seen["paper"].clone());
        println!("looked at by {browser}: {width} px, dark: {dark}, {} charts", charts.len());
    }
    assert!(papers[0] == papers[2] && papers[1] == papers[3] && papers[0] != papers[1]);
}
