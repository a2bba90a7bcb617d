//! diskspd, through a command that reaches it.

use std::path::Path;

use fathom_plan::RunPlan;
use fathom_tools::diskspd::workload_as_flags::arguments;

use super::{STDOUT, ToolCommand, ToolDriver};
use crate::error::CampaignError;
use crate::external::tool::ToolEngine;
use crate::external::tool_invocation::NamedTarget;

/// Its driver.
#[derive(Debug)]
pub struct Diskspd;

impl ToolDriver for Diskspd {
    fn names(&self) -> &'static [&'static str] {
        &["diskspd"]
    }

    fn command(
        &self,
        _external: &ToolEngine,
        plan: &RunPlan,
        targets: &[NamedTarget],
        folder: &Path,
    ) -> Result<ToolCommand, CampaignError> {
        let paths: Vec<String> = targets.iter().map(|target| target.path.clone()).collect();
        let options = &plan.options;
        let arguments = arguments(&plan.workload, &paths, options.direct, options.durable.is_some())?;
        Ok(ToolCommand { arguments, result: folder.join(STDOUT), notes: Vec::new() })
    }
}
