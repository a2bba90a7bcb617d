//! Settings of processors and kernel that move latency and cost per I/O.

use fathom_record::environment::{Preflight, Severity};

use super::{evidence::Evidence, finding, with_remedy};

/// Waking from idle within this costs less than the interrupt itself, in microseconds.
const WAKEUP_HARMLESS_US: f64 = 10.0;

pub(super) fn governor(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(governor) = evidence.text("cpu", "", "governor") else { return Vec::new() };
    let found = |severity, effect| finding("cpu: governor", governor, severity, effect);
    vec![if governor == "performance" {
        found(Severity::Good, "Processors keep their frequency.")
    } else {
        let effect =
            "Processors slow down between I/Os: latency at low depth rises and differs from run to run.";
        with_remedy(found(Severity::Warning, effect), "cpupower frequency-set -g performance")
    }]
}

pub(super) fn idle_states(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(wakeup_us) = evidence.number("cpu", "", "deepest_idle_wakeup_us") else { return Vec::new() };
    let state = evidence.text("cpu", "", "deepest_idle_state").unwrap_or("unnamed");
    let value = format!("{state}, {wakeup_us} us to wake");
    let setting = "cpu: deepest idle state";
    vec![if wakeup_us <= WAKEUP_HARMLESS_US {
        finding(setting, value, Severity::Good, "Waking costs less than an interrupt.")
    } else {
        let effect =
            format!("At low depth a CPU may have to wake for each I/O, which adds up to {wakeup_us} us.");
        with_remedy(finding(setting, value, Severity::Note, effect), "cpupower idle-set -D 10")
    }]
}

pub(super) fn clock_source(evidence: &Evidence<'_>) -> Vec<Preflight> {
    const SETTING: &str = "kernel: clock source";
    const CHOOSE: &str = "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource";
    let Some(source) = evidence.text("kernel", "", "clock_source") else { return Vec::new() };
    let fast = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];
    vec![if fast.contains(&source) {
        finding(SETTING, source, Severity::Good, "Time is read without entering the kernel.")
    } else {
        let effect = "Reading the time enters the kernel, or worse the hypervisor: each stamp costs more and is less exact.";
        let found = finding(SETTING, source, Severity::Warning, effect);
        let offered = evidence.text("kernel", "", "clock_sources").unwrap_or("");
        if offered.split_ascii_whitespace().any(|name| name == "tsc") {
            with_remedy(found, CHOOSE)
        } else {
            found
        }
    }]
}

pub(super) fn timer(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(hz) = evidence.number("kernel", "", "timer_hz") else { return Vec::new() };
    let effect =
        "Each busy processor takes this many timer interrupts a second, which take a little of its time.";
    vec![finding("kernel: timer", format!("{hz} Hz"), Severity::Good, effect)]
}

/// Parts of the kernel's own words for protections that cost on every system call or interrupt.
const COSTLY: &[(&str, &str)] = &[
    ("PTI", "Every system call and interrupt switches page tables."),
    ("Clear CPU buffers", "Every return to the program flushes processor buffers."),
    ("Mitigation: IBRS", "Every system call changes the branch predictor's mode."),
    ("untrained return thunk", "Every kernel entry clears branch predictions."),
    ("Safe RET", "Every return in the kernel takes a detour."),
];

pub(super) fn mitigations(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let costly =
        |state: &str| COSTLY.iter().find(|(words, _)| state.contains(words)).map(|(_, effect)| *effect);
    evidence
        .all("mitigation", "state")
        .filter(|(_, state)| state.starts_with("Mitigation"))
        .filter_map(|(flaw, state)| {
            let effect = format!("{} CPU per I/O rises; the device is not slower.", costly(state)?);
            let found = finding(format!("kernel: {flaw}"), state, Severity::Note, effect);
            Some(with_remedy(
                found,
                "boot with `mitigations=off`, only to learn the cost: it takes the protection away",
            ))
        })
        .collect()
}
