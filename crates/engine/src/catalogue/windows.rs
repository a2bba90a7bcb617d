//! Windows, whose engines are always to be had.

use fathom_record::engines::Platform;

use super::EngineKind;
use crate::EngineError;

/// This system.
pub const HERE: Platform = Platform::Windows;

/// Why an engine of another system carries nothing here.
pub const WHY_NOT_HERE: &str = "it needs the kernel of Linux";

/// Whether the system lets an engine be made.
#[expect(clippy::unnecessary_wraps, reason = "where there is io_uring, it may be refused")]
pub fn available(_: EngineKind) -> Result<(), EngineError> {
    Ok(())
}
