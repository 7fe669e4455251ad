//! Comments and Markdown wrap at 100 columns. (rustfmt wraps code, but not comments.)

use std::path::Path;

use crate::{WORKSPACE, files};

const WIDTH: usize = 100;

/// The places `file:line` of lines that are too wide.
fn wide(extension: &str, counts: impl Fn(&str) -> Vec<bool>) -> Vec<String> {
    let mut places = Vec::new();
    for path in files(Path::new(WORKSPACE), extension) {
        let text = std::fs::read_to_string(&path).expect("text");
        for ((number, line), counted) in text.lines().enumerate().zip(counts(&text)) {
            if counted && line.chars().count() > WIDTH {
                let path = path.strip_prefix(WORKSPACE).unwrap_or(&path);
                places.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    places
}

fn none(places: &[String], what: &str) {
    assert!(places.is_empty(), "lines of {what} over {WIDTH} columns: {places:?}");
}

/// Which lines of a Rust file are comments.
fn comments(text: &str) -> Vec<bool> {
    text.lines().map(|line| line.trim_start().starts_with("//")).collect()
}

/// Which lines of a Markdown file are prose: neither in a table nor in a code block, and with a
/// place to wrap (a link alone may be long).
fn prose(text: &str) -> Vec<bool> {
    let mut in_code = false;
    let mut is_prose = |line: &str| {
        let line = line.trim_start();
        let fence = line.starts_with("```");
        in_code ^= fence;
        !in_code && !fence && !line.starts_with('|') && line.contains(' ')
    };
    text.lines().map(&mut is_prose).collect()
}

#[test]
fn comments_wrap() {
    none(&wide("rs", comments), "comment");
}

#[test]
fn markdown_wraps() {
    none(&wide("md", prose), "Markdown");
}

#[test]
fn lines_are_told_apart() {
    assert_eq!(comments("//! a\nlet b; // c\n    /// d\n"), [true, false, true]);
    let text = "Some text\n| a table |\n```sh\nsome code\n```\nhttps://one.word\nmore text";
    assert_eq!(prose(text), [true, false, false, false, false, false, true]);
}
