//! What SPDK's programs have in common: huge pages, and the folder of a process.

use std::ffi::OsString;
use std::path::Path;

/// Said where no huge page is free.
pub const NO_HUGE_PAGES: &str =
    "The system has no huge pages free: SPDK ran with --no-huge, which costs it speed.";

/// Whether the system has free pages of 2 MiB or more, which SPDK would rather have.
pub fn has_huge_pages() -> bool {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = text.lines().find_map(|line| line.strip_prefix("HugePages_Free:"));
    free.and_then(|free| free.trim().parse::<u64>().ok()).is_some_and(|free| free > 0)
}

/// DPDK keeps the state of a process in a folder that the environment names.
pub fn env(folder: &Path) -> Vec<(&'static str, OsString)> {
    ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"].map(|name| (name, folder.into())).to_vec()
}
