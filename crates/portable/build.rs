//! Finds the engines to embed: `ENGINES` names the directory with one program per level.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-env-changed=ENGINES");
    let directory = env::var("ENGINES").expect("ENGINES names the engines: use `make portable`");
    for level in 1..=4 {
        let engine = Path::new(&directory).join(format!("v{level}"));
        println!("cargo:rerun-if-changed={}", engine.display());
        println!("cargo:rustc-env=ENGINE_V{level}={}", engine.display());
    }
}
