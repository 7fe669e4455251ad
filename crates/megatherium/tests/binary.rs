//! The binary itself: commands of the shell and of the laboratory behind one command line.

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::{Child, Stdio};

use common::{engine, failure, success};

#[test]
fn the_help_lists_the_commands_of_both_crates() {
    let help = success(&["--help"]);
    for command in [
        "bench",
        "perft",
        "analyse",
        "d",
        "eval",
        "version",
        "genfens",
        "spsa",
        "suite",
        "params",
        "speedtest",
        "scale",
        "duel",
        "tune",
        "ablate",
        "table-value",
        "completions",
        "man",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}:\n{help}");
        assert!(!success(&[command, "--help"]).is_empty(), "{command}");
    }
    assert!(success(&["completions", "bash"]).contains("speedtest"));
    assert!(success(&["man"]).starts_with(".ie"));
    let folder = tempfile::tempdir().expect("a folder");
    success(&["man", "--out", folder.path().to_str().expect("text")]);
    let page =
        std::fs::read_to_string(folder.path().join("megatherium-analyse.1")).expect("a page");
    assert!(page.contains("multipv") && folder.path().join("megatherium.1").exists());
}

#[test]
fn a_wrong_word_is_one_line_with_a_suggestion() {
    assert!(failure(&["anlyse", "startpos"]).contains("'analyse'"));
    assert!(failure(&["bench", "--dept", "3"]).contains("'--depth'"));
    assert!(failure(&["bench", "--set", "razor-dept=3"]).contains("razor-depth"));
}

#[test]
fn bench_takes_hash_threads_and_depth() {
    let nodes = |arguments: &[&str]| {
        let output = success(arguments);
        output
            .lines()
            .last()
            .and_then(|line| line.split_once(" nodes"))
            .expect("a total")
            .0
            .to_owned()
    };
    let flags = nodes(&["bench", "--hash", "2", "--threads", "1", "--depth", "4"]);
    assert_eq!(nodes(&["bench", "2", "1", "4"]), flags);
    assert_ne!(nodes(&["bench", "2", "1", "3"]), flags);
    assert!(failure(&["bench", "2", "1", "400"]).contains("depth 400"));
}

/// The same program twice: the ratio is about one, whatever else the machine does.
#[test]
fn speedtest_compares_builds() {
    let own = env!("CARGO_BIN_EXE_megatherium");
    let text = success(&["speedtest", "1", "1", "1", "--nodes", "30000", "--against", own]);
    assert!(text.starts_with(&format!("{own}: ")), "{text}");
    assert!(
        text.contains(" times as fast as this program (") && text.contains(" 30000 nodes each")
    );
    assert!(failure(&["speedtest", "1", "1", "1", "--against", "no/such"]).contains("no/such"));
    let alone = failure(&["speedtest", "1", "1", "1", "--nodes", "30000"]);
    assert!(alone.contains("--against"), "nothing is taken and ignored: {alone}");
}

#[test]
fn a_misspelt_word_in_a_conversation_gets_a_suggestion() {
    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    say(&mut child, "bnech\nsetoption name Treads value 3\nquit\n");
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("'bnech', did you mean 'bench'?\n"), "{text}");
    assert!(text.contains("'Treads', did you mean 'Threads'?\n"), "{text}");
}

/// In a conversation `bench` has the same order and the same limits, and `stop` and `quit` end it
/// within a position.
#[test]
fn bench_in_a_conversation() {
    let on_the_command_line = success(&["bench", "2", "1", "4"]);
    let (nodes, _) = on_the_command_line
        .lines()
        .last()
        .and_then(|line| line.split_once(" nps"))
        .and_then(|(total, _)| total.rsplit_once(' '))
        .expect("a total");
    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    say(&mut child, "bench 2 1 4\n");
    until(&mut child, nodes);
    say(&mut child, "bench 2 1 400\n");
    let refused = ["info string error: bench depth: '400' is not in 1..128"];
    assert_eq!(until(&mut child, "info string error"), refused);
    say(&mut child, "bench 1 1 128\nstop\n");
    let stopped = ["info string bench stopped after 0 of 40 positions"];
    assert_eq!(until(&mut child, "info string bench"), stopped);
    say(&mut child, "bench 1 1 128\nquit\n");
    assert_eq!(until(&mut child, "info string bench"), stopped);
    assert!(child.wait().expect("an end").success());
}

#[test]
fn positions_for_people() {
    assert!(success(&["d"]).contains("Legal moves: 20"));
    assert!(success(&["eval", "startpos"]).contains("static evaluation"));
    assert!(failure(&["eval", "nonsense"]).contains("nonsense"));
    let analysis = success(&["analyse", "startpos", "startpos", "--depth", "2"]);
    assert!(analysis.contains("position 1: ") && analysis.contains("position 2: "), "{analysis}");
    let perft = success(&["perft", "3"]);
    assert!(perft.contains("Nodes searched: 8902") && !perft.contains("info string"), "{perft}");
}

#[test]
fn parameters_are_listed_as_they_are_written() {
    let list = success(&["params"]);
    let razor = list.lines().find(|line| line.starts_with("razor-depth ")).expect("a parameter");
    assert!(razor.split_whitespace().count() > 4, "{razor}");
    assert!(!list.contains('_'), "as `--set` takes them: {list}");
    let version = success(&["version"]);
    for part in ["commit", "rustc", "instruction sets", "net: checksum"] {
        assert!(version.contains(part), "{part}: {version}");
    }
    assert!(!version.contains("Simd("), "{version}");
}

/// A match needs a difference, and says so when nothing was played.
#[test]
fn a_duel_needs_two_sides() {
    assert!(failure(&["duel"]).contains("the sides are equal"));
    let list = success(&["params"]);
    let razor = list.lines().find(|line| line.starts_with("razor-depth ")).expect("a parameter");
    let default = razor.split_whitespace().nth(1).expect("a default");
    let default = failure(&["duel", "--set", &format!("razor-depth={default}")]);
    assert!(default.contains("the sides are equal") && default.contains("--against-kib"));
    assert!(failure(&["duel", "--against", "/nowhere"]).contains("/nowhere"));
    assert!(failure(&["duel", "--set", "razor-depth=2", "--sprt", "10,0"]).contains("ELO0"));
    let quick = ["--nodes", "300", "--pairs", "2", "--concurrency", "2"];
    let own =
        success(&[&["duel", "--against", env!("CARGO_BIN_EXE_megatherium")][..], &quick].concat());
    assert!(own.contains("pairs by half points [0, 0, 2, 0, 0]"), "itself: {own}");
    let option = ["--against-option", "UCI_LimitStrength=true", "--against-option", "UCI_Elo=1000"];
    let weaker = [
        &["duel", "--against", env!("CARGO_BIN_EXE_megatherium"), "--nodes", "3000"][..],
        &option,
        &["--pairs", "3"],
    ];
    let weaker = success(&weaker.concat());
    // Without the option both sides would be the same engine, as above.
    assert!(weaker.starts_with("6 games, 3000 nodes a move: "), "{weaker}");
    assert!(!weaker.contains("[0, 0, 3, 0, 0]"), "the option had no effect: {weaker}");
    let unknown = ["duel", "--against", env!("CARGO_BIN_EXE_megatherium"), "--pairs", "1"];
    let unknown = failure(&[&unknown[..], &["--against-option", "No Such=1"]].concat());
    assert!(unknown.contains("has no option \"No Such\""), "{unknown}");
    assert!(failure(&["duel", "--option", "Hash=1"]).contains("--engine"));
    let clock = ["duel", "--set", "razor-depth=2", "--tc", "0.2+0.01", "--pairs", "1"];
    let one = success(&clock);
    assert!(one.starts_with("2 games, 0.2+0.01 s: "), "{one}");
    assert!(!one.contains('±'), "one pair has no interval: {one}");
}

#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_refused() {
    assert!(failure(&["suite", "/dev/zero", "--depth", "1"]).contains("/dev/zero:1: "));
    assert!(failure(&["analyse", "/dev/zero", "--depth", "1"]).contains("/dev/zero:1: "));
    for net in ["--net", "--against-net"] {
        assert!(failure(&["duel", net, "/dev/zero", "--pairs", "1"]).contains("/dev/zero: "));
    }
}

/// A file that may not grow any further is one line of error, not the end by a signal.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let epd = "4k3/8/8/8/8/8/4P3/4K3 w - - id \"one\";\n".repeat(40);
    std::fs::write(path.join("in.epd"), epd).expect("a file");
    for command in [
        "analyse --epd in.epd --out out.jsonl --nodes 100",
        "params > out",
        "--help > out",
        "bench --depth 1 > out",
        "perft 2 > out",
        "man --out pages",
        "completions bash > out",
        "d > out",
    ] {
        let binary = env!("CARGO_BIN_EXE_megatherium");
        let script = format!("ulimit -f 1; exec '{binary}' {command}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(path).output();
        let output = output.expect("a shell");
        let error = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.code().is_some(), "{command}: {}", output.status);
        assert!(error.lines().count() <= 1, "{command}: {error}");
    }
    // Nor is the output the input.
    let same = ["analyse", "--epd", "in.epd", "--out", "in.epd", "--resume", "--nodes", "100"];
    let output = engine().args(same).current_dir(path).output().expect("the engine");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the output is also the input"));
}

/// Reads lines up to one that begins with `end`.
fn until(engine: &mut Child, end: &str) -> Vec<String> {
    let output = engine.stdout.as_mut().expect("a pipe");
    let mut lines = Vec::new();
    let mut reader = BufReader::with_capacity(1, output);
    loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).expect("text"), 0, "ended after {lines:?}");
        lines.push(line.trim_end().to_owned());
        if line.starts_with(end) {
            return lines;
        }
    }
}

fn say(engine: &mut Child, text: &str) {
    engine.stdin.as_mut().expect("a pipe").write_all(text.as_bytes()).expect("it listens");
}

#[test]
fn a_finished_game_has_its_score_at_once() {
    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    for (fen, score) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", " score mate 0 "),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", " score cp 0 "),
    ] {
        say(&mut child, &format!("position fen {fen}\ngo infinite\n"));
        let lines = until(&mut child, "info depth 0 ");
        assert!(lines.iter().any(|line| line.contains(score)), "{lines:?}");
        say(&mut child, "stop\n");
        assert_eq!(until(&mut child, "bestmove"), ["bestmove (none)"]);
    }
    say(&mut child, "quit\n");
    assert!(child.wait().expect("an end").success());
}

/// A move that ends the game is scored by the rules, whatever the depth and the thread: h4h5 gives
/// stalemate, and everything else wins.
#[test]
fn a_won_game_is_not_thrown_away_by_a_stalemate() {
    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    say(&mut child, "setoption name Threads value 2\n");
    for _ in 0..40 {
        let fen = "2R5/6k1/6B1/6P1/7P/8/3B3K/8 w - - 0 1";
        say(&mut child, &format!("ucinewgame\nposition fen {fen}\ngo nodes 100\n"));
        let lines = until(&mut child, "bestmove");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove h4h5")), "{lines:?}");
    }
    say(&mut child, "quit\n");
    assert!(child.wait().expect("an end").success());
}

/// A log that reaches the largest size of a file ends; the search does not.
#[cfg(target_os = "linux")]
#[test]
fn a_file_size_limit_ends_the_log_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.txt");
    let mut child = Command::new("prlimit")
        .arg("--fsize=600")
        .arg(env!("CARGO_BIN_EXE_megatherium"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("prlimit");
    let option = format!("setoption name Debug Log File value {}\n", log.display());
    say(&mut child, &format!("{option}position startpos\ngo depth 8\n"));
    let lines = until(&mut child, "bestmove");
    let errors = lines.iter().filter(|line| line.contains("Debug Log File ended")).count();
    assert_eq!(errors, 1, "{lines:?}");
    say(&mut child, "quit\n");
    assert!(child.wait().expect("an end").success());
}

/// Pipes that were made non-blocking: the engine waits for input and for room.
#[cfg(target_os = "linux")]
#[test]
fn non_blocking_pipes_are_waited_for() {
    let (input, mut to_engine) = std::io::pipe().expect("a pipe");
    let (from_engine, output) = std::io::pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&input, true).expect("non-blocking");
    rustix::io::ioctl_fionbio(&output, true).expect("non-blocking");
    let mut child = engine().stdin(input).stdout(output).spawn().expect("an engine");
    std::thread::sleep(std::time::Duration::from_millis(100));
    // More answers than a pipe holds, read only after they have been asked for.
    let rounds = 400;
    let writer = std::thread::spawn(move || {
        for _ in 0..rounds {
            to_engine.write_all(b"uci\n").expect("it listens");
        }
        to_engine.write_all(b"quit\n").expect("it listens");
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    // The command holds the other end of the output until it is dropped.
    let lines: Vec<String> = BufReader::new(from_engine).lines().map_while(Result::ok).collect();
    writer.join().expect("everything was sent");
    assert!(child.wait().expect("an end").success());
    assert_eq!(lines.iter().filter(|line| *line == "uciok").count(), rounds);
}
