//! Shades of a grid.

use std::fmt::Write as _;

use super::axis::{label, trimmed};
use super::{Area, Frame, LETTER, escape, width};
use crate::chart::Heat;

const RIGHT: f64 = 6.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 50.0;

pub(super) fn draw(heat: &Heat, frame: Frame) -> (String, f64) {
    let (columns, rows) = (heat.columns.len().max(1) as f64, heat.rows.len().max(1) as f64);
    let cell_height = ((frame.height - TOP - BOTTOM) / rows).clamp(14.0, 30.0);
    let widest = heat.rows.iter().map(|name| width(name)).fold(0.0, f64::max);
    let area = Area {
        left: 30.0 + widest,
        right: frame.width - RIGHT,
        top: TOP,
        bottom: TOP + rows * cell_height,
    };
    let cell_width = (area.right - area.left) / columns;
    let largest = heat.values.iter().flatten().copied().fold(0.0, f64::max).max(1e-9);
    // The square root lets rare kinds of entries be seen beside common ones.
    let shade = |value: f64| (value / largest).max(0.0).sqrt();
    let mut svg = String::new();
    for (row, (name, values)) in heat.rows.iter().zip(&heat.values).enumerate() {
        let top = TOP + (rows - 1.0 - row as f64) * cell_height;
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            area.left - 6.0,
            top + cell_height / 2.0 + 4.0,
            escape(name)
        );
        for (column, &value) in values.iter().enumerate() {
            let left = area.left + column as f64 * cell_width;
            let about = heat.columns.get(column).map_or("", String::as_str);
            let _ = write!(
                svg,
                "<rect class=\"heat\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{:.3}\"><title>{} {}, {} {}: {}</title></rect>",
                cell_width - 1.5,
                cell_height - 1.5,
                shade(value),
                escape(&heat.y_label),
                escape(name),
                escape(&heat.x_label),
                escape(about),
                label(value)
            );
            let text = trimmed(value, usize::from(value < 10.0));
            if cell_width >= width(&text) + 4.0 && value >= 0.05 {
                let class = if shade(value) > 0.5 { "on-heat" } else { "in-heat" };
                let _ = writeln!(
                    svg,
                    "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                    left + cell_width / 2.0,
                    top + cell_height / 2.0 + 4.0,
                );
            }
        }
    }
    let longest = heat.columns.iter().map(|name| width(name)).fold(LETTER, f64::max);
    let every = ((longest + 6.0) / cell_width).ceil().max(1.0) as usize;
    for (column, name) in heat.columns.iter().enumerate().step_by(every) {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            area.left + (column as f64 + 0.5) * cell_width,
            area.bottom + 16.0,
            escape(name)
        );
    }
    area.axis_names(&mut svg, &heat.x_label, &heat.y_label);
    for step in 0..30 {
        let _ = write!(
            svg,
            "<rect class=\"heat\" x=\"{:.1}\" y=\"6\" width=\"4\" height=\"12\" fill-opacity=\"{:.3}\"/>",
            area.left + f64::from(step) * 4.0,
            f64::from(step) / 29.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"key\" x=\"{:.1}\" y=\"16\">0 to {}</text>",
        area.left + 128.0,
        label(largest)
    );
    (svg, area.bottom + BOTTOM)
}
