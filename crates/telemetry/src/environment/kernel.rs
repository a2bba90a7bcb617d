//! Operating system, kernel, its clock, and its protections against processor flaws.

use super::Facts;
use crate::Root;

const VULNERABILITIES: &str = "/sys/devices/system/cpu/vulnerabilities";
const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0";

/// Starts of the boot parameters that change measurements. Others may hold what is nobody's business
/// (addresses, tokens of an installer) and stay out of the record.
const PARAMETERS: &[&str] = &[
    "mitigations",
    "nosmt",
    "idle",
    "processor.",
    "intel_idle.",
    "intel_pstate",
    "amd_pstate",
    "cpuidle",
    "isolcpus",
    "nohz",
    "rcu_nocbs",
    "irqaffinity",
    "preempt",
    "tsc",
    "clocksource",
    "psi",
    "nvme",
    "scsi_mod",
    "elevator",
    "pci",
    "iommu",
    "intel_iommu",
    "amd_iommu",
    "swiotlb",
    "transparent_hugepage",
    "hugepages",
    "pti",
    "nopti",
    "spectre",
    "nospectre",
    "kpti",
    "ssbd",
    "arm64.",
    "retbleed",
    "mds",
    "tsx",
    "l1tf",
    "threadirqs",
    "skew_tick",
];

fn matters(word: &str) -> bool {
    PARAMETERS.iter().any(|start| word.starts_with(start))
}

/// The distribution's name for itself.
pub(super) fn os_name(root: &Root) -> String {
    let release =
        root.text("/etc/os-release").or_else(|| root.text("/usr/lib/os-release")).unwrap_or_default();
    let value = |key: &str| release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let name = value("PRETTY_NAME").or_else(|| value("NAME")).map(|name| name.trim_matches('"').to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| std::env::consts::OS.to_owned())
}

/// The kernel's release, e.g. `6.8.0-45-generic`.
pub(super) fn release(root: &Root) -> String {
    root.text("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned())
}

/// The machine's name in the network, where it has one.
pub(super) fn host(root: &Root) -> Option<String> {
    root.text("/proc/sys/kernel/hostname").filter(|name| !name.is_empty() && name != "(none)")
}

pub(super) fn describe(facts: &mut Facts<'_>) {
    let root = facts.root();
    let kernel = ("kernel", "");
    facts.file(kernel, "build", "/proc/sys/kernel/version");
    let command_line = root.text("/proc/cmdline").unwrap_or_default();
    let parameters: Vec<&str> = command_line
        .split_ascii_whitespace()
        .take_while(|word| *word != "--")
        .filter(|word| matters(word))
        .collect();
    if !parameters.is_empty() {
        facts.add(kernel, "parameters", parameters.join(" "), "/proc/cmdline");
    }
    let config = format!("/boot/config-{}", release(root));
    if let Some(text) = root.text(&config) {
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        if let Some(hz) = value("CONFIG_HZ") {
            facts.add(kernel, "timer_hz", hz, &config);
        }
    }
    facts.file(kernel, "clock_source", &format!("{CLOCK_SOURCE}/current_clocksource"));
    facts.file(kernel, "clock_sources", &format!("{CLOCK_SOURCE}/available_clocksource"));
    facts.file(
        kernel,
        "nvme_idle_latency_max_us",
        "/sys/module/nvme_core/parameters/default_ps_max_latency_us",
    );
    facts.file(kernel, "nvme_poll_queues", "/sys/module/nvme/parameters/poll_queues");
    for flaw in root.names(VULNERABILITIES) {
        facts.file(("mitigation", &flaw), "state", &format!("{VULNERABILITIES}/{flaw}"));
    }
}
