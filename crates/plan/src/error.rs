//! What is wrong with a plan, where it stands, and what to type instead.

use std::fmt;

/// Kinds of mistakes in plans and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// The file is not TOML.
    Syntax,
    /// A key or flag that does not exist.
    UnknownName,
    /// A value that is not what its key takes.
    Value,
    /// A key that is needed and not there.
    Missing,
    /// Values that are right alone and not together.
    Contradiction,
    /// Characters that a document made of hyphens or spaces.
    Pasted,
}

/// Where a plan's value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the command line: the argument as it was typed, or the flag that is missing.
    Argument(String),
    /// In a plan file.
    File {
        /// Its name, as the user gave it.
        file: String,
        /// Line, from 1.
        line: usize,
    },
}

/// A refused plan. Printed, it names the place, the cause and what to type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {cause}")]
pub struct PlanError {
    /// What kind of mistake.
    pub kind: PlanErrorKind,
    /// Where.
    pub place: Place,
    /// What is wrong and what to type, as one sentence without a full stop.
    pub cause: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Argument(argument) => f.write_str(argument),
            Place::File { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

/// A mistake in the value of one key or flag, before its place is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The key, as a plan or a command names it.
    pub key: &'static str,
    /// What kind of mistake.
    pub kind: PlanErrorKind,
    /// What is wrong and what to type, as one sentence without a full stop.
    pub cause: String,
}

impl Mistake {
    /// A mistake of this key.
    pub fn new(key: &'static str, kind: PlanErrorKind, cause: impl Into<String>) -> Self {
        Self { key, kind, cause: cause.into() }
    }

    /// The same at its place.
    pub fn at(self, place: Place) -> PlanError {
        PlanError { kind: self.kind, place, cause: self.cause }
    }
}
