//! What is wrong with a value, a flag or a line, before anybody knows where it stands, and what to type instead.

use std::fmt;

use fathom_measure::UnitError;

use crate::Refusal;
use crate::error::{Error, in_one_line};

/// A cause, and a remedy where there is one. Whoever knows what was read and where makes an [`Error`] of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, in one sentence without a full stop.
    pub cause: String,
    /// What to type instead; empty where nothing helps.
    pub remedy: String,
}

impl Fault {
    /// A cause with what to type instead.
    pub fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { cause: cause.into(), remedy: remedy.into() }
    }

    /// The error of a room, now that its place is known.
    pub fn at<K>(self, kind: K, place: impl Into<String>) -> Error<K> {
        Error::of(kind, place.into(), self.cause).with_remedy(self.remedy)
    }

    /// The cause and the remedy in one line.
    pub fn in_one_line(&self) -> String {
        in_one_line(&format!("{}\n{}", self.cause, self.remedy))
    }

    /// The refusal of a text that was taken for `expected`.
    pub fn of(self, expected: &'static str) -> Refusal {
        Refusal::new(expected, self.cause).or(self.remedy)
    }
}

impl From<String> for Fault {
    fn from(cause: String) -> Self {
        Self { cause, remedy: String::new() }
    }
}

impl From<&str> for Fault {
    fn from(cause: &str) -> Self {
        Self::from(cause.to_owned())
    }
}

impl From<UnitError> for Fault {
    fn from(error: UnitError) -> Self {
        Self::from(error.to_string())
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}
