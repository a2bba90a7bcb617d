//! The engines that need nothing of Linux.

use super::EngineKind;

/// Whether an engine carries I/O on this system.
pub fn is_here(kind: EngineKind) -> bool {
    matches!(
        kind,
        EngineKind::Sync | EngineKind::NvmeTcp | EngineKind::Memory | EngineKind::Null | EngineKind::Sim
    )
}
