//! Engines by kind, and which is taken for a target, by the one [list](ENGINES) of what they carry.

#[cfg(target_os = "linux")]
#[path = "catalogue/linux.rs"]
mod platform;
#[cfg(windows)]
#[path = "catalogue/windows.rs"]
mod platform;

use fathom_record::engines::{self, ENGINES, EngineEntry};
use fathom_record::facts::TargetKind;

use crate::metadata::{Act, NameAct};
use crate::{EngineError, ErrorKind};

pub use platform::is_here;

/// An engine by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// io_uring.
    Uring,
    /// Native asynchronous I/O.
    Aio,
    /// Overlapped I/O and a completion port.
    Iocp,
    /// `pread` and `pwrite`.
    Sync,
    /// A shared mapping.
    Mmap,
    /// Calls about space, lengths and names.
    Metadata(Act),
    /// NVMe commands through io_uring.
    Passthrough,
    /// NVMe commands over TCP.
    NvmeTcp,
    /// The process's memory.
    Memory,
    /// Nothing.
    Null,
    /// A simulated device.
    Sim,
}

/// All kinds, in the order of the [list](ENGINES).
const KINDS: [EngineKind; ENGINES.len()] = [
    EngineKind::Uring,
    EngineKind::Aio,
    EngineKind::Iocp,
    EngineKind::Sync,
    EngineKind::Mmap,
    EngineKind::Metadata(Act::Allocate),
    EngineKind::Metadata(Act::Truncate),
    EngineKind::Metadata(Act::Name(NameAct::CreateFile)),
    EngineKind::Metadata(Act::Name(NameAct::StatFile)),
    EngineKind::Metadata(Act::Name(NameAct::DeleteFile)),
    EngineKind::Metadata(Act::Name(NameAct::CreateFolder)),
    EngineKind::Metadata(Act::Name(NameAct::StatFolder)),
    EngineKind::Metadata(Act::Name(NameAct::DeleteFolder)),
    EngineKind::Passthrough,
    EngineKind::NvmeTcp,
    EngineKind::Memory,
    EngineKind::Null,
    EngineKind::Sim,
];

impl EngineKind {
    /// What a user types for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uring => "uring",
            Self::Aio => "aio",
            Self::Iocp => "iocp",
            Self::Sync => "sync",
            Self::Mmap => "mmap",
            Self::Metadata(act) => act.name(),
            Self::Passthrough => "passthrough",
            Self::NvmeTcp => "nvme-tcp",
            Self::Memory => "memory",
            Self::Null => "null",
            Self::Sim => "sim",
        }
    }

    /// The engine of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }

    /// The engine's entry in the list.
    pub fn entry(self) -> &'static EngineEntry {
        engines::named(self.name()).expect("every kind has an entry")
    }
}

/// The engine for a target: the one asked for, or the default of its kind.
///
/// # Errors
/// When there is no such engine, or it does not carry I/O to this kind of target.
pub fn choose(asked: Option<&str>, target: TargetKind) -> Result<EngineKind, EngineError> {
    let carries = |kind: &EngineKind| kind.entry().targets.contains(&target);
    let mut here = KINDS.into_iter().filter(|kind| is_here(*kind) && carries(kind));
    let Some(name) = asked else {
        let default = here.next();
        return Ok(default.expect("every kind of target has an engine"));
    };
    let place = format!("choosing engine {name}");
    let names = || here.map(EngineKind::name).collect::<Vec<_>>().join(", ");
    match EngineKind::named(name) {
        Some(kind) if !is_here(kind) => {
            Err(EngineError::new(ErrorKind::Unsupported, place, platform::WHY_NOT_HERE)
                .with_remedy(format!("for this target use one of: {}", names())))
        }
        Some(kind) if carries(&kind) => Ok(kind),
        Some(_) => {
            Err(EngineError::new(ErrorKind::Plan, place, "it does not carry I/O to this kind of target")
                .with_remedy(format!("for this target use one of: {}", names())))
        }
        None => Err(EngineError::new(ErrorKind::UnknownEngine, place, "unknown engine")
            .with_remedy(format!("for this target use one of: {}", names()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_the_list_are_the_same_engines_in_the_same_order() {
        assert_eq!(KINDS.map(EngineKind::name), std::array::from_fn(|at| ENGINES[at].name));
        for kind in KINDS {
            assert_eq!(EngineKind::named(kind.name()), Some(kind));
            let of_names = matches!(kind, EngineKind::Metadata(act) if act.is_of_names());
            assert_eq!(kind.entry().names_alone, of_names, "{kind:?}");
        }
    }
}
