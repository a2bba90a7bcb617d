//! Processors: model, number, NUMA, frequency and idle settings.

use std::collections::BTreeMap;

use super::Facts;
use crate::Root;

/// What the record has fields for.
pub(super) struct Cpus {
    pub model: Option<String>,
    pub online: u32,
    pub numa_nodes: u32,
}

const CPU: &str = "/sys/devices/system/cpu";

/// Members of a kernel list, e.g. `0-3,8` is 5.
pub(crate) fn list_length(list: &str) -> Option<u32> {
    list.trim().split(',').try_fold(0u32, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

pub(super) fn describe(facts: &mut Facts<'_>) -> Cpus {
    let root = facts.root();
    let info = root.text("/proc/cpuinfo").unwrap_or_default();
    let cpu = ("cpu", "");
    let online_list = root.text(format!("{CPU}/online"));
    let online = online_list
        .as_deref()
        .and_then(list_length)
        .unwrap_or_else(|| info.lines().filter(|line| line.starts_with("processor")).count() as u32)
        .max(1);
    facts.file(cpu, "smt_active", &format!("{CPU}/smt/active"));
    facts.file(cpu, "isolated", &format!("{CPU}/isolated"));
    if let Some(allowed) = root
        .text("/proc/self/status")
        .and_then(|status| crate::process::status_text(&status, "Cpus_allowed_list").map(str::to_owned))
    {
        facts.add(cpu, "allowed", &allowed, "/proc/self/status");
        facts.add(cpu, "allowed_count", list_length(&allowed).unwrap_or(online), "/proc/self/status");
    }
    facts.add(cpu, "online_count", online, &format!("{CPU}/online"));
    facts.file(cpu, "microcode", &format!("{CPU}/cpu0/microcode/version"));
    describe_frequency(facts);
    describe_idle(facts);
    let numa_nodes =
        root.text("/sys/devices/system/node/online").and_then(|list| list_length(&list)).unwrap_or(1);
    Cpus { model: model(&info), online, numa_nodes: numa_nodes.max(1) }
}

/// Arm's processors by implementer and part, with the names that people know; numbers as in Linux,
/// arch/arm64/include/asm/cputype.h (6.12), and in Arm's technical reference manuals.
const ARM: &[(&str, &str, &str)] = &[
    ("0x41", "0xd03", "Arm Cortex-A53"),
    ("0x41", "0xd05", "Arm Cortex-A55"),
    ("0x41", "0xd07", "Arm Cortex-A57"),
    ("0x41", "0xd08", "Arm Cortex-A72"),
    ("0x41", "0xd0b", "Arm Cortex-A76"),
    ("0x41", "0xd0c", "Arm Neoverse N1"),
    ("0x41", "0xd40", "Arm Neoverse V1"),
    ("0x41", "0xd49", "Arm Neoverse N2"),
    ("0x41", "0xd4f", "Arm Neoverse V2"),
    ("0x41", "0xd84", "Arm Neoverse V3"),
    ("0x41", "0xd8e", "Arm Neoverse N3"),
    ("0x48", "0xd01", "HiSilicon TaiShan v110"),
    ("0x6d", "0xd49", "Microsoft Cobalt 100"),
    ("0xc0", "0xac3", "AmpereOne"),
    ("0xc0", "0xac4", "AmpereOne A"),
];

/// The name that the processor gives itself; on Arm, that of its part.
fn model(info: &str) -> Option<String> {
    let value = |key: &str| {
        info.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key && !value.trim().is_empty()).then(|| value.trim().to_owned())
        })
    };
    value("model name").or_else(|| value("Processor")).or_else(|| {
        let (maker, part) = (value("CPU implementer")?, value("CPU part")?);
        let known = ARM.iter().find(|(by, number, _)| *by == maker && *number == part);
        Some(known.map_or_else(
            || format!("Arm implementer {maker} part {part}"),
            |(.., name)| format!("{name} (part {part})"),
        ))
    })
}

fn describe_frequency(facts: &mut Facts<'_>) {
    let root = facts.root();
    let folder = format!("{CPU}/cpufreq");
    let mut governors: BTreeMap<String, usize> = BTreeMap::new();
    for policy in root.names(&folder).iter().filter(|name| name.starts_with("policy")) {
        if let Some(governor) = root.text(format!("{folder}/{policy}/scaling_governor")) {
            *governors.entry(governor).or_default() += 1;
        }
    }
    if !governors.is_empty() {
        let names: Vec<String> = governors.into_keys().collect();
        facts.add(("cpu", ""), "governor", names.join(", "), &format!("{folder}/policy*/scaling_governor"));
    }
    facts.file(("cpu", ""), "frequency_driver", &format!("{folder}/policy0/scaling_driver"));
    facts.file(("cpu", ""), "boost", &format!("{folder}/boost"));
    facts.file(("cpu", ""), "no_turbo", &format!("{CPU}/intel_pstate/no_turbo"));
}

/// Idle states: what waking from the deepest one in use may cost.
fn describe_idle(facts: &mut Facts<'_>) {
    let root = facts.root();
    facts.file(("cpu", ""), "idle_driver", &format!("{CPU}/cpuidle/current_driver"));
    facts.file(("cpu", ""), "idle_governor", &format!("{CPU}/cpuidle/current_governor"));
    facts.file(("cpu", ""), "idle_states_max", "/sys/module/intel_idle/parameters/max_cstate");
    let folder = format!("{CPU}/cpu0/cpuidle");
    let deepest = root
        .names(&folder)
        .into_iter()
        .filter(|state| root.text(format!("{folder}/{state}/disable")).as_deref() != Some("1"))
        .filter_map(|state| Some((root.number(format!("{folder}/{state}/latency"))?, state)))
        .max();
    if let Some((latency_us, state)) = deepest {
        let name = root.text(format!("{folder}/{state}/name")).unwrap_or(state);
        facts.add(("cpu", ""), "deepest_idle_state", name, &folder);
        facts.add(("cpu", ""), "deepest_idle_wakeup_us", latency_us, &folder);
    }
}

pub(super) fn has_hypervisor_flag(root: &Root) -> bool {
    let info = root.text("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .any(|line| line.starts_with("flags") && line.split_ascii_whitespace().any(|f| f == "hypervisor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_lists_are_counted() {
        assert_eq!(list_length("0-3,8\n"), Some(5));
        assert_eq!(list_length("0"), Some(1));
        for broken in ["", "3-1", "a", "0-4294967295,0-4294967295", "1,,2"] {
            assert_eq!(list_length(broken), None, "{broken}");
        }
    }

    #[test]
    fn models_are_found_on_both_families() {
        assert_eq!(
            model("processor : 0\nmodel\t: 2\nmodel name\t: AMD EPYC 9R14\n").unwrap(),
            "AMD EPYC 9R14"
        );
        let arm = "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n";
        assert_eq!(model(arm).unwrap(), "Arm Neoverse V2 (part 0xd4f)");
        let other = "processor : 0\nCPU implementer\t: 0x61\nCPU part\t: 0x022\n";
        assert_eq!(model(other).unwrap(), "Arm implementer 0x61 part 0x022");
        assert_eq!(model(""), None);
    }
}
