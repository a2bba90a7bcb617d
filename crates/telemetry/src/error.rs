//! Why something of the machine is not read or not watched.

use std::io;

use fathom_record::error::Error;

/// Kind of what is lacking, for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TelemetryErrorKind {
    /// It is not there: no such file, device or counter.
    Absent,
    /// The system does not let this process have it.
    Permission,
    /// This system, this kernel or this build has no such thing.
    Unsupported,
    /// It is there, and makes no sense.
    Malformed,
    /// Too little time passed to tell anything.
    TooShort,
    /// The system failed.
    System,
}

/// Why a source gives nothing. Its cause says what was to be read and what would help, as records keep it alone.
pub type TelemetryError = Error<TelemetryErrorKind>;

/// An error of the operating system, sorted into its kind, with the words for the record.
pub(crate) fn of_system(place: &str, cause: String, error: io::Error) -> TelemetryError {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => TelemetryErrorKind::Absent,
        io::ErrorKind::PermissionDenied => TelemetryErrorKind::Permission,
        io::ErrorKind::Unsupported => TelemetryErrorKind::Unsupported,
        io::ErrorKind::InvalidData => TelemetryErrorKind::Malformed,
        _ => TelemetryErrorKind::System,
    };
    TelemetryError::new(kind, place, cause).with_source(error)
}
