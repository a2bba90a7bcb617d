//! Why a text was not read: what it was taken for, a place, a cause, and what to do.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;

/// A text that was refused whole; nothing of it was taken. Its place is where it stopped making sense, as `line 12` or
/// `jobs[3].read`, and empty for the whole text.
pub type Refusal = Error<RefusalKind>;

/// Kind of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalKind {
    /// What the text was taken for, as `fio job file`.
    pub expected: Cow<'static, str>,
    /// For whoever has something of his own to add.
    pub about: RefusalAbout,
}

/// What a refusal is about, where somebody has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefusalAbout {
    /// Nothing that anybody but a reader has to know.
    #[default]
    Other,
    /// Which of several devices in a text is meant.
    WhichDevice,
    /// Which column of a table holds what.
    WhichColumns,
    /// More than whoever asked can take.
    TooMany,
}

impl Error<RefusalKind> {
    /// A refusal without a place or a remedy.
    pub fn new(expected: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        let kind = RefusalKind { expected: expected.into(), about: RefusalAbout::default() };
        Self::of(kind, String::new(), cause.into())
    }

    /// A refusal whose cause is another's error, which stays its source.
    pub fn caused_by(
        expected: impl Into<Cow<'static, str>>,
        error: impl StdError + Send + Sync + 'static,
    ) -> Self {
        Self::new(expected, error.to_string()).with_source(error)
    }

    /// The same about what somebody has to know.
    #[must_use]
    pub fn about(mut self, about: RefusalAbout) -> Self {
        self.kind.about = about;
        self
    }

    /// The same of a text that was taken for something else.
    #[must_use]
    pub fn taken_for(mut self, expected: impl Into<Cow<'static, str>>) -> Self {
        self.kind.expected = expected.into();
        self
    }

    /// The same with what to do instead.
    #[must_use]
    pub fn or(self, remedy: impl Into<String>) -> Self {
        self.with_remedy(remedy)
    }

    /// What the text was taken for and where in it, as `fio job file, line 12`.
    pub fn full_place(&self) -> String {
        match self.place.as_str() {
            "" => self.kind.expected.to_string(),
            place => format!("{}, {place}", self.kind.expected),
        }
    }
}

impl fmt::Display for Error<RefusalKind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not read as {}", self.kind.expected)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        write!(f, ": {}", self.cause)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_place_cause_and_remedy() {
        let refusal = Refusal::new("iostat", "no column named r/s").at("line 3").or("run iostat with -x");
        assert_eq!(
            refusal.to_string(),
            "not read as iostat, line 3: no column named r/s; run iostat with -x"
        );
        assert_eq!(refusal.full_place(), "iostat, line 3");
        assert_eq!(Refusal::new("iostat", "empty").to_string(), "not read as iostat: empty");
    }

    #[test]
    fn a_refusal_keeps_the_error_that_it_came_from() {
        let refusal = Refusal::caused_by("a trace", std::io::Error::from_raw_os_error(5));
        assert_eq!(refusal.raw_os_error(), Some(5));
        assert!(refusal.to_string().starts_with("not read as a trace: "), "{refusal}");
    }
}
