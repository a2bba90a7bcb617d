//! The engines that need nothing of Linux.

use super::EngineKind;

/// Why the others carry nothing here.
pub const WHY_NOT_HERE: &str = "it needs the kernel of Linux";

/// Whether an engine carries I/O on this system.
pub fn is_here(kind: EngineKind) -> bool {
    matches!(
        kind,
        EngineKind::Iocp
            | EngineKind::Sync
            | EngineKind::NvmeTcp
            | EngineKind::Memory
            | EngineKind::Null
            | EngineKind::Sim
    )
}
