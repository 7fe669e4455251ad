//! The pictures of the book are those of its tables.
//!
//! To draw them again: `make pictures`, which is
//! `MEGATHERIUM_DRAW=1 cargo test --release -p megatherium --test pictures`.
//!
//! | picture in `docs/pictures` | drawn from |
//! |---|---|
//! | `NAME.svg` for each `NAME.csv` | the file: `series,threads,value,low,high` under a title |
//! | `family.svg` | the table *Family tree* of `docs/net.md` |
//! | `ablation.svg` | the table of `docs/search.md` |
//! | `terminal.svg` | the engine itself |

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use common::success;
use megatherium_lab::report::svg::{self, Frame};
use megatherium_lab::report::{Chart, Curves, Dots, Series};
use megatherium_lab::stats::Estimate;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn page(name: &str) -> String {
    fs::read_to_string(docs().join(name)).expect("a page of the book")
}

fn is_drawing() -> bool {
    std::env::var_os("MEGATHERIUM_DRAW").is_some()
}

/// Writes a picture, or compares it with the one there is.
fn keep(name: &str, picture: &str) {
    let path = docs().join("pictures").join(name);
    if is_drawing() {
        fs::write(&path, picture).expect("the picture can be written");
    } else {
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == picture, "{name} differs from its table: `make pictures` draws it again");
    }
}

fn number(text: &str) -> f64 {
    text.trim().replace('−', "-").parse().unwrap_or_else(|_| panic!("{text:?} is not a number"))
}

/// `+125 ± 47 …`: the value and its margin.
fn with_margin(text: &str) -> Option<(f64, f64)> {
    let (value, rest) = text.trim().trim_start_matches('*').split_once(" ± ")?;
    let margin = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    Some((number(value), number(margin)))
}

fn around((value, margin): (f64, f64)) -> Estimate {
    Estimate { value, low: value - margin, high: value + margin }
}

/// The rows of the first table below a heading.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, below) =
        page.split_once(&format!("## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let table = below.lines().skip_while(|line| !line.starts_with('|'));
    let lines = table.take_while(|line| line.starts_with('|')).skip(2);
    let cells =
        |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

/// Curves from a file: `# title:`, `# x:` and `# y:`, then a row per point. A series called `ideal`
/// is what would be ideal.
fn curves(file: &str) -> Chart {
    let about = |name: &str| {
        let prefix = format!("# {name}: ");
        let line = file.lines().find_map(|line| line.strip_prefix(prefix.as_str()));
        line.unwrap_or_else(|| panic!("no {prefix}")).to_owned()
    };
    let mut series: Vec<Series> = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [name, threads, value, low, high] = cells[..] else { panic!("five columns: {line}") };
        if series.last().is_none_or(|last| last.name != name) {
            series.push(Series {
                name: name.to_owned(),
                ideal: name == "ideal",
                points: Vec::new(),
            });
        }
        let estimate = Estimate { value: number(value), low: number(low), high: number(high) };
        series.last_mut().expect("one series").points.push((number(threads), estimate));
    }
    Chart::Curves(Curves {
        title: about("title"),
        x_label: about("x"),
        y_label: about("y"),
        log_x: true,
        log_y: true,
        from_zero: false,
        series,
    })
}

#[test]
fn curves_are_those_of_their_files() {
    let mut drawn = 0;
    for entry in fs::read_dir(docs().join("pictures")).expect("pictures").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "csv") {
            let file = fs::read_to_string(&path).expect("text");
            let name = path.with_extension("svg");
            let name = name.file_name().expect("a name").to_string_lossy();
            keep(&name, &svg::picture(&curves(&file), Frame::PICTURE));
            drawn += 1;
        }
    }
    assert!(drawn > 0, "no file");
}

/// Every net against the one before it, added up.
#[test]
fn the_family_is_that_of_the_table() {
    let mut series: Vec<Series> = Vec::new();
    let (mut elo, mut square, mut last) = (0.0, 0.0, (0.0, Estimate::exact(0.0)));
    for (generation, row) in rows(&page("net.md"), "Family tree").iter().enumerate() {
        let (neurons, matches) = (&row[1], &row[5]);
        if let Some((value, margin)) = with_margin(matches) {
            let other = matches.split(" against ").nth(1).expect("an opponent");
            let before = other.starts_with("the one above") || generation == 1;
            assert!(before, "the first match of a net is against the one above: {matches}");
            elo += value;
            square += margin * margin;
        } else {
            assert_eq!(generation, 0, "only the first net has no match: {matches}");
        }
        let point = (generation as f64, around((elo, f64::sqrt(square))));
        let name = format!("{neurons} neurons");
        if series.last().is_none_or(|series| series.name != name) {
            let points = if generation == 0 { Vec::new() } else { vec![last] };
            series.push(Series { name, points, ideal: false });
        }
        series.last_mut().expect("one series").points.push(point);
        last = point;
    }
    assert!(last.0 > 10.0, "the whole family");
    let chart = Chart::Curves(Curves {
        title: "Nets: each against the one before, added up".to_owned(),
        x_label: "generation".to_owned(),
        y_label: "Elo at fixed nodes".to_owned(),
        from_zero: true,
        series,
        ..Curves::default()
    });
    keep("family.svg", &svg::picture(&chart, Frame::PICTURE));
}

#[test]
fn the_ablation_is_that_of_the_table() {
    let table = rows(&page("search.md"), "What each technique is worth");
    let mut rows: Vec<(String, Estimate)> = table
        .iter()
        .map(|row| (row[0].clone(), around(with_margin(&row[2]).expect("a result"))))
        .collect();
    assert!(rows.len() > 10, "the whole table");
    rows.sort_by(|one, other| one.1.value.total_cmp(&other.1.value));
    let chart = Chart::Bars(Dots {
        title: "The engine without one technique, against the whole".to_owned(),
        x_label: "Elo at equal nodes; pale: within the error".to_owned(),
        baseline: 0.0,
        rows,
    });
    keep("ablation.svg", &svg::picture(&chart, Frame::PICTURE));
}

const POSITION: &str = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 2 6";
const ARGUMENTS: [&str; 4] = ["analyse", "--all-depths", "--depth", "14"];

/// What the command in the picture prints may change with every version; that it works may not.
#[test]
fn the_terminal_shows_a_command_that_works() {
    let output = success(&[&ARGUMENTS[..], &[POSITION]].concat());
    assert!(output.contains("  depth    score") && output.contains(" 14/"), "{output}");
    let command = format!("$ megatherium {} \"{POSITION}\"", ARGUMENTS.join(" "));
    if is_drawing() {
        let path = docs().join("pictures/terminal.svg");
        fs::write(path, terminal(&command, &output)).expect("the picture can be written");
    }
    let kept = page("pictures/terminal.svg");
    assert!(kept.contains(&svg::escape(&command)), "`make pictures` draws the command again");
}

/// A terminal of 100 columns.
fn terminal(command: &str, output: &str) -> String {
    const COLUMNS: usize = 100;
    const LINE: usize = 18;
    // A line that is too long ends with a whole move.
    let cut = |line: &str| match line.char_indices().nth(COLUMNS) {
        Some((end, _)) => {
            let kept = line[..end].rsplit_once(' ').map_or("", |(kept, _)| kept);
            let number = kept.rsplit_once(' ').filter(|(_, last)| last.ends_with('.'));
            number.map_or(kept, |(kept, _)| kept).to_owned()
        }
        None => line.to_owned(),
    };
    let lines: Vec<String> = output.trim_end().lines().map(cut).collect();
    let height = 48 + LINE * (lines.len() + 2);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 {height}\" role=\"img\" \
         aria-label=\"A terminal: {0}\">\n<style>\n\
         text {{ font: 12.5px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #22201c; white-space: pre; }}\n\
         .paper {{ fill: #faf8f4; stroke: #d8d2c6; }} .dot {{ fill: #d8d2c6; }} .typed {{ fill: #2c6e54; }} .soft {{ fill: #6b665d; }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #ece7dd; }} .paper {{ fill: #171613; stroke: #37332c; }} .dot {{ fill: #4a453c; }} \
         .typed {{ fill: #7fc7a4; }} .soft {{ fill: #a39c8f; }} }}\n</style>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"799\" height=\"{1}\" rx=\"10\"/>\n",
        svg::escape(command),
        height - 1
    );
    for dot in 0..3 {
        let _ = writeln!(svg, "<circle class=\"dot\" cx=\"{}\" cy=\"18\" r=\"5\"/>", 20 + 17 * dot);
    }
    let (first, second) = command.split_once(" \"").expect("a position in quotes");
    let mut line = |number: usize, class: &str, text: &str| {
        let y = 48 + LINE * number;
        let _ = writeln!(
            svg,
            "<text class=\"{class}\" x=\"16\" y=\"{y}\">{}</text>",
            svg::escape(text)
        );
    };
    // One line for searching, two for reading.
    line(0, "typed", &format!("{first} \\"));
    line(1, "typed", &format!("    \"{second}"));
    for (number, text) in lines.iter().enumerate() {
        line(number + 2, if number < 2 { "soft" } else { "out" }, text);
    }
    svg + "</svg>\n"
}

#[test]
fn results_are_read() {
    assert_eq!(with_margin("+125 ± 47 against the constructed one"), Some((125.0, 47.0)));
    assert_eq!(with_margin("**+78 ± 24** against the one above"), Some((78.0, 24.0)));
    assert_eq!(with_margin("−104 ± 41"), Some((-104.0, 41.0)));
    assert_eq!(with_margin("–"), None);
    assert_eq!(rows("## A\n\n| x |\n|---|\n| 1 | b |\n\n| no |", "A"), [["1", "b"]]);
}
