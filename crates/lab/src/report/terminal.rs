//! Tables for a terminal: columns as wide as their widest cell, numbers to the right.

use std::fmt::Write as _;

use super::{Cell, Highlight, Report, Section};

/// Title, sections and notes as text.
pub fn write(report: &Report) -> String {
    let mut text = String::new();
    for section in report.sections.iter().filter(|section| !section.raw) {
        write_section(&mut text, section);
    }
    for Highlight { value, meaning, interval, warning } in &report.highlights {
        let interval = interval.as_ref().map_or(String::new(), |interval| format!(" ({interval})"));
        let warning = warning.as_ref().map_or(String::new(), |warning| format!("; {warning}"));
        let _ = writeln!(text, "{value}{interval}  {meaning}{warning}");
    }
    if report.interrupted {
        text.push_str("Ended early: these are the results so far.\n");
    }
    text
}

fn write_section(text: &mut String, section: &Section) {
    let _ = writeln!(text, "{}\n", section.title);
    let table = &section.table;
    let cells: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    let width = |column: usize| {
        let rows = cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        rows.chain([table.columns[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |text: &mut String, row: &[String]| {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let words = table.is_text(column);
            let fill = " ".repeat(width - cell.chars().count());
            let _ =
                if words { write!(text, "  {cell}{fill}") } else { write!(text, "  {fill}{cell}") };
        }
        let end = text.trim_end().len();
        text.truncate(end);
        text.push('\n');
    };
    line(text, &table.columns);
    for row in &cells {
        line(text, row);
    }
    for note in &section.notes {
        let _ = writeln!(text, "  {note}");
    }
    text.push('\n');
}

/// A cell with its interval.
fn shown(cell: &Cell) -> String {
    cell.interval().map_or_else(|| cell.value(), |interval| format!("{} {interval}", cell.value()))
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn columns_line_up() {
        let text = super::write(&example());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "Speed");
        assert_eq!(lines[2], "  threads           speed-up      nodes                  what");
        assert_eq!(lines[4], "        2  1.80 [1.62, 1.98]        3.5                     –");
        assert_eq!(lines[5], "  A note.");
        assert!(text.ends_with("1.80 × (1.62 to 1.98)  time to depth, 2 threads\n"));
    }
}
