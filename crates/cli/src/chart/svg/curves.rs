//! Curves with intervals.

use std::fmt::Write as _;

use super::axis::{Axis, described, label};
use super::{Area, Frame, SERIES, escape, width};
use crate::chart::{Curves, Estimate, Series};

const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 50.0;
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Least distance between labels of the horizontal axis.
const APART: f64 = 26.0;

pub(super) fn draw(curves: &Curves, frame: Frame) -> (String, f64) {
    let points = || curves.series.iter().flat_map(|series| &series.points);
    let values = points().flat_map(|(_, estimate)| [estimate.value, estimate.low, estimate.high]);
    let zero = curves.from_zero.then_some(0.0);
    let y = Axis::new(values.chain(zero), curves.log_y, 1.0, 0.0).padded(0.06);
    let marks = y.ticks();
    let widest = marks.iter().map(|&tick| width(&label(tick))).fold(0.0, f64::max);
    let legend = legend(&curves.series, frame.width);
    let lines = legend.last().map_or(0.0, |place| place.1);
    let area = Area {
        left: 30.0 + widest,
        right: frame.width - RIGHT,
        top: lines + 18.0,
        bottom: frame.height - BOTTOM,
    };
    let y = y.between(area.bottom, area.top);
    let x = Axis::new(points().map(|point| point.0), curves.log_x, area.left, area.right);
    let x = x.padded(0.04);
    let mut svg = String::new();
    for tick in marks {
        let (place, text) = (y.at(tick), label(tick));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{:.1} {place:.1}H{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            area.left,
            area.right,
            area.left - 6.0,
            place + 4.0
        );
    }
    across(&mut svg, curves, &x, area);
    area.axis_names(&mut svg, &curves.x_label, &curves.y_label);
    let mut colour = 0;
    for (series, (left, line)) in curves.series.iter().zip(legend) {
        let class = if series.ideal {
            "ideal".to_owned()
        } else {
            colour += 1;
            format!("s{}", (colour - 1) % SERIES + 1)
        };
        curve(&mut svg, series, &class, &x, &y);
        let _ = writeln!(
            svg,
            "<path class=\"line {class}\" d=\"M{left:.1} {:.1}h18\"/><text class=\"key\" x=\"{:.1}\" y=\"{line:.1}\">{}</text>",
            line - 4.0,
            left + 23.0,
            escape(&series.name)
        );
    }
    (svg, frame.height)
}

/// Positions of the legend entries: as many per line as fit.
fn legend(series: &[Series], room: f64) -> Vec<(f64, f64)> {
    let (mut left, mut line) = (0.0, 14.0);
    let mut places = Vec::new();
    for series in series {
        let long = 23.0 + width(&series.name);
        if left > 0.0 && left + long > room {
            (left, line) = (0.0, line + LINE);
        }
        places.push((left, line));
        left += long + 14.0;
    }
    places
}

/// Ticks of the horizontal axis: at the points if it is logarithmic.
fn across(svg: &mut String, curves: &Curves, x: &Axis, area: Area) {
    let mut marks: Vec<f64> = if curves.log_x {
        curves.series.iter().flat_map(|series| &series.points).map(|point| point.0).collect()
    } else {
        x.ticks()
    };
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    let mut last = f64::NEG_INFINITY;
    for tick in marks {
        let place = x.at(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid faint\" d=\"M{place:.1} {:.1}V{:.1}\"/>",
            area.top, area.bottom
        );
        if place - last >= APART {
            last = place;
            let _ = writeln!(
                svg,
                "<text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                area.bottom + 18.0,
                label(tick)
            );
        }
    }
}

fn curve(svg: &mut String, series: &Series, class: &str, x: &Axis, y: &Axis) {
    let path = |value: fn(&Estimate) -> f64| {
        series
            .points
            .iter()
            .map(|(at, estimate)| format!("{:.1} {:.1}", x.at(*at), y.at(value(estimate))))
            .collect::<Vec<_>>()
    };
    if !series.ideal && series.points.len() > 1 {
        let mut outline = path(|estimate| estimate.high);
        outline.extend(path(|estimate| estimate.low).into_iter().rev());
        let _ = writeln!(svg, "<path class=\"band {class}\" d=\"M{}Z\"/>", outline.join("L"));
    }
    if !series.points.is_empty() {
        let line = path(|estimate| estimate.value).join("L");
        let _ = writeln!(svg, "<path class=\"line {class}\" d=\"M{line}\"/>");
    }
    // With many points the line is enough.
    if series.ideal || series.points.len() > 100 {
        return;
    }
    for (at, estimate) in &series.points {
        let (place, middle) = (x.at(*at), y.at(estimate.value));
        let _ = writeln!(
            svg,
            "<g class=\"point {class}\"><path class=\"whisker\" d=\"M{place:.1} {:.1}V{:.1}\"/><circle cx=\"{place:.1}\" cy=\"{middle:.1}\" r=\"4\"/>\
             <title>{}: {} at {}</title></g>",
            y.at(estimate.low),
            y.at(estimate.high),
            escape(&series.name),
            described(*estimate),
            label(*at),
        );
    }
}
