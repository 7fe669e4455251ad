//! Charts as SVG text. Colours are classes, so that the style decides between light and dark; every
//! point says its value when the pointer rests on it, without a script.

use std::fmt::Write as _;

use super::{Chart, Curves, Dots, Estimate, Heat, STYLE, number};

const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 350.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 54.0;

/// Series colours of the style.
const COLOURS: usize = 6;

/// Draws a chart.
pub fn draw(chart: &Chart) -> String {
    match chart {
        Chart::Curves(curves) => draw_curves(curves),
        Chart::Heat(heat) => draw_heat(heat),
        Chart::Dots(dots) => draw_dots(dots),
    }
}

/// Draws a chart as a file of its own.
pub fn file(chart: &Chart) -> String {
    let svg = draw(chart).replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    let (opening, rest) = svg.split_once('\n').unwrap_or_default();
    format!(
        "{opening}\n<style>svg {{ font-family: sans-serif; }}\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{rest}"
    )
}

/// Text with the characters that mean something to XML replaced.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn open(height: f64, title: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(title)
    )
}

/// One axis: from values to places on the page, and where to put marks.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, log: bool, from: f64, to: f64) -> Axis {
        let scale = |value: f64| if log { value.max(1e-9).log2() } else { value };
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .map(scale)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if !low.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Axis { low, high, log, from, to }
    }

    /// Room beyond the outermost values.
    fn padded(mut self, share: f64) -> Axis {
        let room = share * (self.high - self.low);
        self.low -= room;
        self.high += room;
        self
    }

    fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-9).log2() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values within the range, at most a dozen.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
            let step = ((last - first) / 10 + 1).max(1) as usize;
            let whole: Vec<f64> =
                (first..=last).step_by(step).map(|power| f64::from(power).exp2()).collect();
            if whole.len() >= 2 {
                return whole;
            }
            // Less than a doubling from end to end: even steps say more.
            return even_ticks(self.low.exp2(), self.high.exp2());
        }
        even_ticks(self.low, self.high)
    }
}

fn even_ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|unit| unit * power)
        .find(|&step| step >= raw)
        .unwrap_or(raw);
    let first = (low / step).ceil();
    (0..12)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|&tick| tick <= high + step * 1e-6)
        .collect()
}

/// A value on an axis or in a hint: as many digits as it needs.
fn label(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        format!("{} M", trimmed(value / 1e6, 2))
    } else if size >= 1e4 {
        format!("{} k", trimmed(value / 1e3, 1))
    } else {
        trimmed(
            value,
            if size >= 100.0 {
                0
            } else if size >= 10.0 {
                1
            } else {
                2
            },
        )
    }
}

fn trimmed(value: f64, digits: usize) -> String {
    let text = number(value, digits);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A value in a cell of a map, where there is little room.
fn shade_label(value: f64) -> String {
    trimmed(value, usize::from(value < 10.0))
}

fn described(estimate: Estimate) -> String {
    if estimate.low < estimate.high {
        format!("{} [{}, {}]", label(estimate.value), label(estimate.low), label(estimate.high))
    } else {
        label(estimate.value)
    }
}

fn draw_curves(curves: &Curves) -> String {
    let points = || curves.series.iter().flat_map(|series| &series.points);
    let values = points().flat_map(|(_, estimate)| [estimate.value, estimate.low, estimate.high]);
    let x =
        Axis::new(points().map(|point| point.0), curves.log_x, LEFT, WIDTH - RIGHT).padded(0.04);
    let zero = curves.from_zero.then_some(0.0);
    let y = Axis::new(values.chain(zero), curves.log_y, HEIGHT - BOTTOM, TOP).padded(0.06);
    let mut svg = open(HEIGHT, &curves.title);
    for tick in y.ticks() {
        let (place, text) = (y.at(tick), label(tick));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {place:.1}H{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            place + 4.0
        );
    }
    let mut marks: Vec<f64> =
        if curves.log_x { points().map(|point| point.0).collect() } else { x.ticks() };
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    for tick in marks {
        let place = x.at(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid faint\" d=\"M{place:.1} {TOP}V{:.1}\"/><text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 20.0,
            label(tick)
        );
    }
    axis_names(&mut svg, &curves.x_label, &curves.y_label, HEIGHT);
    let mut colour = 0;
    let mut legend = LEFT;
    for series in &curves.series {
        let class = if series.ideal {
            "ideal".to_owned()
        } else {
            colour += 1;
            format!("s{}", (colour - 1) % COLOURS + 1)
        };
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
            let _ = writeln!(
                svg,
                "<path class=\"line {class}\" d=\"M{}\"/>",
                path(|estimate| estimate.value).join("L")
            );
        }
        // Of many points the line says enough.
        if !series.ideal && series.points.len() <= 100 {
            for (at, estimate) in &series.points {
                let (place, middle) = (x.at(*at), y.at(estimate.value));
                let _ = writeln!(
                    svg,
                    "<g class=\"{class}\"><path class=\"whisker\" d=\"M{place:.1} {:.1}V{:.1}\"/><circle cx=\"{place:.1}\" cy=\"{middle:.1}\" r=\"4\"/>\
                     <title>{}: {} at {}</title></g>",
                    y.at(estimate.low),
                    y.at(estimate.high),
                    escape(&series.name),
                    described(*estimate),
                    label(*at),
                );
            }
        }
        let _ = writeln!(
            svg,
            "<path class=\"line {class}\" d=\"M{legend:.1} 18h22\"/><text class=\"key\" x=\"{:.1}\" y=\"22\">{}</text>",
            legend + 28.0,
            escape(&series.name)
        );
        legend += 46.0 + 7.8 * series.name.chars().count() as f64;
    }
    svg.push_str("</svg>\n");
    svg
}

fn axis_names(svg: &mut String, x_label: &str, y_label: &str, height: f64) {
    let (middle, centre) =
        (f64::midpoint(LEFT, WIDTH - RIGHT), f64::midpoint(TOP, height - BOTTOM));
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text class=\"axis\" transform=\"translate(16 {centre:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        height - 10.0,
        escape(x_label),
        escape(y_label)
    );
}

fn draw_heat(heat: &Heat) -> String {
    let (columns, rows) = (heat.columns.len().max(1) as f64, heat.rows.len().max(1) as f64);
    let cell_height = (300.0 / rows).clamp(12.0, 34.0);
    let height = TOP + rows * cell_height + BOTTOM;
    let cell_width = (WIDTH - LEFT - RIGHT) / columns;
    let largest = heat.values.iter().flatten().copied().fold(0.0, f64::max).max(1e-9);
    // The square root lets rare kinds of entries be seen beside common ones.
    let shade = |value: f64| (value / largest).max(0.0).sqrt();
    let mut svg = open(height, &heat.title);
    for (row, (name, values)) in heat.rows.iter().zip(&heat.values).enumerate() {
        let top = TOP + (rows - 1.0 - row as f64) * cell_height;
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            top + cell_height / 2.0 + 4.0,
            escape(name)
        );
        for (column, &value) in values.iter().enumerate() {
            let left = LEFT + column as f64 * cell_width;
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
            if cell_width >= 34.0 && cell_height >= 15.0 && value >= 0.05 {
                let class = if shade(value) > 0.5 { "on-heat" } else { "in-heat" };
                let _ = writeln!(
                    svg,
                    "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    left + cell_width / 2.0,
                    top + cell_height / 2.0 + 4.0,
                    shade_label(value)
                );
            }
        }
    }
    let every = (heat.columns.len() / 16 + 1).max(1);
    for (column, name) in heat.columns.iter().enumerate().step_by(every) {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            LEFT + (column as f64 + 0.5) * cell_width,
            TOP + rows * cell_height + 18.0,
            escape(name)
        );
    }
    axis_names(&mut svg, &heat.x_label, &heat.y_label, height);
    for step in 0..40 {
        let _ = write!(
            svg,
            "<rect class=\"heat\" x=\"{:.1}\" y=\"12\" width=\"4\" height=\"12\" fill-opacity=\"{:.3}\"/>",
            LEFT + f64::from(step) * 4.0,
            f64::from(step) / 39.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"key\" x=\"{:.1}\" y=\"22\">0 to {}</text>\n</svg>",
        LEFT + 168.0,
        label(largest)
    );
    svg
}

fn draw_dots(dots: &Dots) -> String {
    const NAMES: f64 = 190.0;
    const VALUES: f64 = 138.0;
    const ROW: f64 = 34.0;
    let height = 16.0 + ROW * dots.rows.len() as f64 + BOTTOM;
    let values =
        dots.rows.iter().flat_map(|(_, estimate)| [estimate.value, estimate.low, estimate.high]);
    let x = Axis::new(values.chain([dots.baseline]), false, NAMES, WIDTH - VALUES).padded(0.08);
    let mut svg = open(height, &dots.title);
    let bottom = height - BOTTOM;
    for tick in x.ticks() {
        let place = x.at(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid faint\" d=\"M{place:.1} 8V{bottom:.1}\"/><text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 20.0,
            label(tick)
        );
    }
    let _ = writeln!(
        svg,
        "<path class=\"line ideal\" d=\"M{:.1} 8V{bottom:.1}\"/>",
        x.at(dots.baseline)
    );
    for (row, (name, estimate)) in dots.rows.iter().enumerate() {
        let place = 16.0 + ROW * (row as f64 + 0.5);
        let _ = writeln!(
            svg,
            "<text class=\"key\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <g class=\"s1\"><path class=\"whisker\" d=\"M{:.1} {place:.1}H{:.1}\"/><circle cx=\"{:.1}\" cy=\"{place:.1}\" r=\"5\"/></g>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            NAMES - 12.0,
            place + 4.0,
            escape(name),
            x.at(estimate.low),
            x.at(estimate.high),
            x.at(estimate.value),
            WIDTH - VALUES + 10.0,
            place + 4.0,
            described(*estimate)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n</svg>",
        f64::midpoint(NAMES, WIDTH - VALUES),
        height - 10.0,
        escape(&dots.x_label)
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Series;

    #[test]
    fn axes_run_from_end_to_end() {
        let axis = Axis::new([1.0, 64.0].into_iter(), true, 10.0, 70.0);
        assert!((axis.at(1.0) - 10.0).abs() < 1e-9 && (axis.at(8.0) - 40.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        let narrow = Axis::new([0.9, 1.1].into_iter(), true, 0.0, 1.0);
        assert!(narrow.ticks().len() >= 3, "{:?}", narrow.ticks());
        let flat = Axis::new([5.0].into_iter(), false, 0.0, 1.0);
        assert!((flat.at(5.0) - 0.5).abs() < 1e-9);
        assert!(Axis::new([].into_iter(), false, 0.0, 1.0).at(0.5).is_finite());
        assert_eq!(even_ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(label(1_250_000.0), "1.25 M");
        assert_eq!(label(16.0), "16");
        assert_eq!(label(0.5), "0.5");
        assert_eq!(label(0.0), "0");
    }

    #[test]
    fn charts_have_no_holes() {
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
        let rows = vec![("shared".to_owned(), estimate(0.97)), ("own".to_owned(), estimate(1.0))];
        for chart in [
            curves(vec![]),
            curves(vec![series(&[])]),
            curves(vec![series(&[1.0, 2.0, 1e7]), Series { ideal: true, ..series(&[1e-9]) }]),
            Chart::Heat(Heat::default()),
            Chart::Heat(heat),
            Chart::Dots(Dots { baseline: 1.0, rows, ..Dots::default() }),
        ] {
            let svg = file(&chart);
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
