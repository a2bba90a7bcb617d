//! Small text files that people name, as plans and tokens: read whole, and not at all where they are something else.

use std::path::Path;
use std::{fs, io};

use crate::failure::Failure;

/// The text of a file that has at most `bytes_max` bytes where it is `what`, as `a plan`. Of a cause, `refuse` makes
/// the failure with its place and what to type.
///
/// # Errors
/// When the file cannot be read, is larger, or is not UTF-8.
pub fn read_small_text(
    path: &Path,
    bytes_max: u64,
    what: &str,
    refuse: impl Fn(String) -> Failure,
) -> Result<String, Failure> {
    let unreadable = |error: io::Error| refuse(error.to_string()).with_source(error);
    let bytes = fs::metadata(path).map_err(unreadable)?.len();
    if bytes > bytes_max {
        return Err(refuse(format!("{bytes} bytes are too many for {what}")));
    }
    fs::read_to_string(path).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn what_is_too_large_or_cannot_be_read_is_refused_with_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.toml");
        let read = |bytes_max| {
            read_small_text(&path, bytes_max, "a plan", |cause| {
                Failure::usage("reading", cause, "see --help")
            })
        };
        let missing = read(4).unwrap_err();
        let source = missing.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(source.map(io::Error::kind), Some(io::ErrorKind::NotFound));
        fs::write(&path, "four").unwrap();
        assert_eq!(read(4).unwrap(), "four");
        assert_eq!(read(3).unwrap_err().cause, "4 bytes are too many for a plan");
    }
}
