//! Comma-separated values: one column per number, three for a number with an interval.

use std::io;

use super::{Cell, Table};

/// The table as CSV, with a header line.
pub fn write(table: &Table) -> io::Result<String> {
    let wide: Vec<bool> = (0..table.columns.len())
        .map(|column| {
            table.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Estimate(..))))
        })
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let keys = table.keys();
    let header = keys.iter().zip(&wide).flat_map(|(name, &wide)| {
        let bounds = ["low", "high"].iter().filter(move |_| wide);
        [name.clone()].into_iter().chain(bounds.map(move |bound| format!("{name} {bound}")))
    });
    writer.write_record(header)?;
    for row in &table.rows {
        let fields = row.iter().zip(&wide).flat_map(|(cell, &wide)| {
            let [value, low, high] = match cell {
                Cell::Estimate(estimate, _) => {
                    [estimate.value, estimate.low, estimate.high].map(|value| value.to_string())
                }
                Cell::Text(text) => [text.clone(), String::new(), String::new()],
                Cell::Count(count) => [count.to_string(), String::new(), String::new()],
                Cell::Number(number, _) => [number.to_string(), String::new(), String::new()],
                Cell::Missing => [const { String::new() }; 3],
            };
            [value].into_iter().chain([low, high].into_iter().filter(move |_| wide))
        });
        writer.write_record(fields)?;
    }
    let bytes = writer.into_inner().map_err(io::Error::other)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn intervals_take_three_columns_and_quotes_are_doubled() {
        let text = super::write(&example().sections[0].table).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "threads,speed-up,speed-up low,speed-up high,nodes,what");
        assert_eq!(lines[1], "1,1,0.9,1.1,1234567,\"a \"\"quoted\"\", <b> word\"");
        assert!(lines[2].starts_with("2,1.8,") && lines[2].ends_with(",3.5,"));
        assert_eq!(lines.len(), 3);
    }
}
