//! Linux, whose kernel may refuse io_uring.

use fathom_record::engines::Platform;

use super::EngineKind;
use crate::{EngineError, uring};

/// This system.
pub const HERE: Platform = Platform::Linux;

/// Why an engine of another system carries nothing here.
pub const WHY_NOT_HERE: &str = "it needs Windows";

/// Whether the kernel lets an engine be made.
pub fn available(kind: EngineKind) -> Result<(), EngineError> {
    if kind == EngineKind::Uring { uring::available() } else { Ok(()) }
}
