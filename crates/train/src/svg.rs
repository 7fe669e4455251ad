//! Small drawings as SVG text: curves, histograms, maps of squares. No fonts or scripts needed to
//! view them.

use std::fmt::Write;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
const COLORS: [&str; 4] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"];

/// A line through points.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it shows.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Text with the characters that mean something to XML replaced.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn open(width: f64, height: f64, title: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"24\" text-anchor=\"middle\" font-size=\"16\">{title}</text>\n",
        width / 2.0
    )
}

/// A number with about three significant digits.
fn label(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if size >= 1e6 {
        format!("{:.4} M", value / 1e6).replace(".0000", "")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 0.01 {
        format!("{value:.4}")
    } else {
        format!("{value:.1e}")
    }
}

/// The smallest and the largest of some numbers, a little apart even when they are equal.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    match (low.is_finite(), high > low) {
        (false, _) => (0.0, 1.0),
        (true, true) => (low, high),
        (true, false) => (low - 0.5, low + 0.5),
    }
}

/// Draws curves over common axes.
pub fn curves(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let (x_low, x_high) = range(points().map(|point| point.0));
    let (y_low, y_high) = range(points().map(|point| point.1));
    let x_at = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
    let y_at = |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
    let mut svg = open(WIDTH, HEIGHT, title);
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        let (x, y) = (x_low + share * (x_high - x_low), y_low + share * (y_high - y_low));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{right}M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            LEFT - 8.0,
            y_at(y) + 4.0,
            label(y),
            HEIGHT - BOTTOM + 20.0,
            label(x),
            y = y_at(y),
            x = x_at(x),
            right = WIDTH - RIGHT,
            bottom = HEIGHT - BOTTOM,
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 14.0,
        escape(x_label),
        HEIGHT / 2.0,
        escape(y_label),
    );
    for (number, series) in series.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let line: Vec<String> =
            series.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", x_at(x), y_at(y))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n\
             <text x=\"{}\" y=\"{}\" fill=\"{color}\" text-anchor=\"end\">{}</text>",
            line.join(" "),
            WIDTH - RIGHT - 8.0,
            TOP + 18.0 * (number + 1) as f64,
            escape(&series.name),
        );
    }
    svg + "</svg>\n"
}

/// Draws a histogram with equal bins between `low` and `high`, on a logarithmic scale.
pub fn histogram(title: &str, low: f64, high: f64, counts: &[u64]) -> String {
    let mut svg = open(WIDTH, HEIGHT, title);
    let most = counts.iter().copied().max().unwrap_or(0);
    let full = ((most + 1) as f64).ln().max(1e-9);
    let bar = (WIDTH - LEFT - RIGHT) / counts.len().max(1) as f64;
    for (number, &count) in counts.iter().enumerate() {
        let height = ((count + 1) as f64).ln() / full * (HEIGHT - TOP - BOTTOM);
        let _ = writeln!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\" fill=\"{}\"><title>{count}</title></rect>",
            LEFT + bar * number as f64,
            HEIGHT - BOTTOM - height,
            bar * 0.9,
            COLORS[0],
        );
    }
    for step in 0..=8 {
        let share = f64::from(step) / 8.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            LEFT + share * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM + 20.0,
            label(low + share * (high - low)),
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{most}</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">bars are logarithmic</text>",
        LEFT - 8.0,
        TOP + 4.0,
        WIDTH / 2.0,
        HEIGHT - 14.0,
    );
    svg + "</svg>\n"
}

/// A square of a map.
#[derive(Clone, Debug)]
pub struct Cell {
    /// From 0, pale, to 1, full colour; `None` is drawn in red.
    pub level: Option<f64>,
    /// Shown when the mouse rests on it.
    pub note: String,
}

/// Draws cells in rows of `columns`, with a line of explanation below.
pub fn map(title: &str, columns: usize, cells: &[Cell], legend: &str) -> String {
    const SIDE: f64 = 40.0;
    let columns = columns.max(1);
    let width = (columns as f64 * SIDE + 40.0).max(WIDTH);
    let height = cells.len().div_ceil(columns) as f64 * SIDE + TOP + BOTTOM;
    let mut svg = open(width, height, title);
    for (number, cell) in cells.iter().enumerate() {
        let fill = match cell.level {
            Some(level) => format!("hsl(210 70% {:.0}%)", 95.0 - 70.0 * level.clamp(0.0, 1.0)),
            None => COLORS[1].to_owned(),
        };
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"><title>{}</title></rect>",
            20.0 + (number % columns) as f64 * SIDE,
            TOP + (number / columns) as f64 * SIDE,
            SIDE - 2.0,
            SIDE - 2.0,
            escape(&cell.note),
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        width / 2.0,
        height - 20.0,
        escape(legend)
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element that is opened is closed, and every attribute is quoted.
    fn assert_well_formed(svg: &str) {
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        for name in ["svg", "text", "title"] {
            assert_eq!(
                svg.matches(&format!("<{name}")).count(),
                svg.matches(&format!("</{name}>")).count()
            );
        }
        assert_eq!(svg.matches('"').count() % 2, 0);
    }

    #[test]
    fn drawings_are_well_formed() {
        let series = |points: &[(f64, f64)]| Series {
            name: "a < b & c".to_owned(),
            points: points.to_vec(),
        };
        assert_well_formed(&curves("t", "x", "y", &[]));
        assert_well_formed(&curves("t", "x", "y", &[series(&[])]));
        assert_well_formed(&curves("t", "x", "y", &[series(&[(1.0, 2.0)])]));
        assert_well_formed(&curves(
            "t",
            "x",
            "y",
            &[series(&[(0.0, 0.1), (1e7, 0.05)]), series(&[(3.0, 1e-9)])],
        ));
        assert_well_formed(&histogram("weights", -2.0, 2.0, &[]));
        assert_well_formed(&histogram("weights", -2.0, 2.0, &[0, 5, 1_000_000, 3]));
        assert_well_formed(&map("neurons", 16, &[], ""));
        let cell = |level| Cell { level, note: "<neuron>".to_owned() };
        assert_well_formed(&map(
            "neurons",
            2,
            &[cell(Some(0.5)), cell(None), cell(Some(7.0))],
            "legend",
        ));
    }
}
