//! How the system runs programs: for another processor, since when, in how many groups of processors, and behind a scanner.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

/// Services that start with a machine are at work for so long, in seconds.
const STARTING_S: f64 = 600.0;

pub(super) fn translated(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let of = |name| evidence.text("process", "", name);
    let Some((built, native)) = of("built_for").zip(of("native")).filter(|(built, native)| built != native)
    else {
        return Vec::new();
    };
    let effect = "Every instruction of fathom is translated: CPU per I/O and each rate that it limits are of the translator.";
    let found = finding("process: processor", format!("{built} on {native}"), Severity::Warning, effect);
    vec![with_remedy(found, format!("use fathom's package for {native}"))]
}

pub(super) fn uptime(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let up_s = evidence.number("system", "", "up_s").filter(|up_s| *up_s < STARTING_S);
    let judge = |up_s: f64| {
        let effect = "What starts with the machine is at work: it shares CPUs and storage.";
        let found = finding("system: uptime", format!("{up_s:.0} s"), Severity::Note, effect);
        with_remedy(found, "wait until it was up for 10 minutes")
    };
    up_s.map(judge).into_iter().collect()
}

pub(super) fn processor_groups(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let groups = evidence.number("system", "", "processor_groups").filter(|groups| *groups > 1.0);
    let judge = |groups: f64| {
        let effect = "A thread runs in the group that the system gives it: jobs may share one while others idle, and \
                      telemetry shows the CPUs of one group.";
        finding("system: processor groups", groups, Severity::Note, effect)
    };
    groups.map(judge).into_iter().collect()
}

pub(super) fn scanner(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let Some(name) = evidence.text("scanner", "", "real_time") else { return Vec::new() };
    let effect = "Files are scanned when they are opened and closed: I/Os of an open file are not, as far as is known.";
    let found = finding("scanner: real time", name, Severity::Note, effect);
    vec![with_remedy(found, "ask the administrator to exclude the target's folder")]
}
