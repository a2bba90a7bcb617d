//! What else happens on the machine.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

pub(super) fn processor_load(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let mut findings = Vec::new();
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    if let Some(share) = evidence.number("activity", "", "cpu_busy_share") {
        let severity = match share {
            0.5.. => Severity::Warning,
            0.2.. => Severity::Note,
            _ => Severity::Good,
        };
        let effect = match severity {
            Severity::Good => "CPUs are free.",
            _ => "Other programs use the CPUs: jobs wait for them, and rates per core fall.",
        };
        let found = finding("machine: CPU load", percent(share), severity, effect);
        findings.push(if severity == Severity::Good { found } else { with_remedy(found, "top # shows who") });
    }
    if let Some(share) = evidence.number("activity", "", "cpu_steal_share_since_boot") {
        let severity = match share {
            0.05.. => Severity::Warning,
            0.01.. => Severity::Note,
            _ => Severity::Good,
        };
        let effect = match severity {
            Severity::Good => "The hypervisor gives the CPUs when they are wanted.",
            _ => {
                "The hypervisor gives CPU time to other machines: latencies show pauses that the device did not make."
            }
        };
        findings.push(finding("machine: CPU steal", percent(share), severity, effect));
    }
    findings
}

pub(super) fn other_io(evidence: &Evidence<'_>) -> Vec<Preflight> {
    /// 100 I/Os a second; background writing of an idle machine stays below.
    const NOTABLE: f64 = 5.0;
    /// 1,000 I/Os a second.
    const DISTURBING: f64 = 50.0;
    let judge = |(device, operations): (&str, f64)| {
        let severity = match operations {
            o if o >= DISTURBING => Severity::Warning,
            o if o >= NOTABLE => Severity::Note,
            _ => Severity::Good,
        };
        let effect = match severity {
            Severity::Good => "Nothing else uses the device.",
            _ => "Somebody else used the device while nothing was measured: its rate is shared.",
        };
        let found =
            finding(format!("{device}: other I/O"), format!("{operations} I/Os in 50 ms"), severity, effect);
        if severity == Severity::Good {
            found
        } else {
            with_remedy(found, "iotop -o # or pidstat -d 1, shows who")
        }
    };
    evidence.numbers("activity", "operations_in_50_ms").map(judge).collect()
}

pub(super) fn memory(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let mut findings = Vec::new();
    let total = evidence.number("memory", "", "total_bytes").filter(|total| *total > 0.0);
    if let Some((available, total)) = evidence.number("memory", "", "available_bytes").zip(total) {
        let share = available / total;
        let severity = match share {
            ..0.05 => Severity::Warning,
            ..0.10 => Severity::Note,
            _ => Severity::Good,
        };
        let effect = match severity {
            Severity::Good => "Memory is free.",
            _ => "Memory is short: the kernel reclaims it during I/O, and may swap.",
        };
        let value = format!("{:.1} % available", share * 100.0);
        let found = finding("machine: memory", value, severity, effect);
        findings.push(if severity == Severity::Good {
            found
        } else {
            with_remedy(found, "ps aux --sort=-rss | head")
        });
    }
    if let Some(used) = evidence.number("memory", "", "swap_used_bytes") {
        let (severity, effect) = if used > 0.0 {
            (
                Severity::Note,
                "Parts of programs lie in swap; fetching them back is I/O, perhaps of the same device.",
            )
        } else {
            (Severity::Good, "Nothing lies in swap.")
        };
        findings.push(finding("machine: swap", format!("{used} bytes used"), severity, effect));
    }
    findings
}

pub(super) fn emulator(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(name) = evidence.text("system", "", "emulator") else { return Vec::new() };
    let effect = "Its calls do I/O in ways of their own: no figure says anything of Windows or of a device.";
    vec![finding("system: emulator", name, Severity::Warning, effect)]
}
