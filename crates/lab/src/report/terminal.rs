//! Tables for a terminal: columns as wide as their widest cell, numbers to the right.

use std::fmt::Write as _;

use super::{Cell, Highlight, Report, Section};

/// Title, sections and notes as text.
pub fn write(report: &Report) -> String {
    let mut text = String::new();
    for section in report.sections.iter().filter(|section| !section.raw) {
        write_section(&mut text, section);
    }
    for Highlight { value, meaning, interval, warning, .. } in &report.highlights {
        let interval = interval.as_ref().map_or(String::new(), |interval| format!(" ({interval})"));
        let warning = warning.as_ref().map_or(String::new(), |warning| format!("; {warning}"));
        let _ = writeln!(text, "{value}{interval}  {meaning}{warning}");
    }
    if report.interrupted {
        text.push_str("Ended early: these are the results so far.\n");
    }
    text
}

/// Longest line of the notes, and of a table where its numbers allow it.
const WIDTH: usize = 100;
/// Most lines of a title.
const TITLE_LINES: usize = 4;

fn write_section(text: &mut String, section: &Section) {
    let _ = writeln!(text, "{}\n", section.title);
    let table = &section.table;
    let cells: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    let cell_width = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let titles = || table.columns.iter().enumerate();
    let widths = |lines: usize| -> Vec<usize> {
        titles().map(|(column, title)| cell_width(column).max(width_in(title, lines))).collect()
    };
    // A table that is too wide gets its titles on more lines.
    let fits = |widths: &Vec<usize>| widths.iter().map(|width| width + 2).sum::<usize>() <= WIDTH;
    let widths = (1..TITLE_LINES).map(widths).find(fits).unwrap_or_else(|| widths(TITLE_LINES));
    let heads: Vec<Vec<String>> =
        table.columns.iter().zip(&widths).map(|(title, &width)| wrapped(title, width)).collect();
    let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
    let line = |text: &mut String, row: &[String]| {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let words = table.is_text(column);
            let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
            let _ =
                if words { write!(text, "  {cell}{fill}") } else { write!(text, "  {fill}{cell}") };
        }
        let end = text.trim_end().len();
        text.truncate(end);
        text.push('\n');
    };
    for index in 0..lines {
        // Short titles stand on the last line, above their numbers.
        let part = |head: &Vec<String>| {
            (index + head.len()).checked_sub(lines).map_or(String::new(), |at| head[at].clone())
        };
        line(text, &heads.iter().map(part).collect::<Vec<_>>());
    }
    for row in &cells {
        line(text, row);
    }
    for note in &section.notes {
        for line in wrapped(note, WIDTH - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.push('\n');
}

/// The least width in which a title takes at most `lines` lines.
fn width_in(title: &str, lines: usize) -> usize {
    let length = title.chars().count();
    let found = (1..=length).map(|width| wrapped(title, width)).find(|it| it.len() <= lines);
    let longest = found.iter().flatten().map(|line| line.chars().count()).max();
    longest.unwrap_or(length)
}

/// Words in lines of a width; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A cell with its interval.
fn shown(cell: &Cell) -> String {
    cell.interval().map_or_else(|| cell.value(), |interval| format!("{} {interval}", cell.value()))
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn titles_and_notes_wrap() {
        assert_eq!(super::wrapped("table in use, %", 8), ["table in", "use, %"]);
        assert_eq!(super::width_in("table in use, %", 1), 15);
        assert_eq!(super::width_in("table in use, %", 2), 8);
        assert_eq!(super::width_in("positions", 2), 9);
        let mut report = example();
        let section = &mut report.sections[0];
        section.notes = vec!["word ".repeat(40).trim_end().to_owned()];
        for lines in 1..=super::TITLE_LINES {
            let title = "a title that is much wider than its numbers ".repeat(lines);
            report.sections[0].table.columns[1] = title.trim_end().to_owned();
            let text = super::write(&report);
            assert!(text.lines().all(|line| line.chars().count() <= super::WIDTH), "{text}");
            let found = text.lines().filter(|line| line.contains("a title that")).count();
            assert_eq!(found, lines, "{text}");
        }
    }

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
