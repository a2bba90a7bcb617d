//! SPDK's spdk_nvme_perf, over SPDK's own driver for NVMe.

use std::ffi::OsString;
use std::path::Path;

use fathom_plan::RunPlan;
use fathom_tools::nvme_perf::workload_as_command::arguments;

use super::{STDOUT, ToolCommand, ToolDriver, spdk_process};
use crate::error::CampaignError;
use crate::external::tool::ToolEngine;
use crate::external::tool_invocation::NamedTarget;

/// Its driver.
#[derive(Debug)]
pub struct NvmePerf;

impl ToolDriver for NvmePerf {
    fn names(&self) -> &'static [&'static str] {
        &["spdk_nvme_perf", "nvme_perf"]
    }

    fn command(
        &self,
        _external: &ToolEngine,
        plan: &RunPlan,
        targets: &[NamedTarget],
        folder: &Path,
    ) -> Result<ToolCommand, CampaignError> {
        let names: Vec<String> = targets.iter().map(|target| target.path.clone()).collect();
        let cpus = plan.options.cpus.clone().unwrap_or_default();
        let huge_pages = spdk_process::has_huge_pages();
        let arguments = arguments(&plan.workload, &names, &cpus, huge_pages)?;
        let notes = if huge_pages { Vec::new() } else { vec![spdk_process::NO_HUGE_PAGES.to_owned()] };
        Ok(ToolCommand { arguments, result: folder.join(STDOUT), notes })
    }

    fn env(&self, folder: &Path) -> Vec<(&'static str, OsString)> {
        spdk_process::env(folder)
    }
}
