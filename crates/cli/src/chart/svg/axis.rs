//! Axes, and numbers as short labels.

use crate::chart::{Estimate, number};

/// One axis: maps values to coordinates and chooses ticks.
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Axis {
    pub fn new(values: impl Iterator<Item = f64>, log: bool, from: f64, to: f64) -> Axis {
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

    /// Adds a margin beyond the outermost values.
    pub fn padded(mut self, share: f64) -> Axis {
        let room = share * (self.high - self.low);
        self.low -= room;
        self.high += room;
        self
    }

    /// The same range of values on other coordinates.
    pub fn between(self, from: f64, to: f64) -> Axis {
        Axis { from, to, ..self }
    }

    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-9).log2() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values within the range, at most a dozen.
    pub fn ticks(&self) -> Vec<f64> {
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
        .find(|&step| step >= 0.8 * raw)
        .unwrap_or(raw);
    let first = (low / step).ceil();
    (0..12)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|&tick| tick <= high + step * 1e-6)
        .collect()
}

/// A value on an axis or in a hint: as many digits as it needs.
pub(super) fn label(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        return format!("{} M", trimmed(value / 1e6, 2));
    }
    if size >= 1e4 {
        return format!("{} k", trimmed(value / 1e3, 1));
    }
    let digits = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else {
        2
    };
    trimmed(value, digits)
}

/// A number without zeros at its end, with a true minus sign.
pub(super) fn trimmed(value: f64, digits: usize) -> String {
    let text = number(value, digits).replace('-', "−");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A value with its interval.
pub(super) fn described(estimate: Estimate) -> String {
    if estimate.low < estimate.high {
        format!("{} [{}, {}]", label(estimate.value), label(estimate.low), label(estimate.high))
    } else {
        label(estimate.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(label(-104.0), "−104");
    }
}
