//! From a plan to what a tool is started with: its files, its arguments, and where its result will be.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use fathom_tools::bdevperf::workload_as_config::Bdev;
use fathom_tools::fio::workload_as_job_file::job_file;
use fathom_tools::spdk::TransportId;
use fathom_tools::{Refusal, bdevperf, diskspd, nvme_perf};

use super::kept::write;
use super::through;
use super::tool::{External, Tool};
use crate::error::CampaignError;
use fathom_plan::RunPlan;

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
    external: &External,
    plan: &RunPlan,
    targets: &[NamedTarget],
    folder: &Path,
) -> Result<PreparedCommand, CampaignError> {
    let program = external.program.iter().map(OsString::from);
    let cpus = plan.options.cpus.clone().unwrap_or_default();
    let mut notes = Vec::new();
    let huge_pages = has_huge_pages();
    let (arguments, result) = match external.tool {
        Tool::Fio => fio(external, plan, targets, folder)?,
        Tool::Diskspd => {
            let paths: Vec<String> = targets.iter().map(|target| target.path.clone()).collect();
            let options = &plan.options;
            let arguments = diskspd::workload_as_flags::arguments(
                &plan.workload,
                &paths,
                options.direct,
                options.durable.is_some(),
            )?;
            (arguments, folder.join("stdout.txt"))
        }
        Tool::Bdevperf => {
            if plan.workload.length.warmup_ns > 0 {
                notes.push("bdevperf has no warm-up: it is measured from its first I/O on.".to_owned());
            }
            (bdevperf(external, plan, targets, folder, huge_pages)?, folder.join("stdout.txt"))
        }
        Tool::NvmePerf => {
            let names: Vec<String> = targets.iter().map(|target| target.path.clone()).collect();
            let arguments =
                nvme_perf::workload_as_command::arguments(&plan.workload, &names, &cpus, huge_pages)?;
            (arguments, folder.join("stdout.txt"))
        }
    };
    through::check(external, arguments.iter().map(OsStr::new))?;
    if !huge_pages && matches!(external.tool, Tool::Bdevperf | Tool::NvmePerf) {
        notes.push(
            "The system has no huge pages free: SPDK ran with --no-huge, which costs it speed.".to_owned(),
        );
    }
    let words = program.chain(arguments.into_iter().map(OsString::from)).collect();
    // DPDK keeps the state of a process in a folder that the environment names.
    let env = match external.tool {
        Tool::Bdevperf | Tool::NvmePerf => {
            ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"].map(|name| (name, folder.into())).to_vec()
        }
        Tool::Fio | Tool::Diskspd => Vec::new(),
    };
    Ok(PreparedCommand { words, result, env, notes })
}

/// Writes bdevperf's configuration; gives its arguments.
fn bdevperf(
    external: &External,
    plan: &RunPlan,
    targets: &[NamedTarget],
    folder: &Path,
    huge_pages: bool,
) -> Result<Vec<String>, CampaignError> {
    if let Some(part) = targets.iter().find(|target| !target.whole) {
        let refusal = Refusal::new("workload for bdevperf", "it uses whole targets")
            .at(format!("--size on {}", part.path))
            .or("leave --size out, or name a file to be made of this size");
        return Err(refusal.into());
    }
    let bdev = |target: &NamedTarget| match TransportId::parse(&target.path) {
        Some(id) => Bdev::Nvme(id),
        None => Bdev::Kernel {
            by: external.kernel,
            path: target.path.clone(),
            block_bytes: target.block_bytes.max(512),
        },
    };
    let bdevs: Vec<Bdev> = targets.iter().map(bdev).collect();
    let configuration = folder.join("bdev.json");
    let writes = plan.workload.mix.changes_data();
    write(&configuration, &bdevperf::workload_as_config::configuration(&bdevs, writes)?)?;
    let cpus = plan.options.cpus.clone().unwrap_or_default();
    let own = bdevperf::workload_as_config::arguments(&plan.workload, targets.len(), &cpus, huge_pages)?;
    let named = ["--json".to_owned(), configuration.display().to_string()];
    let confined = bdevperf::workload_as_config::confined(&folder.display().to_string())?;
    Ok(named.into_iter().chain(confined).chain(own).collect())
}

fn fio(
    external: &External,
    plan: &RunPlan,
    targets: &[NamedTarget],
    folder: &Path,
) -> Result<(Vec<String>, PathBuf), CampaignError> {
    let paths: Vec<(String, u64)> =
        targets.iter().map(|target| (target.path.clone(), target.span_bytes)).collect();
    let job = folder.join("job.fio");
    write(&job, &job_file(&plan.workload, &paths, &plan.options)?)?;
    let result = folder.join("fio.json");
    let client = external.host.as_ref().map(|host| format!("--client={}", server(host)));
    let own = ["--output-format=json+".to_owned(), format!("--output={}", result.display())];
    let arguments = client.into_iter().chain(own).chain([job.display().to_string()]);
    Ok((arguments.collect(), result))
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

/// Whether the system has free pages of 2 MiB or more, which SPDK would rather have.
pub(super) fn has_huge_pages() -> bool {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = text.lines().find_map(|line| line.strip_prefix("HugePages_Free:"));
    free.and_then(|free| free.trim().parse::<u64>().ok()).is_some_and(|free| free > 0)
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
