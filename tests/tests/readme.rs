//! What the README tells people to type works.

use std::fs;
use std::process::Command;

use megatherium::options::OPTIONS;
use megatherium_tests::binary;

fn readme() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap()
}

/// The first block of code in a language.
fn block(readme: &str, language: &str) -> String {
    let (_, rest) = readme.split_once(&format!("```{language}\n")).expect("the README has such a block");
    let (code, _) = rest.split_once("\n```").expect("the block ends");
    code.to_owned()
}

#[test]
fn the_python_snippet_runs() {
    let has_chess = Command::new("python3").args(["-c", "import chess.engine"]).output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        println!("skipped: no python3 with the package chess");
        return;
    }
    let engine = binary::engine().display().to_string();
    let script = block(&readme(), "python").replace("target/release/megatherium", &engine);
    assert!(script.contains(&engine), "the snippet starts the engine");
    let output = Command::new("python3").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Mate(+1)") && said.contains("d1d8"), "{said}");
}

#[test]
fn the_bot_section_names_real_options() {
    let config = block(&readme(), "yaml");
    let (_, options) = config.split_once("uci_options:\n").expect("there are options");
    let names: Vec<_> = options.lines().filter_map(|line| line.trim().split_once(':')).collect();
    assert_eq!(names.len(), 3);
    for (name, _) in names {
        assert!(OPTIONS.iter().any(|option| option.name == name), "{name}");
    }
}

#[test]
fn the_picture_shows_a_command_that_works() {
    let readme = readme();
    let command =
        readme.lines().find_map(|line| line.strip_prefix("$ megatherium ")).expect("a command line");
    let (arguments, fen) = command.split_once(" \"").expect("a position in quotes");
    let output =
        binary::command().args(arguments.split(' ')).arg(fen.trim_end_matches('"')).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("score"));
}
