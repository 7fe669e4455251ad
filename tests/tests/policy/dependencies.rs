//! What may enter the workspace. Licences, advisories, sources and versions are cargo-deny's
//! business (`deny.toml`); what may reach the engine is checked here.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::WORKSPACE;

/// Crates that only tests may use: oracles, checkers, and old crates that an oracle brings along.
const TESTS_ONLY: &[&str] = &["chess", "failure", "cozy-chess", "proptest", "loom", "criterion"];

/// Crates that open connections.
const NETWORK: &[&str] =
    &["reqwest", "hyper", "ureq", "tokio", "mio", "socket2", "curl", "openssl"];

fn cargo(arguments: &[&str]) -> Output {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(WORKSPACE).output().expect("cargo can be started")
}

fn successful(output: &Output) -> &[u8] {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    &output.stdout
}

/// The parts of `cargo deny check` that need no network.
#[test]
fn cargo_deny_agrees() {
    if !cargo(&["deny", "--version"]).status.success() {
        println!("skipped: cargo-deny is not installed");
        return;
    }
    successful(&cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]));
}

/// The names of all packages that a package of ours depends on, itself included.
fn dependencies(package: &str) -> Vec<String> {
    let flags = ["--edges", "normal", "--prefix", "none", "--offline", "--locked"];
    let output = cargo(&[&["tree", "--package", package], &flags[..]].concat());
    let tree = String::from_utf8_lossy(successful(&output));
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.iter().any(|name| name == "megatherium-tt"), "{tree}");
    names
}

/// What only the tests may use does not reach the engine, and neither does anything that opens
/// connections.
#[test]
fn the_engine_uses_nothing_that_is_for_tests() {
    let names = dependencies("megatherium");
    for name in TESTS_ONLY.iter().chain(NETWORK) {
        assert!(!names.iter().any(|it| it == name), "the engine depends on {name}");
    }
}

/// The player does not carry its laboratory.
#[test]
fn the_shell_does_not_know_the_lab() {
    let names = dependencies("megatherium-uci");
    assert!(!names.iter().any(|name| name == "megatherium-lab" || name == "askama"));
}

/// The workspace's own packages declare the licence.
#[test]
fn own_packages_have_the_licence_of_the_readme() {
    let output =
        cargo(&["metadata", "--format-version", "1", "--offline", "--locked", "--no-deps"]);
    let metadata: Value = serde_json::from_slice(successful(&output)).expect("cargo writes JSON");
    let own = metadata["packages"].as_array().expect("a list of packages");
    assert!(own.len() >= 8);
    assert!(own.iter().all(|package| package["license"] == "MIT OR Apache-2.0"));
}

/// Whoever finds a crate in a registry learns what it is, where it comes from and how to begin.
#[test]
fn published_crates_have_what_a_registry_shows() {
    let output =
        cargo(&["metadata", "--format-version", "1", "--offline", "--locked", "--no-deps"]);
    let metadata: Value = serde_json::from_slice(successful(&output)).expect("cargo writes JSON");
    let own = metadata["packages"].as_array().expect("a list of packages");
    let published = own.iter().filter(|package| package["publish"].is_null());
    let mut count = 0;
    for package in published {
        count += 1;
        let name = &package["name"];
        for list in ["keywords", "categories"] {
            assert!(!package[list].as_array().expect("a list").is_empty(), "{name}: {list}");
        }
        assert!(package["repository"].is_string(), "{name}: repository");
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name}: docs.rs");
        let folder = Path::new(package["manifest_path"].as_str().expect("a path"));
        let readme = fs::read_to_string(folder.with_file_name("README.md")).expect("a README");
        let targets = package["targets"].as_array().expect("a list of targets");
        let of_kind = |kind: &'static str| {
            targets.iter().filter(move |target| target["kind"][0] == kind).map(|it| &it["name"])
        };
        // An example needs a library to use.
        if of_kind("lib").next().is_some() {
            let named = |example: &Value| {
                readme.contains(&format!("--example {}", example.as_str().expect("a name")))
            };
            assert!(of_kind("example").any(named), "{name}: its README names no example");
        }
    }
    assert!(count >= 10, "{count} crates");
}
