//! The binary, as people use it.

mod common;

use megatherium_board::referee::Outcome;
use megatherium_nnue::{Architecture, HIDDEN, Network, Weights, constructed};
use megatherium_train::data::{Ending, Filter, Game, NO_SCORE, Reader, Writer};
use std::fs;
#[cfg(unix)]
use std::io::{BufRead as _, BufReader};
use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;
use std::process::{Command, Output};

fn call(directory: &Path, args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_megatherium-train");
    Command::new(binary).args(args).current_dir(directory).output().unwrap()
}

/// What a command prints, which must succeed.
fn succeed(directory: &Path, args: &[&str]) -> String {
    let output = call(directory, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of error of a command, which must fail.
fn fail(directory: &Path, args: &[&str]) -> String {
    let output = call(directory, args);
    assert!(!output.status.success(), "{args:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

fn with_data() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let (mut writer, _) = Writer::append(&directory.path().join("games.data")).unwrap();
    for game in common::games(60, 3) {
        writer.write(&game).unwrap();
    }
    directory
}

#[test]
fn from_data_to_a_net_and_back() {
    let directory = with_data();
    let path = directory.path();
    let common = ["games.data", "--batch", "256", "--validation", "200"];

    let said = succeed(path, &[&["train", "-o", "run", "--epochs", "3"][..], &common].concat());
    assert!(said.contains("epoch   3  training"), "{said}");
    assert!(said.contains("quantised against floating point as trained"), "{said}");
    for name in ["net.nnue", "checkpoint.bin", "losses.csv", "losses.svg", "settings.txt"] {
        assert!(path.join("run").join(name).is_file(), "{name}");
    }
    let net = fs::read(path.join("run/net.nnue")).unwrap();
    Network::from_bytes(&net).unwrap();
    let losses = fs::read_to_string(path.join("run/losses.csv")).unwrap();

    // Resuming a finished run does no work; a net can be made from its checkpoint again.
    succeed(path, &[&["train", "-o", "run", "--epochs", "3", "--resume"][..], &common].concat());
    assert_eq!(fs::read_to_string(path.join("run/losses.csv")).unwrap(), losses);
    succeed(path, &["quantise", "run/checkpoint.bin", "-o", "again.nnue", "--data", "games.data"]);
    assert_eq!(fs::read(path.join("again.nnue")).unwrap(), net);
    let other =
        fail(path, &[&["train", "-o", "run", "--epochs", "4", "--resume"][..], &common].concat());
    assert!(other.contains("other settings or data"), "{other}");

    fs::write(path.join("constructed.nnue"), constructed::network().to_bytes()).unwrap();
    let said = succeed(path, &["compare", "constructed.nnue", "again.nnue", "games.data"]);
    assert!(said.contains("correlation") && said.contains("head 7"), "{said}");
    let said = succeed(path, &["inspect", "again.nnue", "-o", "drawings", "--data", "games.data"]);
    assert!(said.contains(&format!("of {HIDDEN} neurons are never active")), "{said}");
    for name in ["input.svg", "output.svg", "neurons.svg"] {
        assert!(
            fs::read_to_string(path.join("drawings").join(name)).unwrap().ends_with("</svg>\n")
        );
    }
    succeed(
        path,
        &[&["train", "-o", "more", "--epochs", "1", "--from", "again.nnue"][..], &common].concat(),
    );
}

#[test]
fn nets_of_other_shapes_are_trained_and_played_if_they_fit() {
    let directory = with_data();
    let path = directory.path();
    let train = |hidden: &str, buckets: &str, output: &str| {
        let shape = ["--hidden", hidden, "--king-buckets", buckets];
        let run = ["train", "games.data", "-o", output, "--epochs", "1", "--loss-exponent", "2.5"];
        let said = succeed(path, &[&run[..], &shape].concat());
        (said, fs::read(path.join(output).join("net.nnue")).unwrap())
    };
    let (said, net) = train("64", "1", "small");
    assert!(said.contains(" held out, 1 epoch of 1 step\n"), "{said}");
    assert!(said.contains("quantised against floating point"), "{said}");
    let net = Network::from_bytes(&net).unwrap();
    assert_eq!((net.architecture().hidden, net.architecture().king_buckets), (64, 1));
    let (said, net) = train(&(HIDDEN + 32).to_string(), "1", "large");
    assert!(said.contains("this build cannot play with it"), "{said}");
    let error = Network::from_bytes(&net).unwrap_err().to_string();
    assert!(error.contains("this build needs"), "{error}");
    // A run can start from a smaller net, but not from a larger one.
    let run = ["train", "games.data", "-o", "grown", "--epochs", "1", "--hidden", "96", "--from"];
    succeed(path, &[&run[..], &["small/net.nnue"]].concat());
    let error = fail(path, &[&run[..], &["large/checkpoint.bin"]].concat());
    assert!(error.contains("cannot become"), "{error}");
}

#[test]
fn nets_of_one_shape_are_averaged_weight_by_weight() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let first = Network::embedded().weights();
    let mut second = first.clone();
    second.input[5] += 4;
    second.input_bias[1] -= 2;
    second.output[7] += 2;
    second.output_bias[3] += 100;
    fs::write(path.join("first"), first.to_bytes()).unwrap();
    fs::write(path.join("second"), second.to_bytes()).unwrap();
    succeed(path, &["average", "first", "second", "-o", "mean"]);
    let mean = Network::from_bytes(&fs::read(path.join("mean")).unwrap()).unwrap().weights();
    let mut expected = first.clone();
    expected.input[5] += 2;
    expected.input_bias[1] -= 1;
    expected.output[7] += 1;
    expected.output_bias[3] += 50;
    assert_eq!(mean, expected);

    let narrow = Weights::zero(Architecture::one_bucket(32));
    fs::write(path.join("narrow"), narrow.to_bytes()).unwrap();
    let said = fail(path, &["average", "first", "narrow", "-o", "mean"]);
    assert!(said.contains("differ in shape"), "{said}");
    assert!(fail(path, &["average", "first", "-o", "mean"]).contains("<NETS>"));
}

#[test]
fn data_files_are_counted_joined_and_mixed() {
    let directory = with_data();
    let path = directory.path();
    assert!(succeed(path, &["stats", "games.data"]).contains("60 games"));
    let said = succeed(path, &["merge", "games.data", "games.data", "-o", "once.data"]);
    assert!(
        said.contains("60 games appended") && said.contains("60 duplicate games dropped"),
        "{said}"
    );
    let said = succeed(path, &["merge", "games.data", "-o", "once.data"]);
    assert!(
        said.contains("0 games appended") && said.contains("60 duplicate games dropped"),
        "{said}"
    );
    assert!(succeed(path, &["shuffle", "once.data", "-o", "mixed.data"]).contains("60 games"));
    let said = succeed(path, &["stats", "mixed.data"]);
    assert!(said.contains("60 games") && said.contains("played by net …00000000"), "{said}");
}

#[test]
fn compressed_files_are_read_and_written_everywhere() {
    let directory = with_data();
    let path = directory.path();
    succeed(path, &["merge", "games.data", "-o", "games.data.xz"]);
    succeed(path, &["shuffle", "games.data", "-o", "mixed.xz"]);
    let (plain, packed) = (size(path, "games.data"), size(path, "games.data.xz"));
    assert!(packed < plain * 9 / 10, "{plain} to {packed}");
    // The name does not matter to a reader.
    fs::rename(path.join("mixed.xz"), path.join("mixed")).unwrap();
    let expected = succeed(path, &["stats", "games.data"]);
    for name in ["games.data.xz", "mixed"] {
        assert_eq!(succeed(path, &["stats", name]), expected);
    }
    let train = |file: &str, output: &str| {
        let args = ["train", file, "-o", output, "--epochs", "1", "--hidden", "32"];
        succeed(path, &args);
        fs::read(path.join(output).join("net.nnue")).unwrap()
    };
    assert_eq!(train("games.data", "plain"), train("games.data.xz", "packed"));
    // Games are appended to a compressed file, too.
    let args = ["datagen", "games.data.xz", "--positions", "9000", "--nodes", "50", "--hash", "1"];
    succeed(path, &args);
    let said = succeed(path, &["stats", "games.data.xz"]);
    assert!(said.contains("(embedded in this build)"), "{said}");
}

#[test]
fn runs_with_other_seeds_and_resumed_runs_play_other_games() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let play = |file: &str, seed: &str, positions: &str| {
        let args = ["datagen", file, "--seed", seed, "--positions", positions, "--threads", "1"];
        succeed(path, &[&args[..], &["--nodes", "20", "--hash", "1"]].concat())
    };
    play("first", "1", "1000");
    play("second", "2", "1000");
    let said = play("first", "1", "2000");
    assert!(said.contains("resuming after"), "{said}");
    let said = succeed(path, &["merge", "first", "second", "-o", "both"]);
    assert!(said.contains("\n0 duplicate games dropped"), "{said}");
    // The same seed plays the same games.
    play("third", "2", "1000");
    assert_eq!(fs::read(path.join("second")).unwrap(), fs::read(path.join("third")).unwrap());
}

/// A game as the match runner of OpenBench writes it, the same as its client sends it, and games
/// that are unsuitable for training.
const PGN: &str = r#"[Event "Fastchess Tournament"]
[Result "0-1"]
[FEN "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"]
[SetUp "1"]
[Termination "normal"]

2. g4 {-0.85/10 0.003s, n=5120, sd=14} Qh4# {+M1/24 0.001s, n=900, sd=2, Black mates} 0-1

[Result "0-1"]
[FEN "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"]

g4 {-0.85/10} Qh4# {+M1/24} 0-1

[Result "1-0"]
[Termination "time forfeit"]

1. e4 {+0.30/12 0.01s} c5 {-0.20/12 9.01s, Black loses on time} 1-0

[Result "1/2-1/2"]
[Termination "adjudication"]

1. d4 {book} d5 {book} 2. c4 {+0.21/11 0.01s} e6 {-0.19/12 0.01s, Draw by adjudication} 1/2-1/2

[Result "*"]

1. d4 {+0.10/9 0.01s} *

[Result "1-0"]

1. e4 e5 1-0

[Result "1-0"]

1. e4 {+0.10/9 0.01s} e4 {+0.10/9 0.01s} 1-0
"#;

#[test]
fn games_of_a_fleet_are_imported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("games.pgn"), PGN).unwrap();
    let said = succeed(path, &["import", "games.pgn", "-o", "games.data"]);
    for part in [
        "2 games appended to games.data\n1 games are duplicates",
        "1 games could not be read",
        "1 games were not finished",
        "1 games ended by a forfeit",
        "1 games have no scores",
        "games.pgn: line 34, game 7: \"e4\" is",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let games: Vec<_> =
        Reader::open(&path.join("games.data")).unwrap().map(|game| game.unwrap()).collect();
    let scores = |index: usize| games[index].plies.iter().map(|ply| ply.score).collect::<Vec<_>>();
    assert_eq!(scores(0), [-85, 31_999]);
    assert_eq!(scores(1), [NO_SCORE, NO_SCORE, 21, -19]);
    assert_eq!((games[0].outcome, games[1].outcome), (Outcome::Black, Outcome::Draw));
    assert_eq!((games[0].ending, games[1].ending), (Ending::Played, Ending::Adjudicated));
    let said = succeed(path, &["import", "games.pgn", "games.pgn", "-o", "games.data"]);
    assert!(said.contains("0 games appended") && said.contains("6 games are duplicates"), "{said}");
    let said = succeed(path, &["stats", "games.data"]);
    assert!(said.contains("2 games") && said.contains("played by net …00000000"), "{said}");
    assert!(fail(path, &["import", "absent.pgn", "-o", "x"]).contains("absent.pgn"));
}

/// Ctrl-C ends a run and says what is kept.
#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_continue() {
    let directory = with_data();
    let train = ["train", "games.data", "-o", "run", "--validation", "200", "--epochs", "60000"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_megatherium-train"))
        .args(train)
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("epoch   2 ")));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    while lines.next().is_some() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    // On a slow machine there may be lines about the progress before it.
    let last = errors.lines().last().unwrap();
    assert!(last.starts_with("error: stopped: epoch "), "{errors}");
    assert!(errors.contains("is in the checkpoint, --resume continues after it"), "{errors}");
    // The net of that epoch can be made at once.
    let quantise = ["quantise", "run/checkpoint.bin", "-o", "net.nnue", "--data", "games.data"];
    succeed(directory.path(), &quantise);
}

/// No game starts beyond the one bound, and none goes on after four scores beyond the other.
#[test]
fn scores_bound_the_games() {
    let directory = tempfile::tempdir().unwrap();
    let size = ["datagen", "games.data", "--positions", "3000", "--nodes", "50", "--hash", "1"];
    let bounds = ["--start-score", "20", "--win-score", "100"];
    succeed(directory.path(), &[&size[..], &bounds].concat());
    let games = Reader::open(&directory.path().join("games.data")).unwrap();
    for game in games.map(Result::unwrap) {
        let scores = game.plies.iter().map(|ply| ply.score).filter(|&score| score != NO_SCORE);
        // From one side's view.
        let scores: Vec<i16> =
            scores.enumerate().map(|(i, score)| if i % 2 == 0 { score } else { -score }).collect();
        assert!(scores[0].abs() <= 20, "{scores:?}");
        for five in scores.windows(5) {
            let won = five.iter().all(|&score| score > 100);
            assert!(!won && five.iter().any(|&score| score >= -100), "{scores:?}");
        }
    }
}

/// Nodes of search trees are counted apart from games, and can be learnt from.
#[test]
fn nodes_of_search_trees_are_written_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let size = ["--positions", "3000", "--nodes", "300", "--hash", "1"];
    let tree = ["--tree-depth", "2", "--tree-percent", "50"];
    succeed(path, &[&["datagen", "tree.data"], &size[..], &tree].concat());
    let records: Vec<Game> =
        Reader::open(&path.join("tree.data")).unwrap().map(Result::unwrap).collect();
    let nodes = records.iter().filter(|record| record.ending == Ending::Tree).count();
    let games = records.len() - nodes;
    assert!(nodes > 100 && games > 0, "{nodes} nodes, {games} games");
    let said = succeed(path, &["stats", "tree.data"]);
    let counts = |count: usize, what: &str| said.contains(&format!("{count:>12} {what}"));
    assert!(counts(nodes, "nodes of search trees") && counts(games, "games,"), "{said}");
    succeed(path, &["train", "tree.data", "-o", "run", "--hidden", "32", "--epochs", "1"]);
    // Results are those of games alone.
    let played = records.iter().filter(|record| record.ending != Ending::Tree);
    let kept = |game: &Game| game.replay().filter(|it| Filter::default().keeps(it)).count();
    let positions: usize = played.map(kept).sum();
    let said = succeed(path, &["wdl", "tree.data"]);
    assert!(said.contains(&format!("{positions} positions")), "{said}");
    assert!(fail(path, &["datagen", "x.data", "--tree-percent", "9"]).contains("--tree-depth"));
}

/// In a pipe too: how much data there is at the end, and after Ctrl-C.
#[cfg(unix)]
#[test]
fn datagen_says_what_is_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let few = ["datagen", "few.data", "--nodes", "50", "--threads", "1", "--hash", "1"];
    let said = succeed(path, &[&few[..], &["--positions", "1"]].concat());
    assert!(said.starts_with("few.data: 1 game with "), "{said}");
    assert!(said.ends_with(" positions\n"), "{said}");

    let mut child = Command::new(env!("CARGO_BIN_EXE_megatherium-train"))
        .args(["datagen", "many.data", "--nodes", "50", "--threads", "1", "--hash", "1"])
        .current_dir(path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::metadata(path.join("many.data")).is_ok_and(|file| file.len() > 100) {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("many.data: ") && said.contains(" with "), "{said}");
    assert!(said.contains(", stopped before 10000000; the same command continues"), "{said}");
}

fn size(directory: &Path, name: &str) -> u64 {
    fs::metadata(directory.join(name)).unwrap().len()
}

#[test]
fn bad_input_is_one_line_of_error() {
    let directory = with_data();
    let path = directory.path();
    fs::write(path.join("noise"), b"this is no data file at all").unwrap();
    for args in [
        &["stats", "absent"][..],
        &["stats", "noise"],
        &["merge", "noise", "-o", "out"],
        &["train", "noise", "-o", "run"],
        &["compare", "noise", "noise", "games.data"],
        &["inspect", "noise", "-o", "out"],
        &["quantise", "noise", "-o", "out", "--data", "games.data"],
        &["train", "games.data", "-o", "run", "--resume"],
    ] {
        let error = fail(path, args);
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{args:?}: {error}");
    }
    let error = fail(path, &["train", "games.data", "-o", "run", "--hidden", "33"]);
    assert!(error.contains("multiple of 32"), "{error}");
}

#[test]
fn a_net_is_exported_into_its_place_with_its_bench() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let place = path.join("crates/nnue/net/megatherium.nnue");
    fs::create_dir_all(path.join("crates/nnue/net")).unwrap();
    let net = constructed::network().to_bytes();
    fs::write(path.join("new.nnue"), &net).unwrap();
    let error = fail(path, &["export", "new.nnue"]);
    assert!(error.contains("use --output"), "{error}");
    fs::write(&place, b"old").unwrap();
    let said = succeed(&path.join("crates/nnue"), &["export", "../../new.nnue"]);
    assert_eq!(fs::read(&place).unwrap(), net);
    let nodes = said.lines().find_map(|line| line.strip_prefix("Bench: ")).unwrap();
    assert!(nodes.parse::<u64>().unwrap() > 10_000, "{said}");
}
