//! What can go wrong between a plan and its first I/O, and how it is told.

use std::error::Error as StdError;
use std::fmt;

use crate::shell::is_obeyed;

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

/// An error with a kind, a place, a cause and what to type; `K` is its room's list of kinds.
#[derive(Debug)]
pub struct Error<K> {
    /// For matching.
    pub kind: K,
    /// What was being done, to what: `opening /dev/sdb`.
    pub place: String,
    /// What happened, as a sentence without full stop.
    pub cause: String,
    /// What to do about it; empty if nothing can be said.
    pub remedy: String,
    /// What it came from, as an error of the operating system with its number; its text is in the cause.
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What can go wrong with a target, or with an engine on it.
pub type EngineError = Error<ErrorKind>;

/// Kinds that are plain values are told in this one way; a [`Refusal`](crate::Refusal)'s, which carries words, in its own.
impl<K: Copy> Error<K> {
    /// An error without a remedy.
    pub fn new(kind: K, place: impl Into<String>, cause: impl Into<String>) -> Self {
        Self::of(kind, place.into(), cause.into())
    }
}

impl<K> Error<K> {
    pub(crate) fn of(kind: K, place: String, cause: String) -> Self {
        Self { kind, place, cause, remedy: String::new(), source: None }
    }

    /// The same error at this place.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }

    /// The same error with what to do about it.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// The same error with what it came from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Gives away what it came from, for an error in its place.
    pub fn take_source(&mut self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source.take()
    }
}

impl EngineError {
    /// From an error of the operating system, sorted into its kind. It keeps the error's number, as
    /// [`std::io::Error::raw_os_error`] of its source.
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
        let source =
            error.raw_os_error().map_or_else(|| error.kind().into(), std::io::Error::from_raw_os_error);
        Self::new(kind, place, error.to_string()).with_remedy(remedy).with_source(source)
    }
}

impl<K> Error<K>
where
    Self: StdError,
{
    /// The number of the operating system's error that it came from, if it came from one.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.source()?.downcast_ref::<std::io::Error>()?.raw_os_error()
    }
}

/// Errors are equal that say the same; what they came from is not looked at.
impl<K: PartialEq> PartialEq for Error<K> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && (&self.place, &self.cause, &self.remedy) == (&other.place, &other.cause, &other.remedy)
    }
}

impl<K: Copy> fmt::Display for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.cause)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n  {}", self.remedy) }
    }
}

impl<K: fmt::Debug> StdError for Error<K>
where
    Self: fmt::Display,
{
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// A text of several lines in one, as of an error with its remedy, without anything in it that a terminal would obey:
/// what programs and other machines say may hold any character.
pub fn in_one_line(text: &str) -> String {
    let shown = |c: char| if is_obeyed(c) { ' ' } else { c };
    let lines = text.lines().map(|line| line.chars().map(shown).collect::<String>().trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_keeps_its_number() {
        let refused = std::io::Error::from_raw_os_error(13);
        let error = EngineError::system("opening /dev/sdb", &refused);
        assert_eq!(error.kind, ErrorKind::Permission);
        assert_eq!(error.raw_os_error(), Some(13));
        assert!(EngineError::new(ErrorKind::Plan, "--depth", "it is 0").source().is_none());
    }

    #[test]
    fn lines_become_one_that_a_terminal_shows() {
        let error =
            EngineError::new(ErrorKind::Plan, "--depth", "it is 0\u{1b}[2J").with_remedy("name one\nof 1-64");
        assert_eq!(in_one_line(&error.to_string()), "--depth: it is 0 [2J; name one; of 1-64");
        assert_eq!(in_one_line("\r\n\t\n"), "");
    }
}
