//! What is wrong with a flag's value or a profile, and what to type instead.

use crate::Refusal;

/// A cause, and a remedy where there is one.
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

    /// The refusal of a text that was taken for `expected`.
    pub fn of(self, expected: &str) -> Refusal {
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
