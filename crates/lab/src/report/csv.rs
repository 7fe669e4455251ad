//! Comma-separated values: one column per number, three for a number with an interval.

use super::{Cell, Table};

/// The table as CSV, with a header line.
pub fn write(table: &Table) -> String {
    let with_interval =
        |column: usize| table.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Estimate(..))));
    let wide: Vec<bool> = (0..table.columns.len()).map(with_interval).collect();
    let mut header = Vec::new();
    for (name, &wide) in table.columns.iter().zip(&wide) {
        header.push(quoted(name));
        if wide {
            header.push(quoted(&format!("{name} low")));
            header.push(quoted(&format!("{name} high")));
        }
    }
    let mut lines = vec![header.join(",")];
    for row in &table.rows {
        let mut fields = Vec::new();
        for (cell, &wide) in row.iter().zip(&wide) {
            match cell {
                Cell::Estimate(estimate, _) => {
                    fields
                        .extend([estimate.value, estimate.low, estimate.high].map(|value| value.to_string()));
                }
                cell => {
                    fields.push(match cell {
                        Cell::Text(text) => quoted(text),
                        Cell::Count(count) => count.to_string(),
                        Cell::Number(number, _) => number.to_string(),
                        Cell::Missing | Cell::Estimate(..) => String::new(),
                    });
                    if wide {
                        fields.extend([String::new(), String::new()]);
                    }
                }
            }
        }
        lines.push(fields.join(","));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn intervals_take_three_columns_and_quotes_are_doubled() {
        let text = super::write(&example().sections[0].table);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "threads,speed-up,speed-up low,speed-up high,nodes,what");
        assert_eq!(lines[1], "1,1,0.9,1.1,1234567,\"a \"\"quoted\"\", <b> word\"");
        assert!(lines[2].starts_with("2,1.8,") && lines[2].ends_with(",3.5,"));
        assert_eq!(lines.len(), 3);
    }
}
