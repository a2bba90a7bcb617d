//! What is particular to each tool that is driven, one file a tool: how its command is written, and what is done around
//! it. What a tool is called and has no place for is in its [entry](fathom_record::tool_engines::TOOL_ENGINES).

mod bdevperf_driver;
mod diskspd_driver;
mod fio_driver;
mod nvme_perf_driver;
mod spdk_process;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use fathom_plan::RunPlan;
use fathom_record::Workload;

use super::tool::ToolEngine;
use super::tool_invocation::NamedTarget;
use crate::error::CampaignError;

/// How one tool is driven.
pub trait ToolDriver: fmt::Debug + Sync {
    /// The names of its entries in the list.
    fn names(&self) -> &'static [&'static str];

    /// Writes the files that a plan needs into a folder, and says what the program is given.
    ///
    /// # Errors
    /// What the tool cannot do, or a file that cannot be written.
    fn command(
        &self,
        external: &ToolEngine,
        plan: &RunPlan,
        targets: &[NamedTarget],
        folder: &Path,
    ) -> Result<ToolCommand, CampaignError>;

    /// What is set in its environment.
    fn env(&self, _folder: &Path) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    /// Folders that it writes to on this machine, besides the one that keeps its output.
    fn folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Where the result of a command of its own will be, and the arguments that put it there, in those forms.
    fn output(&self, folder: &Path, _forms: &str) -> (PathBuf, Vec<String>) {
        (folder.join(STDOUT), Vec::new())
    }

    /// Takes from a workload what it did not carry.
    fn leave_out(&self, _workload: &mut Workload) {}
}

/// The file with what a tool prints.
const STDOUT: &str = "stdout.txt";

/// What a plan comes to as a command.
#[derive(Clone, Debug)]
pub struct ToolCommand {
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// The file with the result, once the tool has ended.
    pub result: PathBuf,
    /// What is not as fathom's engines would do it, as sentences.
    pub notes: Vec<String>,
}

/// All drivers.
const DRIVERS: &[&dyn ToolDriver] = &[
    &fio_driver::Fio,
    &bdevperf_driver::OVER_AIO,
    &bdevperf_driver::OVER_URING,
    &nvme_perf_driver::NvmePerf,
    &diskspd_driver::Diskspd,
];

/// The driver of an entry, by its name.
pub fn driver_of(name: &str) -> Option<&'static dyn ToolDriver> {
    DRIVERS.iter().copied().find(|driver| driver.names().contains(&name))
}

#[cfg(test)]
mod tests {
    use fathom_record::tool_engines::TOOL_ENGINES;

    use super::*;

    #[test]
    fn each_entry_has_one_driver_and_no_driver_is_of_another() {
        let mut driven: Vec<&str> = DRIVERS.iter().flat_map(|driver| driver.names()).copied().collect();
        let mut listed: Vec<&str> = TOOL_ENGINES.iter().map(|entry| entry.name).collect();
        driven.sort_unstable();
        listed.sort_unstable();
        assert_eq!(driven, listed);
    }
}
