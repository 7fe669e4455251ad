//! The binary, as people use it.

mod common;

use megatherium_nnue::{HIDDEN, Network, constructed};
use megatherium_train::data::Writer;
use std::fs;
use std::path::Path;
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

    // A finished run can be resumed for nothing, and a net made from its checkpoint again.
    succeed(path, &[&["train", "-o", "run", "--epochs", "3", "--resume"][..], &common].concat());
    assert_eq!(fs::read_to_string(path.join("run/losses.csv")).unwrap(), losses);
    succeed(path, &["quantise", "run/checkpoint.bin", "-o", "again.nnue", "--data", "games.data"]);
    assert_eq!(fs::read(path.join("again.nnue")).unwrap(), net);
    let other = fail(path, &[&["train", "-o", "run", "--epochs", "4", "--resume"][..], &common].concat());
    assert!(other.contains("other settings or data"), "{other}");

    fs::write(path.join("constructed.nnue"), constructed::network().to_bytes()).unwrap();
    let said = succeed(path, &["compare", "constructed.nnue", "again.nnue", "games.data"]);
    assert!(said.contains("correlation") && said.contains("head 7"), "{said}");
    let said = succeed(path, &["inspect", "again.nnue", "-o", "drawings", "--data", "games.data"]);
    assert!(said.contains(&format!("of {HIDDEN} neurons are never active")), "{said}");
    for name in ["input.svg", "output.svg", "neurons.svg"] {
        assert!(fs::read_to_string(path.join("drawings").join(name)).unwrap().ends_with("</svg>\n"));
    }
    succeed(path, &[&["train", "-o", "more", "--epochs", "1", "--from", "again.nnue"][..], &common].concat());
}

#[test]
fn another_width_is_trained_but_not_exported() {
    let directory = with_data();
    let hidden = if HIDDEN == 64 { "32" } else { "64" };
    let args = ["train", "games.data", "-o", "run", "--epochs", "1", "--batch", "256", "--hidden", hidden];
    let said = succeed(directory.path(), &args);
    assert!(said.contains("not exported"), "{said}");
    assert!(!directory.path().join("run/net.nnue").exists());
    let args = ["quantise", "run/checkpoint.bin", "-o", "net.nnue", "--data", "games.data"];
    assert!(fail(directory.path(), &args).contains("weights instead of"));
}

#[test]
fn data_files_are_counted_joined_and_mixed() {
    let directory = with_data();
    let path = directory.path();
    assert!(succeed(path, &["stats", "games.data"]).contains("60 games"));
    assert!(succeed(path, &["merge", "games.data", "games.data", "-o", "twice.data"]).contains("120 games"));
    assert!(succeed(path, &["shuffle", "twice.data", "-o", "mixed.data"]).contains("120 games"));
    assert!(succeed(path, &["stats", "mixed.data"]).contains("120 games"));
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
