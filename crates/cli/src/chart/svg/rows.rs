//! One value with its interval per row: dots under their names, or bars beside them.

use std::fmt::Write as _;

use super::axis::{Axis, described, label};
use super::{Frame, escape, width};
use crate::chart::Dots;

const BOTTOM: f64 = 50.0;

/// Name and value above the dot: a column of a page is too narrow for names beside it.
pub(super) fn dots(dots: &Dots, frame: Frame) -> (String, f64) {
    const ROW: f64 = 44.0;
    const EDGE: f64 = 10.0;
    let bottom = 8.0 + ROW * dots.rows.len() as f64;
    let x = axis(dots, EDGE, frame.width - EDGE);
    let mut svg = grid(dots, &x, bottom);
    for (row, (name, estimate)) in dots.rows.iter().enumerate() {
        let top = 4.0 + ROW * row as f64;
        let place = top + 29.0;
        let _ = writeln!(
            svg,
            "<text class=\"key\" x=\"0\" y=\"{:.1}\">{}</text>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <g class=\"point s1\"><path class=\"whisker\" d=\"M{:.1} {place:.1}H{:.1}\"/><circle cx=\"{:.1}\" cy=\"{place:.1}\" r=\"5\"/></g>",
            top + 13.0,
            escape(name),
            frame.width,
            top + 13.0,
            described(*estimate),
            x.at(estimate.low),
            x.at(estimate.high),
            x.at(estimate.value),
        );
    }
    end(svg, dots, frame.width / 2.0, bottom)
}

/// Bars from the baseline, with names to the left and values to the right. A bar is pale if its
/// interval contains the baseline.
pub(super) fn bars(bars: &Dots, frame: Frame) -> (String, f64) {
    const ROW: f64 = 24.0;
    let shown = |row: &(String, _)| described(row.1);
    let names = bars.rows.iter().map(|row| width(&row.0)).fold(0.0, f64::max);
    let values = bars.rows.iter().map(|row| width(&shown(row))).fold(0.0, f64::max);
    let bottom = 8.0 + ROW * bars.rows.len() as f64;
    let (left, right) = (names + 8.0, frame.width - values - 8.0);
    let x = axis(bars, left, right.max(left + 60.0));
    let mut svg = grid(bars, &x, bottom);
    for (row, (name, estimate)) in bars.rows.iter().enumerate() {
        let top = 8.0 + ROW * row as f64;
        let (from, to) = (x.at(bars.baseline), x.at(estimate.value));
        let open = estimate.low <= bars.baseline && bars.baseline <= estimate.high;
        let _ = writeln!(
            svg,
            "<text class=\"key\" x=\"{names:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <g class=\"point s{}{}\"><rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <path class=\"whisker\" d=\"M{:.1} {:.1}H{:.1}\"/></g>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            top + 16.0,
            escape(name),
            if estimate.value < bars.baseline { 2 } else { 1 },
            if open { " open" } else { "" },
            from.min(to),
            top + 4.0,
            (from - to).abs(),
            ROW - 8.0,
            x.at(estimate.low),
            top + ROW / 2.0,
            x.at(estimate.high),
            frame.width,
            top + 16.0,
            described(*estimate),
        );
    }
    end(svg, bars, f64::midpoint(left, right), bottom)
}

fn axis(dots: &Dots, from: f64, to: f64) -> Axis {
    let values =
        dots.rows.iter().flat_map(|(_, estimate)| [estimate.value, estimate.low, estimate.high]);
    Axis::new(values.chain([dots.baseline]), false, from, to).padded(0.04)
}

/// The marks of the axis, and the baseline.
fn grid(dots: &Dots, x: &Axis, bottom: f64) -> String {
    let mut svg = String::new();
    for tick in x.ticks() {
        let place = x.at(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid faint\" d=\"M{place:.1} 4V{bottom:.1}\"/><text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            label(tick)
        );
    }
    let base = x.at(dots.baseline);
    let _ = writeln!(svg, "<path class=\"line ideal\" d=\"M{base:.1} 4V{bottom:.1}\"/>");
    svg
}

fn end(mut svg: String, dots: &Dots, middle: f64, bottom: f64) -> (String, f64) {
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        bottom + 40.0,
        escape(&dots.x_label)
    );
    (svg, bottom + BOTTOM)
}
