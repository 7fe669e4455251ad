//! A report: tables and charts as plain data, in four output formats.

mod csv;
mod html;
mod json;
mod terminal;

use std::io;
use std::path::{Path, PathBuf};

use megatherium_cli::chart::number;
pub use megatherium_cli::chart::{Chart, Curves, Dots, Estimate, Heat, Series, svg};

/// The results of one run of the lab.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was measured.
    pub title: String,
    /// The command that measures it again.
    pub command: String,
    /// The machine and the settings.
    pub facts: Vec<(String, String)>,
    /// The headline numbers.
    pub highlights: Vec<Highlight>,
    /// The parts, in order.
    pub sections: Vec<Section>,
    /// Whether it was ended early; it then has the results so far.
    pub interrupted: bool,
}

/// A headline number.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Highlight {
    /// The number.
    #[serde(rename = "value")]
    pub number: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// The number with its unit, as people read it.
    #[serde(rename = "text")]
    pub value: String,
    /// What it is.
    pub meaning: String,
    /// Its interval as people read it.
    pub interval: Option<String>,
    /// Why it is in doubt.
    pub warning: Option<String>,
}

impl Highlight {
    /// An estimate with `digits` digits and a unit.
    pub fn new(estimate: Estimate, digits: usize, unit: &str, meaning: String) -> Highlight {
        let Estimate { value, low, high } = estimate;
        // An interval without width comes from a single sample.
        let interval = (low < high).then_some((low, high));
        let words = |(low, high)| format!("{} to {}", number(low, digits), number(high, digits));
        Highlight {
            number: value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            value: format!("{}{unit}", number(value, digits)),
            meaning,
            interval: interval.map(words),
            warning: None,
        }
    }
}

/// A section: text, a table, and charts of it.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// A short name for files: letters and dashes.
    pub name: String,
    /// The heading.
    pub title: String,
    /// What it shows and how to read it.
    pub text: String,
    /// The numbers.
    pub table: Table,
    /// Charts of the table.
    pub charts: Vec<Chart>,
    /// What to keep in mind.
    pub notes: Vec<String>,
    /// The table is long: written to files and folded up on the page, not shown on the terminal.
    pub raw: bool,
}

impl Section {
    /// A section without a table.
    pub fn new(name: &str, title: impl Into<String>, text: impl Into<String>) -> Section {
        Section {
            name: name.to_owned(),
            title: title.into(),
            text: text.into(),
            ..Section::default()
        }
    }
}

/// A table with named columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table: its name, and the cell of an item.
pub type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> Cell);

impl Table {
    /// A table with one row per item.
    pub fn of<T>(items: impl IntoIterator<Item = T>, columns: &[Column<'_, T>]) -> Table {
        let row = |item: T| columns.iter().map(|(_, cell)| cell(&item)).collect();
        Table {
            columns: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows: items.into_iter().map(row).collect(),
        }
    }

    /// The names of the columns in plain words, for programs: they are the keys of JSON and the
    /// header of CSV.
    fn keys(&self) -> Vec<String> {
        self.columns.iter().map(|title| plain(title)).collect()
    }

    /// Whether a column holds words only.
    fn is_text(&self, column: usize) -> bool {
        self.rows.iter().all(|row| matches!(row.get(column), Some(Cell::Text(_))))
    }
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, left-aligned.
    Text(String),
    /// A count.
    Count(u64),
    /// A number, with the digits after the point to show.
    Number(f64, usize),
    /// A number with its interval, with the digits after the point to show.
    Estimate(Estimate, usize),
    /// Not measured.
    Missing,
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::Count(count as u64)
    }
}

impl Cell {
    /// A number that may not have been measured.
    pub fn number(value: Option<f64>, digits: usize) -> Cell {
        value.map_or(Cell::Missing, |value| Cell::Number(value, digits))
    }

    /// The value as people read it.
    fn value(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => grouped(*count),
            Cell::Number(value, digits) => number(*value, *digits),
            Cell::Estimate(estimate, digits) => number(estimate.value, *digits),
            Cell::Missing => "–".to_owned(),
        }
    }

    /// The interval of an estimate. A single sample has none.
    fn interval(&self) -> Option<String> {
        let Cell::Estimate(Estimate { low, high, .. }, digits) = self else { return None };
        (low < high).then(|| format!("[{}, {}]", number(*low, *digits), number(*high, *digits)))
    }
}

impl Report {
    /// The tables as text for people.
    pub fn to_text(&self) -> String {
        terminal::write(self)
    }

    /// Writes `report.html`, `report.json` and a CSV file per section into a folder, which is made
    /// if need be. Returns what was written.
    pub fn save(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        std::fs::create_dir_all(folder)?;
        let mut files = vec![
            ("report.html".to_owned(), html::write(self).map_err(io::Error::other)?),
            ("report.json".to_owned(), json::write(self)?),
        ];
        for section in &self.sections {
            files.push((format!("{}.csv", section.name), csv::write(&section.table)?));
        }
        files
            .into_iter()
            .map(|(name, text)| {
                let path = folder.join(name);
                std::fs::write(&path, text)?;
                Ok(path)
            })
            .collect()
    }
}

/// The title of a column without signs and abbreviations.
fn plain(title: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("kn/CPU s", "kilonodes per CPU second"),
        ("kn/s", "kilonodes per second"),
        ("0 · ½ · 1 · 1½ · 2", "pairs by half points"),
        ("ln ", "logarithm of "),
        (" ÷ ", " over "),
        (" > ", " over "),
        (", %", " percent"),
        (" %", " percent"),
        (":", ""),
    ];
    WORDS.iter().fold(title.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Groups of three digits: 1 234 567.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
pub(crate) fn example() -> Report {
    let estimate = |value: f64| Estimate { value, low: value * 0.9, high: value * 1.1 };
    let words = Cell::Text("a \"quoted\", <b> word".to_owned());
    let rows = [
        (1, estimate(1.0), Cell::Count(1_234_567), words),
        (2, estimate(1.8), Cell::Number(3.5, 1), Cell::Missing),
    ];
    let table = Table::of(
        &rows,
        &[
            ("threads", &|row| Cell::Count(row.0)),
            ("speed-up", &|row| Cell::Estimate(row.1, 2)),
            ("nodes", &|row| row.2.clone()),
            ("what", &|row| row.3.clone()),
        ],
    );
    let curves = Curves {
        title: "Speed-up".to_owned(),
        x_label: "threads".to_owned(),
        y_label: "×".to_owned(),
        log_x: true,
        log_y: true,
        from_zero: false,
        series: vec![
            Series {
                name: "ideal".to_owned(),
                points: vec![(1.0, Estimate::exact(1.0)), (2.0, Estimate::exact(2.0))],
                ideal: true,
            },
            Series {
                name: "measured".to_owned(),
                points: vec![(1.0, estimate(1.0)), (2.0, estimate(1.8))],
                ideal: false,
            },
        ],
    };
    let heat = Heat {
        title: "Table".to_owned(),
        x_label: "age".to_owned(),
        y_label: "depth".to_owned(),
        columns: vec!["0".to_owned(), "1".to_owned()],
        rows: vec!["0–3".to_owned(), "4–7".to_owned()],
        values: vec![vec![12.0, 3.0], vec![0.0, 1.0]],
    };
    let bars = Dots {
        title: "Bars".to_owned(),
        x_label: "Elo".to_owned(),
        baseline: 0.0,
        rows: vec![("more".to_owned(), estimate(40.0)), ("none".to_owned(), estimate(0.0))],
    };
    let dots = Dots {
        title: "Arms".to_owned(),
        x_label: "ratio".to_owned(),
        baseline: 1.0,
        rows: vec![("shared".to_owned(), estimate(0.97)), ("private".to_owned(), estimate(1.0))],
    };
    Report {
        title: "An example & more".to_owned(),
        command: "megatherium scale --quick".to_owned(),
        facts: vec![("processors".to_owned(), "2".to_owned())],
        highlights: vec![Highlight::new(
            estimate(1.8),
            2,
            " ×",
            "time to depth, 2 threads".to_owned(),
        )],
        sections: vec![Section {
            name: "speed".to_owned(),
            title: "Speed".to_owned(),
            text: "How fast.".to_owned(),
            table,
            charts: vec![
                Chart::Curves(curves),
                Chart::Heat(heat),
                Chart::Dots(dots),
                Chart::Bars(bars),
            ],
            notes: vec!["A note.".to_owned()],
            raw: false,
        }],
        interrupted: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_groups() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(number(f64::NAN, 2), "–");
    }

    #[test]
    fn keys_are_plain_words() {
        for (title, key) in [
            ("kn/CPU s", "kilonodes per CPU second"),
            ("table in use, %", "table in use percent"),
            ("engine: N threads ÷ N processes", "engine N threads over N processes"),
            ("blocks with steal > 1 %", "blocks with steal over 1 percent"),
            ("time-to-depth speed-up", "time-to-depth speed-up"),
        ] {
            assert_eq!(plain(title), key);
        }
    }

    #[test]
    fn a_report_is_saved_whole() {
        let folder =
            std::env::temp_dir().join(format!("megatherium-report-{}", std::process::id()));
        let files = example().save(&folder).unwrap();
        assert_eq!(files.len(), 3);
        assert!(files.iter().all(|file| file.metadata().unwrap().len() > 20));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
