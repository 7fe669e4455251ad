//! Finds the engine to test: the one built from this workspace, or any other.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The environment variable that names another engine to test.
pub const ENGINE_VARIABLE: &str = "MEGATHERIUM_ENGINE";

/// The engine binary: the one `MEGATHERIUM_ENGINE` names, else this workspace's, built first if it is not up to date.
///
/// Cargo builds the binaries of a package for that package's own tests only, so the tests here have to ask for it. The
/// build uses the profile and the folder the running test was built in, and costs nothing when there is nothing to do.
pub fn engine() -> &'static Path {
    static ENGINE: OnceLock<PathBuf> = OnceLock::new();
    ENGINE.get_or_init(|| env::var_os(ENGINE_VARIABLE).map_or_else(build, PathBuf::from))
}

/// A command that runs the engine.
pub fn command() -> Command {
    Command::new(engine())
}

fn build() -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", "megatherium", "--bin", "megatherium"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo.arg("--manifest-path").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
    if let Some(place) = env::current_exe().ok().as_deref().and_then(Place::of_test) {
        cargo.arg("--target-dir").arg(place.target_dir);
        cargo.args(["--profile", &place.profile]);
        if let Some(triple) = place.triple {
            cargo.args(["--target", &triple]);
        }
    }
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo can be started");
    assert!(output.status.success(), "the engine does not build");
    let messages = String::from_utf8_lossy(&output.stdout);
    let path = messages.lines().rev().find_map(executable).expect("cargo names the binary it has built");
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// Where the running test was built.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    target_dir: PathBuf,
    triple: Option<String>,
    profile: String,
}

impl Place {
    /// From `TARGET_DIR/[TRIPLE/]PROFILE/deps/test`. Cargo marks the target folder with a `CACHEDIR.TAG`.
    fn of_test(test: &Path) -> Option<Place> {
        let profile_dir = test.parent()?.parent()?;
        let profile = match profile_dir.file_name()?.to_str()? {
            "debug" => "dev",
            profile => profile,
        };
        let above = profile_dir.parent()?;
        let (target_dir, triple) = if above.join("CACHEDIR.TAG").is_file() {
            (above, None)
        } else {
            (above.parent()?, Some(above.file_name()?.to_str()?.to_owned()))
        };
        target_dir.join("CACHEDIR.TAG").is_file().then(|| Place {
            target_dir: target_dir.to_owned(),
            triple,
            profile: profile.to_owned(),
        })
    }
}

/// The path in a message of cargo about a finished binary.
fn executable(message: &str) -> Option<PathBuf> {
    let (_, rest) = message.split_once("\"executable\":\"")?;
    let (path, _) = rest.split_once('"')?;
    Some(PathBuf::from(path.replace("\\\\", "\\")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_read_from_the_path() {
        let root = env::temp_dir().join(format!("megatherium-place-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("CACHEDIR.TAG"), "").unwrap();
        let place = |triple: Option<&str>, profile: &str| Place {
            target_dir: root.clone(),
            triple: triple.map(str::to_owned),
            profile: profile.to_owned(),
        };
        assert_eq!(Place::of_test(&root.join("debug/deps/uci-1")), Some(place(None, "dev")));
        assert_eq!(Place::of_test(&root.join("release/deps/uci-1")), Some(place(None, "release")));
        let triple = "x86_64-unknown-linux-gnu";
        let cross = root.join(triple).join("debug/deps/uci-1");
        assert_eq!(Place::of_test(&cross), Some(place(Some(triple), "dev")));
        assert_eq!(Place::of_test(Path::new("/uci-1")), None);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn the_binary_is_read_from_the_message() {
        let message =
            r#"{"reason":"compiler-artifact","filenames":["/t/m"],"executable":"/t/m","fresh":true}"#;
        assert_eq!(executable(message), Some(PathBuf::from("/t/m")));
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#), None);
    }
}
