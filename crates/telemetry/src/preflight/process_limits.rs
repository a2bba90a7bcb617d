//! Limits that are put on this process, not on the device.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

pub(super) fn control_group(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let mut findings = Vec::new();
    for (name, unit) in [
        ("read_bytes_per_s", "bytes/s of reads"),
        ("write_bytes_per_s", "bytes/s of writes"),
        ("read_operations_per_s", "reads/s"),
        ("write_operations_per_s", "writes/s"),
    ] {
        for (device, limit) in evidence.all("cgroup", name) {
            let effect = "The process's control group holds its I/O to this rate: the limit is measured, not the device.";
            let found = finding(
                format!("{device}: control group"),
                format!("{limit} {unit}"),
                Severity::Warning,
                effect,
            );
            findings.push(with_remedy(
                found,
                "run outside the group: `systemd-run --slice=system.slice --pty fathom ...`, or raise the container's limit",
            ));
        }
    }
    for (_, cores) in evidence.all("cgroup", "cpu_cores") {
        let effect = "The process is stopped for the rest of each period once this much CPU time is used: tails show it.";
        let found = finding("control group: CPUs", format!("{cores} cores"), Severity::Warning, effect);
        findings.push(with_remedy(
            found,
            "remove the container's or service's CPU limit (cpu.max, cpu.cfs_quota_us)",
        ));
    }
    findings
}

pub(super) fn allowed_processors(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let allowed = evidence.number("cpu", "", "allowed_count");
    let Some((allowed, online)) = allowed.zip(evidence.number("cpu", "", "online_count")) else {
        return Vec::new();
    };
    if allowed >= online {
        return Vec::new();
    }
    let list = evidence.text("cpu", "", "allowed").unwrap_or("");
    let effect = "The process may not use the other CPUs: more jobs than this share them.";
    let found = finding("process: allowed CPUs", format!("{list} of {online}"), Severity::Note, effect);
    vec![with_remedy(found, "taskset -pc $$ # shows the limit; a cpuset or taskset set it")]
}
