//! Settings that distort results, judged from the facts of the environment alone: what is said here
//! can be checked against them. Reported, with what to type; never changed.
//!
//! The list follows fio's `t/one-core-peak.sh`, with the limits that clouds and containers add. A
//! new check is a function and a line in [`CHECKS`].

mod background_activity;
mod device_settings;
mod fact_lookup;
mod file_system;
mod link_and_power;
mod process_limits;
mod processor;
mod system;

use fathom_order::InOrder;
use fathom_record::environment_facts::{Fact, Preflight, Severity};

use fact_lookup::Evidence;

/// Every check, in the order in which findings of one severity are shown.
const CHECKS: &[fn(&Evidence<'_>) -> Vec<Preflight>] = &[
    process_limits::control_group,
    process_limits::allowed_processors,
    processor::governor,
    processor::idle_states,
    processor::clock_source,
    processor::timer,
    processor::mitigations,
    processor::power_scheme,
    processor::memory_integrity,
    device_settings::scheduler,
    device_settings::accounting,
    device_settings::merging,
    device_settings::write_throttling,
    device_settings::polling,
    device_settings::array,
    device_settings::encryption,
    device_settings::stand_ins,
    device_settings::health,
    link_and_power::pcie,
    link_and_power::power,
    file_system::kind,
    file_system::options,
    file_system::space,
    background_activity::processor_load,
    background_activity::other_io,
    background_activity::memory,
    background_activity::emulator,
    system::translated,
    system::uptime,
    system::processor_groups,
    system::scanner,
];

/// All findings, the worst first.
pub fn judge(facts: &[Fact]) -> Vec<Preflight> {
    let evidence = Evidence::new(facts);
    let mut findings: Vec<Preflight> = CHECKS.iter().flat_map(|check| check(&evidence)).collect();
    findings.put_in_order_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// A finding without a remedy.
fn finding(
    setting: impl Into<String>,
    value: impl ToString,
    severity: Severity,
    effect: impl Into<String>,
) -> Preflight {
    Preflight {
        setting: setting.into(),
        value: value.to_string(),
        severity,
        effect: effect.into(),
        remedy: None,
    }
}

/// Adds what to type.
fn with_remedy(mut finding: Preflight, remedy: impl Into<String>) -> Preflight {
    finding.remedy = Some(remedy.into());
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(group: &str, label: &str, name: &str, value: &str) -> Fact {
        Fact {
            group: group.into(),
            label: label.into(),
            name: name.into(),
            value: value.into(),
            source: "test".into(),
        }
    }

    fn found(facts: &[(&str, &str, &str, &str)]) -> Vec<(String, Severity)> {
        let facts: Vec<Fact> = facts.iter().map(|(g, l, n, v)| fact(g, l, n, v)).collect();
        judge(&facts).into_iter().map(|finding| (finding.setting, finding.severity)).collect()
    }

    /// Facts, the setting that is found in them and how bad it is.
    type Case = (&'static [(&'static str, &'static str, &'static str, &'static str)], &'static str, Severity);

    const CASES: &[Case] = &[
        (&[("cpu", "", "governor", "performance")], "cpu: governor", Severity::Good),
        (&[("cpu", "", "governor", "performance, powersave")], "cpu: governor", Severity::Warning),
        (&[("cpu", "", "deepest_idle_wakeup_us", "133")], "cpu: deepest idle state", Severity::Note),
        (&[("cpu", "", "deepest_idle_wakeup_us", "1")], "cpu: deepest idle state", Severity::Good),
        (
            &[("power", "", "scheme", "381b4222-f694-41f0-9685-ff5bb260df2e")],
            "power: scheme",
            Severity::Warning,
        ),
        (&[("power", "", "scheme", "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c")], "power: scheme", Severity::Good),
        (&[("power", "", "scheme", "00000000-0000-0000-0000-000000000000")], "power: scheme", Severity::Note),
        (&[("system", "", "memory_integrity", "1")], "system: memory integrity", Severity::Note),
        (&[("system", "", "memory_integrity", "0")], "system: memory integrity", Severity::Good),
        (&[("system", "", "emulator", "Wine")], "system: emulator", Severity::Warning),
        (
            &[("process", "", "built_for", "x86_64"), ("process", "", "native", "aarch64")],
            "process: processor",
            Severity::Warning,
        ),
        (&[("system", "", "up_s", "59.5")], "system: uptime", Severity::Note),
        (&[("system", "", "processor_groups", "2")], "system: processor groups", Severity::Note),
        (&[("scanner", "", "real_time", "Defender")], "scanner: real time", Severity::Note),
        (&[("kernel", "", "clock_source", "kvm-clock")], "kernel: clock source", Severity::Good),
        (&[("kernel", "", "clock_source", "xen")], "kernel: clock source", Severity::Warning),
        (&[("mitigation", "meltdown", "state", "Mitigation: PTI")], "kernel: meltdown", Severity::Note),
        (
            &[("mitigation", "mds", "state", "Mitigation: Clear CPU buffers; SMT vulnerable")],
            "kernel: mds",
            Severity::Note,
        ),
        (&[("device", "nvme0n1", "scheduler", "[none] mq-deadline")], "nvme0n1: scheduler", Severity::Good),
        (
            &[("device", "nvme0n1", "scheduler", "none [mq-deadline]")],
            "nvme0n1: scheduler",
            Severity::Warning,
        ),
        (
            &[
                ("device", "sda", "scheduler", "none [mq-deadline]"),
                ("device", "sda", "rotational", "1"),
                ("device", "sda", "driver", "sd"),
            ],
            "sda: scheduler",
            Severity::Good,
        ),
        (
            &[("device", "vda", "scheduler", "none [mq-deadline]"), ("device", "vda", "rotational", "1")],
            "vda: scheduler",
            Severity::Note,
        ),
        (&[("device", "vda", "iostats", "0")], "vda: iostats", Severity::Warning),
        (&[("loop", "loop0", "dio", "0")], "loop0: direct I/O", Severity::Warning),
        (&[("zram", "zram0", "algorithm", "lzo")], "zram0: memory", Severity::Note),
        (&[("kernel", "", "timer_hz", "250")], "kernel: timer", Severity::Good),
        (&[("device", "vda", "nomerges", "0")], "vda: nomerges", Severity::Note),
        (&[("device", "vda", "nomerges", "2")], "vda: nomerges", Severity::Good),
        (&[("device", "vda", "wbt_lat_usec", "75000")], "vda: wbt_lat_usec", Severity::Note),
        (&[("device", "vda", "wbt_lat_usec", "0")], "vda: wbt_lat_usec", Severity::Good),
        (&[("device", "nvme0n1", "io_poll", "0")], "nvme0n1: io_poll", Severity::Note),
        (&[("md", "md0", "sync_action", "resync")], "md0: sync_action", Severity::Warning),
        (&[("md", "md0", "degraded", "1")], "md0: degraded", Severity::Warning),
        (&[("dm", "dm-0", "uuid", "CRYPT-LUKS2-1234")], "dm-0: encryption", Severity::Note),
        (
            &[("nvme", "nvme0n1", "critical_warning", "media read-only")],
            "nvme0n1: critical warning",
            Severity::Warning,
        ),
        (
            &[("nvme", "nvme0n1", "temperature_celsius", "78"), ("nvme", "nvme0n1", "warning_celsius", "80")],
            "nvme0n1: temperature",
            Severity::Warning,
        ),
        (
            &[("nvme", "nvme0n1", "temperature_celsius", "40"), ("nvme", "nvme0n1", "warning_celsius", "80")],
            "nvme0n1: temperature",
            Severity::Good,
        ),
        (
            &[
                ("pcie", "nvme0n1", "current_link_speed", "8.0 GT/s PCIe"),
                ("pcie", "nvme0n1", "max_link_speed", "16.0 GT/s PCIe"),
            ],
            "nvme0n1: PCIe link speed",
            Severity::Warning,
        ),
        (
            &[("pcie", "nvme0n1", "current_link_width", "4"), ("pcie", "nvme0n1", "max_link_width", "4")],
            "nvme0n1: PCIe link width",
            Severity::Good,
        ),
        (&[("pcie", "nvme0n1", "power_state", "D3hot")], "nvme0n1: power state", Severity::Warning),
        (
            &[
                ("nvme", "nvme0n1", "autonomous_power_states", "true"),
                ("kernel", "", "nvme_idle_latency_max_us", "100000"),
            ],
            "nvme0n1: autonomous power states",
            Severity::Note,
        ),
        (&[("file_system", "/", "kind", "btrfs")], "/: file system", Severity::Warning),
        (&[("file_system", "/tmp", "kind", "tmpfs")], "/tmp: file system", Severity::Warning),
        (&[("file_system", "/", "kind", "overlay")], "/: file system", Severity::Note),
        (&[("file_system", "/", "kind", "xfs")], "/: file system", Severity::Good),
        (&[("file_system", "/", "options", "rw,discard")], "/: mount option discard", Severity::Note),
        (&[("file_system", "/", "options", "rw,sync")], "/: mount option sync", Severity::Warning),
        (&[("file_system", "/", "options", "rw,nobarrier")], "/: mount option nobarrier", Severity::Warning),
        (
            &[("file_system", "/", "total_bytes", "1000"), ("file_system", "/", "free_bytes", "40")],
            "/: free space",
            Severity::Warning,
        ),
        (
            &[("file_system", "/", "total_bytes", "1000"), ("file_system", "/", "free_bytes", "400")],
            "/: free space",
            Severity::Good,
        ),
        (&[("cgroup", "vda", "read_operations_per_s", "100")], "vda: control group", Severity::Warning),
        (&[("cgroup", "", "cpu_cores", "0.50")], "control group: CPUs", Severity::Warning),
        (
            &[
                ("cpu", "", "allowed_count", "2"),
                ("cpu", "", "online_count", "8"),
                ("cpu", "", "allowed", "0-1"),
            ],
            "process: allowed CPUs",
            Severity::Note,
        ),
        (&[("activity", "", "cpu_busy_share", "0.80")], "machine: CPU load", Severity::Warning),
        (&[("activity", "", "cpu_steal_share_since_boot", "0.0300")], "machine: CPU steal", Severity::Note),
        (&[("activity", "vda", "operations_in_50_ms", "500")], "vda: other I/O", Severity::Warning),
        (&[("activity", "vda", "operations_in_50_ms", "0")], "vda: other I/O", Severity::Good),
        (
            &[("memory", "", "total_bytes", "1000"), ("memory", "", "available_bytes", "20")],
            "machine: memory",
            Severity::Warning,
        ),
        (&[("memory", "", "swap_used_bytes", "4096")], "machine: swap", Severity::Note),
    ];

    #[test]
    fn each_setting_is_found_in_its_facts_alone() {
        for (facts, setting, severity) in CASES {
            let findings = found(facts);
            assert!(findings.contains(&((*setting).to_owned(), *severity)), "{facts:?} gave {findings:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[("mitigation", "mds", "state", "Not affected")]), []);
        assert_eq!(found(&[("device", "vda", "scheduler", "")]), []);
        assert_eq!(found(&[("memory", "", "total_bytes", "many")]), []);
        assert_eq!(found(&[("file_system", "/", "options", "rw,nodiscard,async")]), []);
        assert_eq!(found(&[("process", "", "built_for", "x86_64"), ("process", "", "native", "x86_64")]), []);
        assert_eq!(found(&[("system", "", "up_s", "600"), ("system", "", "processor_groups", "1")]), []);
    }

    #[test]
    fn the_worst_comes_first_and_every_warning_says_what_it_does() {
        let facts: Vec<Fact> =
            CASES.iter().flat_map(|(facts, ..)| facts.iter()).map(|(g, l, n, v)| fact(g, l, n, v)).collect();
        let findings = judge(&facts);
        assert!(findings.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
        assert!(findings.iter().all(|finding| finding.effect.ends_with('.')), "{findings:#?}");
    }
}
