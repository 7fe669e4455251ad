//! What may enter the workspace. Licences, advisories, sources and versions are cargo-deny's
//! business (`deny.toml`); what may reach the engine is checked here.

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

/// What only the tests may use does not reach the engine, and neither does anything that opens
/// connections.
#[test]
fn the_engine_uses_nothing_that_is_for_tests() {
    let output = cargo(&[
        "tree",
        "--package",
        "megatherium",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--offline",
        "--locked",
    ]);
    let tree = String::from_utf8_lossy(successful(&output));
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"megatherium-tt"), "{tree}");
    for name in TESTS_ONLY.iter().chain(NETWORK) {
        assert!(!names.contains(name), "the engine depends on {name}");
    }
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
