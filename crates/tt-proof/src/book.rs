//! The tables of the book that the checkers produce.

use std::fs;
use std::path::Path;

/// Fails unless a chapter has this table between `<!-- name -->` and `<!-- /name -->`. With
/// `UPDATE_BOOK` set, writes it there instead.
pub(crate) fn has(chapter: &str, name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/table").join(chapter);
    let text = fs::read_to_string(&path).expect("the chapter is part of the repository");
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = text.find(&start).expect("the chapter has a place for the table") + start.len();
    let to = from + text[from..].find(&end).expect("the place for the table has an end");
    if std::env::var_os("UPDATE_BOOK").is_some() {
        fs::write(&path, format!("{}{table}{}", &text[..from], &text[to..]))
            .expect("the chapter can be written");
    } else {
        assert_eq!(
            &text[from..to],
            table,
            "the table in {chapter} is out of date: run this test with UPDATE_BOOK=1"
        );
    }
}

/// Fails unless a file of the book is exactly this. With `UPDATE_BOOK` set, writes it instead.
pub(crate) fn is(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/table").join(name);
    if std::env::var_os("UPDATE_BOOK").is_some() {
        fs::write(&path, text).expect("the book can be written");
    } else {
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{name} is out of date: run this test with UPDATE_BOOK=1");
    }
}
