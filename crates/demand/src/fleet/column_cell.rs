//! A cell of a table that is read by columns, as what its column is read for.

/// A cell's value, or why it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<T> {
    /// Null, or words without a letter.
    Empty,
    /// A value.
    Value(T),
    /// Something that stands for no value that can be used.
    Wrong,
}

impl<T> Cell<T> {
    /// The value, where there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Empty | Self::Wrong => None,
        }
    }

    /// A value that was made of what the cell holds, or none that could be made of it.
    pub fn of(value: Option<T>) -> Self {
        value.map_or(Self::Wrong, Self::Value)
    }
}

impl Cell<f64> {
    /// A number, which can be used from 0 up.
    pub fn of_number(value: f64) -> Self {
        Self::of(is_usable(value).then_some(value))
    }
}

/// Whether a number can be a count, a rate or a size.
pub fn is_usable(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
