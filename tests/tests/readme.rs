//! The commands in the documents work, and the files they name exist.

use std::fs;
use std::path::Path;
use std::process::Command;

use megatherium_tests::binary;
use megatherium_uci::options::OPTIONS;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(WORKSPACE).join(name)).unwrap()
}

/// The first block of code in a language.
fn block(page: &str, language: &str) -> String {
    let (_, rest) =
        page.split_once(&format!("```{language}\n")).expect("the page has such a block");
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
    // The library gives up after ten seconds, which a busy machine may need.
    let script = block(&page("docs/using.md"), "python")
        .replace("\"target/release/megatherium\"", &format!("\"{engine}\", timeout=120"));
    assert!(script.contains(&engine), "the snippet starts the engine");
    let output = Command::new("python3").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Mate(+1)") && said.contains("d1d8"), "{said}");
}

#[test]
fn the_bot_section_names_real_options() {
    let config = block(&page("docs/using.md"), "yaml");
    let (_, options) = config.split_once("uci_options:\n").expect("there are options");
    let names: Vec<_> = options.lines().filter_map(|line| line.trim().split_once(':')).collect();
    assert_eq!(names.len(), 3);
    for (name, _) in names {
        assert!(OPTIONS.iter().any(|option| option.name == name), "{name}");
    }
}

/// What the README links to and shows is there.
#[test]
fn the_links_of_the_readme_lead_somewhere() {
    let readme = page("README.md");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pictures = readme.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    assert_eq!(pictures.clone().count(), 2, "a terminal and the scaling");
    let inside = links.chain(pictures).filter(|link| !link.starts_with("http"));
    let mut count = 0;
    for link in inside {
        let path = link.split('#').next().unwrap_or(link);
        assert!(Path::new(WORKSPACE).join(path).exists(), "{link}");
        count += 1;
    }
    assert!(count > 12, "{count} links");
}

/// Every file and folder of the workspace that these pages name in backticks.
#[test]
fn the_files_that_pages_name_exist() {
    let roots = ["crates/", "tests/", "benches/", "fuzz/", "docs/"];
    for name in ["CONTRIBUTING.md", "docs/architecture.md", "docs/search.md"] {
        let text = page(name);
        let named: Vec<_> = text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|path| roots.iter().any(|root| path.starts_with(root)) && !path.contains(' '))
            .collect();
        assert!(!named.is_empty(), "{name} names no file");
        for path in named {
            assert!(Path::new(WORKSPACE).join(path).exists(), "{name} names {path}");
        }
    }
}
