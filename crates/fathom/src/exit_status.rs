//! How the program ended, as scripts see it.
//!
//! An error has its status by its kind, from `failure.rs`. A command that came to its end says by
//! [`Status::of_measurement`] and [`Status::or_of`] what became of what it measured.

use std::process::ExitCode;

use fathom_record::condition::ConditionOutcome;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was done, and what was measured is valid.
    Done,
    /// A measurement is invalid or incomplete, or the system failed.
    Invalid,
    /// What was typed makes no sense.
    Usage,
    /// The target refused.
    Refused,
    /// A condition of `--fail-if` was met, or what it is on was not measured.
    Condition,
}

impl Status {
    /// [`Done`](Self::Done) where a measurement holds.
    pub fn of_measurement(valid: bool) -> Self {
        if valid { Self::Done } else { Self::Invalid }
    }

    /// [`Condition`](Self::Condition) where one of these fails, which goes before all else that can be said of a
    /// measurement.
    pub fn or_of(self, conditions: &[ConditionOutcome]) -> Self {
        if conditions.iter().any(ConditionOutcome::fails) { Self::Condition } else { self }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}
