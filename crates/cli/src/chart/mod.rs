//! Charts: plain data, drawn as SVG.

pub mod svg;

/// A number with a 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// A number known exactly.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// The estimate of an increasing function of the quantity.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: function(self.value), low: function(self.low), high: function(self.high) }
    }

    /// The estimate of `numerator` divided by the (positive) quantity.
    #[must_use]
    pub fn divide(self, numerator: f64) -> Estimate {
        Estimate {
            value: numerator / self.value,
            low: numerator / self.high,
            high: numerator / self.low,
        }
    }
}

/// A chart of one of four kinds.
#[derive(Clone, Debug)]
pub enum Chart {
    /// Curves with intervals.
    Curves(Curves),
    /// A value for each row and column, as shades.
    Heat(Heat),
    /// One value with interval per row, against a baseline.
    Dots(Dots),
    /// The same as bars, for many rows.
    Bars(Dots),
}

/// Curves over a common axis.
#[derive(Clone, Debug, Default)]
pub struct Curves {
    /// What it shows.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// Horizontal steps are doublings.
    pub log_x: bool,
    /// Vertical steps are doublings.
    pub log_y: bool,
    /// The vertical axis begins at zero.
    pub from_zero: bool,
    /// The curves.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, Estimate)>,
    /// Drawn as a thin dashed line: what would be ideal, not what was measured.
    pub ideal: bool,
}

/// Shades of a grid.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    /// What it shows.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, from the bottom up.
    pub rows: Vec<String>,
    /// Values by row and column, 0 or more.
    pub values: Vec<Vec<f64>>,
}

/// Values with intervals, one below the other.
#[derive(Clone, Debug, Default)]
pub struct Dots {
    /// What it shows.
    pub title: String,
    /// What the values are.
    pub x_label: String,
    /// The value that means no difference.
    pub baseline: f64,
    /// Names and values.
    pub rows: Vec<(String, Estimate)>,
}

impl Chart {
    /// What the chart shows.
    pub fn title(&self) -> &str {
        match self {
            Chart::Curves(Curves { title, .. })
            | Chart::Heat(Heat { title, .. })
            | Chart::Dots(Dots { title, .. })
            | Chart::Bars(Dots { title, .. }) => title,
        }
    }
}

/// A value with `digits` digits after the point, or a dash if it is not a number.
pub fn number(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { "–".to_owned() }
}
