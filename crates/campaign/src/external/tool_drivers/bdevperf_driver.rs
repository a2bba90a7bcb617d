//! SPDK's bdevperf over AIO or io_uring bdevs, or over its own driver for NVMe.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fathom_plan::RunPlan;
use fathom_record::Workload;
use fathom_tools::Refusal;
use fathom_tools::bdevperf::workload_as_config::{Bdev, Kernel, arguments, configuration, confined};
use fathom_tools::spdk::TransportId;

use super::{STDOUT, ToolCommand, ToolDriver, spdk_process};
use crate::error::CampaignError;
use crate::external::sandbox_access::huge_page_folders;
use crate::external::tool::ToolEngine;
use crate::external::tool_folder::write;
use crate::external::tool_invocation::NamedTarget;

/// Its driver.
#[derive(Debug)]
pub struct Bdevperf {
    names: &'static [&'static str],
    /// How it reaches files and devices.
    kernel: Kernel,
}

/// By the kernel's asynchronous I/O.
pub const OVER_AIO: Bdevperf = Bdevperf { names: &["bdevperf"], kernel: Kernel::Aio };
/// By io_uring.
pub const OVER_URING: Bdevperf = Bdevperf { names: &["bdevperf-uring"], kernel: Kernel::Uring };

impl ToolDriver for Bdevperf {
    fn names(&self) -> &'static [&'static str] {
        self.names
    }

    /// Writes its configuration, too.
    fn command(
        &self,
        _external: &ToolEngine,
        plan: &RunPlan,
        targets: &[NamedTarget],
        folder: &Path,
    ) -> Result<ToolCommand, CampaignError> {
        if let Some(part) = targets.iter().find(|target| !target.whole) {
            let refusal = Refusal::new("workload for bdevperf", "it uses whole targets")
                .at(format!("--size on {}", part.path))
                .or("leave --size out, or name a file to be made of this size");
            return Err(refusal.into());
        }
        let bdevs: Vec<Bdev> = targets.iter().map(|target| self.bdev(target)).collect();
        let file = folder.join("bdev.json");
        let writes = plan.workload.mix.changes_data();
        write(&file, &configuration(&bdevs, writes)?)?;
        let cpus = plan.options.cpus.clone().unwrap_or_default();
        let huge_pages = spdk_process::has_huge_pages();
        let own = arguments(&plan.workload, targets.len(), &cpus, huge_pages)?;
        let named = ["--json".to_owned(), file.display().to_string()];
        let confined = confined(&folder.display().to_string())?;
        let mut notes = Vec::new();
        if plan.workload.length.warmup_ns > 0 {
            notes.push("bdevperf has no warm-up: it is measured from its first I/O on.".to_owned());
        }
        if !huge_pages {
            notes.push(spdk_process::NO_HUGE_PAGES.to_owned());
        }
        let arguments = named.into_iter().chain(confined).chain(own).collect();
        Ok(ToolCommand { arguments, result: folder.join(STDOUT), notes })
    }

    fn env(&self, folder: &Path) -> Vec<(&'static str, OsString)> {
        spdk_process::env(folder)
    }

    fn folders(&self) -> Vec<PathBuf> {
        if spdk_process::has_huge_pages() { huge_page_folders() } else { Vec::new() }
    }

    /// It has no warm-up.
    fn leave_out(&self, workload: &mut Workload) {
        workload.length.warmup_ns = 0;
    }
}

impl Bdevperf {
    fn bdev(&self, target: &NamedTarget) -> Bdev {
        match TransportId::parse(&target.path) {
            Some(id) => Bdev::Nvme(id),
            None => Bdev::Kernel {
                by: self.kernel,
                path: target.path.clone(),
                block_bytes: target.block_bytes.max(512),
            },
        }
    }
}
