//! Long commands as people meet them: on a terminal, in a pipe, and interrupted.

#![cfg(unix)]

mod common;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{engine, start};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A command on a terminal.
struct Terminal {
    child: Child,
    screen: File,
    text: String,
}

impl Terminal {
    fn start(arguments: &[&str]) -> Terminal {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&controller).expect("access");
        unlockpt(&controller).expect("access");
        let name = ptsname(&controller, Vec::new()).expect("a name");
        let path = name.to_str().expect("text");
        let end = || File::options().read(true).write(true).open(path).expect("a terminal");
        let mut command = engine();
        command.args(arguments).env("TERM", "xterm").env_remove("NO_COLOR");
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("an engine");
        Terminal { child, screen: File::from(controller), text: String::new() }
    }

    fn type_in(&mut self, text: &str) {
        self.screen.write_all(text.as_bytes()).expect("a terminal");
    }

    /// Reads until the screen has shown some text.
    fn until(&mut self, wanted: &str) {
        while !self.text.contains(wanted) {
            assert!(self.read(), "ended without {wanted:?}: {}", self.text);
        }
    }

    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // A terminal whose other end is closed is an error on some systems.
        let count = self.screen.read(&mut bytes).unwrap_or(0);
        self.text += &String::from_utf8_lossy(&bytes[..count]);
        count > 0
    }

    fn interrupt(&self) {
        interrupt(&self.child);
    }

    /// Everything the screen has shown, after the end of the command.
    fn finish(mut self) -> String {
        while self.read() {}
        assert!(self.child.wait().expect("an end").success(), "{}", self.text);
        self.text
    }
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill").success());
}

#[test]
fn the_engine_greets_people_and_not_programs() {
    let mut terminal = Terminal::start(&[]);
    terminal.until("type `help`");
    assert!(
        terminal.text.contains("Megatherium ")
            && terminal.text.contains(": 1 thread, 16 MiB hash, ")
    );
    terminal.type_in("tt\n");
    terminal.until("fill by age");
    assert!(terminal.text.contains("size: 16 MiB, "), "{}", terminal.text);
    assert!(!terminal.text.contains("0 of 0 MiB"), "{}", terminal.text);
    terminal.type_in("quit\n");
    terminal.finish();

    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    child.stdin.take().expect("a pipe").write_all(b"quit\n").expect("it listens");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

/// A bar names its stage, and the results stand in lines of their own.
#[test]
fn bars_name_their_stage() {
    for (arguments, stage, result) in [
        (&["bench", "1", "1", "4"][..], "positions", " nodes "),
        (&["perft", "4"], "first moves", "Nodes searched: 197281"),
        (&["analyse", "startpos", "--depth", "6"], "positions", "position 1: "),
        (&["speedtest", "1", "1", "1"], "positions", "nodes/second"),
        (&["table-value", "--depth", "2", "--sizes", "1"], "table sizes", "1 MiB"),
    ] {
        let mut terminal = Terminal::start(arguments);
        terminal.until(stage);
        let text = terminal.finish();
        let lines: Vec<&str> = text.split(['\r', '\n']).collect();
        assert!(lines.iter().any(|line| line.contains(result) && !line.contains(stage)), "{text}");
    }
}

/// A deep bench would search its first position for hours. `timeout` sends a signal twice.
#[test]
fn a_bench_is_interrupted_within_a_position() {
    let mut terminal = Terminal::start(&["bench", "1", "1", "128"]);
    terminal.until("positions");
    let child = terminal.child.id().to_string();
    let status = Command::new("kill").args(["-INT", &child, &child]).status();
    assert!(status.expect("kill").success());
    let text = terminal.finish();
    assert!(text.contains("bench stopped after 0 of 40 positions\r\n"), "{text}");
}

/// The stack is large enough for the deepest perft there is, with a table and without.
#[test]
fn the_deepest_perft_can_be_interrupted() {
    for arguments in [&["perft", "255"][..], &["perft", "255", "--hash", "1", "--threads", "2"]] {
        let mut terminal = Terminal::start(arguments);
        // From then on it can be interrupted.
        terminal.until("first moves");
        // Time to go down the first line.
        std::thread::sleep(Duration::from_millis(500));
        terminal.interrupt();
        let text = terminal.finish();
        assert!(text.contains("perft 255 stopped after 0 of 20 first moves"), "{text}");
    }
}

/// The first move of these matches takes minutes; another engine is asked to stop, too.
#[test]
fn a_match_without_games_has_no_verdict() {
    let own = env!("CARGO_BIN_EXE_megatherium");
    for sides in [["--set", "razor-depth=2"], ["--against", own]] {
        let limits = ["--nodes", "1000000000", "--pairs", "4"];
        let mut terminal = Terminal::start(&[&["duel"], &sides[..], &limits].concat());
        terminal.until("pairs of games");
        terminal.interrupt();
        let text = terminal.finish();
        assert!(text.contains("no pair of games was finished") && !text.contains("±"), "{text}");
    }
}

#[test]
fn a_measurement_without_results_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("report");
    // The first search takes minutes.
    let arguments = ["scale", "--nodes", "1000000000", "--out", out.to_str().expect("text")];
    let mut terminal = Terminal::start(&arguments);
    terminal.until("bench signature");
    terminal.interrupt();
    while terminal.read() {}
    assert!(!terminal.child.wait().expect("an end").success(), "{}", terminal.text);
    assert!(terminal.text.contains("stopped before there was a result"), "{}", terminal.text);
}

/// What a command says if it is interrupted after a line that contains `after`.
fn interrupted(arguments: &[&str], after: &str) -> Vec<String> {
    let mut child = start(arguments);
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        let line = line.expect("text");
        let found = line.contains(after);
        lines.push(line);
        if found && lines.iter().filter(|line| line.contains(after)).count() == 1 {
            interrupt(&child);
        }
    }
    assert!(child.wait().expect("an end").success(), "{lines:?}");
    lines
}

#[test]
fn an_interrupted_command_sums_up() {
    let bench = interrupted(&["bench", "1", "1", "15"], "  1/");
    let last = bench.last().expect("a line");
    assert!(last.starts_with("bench stopped after ") && last.contains(" nodes, "), "{bench:?}");
    let perft = interrupted(&["perft", "7"], "a2a3: ");
    assert_eq!(perft[0], "a2a3: 106743106");
    let last = perft.last().expect("a line");
    assert!(last.contains(" of 20 first moves, ") && !last.contains(", 0 nodes"), "{perft:?}");

    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("suite.epd");
    let problem = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"mate\";\n";
    std::fs::write(&suite, problem.repeat(500)).expect("a file");
    let suite = suite.to_str().expect("text");
    let lines = interrupted(&["suite", suite, "--movetime", "50", "--all"], "+ mate");
    let [.., stopped, _, solved] = &lines[..] else { panic!("{lines:?}") };
    assert!(stopped.starts_with("stopped after ") && stopped.ends_with(" of 500 positions"));
    assert!(solved.starts_with("solved ") && solved.ends_with("(100.0 %)"), "{lines:?}");
}

#[test]
fn a_suite_stopped_at_once_has_no_averages() {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n";
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("suite.epd");
    std::fs::write(&suite, START).expect("a file");
    let suite = suite.to_str().expect("text");
    let mut terminal = Terminal::start(&["suite", suite, "--movetime", "1000000"]);
    terminal.until("positions");
    terminal.interrupt();
    let text = terminal.finish();
    assert!(text.contains("stopped after 0 of 1 positions"), "{text}");
    assert!(!text.contains("average") && !text.contains('%'), "{text}");
}

/// The moves of a game that were judged before Ctrl-C are written, and the rest of the game.
#[test]
fn an_interrupted_game_keeps_what_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let (game, out) = (folder.path().join("game.pgn"), folder.path().join("out.pgn"));
    // Long enough that it is not over before the interrupt.
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O \
                 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 *\n";
    std::fs::write(&game, moves).expect("a file");
    let mut terminal = Terminal::start(&[
        "analyse",
        game.to_str().expect("text"),
        "--movetime",
        "500",
        "--out",
        out.to_str().expect("text"),
    ]);
    let some = |text: &str| (2..9).any(|done| text.contains(&format!(" {done}/29 ")));
    while !some(&terminal.text) {
        assert!(terminal.read(), "{}", terminal.text);
    }
    terminal.interrupt();
    while terminal.read() {}
    assert!(!terminal.child.wait().expect("an end").success(), "{}", terminal.text);
    assert!(terminal.text.contains("stopped after 0 of 1 games and "), "{}", terminal.text);
    let text = std::fs::read_to_string(&out).expect("text");
    assert!(text.contains("1. e4 ") && text.contains("[%eval "), "{text}");
    // Where its lines end depends on what was found.
    assert!(text.split_whitespace().collect::<Vec<_>>().ends_with(&["g6", "*"]), "{text}");
}

/// Commands that measure say how far they came, and claim nothing that they have not measured.
#[test]
fn an_interrupted_measurement_says_how_far_it_came() {
    // So many that they are not all measured before the interrupt.
    let sizes = ["1"; 99].join(",");
    let sizes = interrupted(&["table-value", "--depth", "10", "--sizes", &sizes], "none");
    let last = sizes.last().expect("a line");
    assert!(
        last.starts_with("stopped after ") && last.ends_with(" of 100 table sizes"),
        "{sizes:?}"
    );
    let rounds = ["tune", "razor-base", "--rounds", "100000", "--nodes", "300", "--every", "1"];
    let rounds = interrupted(&rounds, "razor-base=");
    let [.., stopped, values] = &rounds[..] else { panic!("{rounds:?}") };
    assert!(stopped.contains(" of 100000 rounds") && values.starts_with("razor-base="));
    let techniques = interrupted(&["ablate", "ing", "--depth", "11"], "| without ");
    let last = techniques.last().expect("a line");
    assert!(last.starts_with("stopped after ") && last.ends_with(" techniques"), "{techniques:?}");
    let mut terminal = Terminal::start(&["ablate", "--depth", "13"]);
    terminal.until("all techniques");
    terminal.interrupt();
    while terminal.read() {}
    assert!(!terminal.child.wait().expect("an end").success());
    assert!(terminal.text.contains("stopped before ") && !terminal.text.contains(" nodes with "));
}

#[test]
fn the_board_is_flipped() {
    let mut child =
        engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
    let position = "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nflip\nd\nquit\n";
    child.stdin.take().expect("a pipe").write_all(position.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("FEN: 4k3/4p3/8/8/8/8/8/4K3 b - - 0 1"), "{text}");
}
