//! Charts as SVG text. Colours are classes, so that the style sheet around decides between light
//! and dark; every point says its value when the pointer rests on it, without a script.

mod axis;
mod curves;
mod heat;
mod rows;

use std::fmt::Write as _;

use super::{Chart, Curves, Dots, Heat};

/// The colours, light and dark.
const COLOURS: &str = include_str!("../../../templates/colours.css");
/// How the parts of a chart are drawn.
const STYLE: &str = include_str!("../../../templates/chart.css");

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
    /// A column of a report: as wide as a phone, so that its letters are legible there. A desk
    /// has room for three.
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
pub(super) fn draw(chart: &Chart) -> String {
    let frame = Frame::COLUMN;
    let (inside, height) = inside(chart, frame);
    format!(
        "<svg viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"{}\">\n{inside}</svg>\n",
        frame.width,
        escape(title(chart))
    )
}

/// A chart as a file of its own: with title, style sheet and background, light or dark as the
/// reader's system is.
pub fn picture(chart: &Chart, frame: Frame) -> String {
    const HEAD: f64 = 40.0;
    const MARGIN: f64 = 14.0;
    let (inside, height) = inside(chart, frame);
    let title = escape(title(chart));
    let (width, height) = (frame.width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>\n{COLOURS}{STYLE}</style>\n"
    );
    let _ = writeln!(
        svg,
        "<rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"27\">{title}</text>\n\
         <g transform=\"translate({MARGIN} {HEAD})\">\n{inside}</g>\n</svg>"
    );
    svg
}

/// What the chart is called.
pub(super) fn title(chart: &Chart) -> &str {
    match chart {
        Chart::Curves(Curves { title, .. })
        | Chart::Heat(Heat { title, .. })
        | Chart::Dots(Dots { title, .. })
        | Chart::Bars(Dots { title, .. }) => title,
    }
}

/// Text with the characters that mean something to XML replaced.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// How wide a text is, about.
fn width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// The area of the points: what the labels around leave.
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
    use crate::report::example;

    #[test]
    fn charts_have_no_holes() {
        for chart in &example().sections[0].charts {
            for svg in [draw(chart), picture(chart, Frame::PICTURE)] {
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
                assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
                assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
            }
        }
    }

    #[test]
    fn a_picture_knows_light_and_dark() {
        let svg = picture(&example().sections[0].charts[0], Frame::PICTURE);
        assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("class=\"paper\""));
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    }
}
