//! Tells the program how it was built: compiler, target and instruction sets, for the `version` command.

use std::env;
use std::process::Command;

fn main() {
    let variable = |name| env::var(name).unwrap_or_default();
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "rustc of unknown version".to_owned());
    println!("cargo:rustc-env=RUSTC_VERSION={}", version.trim());
    println!("cargo:rustc-env=TARGET={}", variable("TARGET"));
    println!("cargo:rustc-env=TARGET_FEATURES={}", variable("CARGO_CFG_TARGET_FEATURE").replace(',', " "));
    println!("cargo:rerun-if-changed=build.rs");
}
