//! What may enter the workspace: licences that agree with its own, and one version of each crate.
//!
//! Works without a network: it asks cargo for what it already has on disk.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Licences that put no condition on the workspace's own (MIT or Apache-2.0). None of them is a copyleft.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
    "Unicode-3.0",
    "BSL-1.0",
];

/// Crates that come in several versions, and why that is borne. Nothing here is part of the engine.
const DOUBLES: &[(&str, &str)] = &[
    ("hashbrown", "dashmap, which a bench compares with, is behind"),
    ("rand", "the rules oracle `chess` is old"),
    ("rand_core", "as rand"),
    ("syn", "macros of three generations, at build time only"),
];

/// Crates that may be used although nobody maintains them or they have known flaws, and why.
const TESTS_ONLY: &[&str] = &["chess", "failure", "cozy-chess", "proptest", "loom", "criterion"];

struct Package {
    name: String,
    version: String,
    licence: String,
    own: bool,
}

fn metadata() -> Value {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1", "--offline", "--locked"]);
    cargo.args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

fn packages(metadata: &Value) -> Vec<Package> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = metadata["packages"].as_array().expect("a list of packages");
    let used: Vec<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("what is used")
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    list.iter()
        .filter(|package| package["id"].as_str().is_some_and(|id| used.contains(&id)))
        .map(|package| Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            own: package["source"].is_null(),
        })
        .collect()
}

/// Whether a licence expression can be satisfied with the licences allowed: any part of an `OR`, every part of an `AND`. An old
/// way of writing `OR` is a slash.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut alternatives = expression.split(" OR ");
    alternatives.any(|alternative| {
        let parts = alternative.split(" AND ").map(|part| part.trim_matches(['(', ')', ' ']));
        parts.into_iter().all(|part| LICENCES.contains(&part))
    })
}

#[test]
fn expressions_are_understood() {
    for allowed in [
        "MIT",
        "MIT OR Apache-2.0",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "GPL-3.0 OR MIT",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["GPL-3.0-or-later", "LGPL-2.1", "", "MIT AND GPL-2.0", "MPL-2.0", "proprietary"] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn every_licence_is_allowed() {
    let packages = packages(&metadata());
    assert!(packages.len() > 20);
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !is_allowed(&package.licence))
        .map(|package| format!("{} {}: '{}'", package.name, package.version, package.licence))
        .collect();
    assert!(refused.is_empty(), "licences not on the list: {refused:?}");
    println!("{} packages, all with allowed licences", packages.len());
}

#[test]
fn every_crate_comes_in_one_version() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages(&metadata()) {
        versions.entry(package.name).or_default().push(package.version);
    }
    let doubles: Vec<_> = versions.iter().filter(|(_, versions)| versions.len() > 1).collect();
    for (name, versions) in &doubles {
        assert!(DOUBLES.iter().any(|(known, _)| known == name), "{name} comes in versions {versions:?}");
    }
    for (name, why) in DOUBLES {
        assert!(
            doubles.iter().any(|(double, _)| double == name),
            "{name} ({why}) comes in one version only: take it off"
        );
    }
}

/// What only the tests may use does not reach the engine, and neither does anything that opens connections.
#[test]
fn the_engine_uses_nothing_that_is_for_tests() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
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
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"megatherium-tt"), "{tree}");
    for name in
        TESTS_ONLY.iter().chain(&["reqwest", "hyper", "ureq", "tokio", "mio", "socket2", "curl", "openssl"])
    {
        assert!(!names.contains(name), "the engine depends on {name}");
    }
}

/// The workspace's own packages say what they are under.
#[test]
fn own_packages_have_the_licence_of_the_readme() {
    let own: Vec<_> = packages(&metadata()).into_iter().filter(|package| package.own).collect();
    assert!(own.len() >= 8);
    assert!(own.iter().all(|package| package.licence == "MIT OR Apache-2.0"));
}
