//! Tells the program how it was built: commit, compiler, target and instruction sets.

use std::env;
use std::process::Command;

fn main() {
    let variable = |name| env::var(name).unwrap_or_default();
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = run(&compiler, &["--version"]);
    let version = version.unwrap_or_else(|| "rustc of unknown version".to_owned());
    println!("cargo:rustc-env=RUSTC_VERSION={version}");
    println!("cargo:rustc-env=TARGET={}", variable("TARGET"));
    println!(
        "cargo:rustc-env=TARGET_FEATURES={}",
        variable("CARGO_CFG_TARGET_FEATURE").replace(',', " ")
    );
    // A source archive has no repository around it.
    let commit = run("git", &["rev-parse", "--short=10", "HEAD"]);
    println!("cargo:rustc-env=COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo:rerun-if-changed=build.rs");
    // The log of HEAD grows with every commit and checkout.
    if let Some(log) = run("git", &["rev-parse", "--git-path", "logs/HEAD"])
        && std::path::Path::new(&log).is_file()
    {
        println!("cargo:rerun-if-changed={log}");
    }
}

/// What a program prints, if it succeeds.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
