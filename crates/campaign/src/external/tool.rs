//! Which tool an engine's name means, and what it can be asked.

use fathom_engine::EngineError;
use fathom_plan::{Carrier, NameKind, RunOptions, RunPlan, RunRequest, TargetUse};
use fathom_record::tool_engines::{CommandGrammar, TOOL_ENGINES, ToolEntry, ToolPlace, tool_named};
use fathom_tools::spdk::TransportId;

use super::tool_drivers::{ToolDriver, driver_of};
use crate::single_run::fitness::{first, named};
use crate::write_cap;

/// An engine of another tool's, as `fio`, `fio:/opt/fio/fio`, `fio@host`, `bdevperf-uring:/opt/spdk/bdevperf`,
/// `diskspd:ssh host diskspd.exe`.
#[derive(Clone, Debug)]
pub struct ToolEngine {
    /// What the list says of it.
    pub entry: &'static ToolEntry,
    /// The program, with what reaches it in front.
    pub program: Vec<String>,
    /// Another machine where a server of the tool's runs.
    pub host: Option<String>,
    /// How it is driven.
    pub(super) driver: &'static dyn ToolDriver,
}

impl ToolEngine {
    /// The tool that an engine's name means, if it means one.
    pub fn of(engine: &str) -> Option<Self> {
        let (name, place) = engine.split_at(engine.find([':', '@']).unwrap_or(engine.len()));
        let entry = tool_named(name)?;
        let host = place.strip_prefix('@').map(str::to_owned);
        if host.is_some() && !entry.places.contains(&ToolPlace::Server) {
            return None;
        }
        let program = match place.strip_prefix(':').unwrap_or_default() {
            "" => vec![entry.program.to_owned()],
            // How it is reached may be a command of several words.
            command if entry.places.contains(&ToolPlace::Command) => {
                command.split_whitespace().map(str::to_owned).collect()
            }
            path => vec![path.to_owned()],
        };
        Some(Self { entry, program, host, driver: driver_of(entry.name)? })
    }

    /// The tool that takes command lines of a language, as its name alone means it.
    pub fn taking(grammar: CommandGrammar) -> Option<Self> {
        let entry = TOOL_ENGINES.iter().find(|entry| entry.grammar == Some(grammar))?;
        Self::of(entry.name)
    }

    /// What its program is called, and what its results are read as.
    pub fn program_name(&self) -> &'static str {
        self.entry.program
    }

    /// How to get it where there is none.
    pub fn install(&self) -> &'static str {
        self.entry.install
    }

    /// Whether targets of it can be opened here, and so be looked at before anything is written.
    pub fn works_here(&self, targets: &[String]) -> bool {
        let are_apart = self.entry.knows_controllers && targets.iter().any(|target| is_controller(target));
        self.entry.opens_paths && self.runs_here() && !are_apart
    }

    /// Whether it runs on this machine.
    pub fn runs_here(&self) -> bool {
        self.host.is_none() && self.entry.places.contains(&ToolPlace::Path)
    }

    /// Refuses options of a run that another tool has no place for, and targets that it cannot be given.
    ///
    /// # Errors
    /// The first one, why, and what to type.
    pub fn check_options(&self, plan: &RunPlan) -> Result<(), EngineError> {
        let is_here = self.works_here(&plan.targets);
        let named = |target: &str| match is_here {
            _ if is_controller(target) => Ok(NameKind::Controller),
            true => named(target),
            // What it is called there is nothing that is read here.
            false => Ok(NameKind::Elsewhere),
        };
        let targets = plan.targets.iter().map(|target| Ok((target.as_str(), named(target)?)));
        let targets = targets.collect::<Result<Vec<_>, EngineError>>()?;
        let (workload, replayed) = (Some(&plan.workload), plan.workload.addresses.traced());
        let request = self.request(&plan.options, TargetUse::of([&plan.workload]));
        first(&RunRequest { targets: &targets, workload, replayed, ..request })
    }

    /// Refuses what fathom's command asks for and a command of the tool's own has no place for.
    ///
    /// # Errors
    /// The first one, why, and what to type.
    pub(super) fn check_given(&self, writes: bool) -> Result<(), EngineError> {
        first(&self.request(<&RunOptions>::default(), TargetUse { writes, ..TargetUse::of([]) }))
    }

    fn request<'a>(&self, options: &'a RunOptions, needs: TargetUse) -> RunRequest<'a> {
        let limits_writes = write_cap::limit().is_some();
        RunRequest { carrier: Carrier::Tool(self.entry), limits_writes, ..RunRequest::of(options, needs) }
    }
}

/// Whether a target is a controller of NVMe, which SPDK's own driver takes and no file of this machine stands for.
fn is_controller(target: &str) -> bool {
    TransportId::parse(target).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_commands_are_told_apart() {
        let of = |text: &str| {
            ToolEngine::of(text).map(|found| (found.entry.name, found.program.join(" "), found.host))
        };
        assert_eq!(of("fio"), Some(("fio", "fio".to_owned(), None)));
        assert_eq!(of("fio:/opt/my fio/fio"), Some(("fio", "/opt/my fio/fio".to_owned(), None)));
        assert_eq!(of("fio@10.0.0.2"), Some(("fio", "fio".to_owned(), Some("10.0.0.2".to_owned()))));
        assert_eq!(of("fio@[::1]:8765"), Some(("fio", "fio".to_owned(), Some("[::1]:8765".to_owned()))));
        assert_eq!(
            ToolEngine::of("diskspd:ssh me@host diskspd.exe").map(|found| found.program.len()),
            Some(3)
        );
        assert_eq!(of("bdevperf:/x/bdevperf"), Some(("bdevperf", "/x/bdevperf".to_owned(), None)));
        assert_eq!(of("bdevperf-uring"), Some(("bdevperf-uring", "bdevperf".to_owned(), None)));
        assert_eq!(
            ToolEngine::of("bdevperf-uring:/x/bdevperf").map(|found| found.program_name()),
            Some("bdevperf")
        );
        assert!(ToolEngine::of("bdevperf-uring").unwrap().install().contains("--with-uring"));
        assert!(!ToolEngine::of("bdevperf").unwrap().install().contains("--with-uring"));
        let bdevperf = ToolEngine::of("bdevperf").unwrap();
        assert!(bdevperf.works_here(&["/dev/nvme0n1".to_owned()]));
        assert!(!bdevperf.works_here(&["0000:04:00.0".to_owned()]));
        assert_eq!(of("nvme_perf"), Some(("nvme_perf", "spdk_nvme_perf".to_owned(), None)));
        for entry in TOOL_ENGINES {
            assert_eq!(ToolEngine::of(entry.name).map(|found| found.entry), Some(entry));
        }
        for fathoms in ["uring", "sync", "fiox", "bdevperf@host", ""] {
            assert_eq!(of(fathoms), None, "{fathoms}");
        }
    }
}
