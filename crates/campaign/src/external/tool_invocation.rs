//! From a plan to what a tool is started with: its files, its arguments, and where its result will be.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use fathom_plan::RunPlan;

use super::remote_shell_arguments;
use super::tool::ToolEngine;
use super::tool_drivers::ToolCommand;
use crate::error::CampaignError;

/// A target as another tool is told of it.
#[derive(Clone, Debug)]
pub struct NamedTarget {
    /// Its path or name.
    pub path: String,
    /// Bytes of it that the workload uses.
    pub span_bytes: u64,
    /// Smallest unit of direct I/O.
    pub block_bytes: u32,
    /// Whether the workload uses all of it.
    pub whole: bool,
}

/// What is started.
#[derive(Clone, Debug)]
pub struct PreparedCommand {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The file with the result, once the tool has ended.
    pub result: PathBuf,
    /// What is set in its environment.
    pub env: Vec<(&'static str, OsString)>,
    /// What is not as fathom's engines would do it, as sentences.
    pub notes: Vec<String>,
}

/// Writes the tool's files into a folder, and says what to start.
///
/// # Errors
/// What the tool cannot do, or a file that cannot be written.
pub fn prepare(
    external: &ToolEngine,
    plan: &RunPlan,
    targets: &[NamedTarget],
    folder: &Path,
) -> Result<PreparedCommand, CampaignError> {
    let ToolCommand { arguments, result, notes } =
        external.driver.command(external, plan, targets, folder)?;
    remote_shell_arguments::check(external, arguments.iter().map(OsStr::new))?;
    let program = external.program.iter().map(OsString::from);
    let words = program.chain(arguments.into_iter().map(OsString::from)).collect();
    Ok(PreparedCommand { words, result, env: external.driver.env(folder), notes })
}
