//! What a column of another tool means in fathom's metrics and units.

use std::borrow::Cow;

/// What a column gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Values of these metrics.
    Means(Vec<Meaning>),
    /// Nothing that a series could hold: a name, a number of a socket, a total since the start.
    Nothing,
    /// The tool's versions that are known here print no such column.
    Unknown,
}

/// One metric that a column gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// Its name, as fathom's own telemetry has it where the meaning is the same.
    pub metric: Cow<'static, str>,
    /// Unit of its values.
    pub unit: &'static str,
    /// What a printed number is multiplied by.
    pub scale: f64,
    /// Which thing the values are of.
    pub label: Label,
    /// Whether several columns of one row add up to the metric.
    pub adds: bool,
}

/// Which thing a column's values are of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The row's.
    Row,
    /// Always this.
    Fixed(&'static str),
    /// A part of the row's thing, which the column names.
    Part(String),
}

impl Meaning {
    /// A metric of the row's thing.
    pub fn new(metric: impl Into<Cow<'static, str>>, unit: &'static str, scale: f64) -> Self {
        Self { metric: metric.into(), unit, scale, label: Label::Row, adds: false }
    }

    /// The same, as a term of a sum over columns.
    #[must_use]
    pub fn added(mut self) -> Self {
        self.adds = true;
        self
    }

    /// The same under another label.
    #[must_use]
    pub fn of(mut self, label: Label) -> Self {
        self.label = label;
        self
    }
}

impl Column {
    /// The same under another label.
    #[must_use]
    pub fn of(self, label: &Label) -> Self {
        match self {
            Self::Means(list) => Self::Means(list.into_iter().map(|m| m.of(label.clone())).collect()),
            other => other,
        }
    }
}

/// A column whose numbers stay as they are.
pub fn plain(metric: impl Into<Cow<'static, str>>, unit: &'static str) -> Column {
    Column::Means(vec![Meaning::new(metric, unit, 1.0)])
}

/// A column in percent, as a share of 1.
pub fn share(metric: impl Into<Cow<'static, str>>) -> Column {
    Column::Means(vec![Meaning::new(metric, "share", 0.01)])
}

/// A column in units of so many bytes.
pub fn bytes(metric: impl Into<Cow<'static, str>>, unit_bytes: f64) -> Column {
    Column::Means(vec![Meaning::new(metric, "bytes", unit_bytes)])
}

/// A column in units of so many bytes a second.
pub fn bytes_per_s(metric: impl Into<Cow<'static, str>>, unit_bytes: f64) -> Column {
    Column::Means(vec![Meaning::new(metric, "bytes/s", unit_bytes)])
}

/// A column in milliseconds.
pub fn time_ms(metric: impl Into<Cow<'static, str>>) -> Column {
    Column::Means(vec![Meaning::new(metric, "ns", 1e6)])
}

/// A column that is known and gives no series.
pub fn none() -> Column {
    Column::Nothing
}
