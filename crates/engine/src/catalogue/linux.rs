//! Linux has all engines but the one of Windows.

use super::EngineKind;

/// Why that one carries nothing here.
pub const WHY_NOT_HERE: &str = "it needs Windows";

/// Whether an engine carries I/O on this system.
pub fn is_here(kind: EngineKind) -> bool {
    kind != EngineKind::Iocp
}
