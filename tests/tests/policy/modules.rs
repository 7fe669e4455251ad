//! Which module uses which: between the modules of a crate, or of a folder, there is no cycle.
//!
//! A cycle may stay if a comment in the file that declares the modules argues for it. The comment
//! begins `// Import cycle: a, b, c.`, with the modules in alphabetical order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{WORKSPACE, files};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// The modules that a file declares, and the names it imports, each with its module.
#[derive(Default)]
struct Root {
    modules: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

impl Root {
    fn read(text: &str) -> Root {
        let text = code(text);
        let mut root = Root::default();
        let text = text.replace("#[cfg(test)]\nmod ", "");
        for line in text.lines() {
            let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                root.modules.insert(name.to_owned());
            }
        }
        for statement in text.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
            let path = statement.trim_start_matches("self::").trim_start_matches("crate::");
            let Some((module, rest)) = path.split_once("::") else { continue };
            if root.modules.contains(module) {
                let names = rest.trim_matches(['{', '}', ' ', '\n']).split(',');
                let last = |name: &str| {
                    let name = name.rsplit(" as ").next().unwrap_or(name);
                    name.rsplit("::").next().unwrap_or(name).trim().to_owned()
                };
                root.names.extend(names.map(|name| (last(name), module.to_owned())));
            }
        }
        root
    }

    /// The module behind the first word of a path from the root.
    fn module(&self, word: &str) -> Option<&String> {
        self.modules.get(word).or_else(|| self.names.get(word))
    }
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(without_comment).collect::<Vec<_>>().join("\n")
}

/// The first words of all paths that begin with `start`: `crate::a::b` and `crate::{a::b, c}`.
fn first_words(text: &str, start: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut words = Vec::new();
    for (at, _) in text.match_indices(start) {
        // `super::super::a` is not a path that begins with `super::a`.
        if text[..at].ends_with([':', '_']) || text[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        let rest = &text[at + start.len()..];
        if !rest.starts_with('{') {
            words.push(word(rest));
            continue;
        }
        let (mut depth, mut fresh) = (0, false);
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth == 1 && (fresh || at == 1) && !c.is_whitespace() && c != '{' {
                words.push(word(&rest[at..]));
            }
            fresh = depth == 1 && (c == ',' || c == '{' || fresh && c.is_whitespace());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Every file of the workspace that declares modules: roots of crates, tests and benches, and
/// folders.
fn roots() -> Vec<PathBuf> {
    let all = ["crates", "tests", "benches"].map(|folder| Path::new(WORKSPACE).join(folder));
    let mut roots: Vec<PathBuf> = all.iter().flat_map(|folder| files(folder, "rs")).collect();
    let declares = |name: &str| ["lib.rs", "main.rs", "mod.rs"].contains(&name);
    roots.retain(|path| path.file_name().is_some_and(|name| declares(&name.to_string_lossy())));
    roots
}

/// The import graph of the modules that a file declares.
fn graph(file: &Path) -> Graph {
    let source = file.parent().expect("a folder");
    let root = Root::read(&fs::read_to_string(file).expect("text"));
    let is_crate = !file.ends_with("mod.rs");
    let mut graph: Graph =
        root.modules.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for path in files(source, "rs") {
        let inside = path.strip_prefix(source).expect("inside");
        let mut parts: Vec<String> =
            inside.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        // The root itself, and modules for tests alone.
        let Some(users) = parts.first().and_then(|name| graph.get_mut(name)) else { continue };
        let text = code(&fs::read_to_string(&path).expect("text"));
        let mut words = first_words(&text, &"super::".repeat(parts.len()));
        if is_crate {
            words.extend(first_words(&text, "crate::"));
        }
        let used = words.iter().filter_map(|word| root.module(word));
        users.extend(used.filter(|used| **used != parts[0]).cloned());
    }
    graph
}

fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = open.pop() {
        for next in &graph[&module] {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// The strongly connected components with more than one module.
fn cycles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reach: BTreeMap<&String, _> =
        graph.keys().map(|module| (module, reachable(graph, module))).collect();
    let around = |module: &String| {
        let mutual =
            |other: &&String| reach[module].contains(*other) && reach[other].contains(module);
        graph.keys().filter(mutual).cloned().collect::<BTreeSet<_>>()
    };
    graph.keys().map(around).filter(|cycle| cycle.len() > 1).collect()
}

#[test]
fn modules_have_no_cycles() {
    let roots = roots();
    let (mut wrong, mut modules) = (Vec::new(), 0);
    for root in &roots {
        let graph = graph(root);
        let edges = |cycle: &BTreeSet<String>| -> Vec<String> {
            let inside = |module: &String| {
                let used: Vec<_> = graph[module].intersection(cycle).cloned().collect();
                format!("{module} uses {}", used.join(", "))
            };
            cycle.iter().map(inside).collect()
        };
        let text = fs::read_to_string(root).expect("text");
        for cycle in cycles(&graph) {
            let names: Vec<_> = cycle.iter().cloned().collect();
            if !text.contains(&format!("// Import cycle: {}.", names.join(", "))) {
                wrong.push(format!("{}: {}", root.display(), edges(&cycle).join("; ")));
            }
        }
        modules += graph.len();
    }
    println!("{modules} modules in {} files", roots.len());
    assert!(modules > 100, "only {modules} modules were found");
    assert!(wrong.is_empty(), "import cycles:\n{}", wrong.join("\n"));
}

#[test]
fn paths_are_read() {
    let words = |text: &str| first_words(&code(text), "crate::");
    assert_eq!(words("use crate::{a::{b, c}, d, e::f};"), ["a", "d", "e"]);
    assert_eq!(words("use crate::a;\nlet x = crate::b::c(1); // crate::no"), ["a", "b"]);
    assert_eq!(words("use my_crate::a;\n#[cfg(test)]\nmod tests { use crate::t; }"), [""; 0]);
    assert_eq!(first_words("super::super::a::b", "super::super::"), ["a"]);
    assert_eq!(first_words("super::super::a::b", "super::"), ["super"]);
    let root = Root::read("pub mod a;\nmod b;\npub use a::{X, y::Z};\npub use b::W as V;");
    let module = |word: &str| root.module(word).map(String::as_str);
    assert_eq!(
        ["a", "X", "Z", "V", "W"].map(module),
        [Some("a"), Some("a"), Some("a"), Some("b"), None]
    );
}

#[test]
fn cycles_are_found() {
    let graph: Graph = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"]), ("d", vec!["a"])]
        .into_iter()
        .map(|(from, to)| (from.to_owned(), to.into_iter().map(str::to_owned).collect()))
        .collect();
    let found: Vec<Vec<String>> =
        cycles(&graph).into_iter().map(|cycle| cycle.into_iter().collect()).collect();
    assert_eq!(found, [["b", "c"]]);
}
