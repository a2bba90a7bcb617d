//! Settings of processors and kernel that move latency and cost per I/O.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

/// Waking from idle within this costs less than the interrupt itself, in microseconds.
const WAKEUP_HARMLESS_US: f64 = 10.0;

pub(super) fn governor(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(governor) = evidence.text("cpu", "", "governor") else { return Vec::new() };
    let found = |severity, effect| finding("cpu: governor", governor, severity, effect);
    vec![if governor == "performance" {
        found(Severity::Good, "CPUs keep their frequency.")
    } else {
        let effect = "CPUs slow down between I/Os: latency at low depth rises and differs from run to run.";
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
    let effect = "Each busy CPU takes this many timer interrupts a second, which take a little of its time.";
    vec![finding("kernel: timer", format!("{hz} Hz"), Severity::Good, effect)]
}

/// Parts of the kernel's own words for protections that cost on every system call or interrupt.
const COSTLY: &[(&str, &str)] = &[
    ("PTI", "Every system call and interrupt switches page tables."),
    ("Clear CPU buffers", "Every return to the program flushes CPU buffers."),
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

/// Power schemes that Windows comes with (Microsoft, Power Policy Settings).
const SCHEMES: &[(&str, &str, Severity)] = &[
    ("8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", "high performance", Severity::Good),
    ("e9a42b02-d5df-448d-aa00-03f14749eb61", "ultimate performance", Severity::Good),
    ("381b4222-f694-41f0-9685-ff5bb260df2e", "balanced", Severity::Warning),
    ("a1841308-3541-4fab-bc81-f71556f20b4a", "power saver", Severity::Warning),
];

pub(super) fn power_scheme(evidence: &Evidence<'_>) -> Vec<Preflight> {
    const SETTING: &str = "power: scheme";
    let Some(scheme) = evidence.text("power", "", "scheme") else { return Vec::new() };
    let known = SCHEMES.iter().find(|(id, ..)| *id == scheme);
    let (name, severity) = known.map_or((scheme, Severity::Note), |(_, name, severity)| (*name, *severity));
    let effect = match severity {
        Severity::Good => "CPUs keep their frequency.",
        Severity::Note => "It is none of the system's own: whether CPUs keep their frequency is not known.",
        _ => "CPUs are slowed and put to sleep between I/Os, which adds to each latency at low depth.",
    };
    let found = finding(SETTING, name, severity, effect);
    vec![if severity == Severity::Warning {
        with_remedy(found, "powercfg /setactive SCHEME_MIN")
    } else {
        found
    }]
}

pub(super) fn memory_integrity(evidence: &Evidence<'_>) -> Vec<Preflight> {
    const SETTING: &str = "system: memory integrity";
    let Some(enabled) = evidence.number("system", "", "memory_integrity") else { return Vec::new() };
    vec![if enabled > 0.0 {
        let effect =
            "The hypervisor checks drivers as they run: CPU per I/O rises; the device is not slower.";
        finding(SETTING, "on", Severity::Note, effect)
    } else {
        finding(SETTING, "off", Severity::Good, "Drivers run without a hypervisor's checks.")
    }]
}
