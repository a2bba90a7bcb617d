//! Systems whose kernel has no io_uring.

use crate::{EngineError, ErrorKind};

/// Whether io_uring can be used here at all.
///
/// # Errors
/// Always [`ErrorKind::Unsupported`].
pub fn available() -> Result<(), EngineError> {
    Err(EngineError::new(ErrorKind::Unsupported, "starting io_uring", "the kernel of Linux alone has it")
        .with_remedy("leave --engine out"))
}
