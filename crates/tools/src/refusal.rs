//! Why a text was not read: a place, a cause, and what to do.

use std::fmt;

/// What a refusal is about, where somebody has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefusalKind {
    /// Nothing that anybody but a reader has to know.
    #[default]
    Other,
    /// Which of several devices in a text is meant.
    WhichDevice,
    /// More than whoever asked can take.
    TooMany,
}

/// A text that was refused whole; nothing of it was taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// For whoever has something of his own to add.
    pub kind: RefusalKind,
    /// What the text was taken for, as `fio job file`.
    pub expected: String,
    /// Where it stopped making sense, as `line 12` or `jobs[3].read`; empty for the whole text.
    pub place: String,
    /// What is wrong there, in one sentence without a full stop.
    pub cause: String,
    /// What to do or type instead; empty where nothing helps.
    pub remedy: String,
}

impl Refusal {
    /// A refusal without a place or a remedy.
    pub fn new(expected: impl Into<String>, cause: impl Into<String>) -> Self {
        Self {
            kind: RefusalKind::default(),
            expected: expected.into(),
            place: String::new(),
            cause: cause.into(),
            remedy: String::new(),
        }
    }

    /// The same of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: RefusalKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same with the place where the text stopped making sense.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }

    /// The same with what to do instead.
    #[must_use]
    pub fn or(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not read as {}", self.expected)?;
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
        assert_eq!(Refusal::new("iostat", "empty").to_string(), "not read as iostat: empty");
    }
}
