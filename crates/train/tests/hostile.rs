//! Endless, full and forged files, and options out of range: one line of error, and soon.

mod common;

use megatherium_nnue::constructed;
use megatherium_train::data::Writer;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The error of a command, which must fail within a time that only a hanging one exceeds.
fn fail(directory: &Path, args: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_megatherium-train"))
        .args(args)
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_mins(2) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code().is_some_and(|code| code > 0), "{args:?}: {}", output.status);
    String::from_utf8(output.stderr).unwrap()
}

fn with_data() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let (mut writer, _) = Writer::append(&directory.path().join("games.data")).unwrap();
    for game in common::games(10, 3) {
        writer.write(&game).unwrap();
    }
    directory
}

#[test]
#[cfg(unix)]
fn endless_and_full_devices_are_one_line_of_error() {
    let directory = with_data();
    let path = directory.path();
    for args in [
        &["train", "games.data", "-o", "run", "--from", "/dev/zero"][..],
        &["train", "/dev/zero", "-o", "run"],
        &["merge", "games.data", "-o", "/dev/full"],
        &["merge", "/dev/zero", "-o", "out"],
        &["shuffle", "games.data", "-o", "/dev/full"],
        &["datagen", "/dev/full", "--nodes", "10"],
        &["datagen", "out", "--net", "/dev/zero"],
        &["datagen", "out", "--book", "/dev/zero"],
        &["stats", "/dev/zero"],
        &["import", "/dev/zero", "-o", "out"],
        &["inspect", "/dev/zero", "-o", "out"],
        &["compare", "/dev/zero", "/dev/zero", "games.data"],
        &["quantise", "/dev/zero", "-o", "out", "--data", "games.data"],
        &["export", "/dev/zero", "-o", "out"],
    ] {
        let error = fail(path, args);
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{args:?}: {error}");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let directory = with_data();
    let path = directory.path();
    let before = fs::read(path.join("games.data")).unwrap();
    fs::create_dir(path.join("sub")).unwrap();
    fs::hard_link(path.join("games.data"), path.join("link.data")).unwrap();
    for output in ["games.data", "sub/../games.data", "link.data"] {
        for command in ["merge", "shuffle"] {
            let error = fail(path, &[command, "games.data", "-o", output]);
            assert!(error.contains("the output is also an input"), "{error}");
        }
    }
    assert_eq!(fs::read(path.join("games.data")).unwrap(), before);
}

/// Nets and checkpoints, too; and the file that a new one is written to before it takes its place.
#[test]
fn a_net_is_not_overwritten_by_what_is_made_of_it() {
    let directory = with_data();
    let path = directory.path();
    let net = constructed::network().to_bytes();
    fs::create_dir(path.join("drawings")).unwrap();
    for name in ["net", "place.new", "drawings/neurons.svg"] {
        fs::write(path.join(name), &net).unwrap();
    }
    fs::hard_link(path.join("net"), path.join("link")).unwrap();
    for args in [
        &["average", "net", "place.new", "-o", "net"][..],
        &["average", "net", "place.new", "-o", "./place.new"],
        &["quantise", "net", "-o", "link", "--data", "games.data"],
        &["quantise", "net", "-o", "games.data", "--data", "games.data"],
        &["export", "net", "-o", "net"],
        &["export", "net", "-o", "link"],
        &["export", "place.new", "-o", "place.nnue"],
        &["inspect", "drawings/neurons.svg", "-o", "drawings"],
    ] {
        let error = fail(path, args);
        assert!(error.contains("the output is also an input"), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
    }
    for name in ["net", "place.new", "drawings/neurons.svg"] {
        assert_eq!(fs::read(path.join(name)).unwrap(), net, "{name}");
    }
}

/// Runs a command under limits that `prlimit` understands. Under the limit on threads as another
/// user if this one is root, for whom it does not hold; under others not, because the threads of
/// that user are counted together.
#[cfg(target_os = "linux")]
fn limited(directory: &Path, limit: &str, args: &[&str]) -> std::process::Output {
    use std::os::unix::fs::PermissionsExt;
    let binary = directory.join("trainer");
    if !binary.exists() {
        // Not in this process: another test may start one at the same time, which inherits a file
        // open for writing, and then the copy is too busy to be run.
        let original = env!("CARGO_BIN_EXE_megatherium-train");
        let copied = Command::new("cp").args(["-p", original]).arg(&binary).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(directory, PermissionsExt::from_mode(0o777)).unwrap();
    }
    let root =
        fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    let mut command = Command::new("prlimit");
    command.arg(limit);
    if root && limit.starts_with("--nproc") {
        command.args(["setpriv", "--reuid=61835", "--clear-groups"]);
    }
    command.arg(&binary).args(args).current_dir(directory).output().unwrap()
}

/// A refused thread is not a panic: the work is done with fewer, or there is one line of error.
#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_started() {
    let directory = with_data();
    let path = directory.path();
    fs::write(path.join("net"), constructed::network().to_bytes()).unwrap();
    for threads in [1, 2, 3] {
        for args in [
            &["stats", "games.data"][..],
            &["compare", "net", "net", "games.data"],
            &["train", "games.data", "-o", "run", "--hidden", "32", "--epochs", "1"],
            &["train", "games.data", "-o", "run", "--hidden", "32", "--epochs", "1", "--threads=9"],
            &["datagen", "out", "--nodes", "10", "--positions", "100", "--threads", "3"],
        ] {
            let output = limited(path, &format!("--nproc={threads}"), args);
            let error = String::from_utf8(output.stderr).unwrap();
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{threads} {args:?}: {}: {error}", output.status);
            assert!(!error.contains("panicked"), "{threads} {args:?}: {error}");
            assert!(error.lines().count() <= 1, "{threads} {args:?}: {error}");
        }
    }
}

/// Too little memory for the weights is one line of error.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_not_there() {
    let directory = with_data();
    let train = ["train", "games.data", "-o", "run", "--epochs", "1", "--threads", "2"];
    let wide = [&train[..], &["--hidden", "2048"]].concat();
    for mebibytes in [64_u64, 100, 200] {
        let output = limited(directory.path(), &format!("--as={}", mebibytes << 20), &wide);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{mebibytes} MiB: {}: {error}", output.status);
        assert!(error.contains("not enough memory") && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn options_have_ranges() {
    let directory = with_data();
    for (option, value) in [
        ("--hidden", "4294967264"),
        ("--hidden", "0"),
        ("--hidden", "4096"),
        ("--king-buckets", "77"),
        ("--rate", "nan"),
        ("--rate", "inf"),
        ("--rate", "-1"),
        ("--last-rate", "nan"),
        ("--decay", "nan"),
        ("--mix", "1.5"),
        ("--mix", "nan"),
        ("--loss-exponent", "0"),
        ("--score-scale", "nan"),
        ("--score-scale", "0"),
        ("--batch", "0"),
        ("--batch", "18446744073709551615"),
        ("--epochs", "0"),
        ("--threads", "0"),
        ("--validation", "1000"),
    ] {
        let argument = format!("{option}={value}");
        let error = fail(directory.path(), &["train", "games.data", "-o", "run", &argument]);
        assert!(error.starts_with("error: invalid value"), "{argument}: {error}");
    }
    for argument in ["--threads=0", "--hash=0", "--random-plies=1000", "--nodes=0", "--win-score=0"]
    {
        let error = fail(directory.path(), &["datagen", "out", argument]);
        assert!(error.starts_with("error: invalid value"), "{argument}: {error}");
    }
    assert!(!directory.path().join("run").exists() && !directory.path().join("out").exists());
}

#[test]
fn a_forged_compressed_file_is_an_error() {
    let directory = with_data();
    let path = directory.path();
    let binary = env!("CARGO_BIN_EXE_megatherium-train");
    let merge = ["merge", "games.data", "-o", "good.xz"];
    assert!(Command::new(binary).args(merge).current_dir(path).status().unwrap().success());
    let good = fs::read(path.join("good.xz")).unwrap();
    for at in (6..good.len()).step_by(97) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x20;
        fs::write(path.join("bad.xz"), &bytes).unwrap();
        let error = fail(path, &["stats", "bad.xz"]);
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "byte {at}: {error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_a_run() {
    // The limit of the shell on the size of files stands for the full disk: 4 blocks of 512 bytes
    // or 1 KiB.
    let directory = with_data();
    let binary = env!("CARGO_BIN_EXE_megatherium-train");
    for command in ["datagen out --nodes 10 --hash 1", "merge games.data -o out"] {
        let script = format!("ulimit -f 4; exec '{binary}' {command}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code().is_some_and(|code| code > 0), "{command}: {}", output.status);
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{command}: {error}");
        fs::remove_file(directory.path().join("out")).unwrap();
    }
}

#[test]
fn nobody_has_to_read_the_output() {
    let directory = with_data();
    let mut child = Command::new(env!("CARGO_BIN_EXE_megatherium-train"))
        .args(["stats", "games.data"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
