//! Engines by kind, and which is taken for a target, by the one [list](ENGINES) of what they carry.

#[cfg(target_os = "linux")]
#[path = "catalogue/linux.rs"]
mod platform;
#[cfg(windows)]
#[path = "catalogue/windows.rs"]
mod platform;

use fathom_record::engines::{ENGINES, EngineEntry};
use fathom_record::facts::TargetKind;

use crate::metadata::{Act, NameAct};
use crate::{EngineError, ErrorKind};

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
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The engine of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().zip(ENGINES).find_map(|(kind, entry)| (entry.name == name).then_some(kind))
    }

    /// The engine's entry in the list.
    pub fn entry(self) -> &'static EngineEntry {
        let place = KINDS.iter().position(|kind| *kind == self);
        &ENGINES[place.expect("every kind is in the list")]
    }

    /// Whether it carries I/O on this system.
    pub fn is_here(self) -> bool {
        self.entry().platforms.contains(&platform::HERE)
    }
}

/// The engine for a target: the one asked for, or the default of its kind.
///
/// # Errors
/// When there is no such engine, or it does not carry I/O to this kind of target.
pub fn choose(asked: Option<&str>, target: TargetKind) -> Result<EngineKind, EngineError> {
    let carries = |kind: &EngineKind| kind.entry().carries(target);
    let mut here = KINDS.into_iter().filter(|kind| kind.is_here() && carries(kind));
    let Some(name) = asked else {
        let default = here.next();
        return Ok(default.expect("every kind of target has an engine"));
    };
    let place = format!("choosing engine {name}");
    let names = || here.map(EngineKind::name).collect::<Vec<_>>().join(", ");
    match EngineKind::named(name) {
        Some(kind) if !kind.is_here() => {
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

/// The same, of what this kernel carries: where it refuses the default, the engine that is taken instead, with why.
///
/// # Errors
/// As [`choose`]; and when the kernel refuses the engine asked for.
pub fn choose_available(
    asked: Option<&str>,
    target: TargetKind,
) -> Result<(EngineKind, Option<EngineError>), EngineError> {
    let chosen = choose(asked, target)?;
    let Err(error) = platform::available(chosen) else { return Ok((chosen, None)) };
    match chosen.entry().instead.filter(|_| asked.is_none()).and_then(EngineKind::named) {
        Some(instead) => Ok((instead, Some(error))),
        None => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_the_list_are_the_same_engines_in_the_same_order() {
        for kind in KINDS {
            let name = match kind {
                EngineKind::Metadata(Act::Allocate) => "falloc".to_owned(),
                EngineKind::Metadata(Act::Truncate) => "ftruncate".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::CreateFile)) => "filecreate".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::StatFile)) => "filestat".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::DeleteFile)) => "filedelete".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::CreateFolder)) => "dircreate".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::StatFolder)) => "dirstat".to_owned(),
                EngineKind::Metadata(Act::Name(NameAct::DeleteFolder)) => "dirdelete".to_owned(),
                kind => format!("{kind:?}").to_lowercase(),
            };
            assert_eq!(kind.name().replace('-', ""), name);
            assert_eq!(EngineKind::named(kind.name()), Some(kind));
            let of_names = matches!(kind, EngineKind::Metadata(act) if act.is_of_names());
            assert_eq!(kind.entry().names_alone, of_names, "{kind:?}");
        }
    }
}
