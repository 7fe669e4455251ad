//! The manual's generated tables are those of the source.
//!
//! To bring the manual up to date: `MEGATHERIUM_WRITE_MANUAL=1 cargo test -p megatherium-uci --test
//! manual`

use megatherium_uci::{command, options};

const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/uci.md");

#[test]
fn the_manual_has_the_tables_of_the_source() {
    let manual = std::fs::read_to_string(MANUAL).expect("the manual exists");
    let fresh = [("commands", command::manual_table()), ("options", options::manual_table())]
        .into_iter()
        .fold(manual.clone(), |text, (name, table)| with_table(&text, name, &table));
    if std::env::var_os("MEGATHERIUM_WRITE_MANUAL").is_some() {
        std::fs::write(MANUAL, fresh).expect("the manual can be written");
        return;
    }
    assert!(manual == fresh, "docs/uci.md differs from the source; see the top of this file");
}

/// Puts a table between its marks.
fn with_table(text: &str, name: &str, table: &str) -> String {
    let begin = format!("<!-- {name}: generated -->\n");
    let (before, rest) = text.split_once(&begin).expect("the mark where the table begins");
    let (_, after) = rest.split_once("<!-- end -->").expect("the mark where the table ends");
    format!("{before}{begin}{table}<!-- end -->{after}")
}

/// Every option is also explained where it is listed: no empty cells.
#[test]
fn every_option_and_command_has_a_meaning() {
    assert!(options::OPTIONS.iter().all(|option| option.meaning.ends_with('.')));
    assert!(command::COMMANDS.iter().all(|entry| !entry.meaning.is_empty()));
}
