//! JSON, written by hand: the report has six kinds of things, and that does not take a library.

use std::fmt::Write as _;

use super::{Cell, Report, Section};
use crate::stats::Estimate;

/// The whole report. Charts are left out: their numbers are in the tables.
pub fn write(report: &Report) -> String {
    let pairs = |pairs: &[(String, String)]| {
        let members = pairs.iter().map(|(name, value)| format!("{}:{}", string(name), string(value)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let sections = report.sections.iter().map(section).collect::<Vec<_>>().join(",\n");
    format!(
        "{{\"title\":{},\n\"command\":{},\n\"interrupted\":{},\n\"facts\":{},\n\"highlights\":{},\n\"sections\":[\n{sections}\n]}}\n",
        string(&report.title),
        string(&report.command),
        report.interrupted,
        pairs(&report.facts),
        pairs(&report.highlights),
    )
}

fn section(section: &Section) -> String {
    let columns = &section.table.columns;
    let rows = section.table.rows.iter().map(|row| {
        let members =
            columns.iter().zip(row).map(|(name, value)| format!("{}:{}", string(name), cell(value)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    });
    let notes = section.notes.iter().map(|note| string(note)).collect::<Vec<_>>().join(",");
    format!(
        "{{\"name\":{},\"title\":{},\"text\":{},\"notes\":[{notes}],\"rows\":[\n{}]}}",
        string(&section.name),
        string(&section.title),
        string(&section.text),
        rows.collect::<Vec<_>>().join(",\n"),
    )
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => string(text),
        Cell::Count(count) => count.to_string(),
        Cell::Number(value, _) => number(*value),
        Cell::Estimate(Estimate { value, low, high }, _) => {
            format!("{{\"value\":{},\"low\":{},\"high\":{}}}", number(*value), number(*low), number(*high))
        }
        Cell::Missing => "null".to_owned(),
    }
}

/// JSON has no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "null".to_owned() }
}

fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", control as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(string("a\"b\\c\nd\u{1}é"), "\"a\\\"b\\\\c\\nd\\u0001é\"");
        assert_eq!(number(f64::INFINITY), "null");
    }

    #[test]
    fn estimates_are_objects() {
        let text = write(&crate::report::example());
        assert!(text.contains("\"speed-up\":{\"value\":1.8,"), "{text}");
        assert!(text.contains("\"interrupted\":false") && text.contains("\"what\":null"), "{text}");
    }
}
