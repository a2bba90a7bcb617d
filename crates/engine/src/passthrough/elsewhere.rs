//! Systems that let no program send NVMe commands through a ring.

use crate::{EngineError, ErrorKind};

/// Lets no polled NVMe command pass.
///
/// # Errors
/// Always [`ErrorKind::Unsupported`].
pub fn admit_polling() -> Result<(), EngineError> {
    let cause = "the kernel of Linux alone polls for NVMe commands";
    Err(EngineError::new(ErrorKind::Unsupported, "preparing polled completions", cause)
        .with_remedy("leave --polled out"))
}
