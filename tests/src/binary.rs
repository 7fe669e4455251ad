//! Finds the engine to test: the one built from this workspace, or any other.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The environment variable that names another engine to test.
pub const ENGINE_VARIABLE: &str = "MEGATHERIUM_ENGINE";

/// The engine binary: the one `MEGATHERIUM_ENGINE` names, else this workspace's, built first if it
/// is not up to date.
///
/// `cargo test --workspace` builds it, because its own package has tests that need it; `cargo test`
/// of this package alone does not, and then the tests have to ask for it.
pub fn engine() -> &'static Path {
    static ENGINE: OnceLock<PathBuf> = OnceLock::new();
    ENGINE.get_or_init(|| {
        if let Some(path) = env::var_os(ENGINE_VARIABLE) {
            return path.into();
        }
        let place = env::current_exe().ok().as_deref().and_then(Place::of_test);
        let built = place
            .as_ref()
            .map(Place::engine)
            .filter(|engine| is_up_to_date(engine, Path::new(WORKSPACE)));
        built.unwrap_or_else(|| build(place.as_ref()))
    })
}

/// A command that runs the engine.
pub fn command() -> Command {
    Command::new(engine())
}

/// Asks cargo for the engine, in the profile and the folder the running test was built in.
fn build(place: Option<&Place>) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", "megatherium", "--bin", "megatherium"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo.arg("--manifest-path").arg(Path::new(WORKSPACE).join("Cargo.toml"));
    if let Some(place) = place {
        cargo.arg("--target-dir").arg(&place.target_dir);
        cargo.args(["--profile", &place.profile]);
        if let Some(triple) = &place.triple {
            cargo.args(["--target", triple]);
        }
    }
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo can be started");
    assert!(output.status.success(), "the engine does not build");
    let messages = String::from_utf8_lossy(&output.stdout);
    let path =
        messages.lines().rev().find_map(executable).expect("cargo names the binary it has built");
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// Whether a binary was made of this workspace (a target folder can serve several copies of it) and
/// is younger than everything it was made of, as cargo wrote that down beside it.
fn is_up_to_date(binary: &Path, workspace: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let (Some(built), Ok(list)) =
        (modified(binary), std::fs::read_to_string(binary.with_extension("d")))
    else {
        return false;
    };
    let Ok(workspace) = workspace.canonicalize() else { return false };
    // `cargo package` builds a copy of the sources below the target folder.
    let copies = workspace.join("target");
    if !sources(&list).any(|file| file.starts_with(&workspace) && !file.starts_with(&copies)) {
        return false;
    }
    let manifests = ["Cargo.toml", "Cargo.lock"].map(|name| workspace.join(name));
    let mut sources = sources(&list).chain(manifests);
    sources.all(|source| modified(&source).is_some_and(|changed| changed < built))
}

/// The files named in a rule for `make`: `target: source source …`, with spaces in names escaped.
fn sources(rule: &str) -> impl Iterator<Item = PathBuf> {
    let (_, list) = rule.split_once(": ").unwrap_or_default();
    let list = list.replace("\\ ", "\0");
    let names: Vec<_> =
        list.split_ascii_whitespace().map(|name| PathBuf::from(name.replace('\0', " "))).collect();
    names.into_iter()
}

/// Where the running test was built.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    target_dir: PathBuf,
    triple: Option<String>,
    profile: String,
}

impl Place {
    /// Where cargo leaves the engine.
    fn engine(&self) -> PathBuf {
        let mut path = self.target_dir.clone();
        path.extend(&self.triple);
        path.push(if self.profile == "dev" { "debug" } else { &self.profile });
        path.join(format!("megatherium{}", env::consts::EXE_SUFFIX))
    }

    /// From `TARGET_DIR/[TRIPLE/]PROFILE/deps/test`. Cargo marks the target folder with a
    /// `CACHEDIR.TAG`.
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
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn the_place_is_read_from_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
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
        let engine = |place: &Place| place.engine().strip_prefix(&root).unwrap().with_extension("");
        assert_eq!(engine(&place(None, "dev")), Path::new("debug/megatherium"));
        assert_eq!(
            engine(&place(Some(triple), "release")),
            Path::new(triple).join("release/megatherium")
        );
    }

    #[test]
    fn a_binary_older_than_a_source_is_not_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for manifest in ["Cargo.toml", "Cargo.lock"] {
            std::fs::write(root.join(manifest), "").unwrap();
        }
        let fresh = |binary: &Path| is_up_to_date(binary, &root);
        let (binary, source) = (root.join("engine"), root.join("a source.rs"));
        let write = |path: &Path, seconds| {
            let file = std::fs::File::create(path).unwrap();
            file.set_modified(SystemTime::now() + Duration::from_secs(seconds)).unwrap();
        };
        write(&binary, 100);
        write(&source, 50);
        assert!(!fresh(&binary), "without a list nothing is known");
        let list = |source: &Path| {
            let escaped = source.display().to_string().replace(' ', "\\ ");
            std::fs::write(root.join("engine.d"), format!("{}: {escaped}\n", binary.display()))
                .unwrap();
        };
        let copy = root.join("target/package/main.rs");
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        write(&copy, 50);
        list(&copy);
        assert!(!fresh(&binary), "made of a package's copy");
        list(&source);
        assert!(fresh(&binary));
        assert!(!is_up_to_date(&binary, Path::new(WORKSPACE)), "made of another copy's sources");
        write(&source, 150);
        assert!(!fresh(&binary));
        std::fs::remove_file(&source).unwrap();
        assert!(!fresh(&binary));
    }

    #[test]
    fn the_binary_is_read_from_the_message() {
        let message = r#"{"reason":"compiler-artifact","filenames":["/t/m"],"executable":"/t/m","fresh":true}"#;
        assert_eq!(executable(message), Some(PathBuf::from("/t/m")));
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#), None);
    }
}
