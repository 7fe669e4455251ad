//! Charts as SVG text. Colours are classes, so the page's style sheet decides between light and
//! dark. Every point has a tooltip with its value, without a script.

mod axis;
mod curves;
mod heat;
mod rows;

use std::fmt::Write as _;

use super::Chart;

/// The style sheet of a page with charts, light or dark as the reader's system is.
pub const STYLE: &str = concat!(include_str!("../colours.css"), include_str!("../chart.css"));

/// Number of series colours the style sheet has.
const SERIES: usize = 6;
/// About the width of a letter.
const LETTER: f64 = 6.9;

/// Size of a chart, in pixels where it is shown at full size.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// From left to right.
    pub width: f64,
    /// From top to bottom; charts with rows are as high as they need.
    pub height: f64,
}

impl Frame {
    /// A column of a report: as wide as a phone, so that its letters are legible there. A desktop
    /// screen has room for three.
    pub const COLUMN: Frame = Frame { width: 340.0, height: 270.0 };
    /// A picture in the text of a book.
    pub const PICTURE: Frame = Frame { width: 600.0, height: 340.0 };
}

/// What is inside a chart, and its height.
fn inside(chart: &Chart, frame: Frame) -> (String, f64) {
    match chart {
        Chart::Curves(curves) => curves::draw(curves, frame),
        Chart::Heat(heat) => heat::draw(heat, frame),
        Chart::Dots(dots) => rows::dots(dots, frame),
        Chart::Bars(bars) => rows::bars(bars, frame),
    }
}

/// A chart for a page that has the style sheet.
pub fn draw(chart: &Chart) -> String {
    let frame = Frame::COLUMN;
    let (inside, height) = inside(chart, frame);
    format!(
        "<svg viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"{}\">\n{inside}</svg>\n",
        frame.width,
        escape(chart.title())
    )
}

/// A chart as a standalone file: with title, style sheet and background, light or dark as the
/// reader's system is.
pub fn picture(chart: &Chart, frame: Frame) -> String {
    const HEAD: f64 = 40.0;
    const MARGIN: f64 = 14.0;
    let (inside, height) = inside(chart, frame);
    let title = escape(chart.title());
    let (width, height) = (frame.width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>\n{STYLE}</style>\n"
    );
    let _ = writeln!(
        svg,
        "<rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"27\">{title}</text>\n\
         <g transform=\"translate({MARGIN} {HEAD})\">\n{inside}</g>\n</svg>"
    );
    svg
}

/// Text with the characters that mean something to XML replaced.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Approximate width of a text.
fn width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// The plot area: what the labels leave.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn axis_names(&self, svg: &mut String, x_label: &str, y_label: &str) {
        let (middle, centre) =
            (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        let _ = writeln!(
            svg,
            "<text class=\"axis\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"axis\" transform=\"translate(12 {centre:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            self.bottom + 40.0,
            escape(x_label),
            escape(y_label)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Curves, Dots, Estimate, Heat, Series};

    fn charts() -> Vec<Chart> {
        let estimate = |value: f64| Estimate { value, low: value * 0.9, high: value * 1.1 };
        let series = |points: &[f64]| {
            let points = points.iter().map(|&value| (value, estimate(value))).collect();
            Series { name: "a < b & c".to_owned(), points, ideal: false }
        };
        let curves = |series| Chart::Curves(Curves { series, log_x: true, ..Curves::default() });
        let heat = Heat {
            columns: vec!["0".to_owned(), "1".to_owned()],
            rows: vec!["0–3".to_owned(), "<4".to_owned()],
            values: vec![vec![12.0, 3.0], vec![0.0, 1.0]],
            ..Heat::default()
        };
        let rows = vec![("shared".to_owned(), estimate(0.97)), ("own".to_owned(), estimate(0.0))];
        let dots = Dots { baseline: 1.0, rows, ..Dots::default() };
        vec![
            curves(vec![]),
            curves(vec![series(&[])]),
            curves(vec![series(&[1.0, 2.0, 1e7]), Series { ideal: true, ..series(&[1e-9]) }]),
            Chart::Heat(Heat::default()),
            Chart::Heat(heat),
            Chart::Dots(dots.clone()),
            Chart::Bars(dots),
        ]
    }

    #[test]
    fn charts_have_no_holes() {
        for chart in charts() {
            for svg in [draw(&chart), picture(&chart, Frame::PICTURE)] {
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                for name in ["svg", "text", "g", "title", "style"] {
                    let opened = svg.matches(&format!("<{name} ")).count()
                        + svg.matches(&format!("<{name}>")).count();
                    assert_eq!(opened, svg.matches(&format!("</{name}>")).count(), "{name}: {svg}");
                }
                assert_eq!(svg.matches('"').count() % 2, 0, "{svg}");
            }
        }
    }

    #[test]
    fn a_picture_knows_light_and_dark() {
        let svg = picture(&charts()[2], Frame::PICTURE);
        assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("class=\"paper\""));
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    }
}
