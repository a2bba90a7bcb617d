//! What is wrong with a plan, where it stands, and what to type instead.

use fathom_record::Fault;
use fathom_record::error::Error;

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

/// A refused plan. Its place is the argument as it was typed, the flag that is missing, or the file and the line: `plan.toml:3`.
pub type PlanError = Error<PlanErrorKind>;

/// A mistake in the value of one key or flag, before its place is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The key, as a plan or a command names it.
    pub key: &'static str,
    /// What kind of mistake.
    pub kind: PlanErrorKind,
    /// What is wrong, as one sentence without a full stop.
    pub cause: String,
    /// What to type; empty where the cause says it.
    pub remedy: String,
}

impl Mistake {
    /// A mistake of this key.
    pub fn new(key: &'static str, kind: PlanErrorKind, fault: impl Into<Fault>) -> Self {
        let Fault { cause, remedy } = fault.into();
        Self { key, kind, cause, remedy }
    }

    /// The same with what to type.
    pub fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    /// The same at its place.
    pub fn at(self, place: impl Into<String>) -> PlanError {
        PlanError::new(self.kind, place, self.cause).with_remedy(self.remedy)
    }

    /// On the command line, where its key is a flag.
    pub fn at_flag(self) -> PlanError {
        let flag = format!("--{}", self.key);
        self.at(flag)
    }
}
