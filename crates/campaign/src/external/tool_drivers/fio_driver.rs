//! fio, here or on another machine.

use std::path::{Path, PathBuf};

use fathom_plan::RunPlan;
use fathom_tools::fio::workload_as_job_file::job_file;

use super::{ToolCommand, ToolDriver};
use crate::error::CampaignError;
use crate::external::tool::ToolEngine;
use crate::external::tool_folder::write;
use crate::external::tool_invocation::NamedTarget;

/// Its driver.
#[derive(Debug)]
pub struct Fio;

impl ToolDriver for Fio {
    fn names(&self) -> &'static [&'static str] {
        &["fio"]
    }

    /// Writes its job file, too.
    fn command(
        &self,
        external: &ToolEngine,
        plan: &RunPlan,
        targets: &[NamedTarget],
        folder: &Path,
    ) -> Result<ToolCommand, CampaignError> {
        let paths: Vec<(String, u64)> =
            targets.iter().map(|target| (target.path.clone(), target.span_bytes)).collect();
        let job = folder.join("job.fio");
        write(&job, &job_file(&plan.workload, &paths, &plan.options)?)?;
        let result = folder.join("fio.json");
        let client = external.host.as_ref().map(|host| format!("--client={}", server(host)));
        let own = ["--output-format=json+".to_owned(), format!("--output={}", result.display())];
        let arguments = client.into_iter().chain(own).chain([job.display().to_string()]).collect();
        Ok(ToolCommand { arguments, result, notes: Vec::new() })
    }

    fn output(&self, folder: &Path, forms: &str) -> (PathBuf, Vec<String>) {
        let result = folder.join("fio.txt");
        let output = format!("--output={}", result.display());
        (result, vec![format!("--output-format={forms}"), output])
    }
}

/// A machine with a port as people write it, in the form of fio's: a comma before the port, and a mark before an
/// address of version 6. What is in fio's form already stays.
fn server(host: &str) -> String {
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    if let Some((address, rest)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return match rest.strip_prefix(':') {
            Some(port) => format!("ip6:{address},{port}"),
            None => format!("ip6:{address}"),
        };
    }
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && is_port(port) => format!("{name},{port}"),
        Some(_) if host.parse::<std::net::Ipv6Addr>().is_ok() => format!("ip6:{host}"),
        _ => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_as_fio_names_it() {
        for (typed, told) in [
            ("10.0.0.2", "10.0.0.2"),
            ("node7:8765", "node7,8765"),
            ("node7,8765", "node7,8765"),
            ("[fe80::2]:8765", "ip6:fe80::2,8765"),
            ("[::1]", "ip6:::1"),
            ("::1", "ip6:::1"),
            ("ip6:::1,8765", "ip6:::1,8765"),
        ] {
            assert_eq!(server(typed), told, "{typed}");
        }
    }
}
