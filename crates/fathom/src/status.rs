//! How the program ended, as scripts see it.

use std::process::ExitCode;

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
}

impl Status {
    /// [`Done`](Self::Done) where a measurement holds.
    pub fn of_measurement(valid: bool) -> Self {
        if valid { Self::Done } else { Self::Invalid }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}
