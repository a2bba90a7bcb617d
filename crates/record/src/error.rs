//! What can go wrong between a plan and its first I/O, and how it is told.

use std::fmt;

/// Kind of an error, for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The target was refused: writing could destroy data, or it cannot be measured honestly.
    Refused,
    /// The target does not exist or is of a kind that cannot be measured.
    NoSuchTarget,
    /// Not permitted by the operating system.
    Permission,
    /// The machine lacks something: kernel feature, memory limit, free space.
    Unsupported,
    /// The plan contradicts the target: block size, span, depth.
    Plan,
    /// No engine has the name that was given.
    UnknownEngine,
    /// The operating system failed.
    System,
    /// Stopped because the user asked for it.
    Interrupted,
}

/// `EMFILE` and `ENFILE`, which have these numbers on every Unix.
#[cfg(unix)]
const OUT_OF_FILES: [i32; 2] = [24, 23];
/// There is no such limit.
#[cfg(not(unix))]
const OUT_OF_FILES: [i32; 0] = [];

/// An error with a kind, a place, a cause and what to type.
#[derive(Debug)]
pub struct Error {
    /// For matching.
    pub kind: ErrorKind,
    /// What was being done, to what: `opening /dev/sdb`.
    pub place: String,
    /// What happened, as a sentence without full stop.
    pub cause: String,
    /// What to do about it; empty if nothing can be said.
    pub remedy: String,
}

impl Error {
    /// An error without a remedy.
    pub fn new(kind: ErrorKind, place: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { kind, place: place.into(), cause: cause.into(), remedy: String::new() }
    }

    /// The same error with what to do about it.
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// From an error of the operating system, sorted into its kind.
    pub fn system(place: impl Into<String>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Os;
        let kind = match error.kind() {
            Os::NotFound => ErrorKind::NoSuchTarget,
            Os::PermissionDenied => ErrorKind::Permission,
            Os::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::System,
        };
        let is_out_of_files = error.raw_os_error().is_some_and(|code| OUT_OF_FILES.contains(&code));
        let remedy = if is_out_of_files { "allow more open files and try again: ulimit -n 1024" } else { "" };
        Self::new(kind, place, error.to_string()).with_remedy(remedy)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.cause)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n  {}", self.remedy) }
    }
}

impl std::error::Error for Error {}
