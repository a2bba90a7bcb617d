//! Which tool an engine's name means, and what it can be asked.

use fathom_engine::EngineError;
use fathom_plan::{Carrier, NameKind, Needs, RunPlan, RunRequest};
use fathom_record::tool_engines::{ToolEntry, tool_named};
use fathom_tools::bdevperf::workload_as_config::Kernel;
use fathom_tools::spdk::TransportId;

use crate::single_run::fitness::{first, named};

/// A generator that is not fathom's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// fio, here or on another machine.
    Fio,
    /// diskspd, through a command that reaches it.
    Diskspd,
    /// SPDK's bdevperf over AIO or io_uring bdevs, or over its own driver for NVMe.
    Bdevperf,
    /// SPDK's spdk_nvme_perf.
    NvmePerf,
}

/// An engine of another tool's, as `fio`, `fio:/opt/fio/fio`, `fio@host`, `bdevperf-uring:/opt/spdk/bdevperf`,
/// `diskspd:ssh host diskspd.exe`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Which.
    pub tool: Tool,
    /// What the list says of it.
    pub entry: &'static ToolEntry,
    /// The program, with what reaches it in front.
    pub program: Vec<String>,
    /// Another machine where a server of fio's runs.
    pub host: Option<String>,
    /// How it reaches files and devices, where it has several ways.
    pub kernel: Kernel,
}

/// bdevperf, by io_uring.
const OVER_URING: &str = "bdevperf-uring";

/// What each entry of the [list](fathom_record::tool_engines::TOOL_ENGINES) is.
const TOOLS: [(&str, Tool); 6] = [
    ("fio", Tool::Fio),
    ("bdevperf", Tool::Bdevperf),
    (OVER_URING, Tool::Bdevperf),
    ("spdk_nvme_perf", Tool::NvmePerf),
    ("nvme_perf", Tool::NvmePerf),
    ("diskspd", Tool::Diskspd),
];

impl External {
    /// The tool that an engine's name means, if it means one.
    pub fn of(engine: &str) -> Option<Self> {
        let (name, rest) = engine.split_once(':').unwrap_or((engine, ""));
        let host = engine.strip_prefix("fio@").map(str::to_owned);
        let entry = tool_named(if host.is_some() { "fio" } else { name })?;
        let (_, tool) = TOOLS.iter().find(|(known, _)| *known == entry.name)?;
        let program = match (tool, rest) {
            _ if host.is_some() => vec!["fio".to_owned()],
            (Tool::NvmePerf, "") => vec!["spdk_nvme_perf".to_owned()],
            (Tool::Bdevperf, "") => vec!["bdevperf".to_owned()],
            (_, "") => vec![entry.name.to_owned()],
            // How it is reached may be a command of several words.
            (Tool::Diskspd, rest) => rest.split_whitespace().map(str::to_owned).collect(),
            (_, path) => vec![path.to_owned()],
        };
        let kernel = if entry.name == OVER_URING { Kernel::Uring } else { Kernel::Aio };
        Some(Self { tool: *tool, entry, program, host, kernel })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.tool {
            Tool::Fio => "fio",
            Tool::Diskspd => "diskspd",
            Tool::Bdevperf => "bdevperf",
            Tool::NvmePerf => "spdk_nvme_perf",
        }
    }

    /// How to get it where there is none.
    pub fn install(&self) -> &'static str {
        self.entry.install
    }

    /// Whether targets of it can be opened here, and so be looked at before anything is written.
    pub fn works_here(&self, targets: &[String]) -> bool {
        match self.tool {
            Tool::Fio => self.host.is_none(),
            Tool::Bdevperf => !targets.iter().any(|target| is_controller(target)),
            Tool::NvmePerf | Tool::Diskspd => false,
        }
    }

    /// Whether it runs on this machine.
    pub fn runs_here(&self) -> bool {
        match self.tool {
            Tool::Fio => self.host.is_none(),
            Tool::Bdevperf | Tool::NvmePerf => true,
            Tool::Diskspd => false,
        }
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
        let carrier = Carrier::Tool(self.entry);
        let request = RunRequest::of(&plan.options, Needs::of([&plan.workload]));
        first(&RunRequest { targets: &targets, carrier, workload: Some(&plan.workload), ..request })
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
        let of =
            |text: &str| External::of(text).map(|found| (found.tool, found.program.join(" "), found.host));
        assert_eq!(of("fio"), Some((Tool::Fio, "fio".to_owned(), None)));
        assert_eq!(of("fio:/opt/my fio/fio"), Some((Tool::Fio, "/opt/my fio/fio".to_owned(), None)));
        assert_eq!(of("fio@10.0.0.2"), Some((Tool::Fio, "fio".to_owned(), Some("10.0.0.2".to_owned()))));
        assert_eq!(External::of("diskspd:ssh host diskspd.exe").map(|found| found.program.len()), Some(3));
        assert_eq!(of("bdevperf:/x/bdevperf"), Some((Tool::Bdevperf, "/x/bdevperf".to_owned(), None)));
        assert_eq!(of("bdevperf-uring"), Some((Tool::Bdevperf, "bdevperf".to_owned(), None)));
        let over = |text: &str| External::of(text).map(|found| found.kernel);
        assert_eq!(over("bdevperf-uring:/x/bdevperf"), Some(Kernel::Uring));
        assert_eq!(over("bdevperf:/x/bdevperf"), Some(Kernel::Aio));
        assert!(External::of("bdevperf-uring").unwrap().install().contains("--with-uring"));
        assert!(!External::of("bdevperf").unwrap().install().contains("--with-uring"));
        let bdevperf = External::of("bdevperf").unwrap();
        assert!(bdevperf.works_here(&["/dev/nvme0n1".to_owned()]));
        assert!(!bdevperf.works_here(&["0000:04:00.0".to_owned()]));
        assert_eq!(of("nvme_perf"), Some((Tool::NvmePerf, "spdk_nvme_perf".to_owned(), None)));
        for entry in fathom_record::tool_engines::TOOL_ENGINES {
            assert_eq!(External::of(entry.name).map(|found| found.entry), Some(entry));
        }
        for fathoms in ["uring", "sync", "fiox", ""] {
            assert_eq!(of(fathoms), None, "{fathoms}");
        }
    }
}
