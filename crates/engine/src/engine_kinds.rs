//! Engines as the [list](engine_list::ENGINES) has them, and which is taken for a target, by what it says that they
//! carry.

#[cfg(target_os = "linux")]
#[path = "engine_kinds/linux.rs"]
mod platform;
#[cfg(windows)]
#[path = "engine_kinds/windows.rs"]
mod platform;

use std::fmt;

use fathom_record::engine_list::{self, EngineEntry};
use fathom_record::facts::{TargetFacts, TargetKind};

pub use platform::HERE;

use crate::launch::Launcher;
use crate::{EngineError, LAUNCHERS};

/// One engine of the [list](engine_list::ENGINES).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EngineKind(&'static EngineEntry);

impl fmt::Debug for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl EngineKind {
    /// What a user types for it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The engine of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        engine_list::named(name).map(Self)
    }

    /// The engine's entry in the list.
    pub fn entry(self) -> &'static EngineEntry {
        self.0
    }

    /// Whether it carries I/O on this system.
    pub fn is_here(self) -> bool {
        self.0.platforms.contains(&HERE)
    }

    /// How runs are launched on it; `None` for an engine of another system.
    pub(crate) fn launcher(self) -> Option<&'static Launcher> {
        LAUNCHERS.iter().find(|launcher| launcher.names.contains(&self.name()))
    }

    /// Whether the system lets it be made.
    fn available(self) -> Result<(), EngineError> {
        self.launcher().map_or(Ok(()), |launcher| (launcher.available)())
    }

    /// Lets it poll for all I/Os to an opened target; whether it polls at all is said by its entry.
    ///
    /// # Errors
    /// What the target or the kernel lacks for that, and what to type.
    pub fn admit_polling(self, target: &TargetFacts) -> Result<(), EngineError> {
        self.launcher().and_then(|launcher| launcher.polled).map_or(Ok(()), |admit| admit(target))
    }

    /// The same of single I/Os, by their flag.
    ///
    /// # Errors
    /// As [`admit_polling`](Self::admit_polling).
    pub fn admit_hipri(self, target: &TargetFacts) -> Result<(), EngineError> {
        self.launcher().and_then(|launcher| launcher.hipri).map_or(Ok(()), |admit| admit(target))
    }
}

/// The engine for a target: the one asked for, or the default of its kind.
///
/// # Errors
/// When there is no such engine, or it does not carry I/O to this kind of target.
pub fn choose(asked: Option<&str>, target: TargetKind) -> Result<EngineKind, EngineError> {
    if let Some(name) = asked {
        return engine_list::asked_for(name, target, HERE).map(EngineKind);
    }
    let default = engine_list::carrying(target, HERE).next();
    Ok(EngineKind(default.expect("every kind of target has an engine")))
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
    let Err(error) = chosen.available() else { return Ok((chosen, None)) };
    match chosen.entry().instead.filter(|_| asked.is_none()).and_then(EngineKind::named) {
        Some(instead) => Ok((instead, Some(error))),
        None => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::engine_list::ENGINES;

    use super::*;
    use crate::metadata::MetadataCall;

    #[test]
    fn each_engine_of_this_system_is_launched_by_one_folder_and_no_folder_launches_another() {
        let mut launched: Vec<&str> =
            LAUNCHERS.iter().flat_map(|launcher| launcher.names.iter().copied()).collect();
        let mut here: Vec<&str> =
            ENGINES.iter().map(EngineKind).filter(|kind| kind.is_here()).map(EngineKind::name).collect();
        launched.sort_unstable();
        here.sort_unstable();
        assert_eq!(launched, here);
    }

    #[test]
    fn what_a_folder_does_is_what_its_entry_promises() {
        use fathom_record::engine_list::EngineRequirement;
        for kind in ENGINES.iter().map(EngineKind).filter(|kind| kind.is_here()) {
            let (entry, launcher) = (kind.entry(), kind.launcher().expect("one of each"));
            let of_files = [TargetKind::File, TargetKind::BlockDevice, TargetKind::NvmeNamespace]
                .map(|it| entry.carries(it));
            assert_eq!(launcher.files.is_some(), of_files.contains(&true), "{kind:?}");
            assert_eq!(launcher.others.is_some(), !of_files.contains(&true), "{kind:?}");
            assert_eq!(
                launcher.striped.is_some(),
                launcher.files.is_some() && entry.takes(EngineRequirement::Stripe),
                "{kind:?}"
            );
            assert_eq!(
                launcher.prioritised.is_some(),
                entry.takes(EngineRequirement::Priorities),
                "{kind:?}"
            );
            assert_eq!(launcher.polled.is_some(), entry.takes(EngineRequirement::Polled), "{kind:?}");
            assert_eq!(launcher.hipri.is_some(), entry.takes(EngineRequirement::Hipri), "{kind:?}");
            assert_eq!(
                entry.names_alone,
                MetadataCall::named(entry.name).is_some_and(MetadataCall::is_of_names),
                "{kind:?}"
            );
        }
    }
}
