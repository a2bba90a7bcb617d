//! The surroundings of a measurement as tables: target, engine, clock, machine, settings, self-checks.

use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::check::{Check, CheckOutcome};
use fathom_record::environment_facts::{Environment, Severity};
use fathom_record::facts::{ClockRecord, DeviceFacts, EngineFacts, TargetFacts};

use super::{Entry, entry};
use crate::table::{Table, numbers, words};
use crate::{number, value_words};

/// The target, from its name down to the disks.
pub fn target(facts: &TargetFacts) -> Vec<Entry> {
    if !facts.members.is_empty() {
        let mut out = vec![
            entry("targets", value_words::layout(facts)),
            entry("together", number::size(facts.size_bytes)),
        ];
        out.extend(facts.members.iter().flat_map(target));
        return out;
    }
    let kind = value_words::target_kind(facts.kind);
    let mut out = vec![
        entry("target", facts.name.clone()),
        entry(
            "kind",
            if facts.scratch { format!("{kind}, made for the run and removed") } else { kind.to_owned() },
        ),
        entry("usable size", size(facts.size_bytes)),
        entry("logical block", size(u64::from(facts.logical_block_bytes))),
        entry(
            "physical block",
            number::known(facts.physical_block_bytes.map(|b| number::size(u64::from(b)))),
        ),
        entry("page cache", if facts.direct { "bypassed (direct I/O)" } else { "in the way (buffered I/O)" }),
        entry("written at the start", number::known(facts.written_share.map(number::percent))),
    ];
    if let Some(decorated) = &facts.decorated {
        out.push(entry("measured behind", format!("{}, not alone", decorated.words())));
    }
    if let Some(fs) = &facts.file_system {
        out.push(entry("file system", format!("{} at {} ({})", fs.kind, fs.mount_point, fs.options)));
    }
    out.extend(
        facts.devices.iter().map(|device| entry(&format!("{} {}", device.layer, device.name), disk(device))),
    );
    if let Some(truth) = &facts.simulated {
        out.push(entry("simulated device", truth.to_string()));
    }
    out
}

/// A size, or that it is not known.
fn size(bytes: u64) -> String {
    number::known((bytes > 0).then(|| number::size(bytes)))
}

fn disk(device: &DeviceFacts) -> String {
    let mut parts = vec![
        device.model.clone().unwrap_or_else(|| "model unknown".to_owned()),
        number::size(device.size_bytes),
    ];
    parts.extend(device.serial.as_ref().map(|serial| format!("serial {serial}")));
    parts.extend(device.rotational.map(|turns| if turns { "rotating" } else { "solid state" }.to_owned()));
    parts.extend(device.write_cache.as_ref().map(|cache| format!("cache {cache}")));
    parts.extend(device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")));
    parts.extend(device.hardware_queues.map(|n| format!("{n} hardware queues")));
    parts.extend(device.polled_queues.map(|n| format!("{n} of them polled")));
    parts.extend(device.queue_requests.map(|n| format!("{n} requests a queue")));
    parts.extend(device.numa_node.filter(|n| *n >= 0).map(|n| format!("NUMA node {n}")));
    parts.join(", ")
}

/// The engine with its features, and the clock with its limits.
pub fn instrument(engine: &EngineFacts, clock: Option<&ClockRecord>) -> Vec<Entry> {
    // Other tools' engines have no version of their own.
    let version = if engine.version > 0 { format!(", version {}", engine.version) } else { String::new() };
    let mut out = vec![entry("engine", format!("{}{version}", engine.name))];
    for feature in &engine.features {
        let used = if feature.used { "used" } else { "not used" };
        let note = feature.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        out.push(entry(&feature.name.replace('_', " "), format!("{used}{note}")));
    }
    if !engine.returned_stamp.is_empty() {
        out.push(entry("returned stamp", engine.returned_stamp.clone()));
    }
    if engine.completes_inline {
        out.push(entry(
            "in-flight",
            "I/Os finish inside the submission; in-flight is not a property of the target",
        ));
    }
    out.extend(clock.into_iter().flat_map(limits));
    out
}

/// The clock and what it cannot see.
fn limits(clock: &ClockRecord) -> [Entry; 3] {
    let reason = clock.fallback_reason.as_ref().map(|why| format!(" (the CPU's counter is not used: {why})"));
    [
        entry("clock", format!("{}{}", clock.source, reason.unwrap_or_default())),
        entry(
            "clock's limits",
            format!(
                "a read costs {:.0} ns, resolution {}, rate error at most {} ppm, drift over the run {}",
                clock.read_cost_ns,
                number::time(clock.resolution_ns as f64),
                trimmed(clock.calibration_error_ppm),
                number::known(clock.drift_ppm.map(|ppm| format!("{} ppm", trimmed(ppm))))
            ),
        ),
        entry(
            "histogram",
            format!("buckets at most {} of their value wide", number::percent(clock.bucket_width_share)),
        ),
    ]
}

fn trimmed(ppm: f64) -> String {
    format!("{ppm:.1}").trim_end_matches(".0").to_owned()
}

/// The machine in few lines.
pub fn environment(environment: &Environment) -> Vec<Entry> {
    let optional = |text: &Option<String>| text.clone().unwrap_or_else(|| number::NOT_MEASURED.to_owned());
    let some = |n: u64, text: String| if n == 0 { number::NOT_MEASURED.to_owned() } else { text };
    let named = |text: &String| if text.is_empty() { number::NOT_MEASURED.to_owned() } else { text.clone() };
    let host = environment.host.iter().map(|host| entry("host", host.clone()));
    let rest = [
        entry("system", named(&environment.os)),
        entry("kernel", named(&environment.kernel)),
        entry("CPU", optional(&environment.cpu_model)),
        entry("CPUs online", some(u64::from(environment.cpus), environment.cpus.to_string())),
        entry("NUMA nodes", some(u64::from(environment.numa_nodes), environment.numa_nodes.to_string())),
        entry("memory", some(environment.memory_bytes, number::size(environment.memory_bytes))),
        entry("virtualization", environment.virtualization.clone().unwrap_or_else(|| "none seen".to_owned())),
        entry("cloud instance", environment.instance.clone().unwrap_or_else(|| "none seen".to_owned())),
    ];
    host.chain(rest).collect()
}

/// Every other fact of the machine, with its source.
pub fn facts(environment: &Environment) -> Table {
    let mut table = Table::new(&[words("fact", 0), words("value", 0), words("source", 1)]);
    for fact in &environment.facts {
        let label = if fact.label.is_empty() { String::new() } else { format!(" {}", fact.label) };
        table.row([format!("{}{label}: {}", fact.group, fact.name), fact.value.clone(), fact.source.clone()]);
    }
    table
}

/// Settings that distort results, the worst first.
pub fn preflight(environment: &Environment) -> Table {
    let mut table = Table::new(&[
        words("severity", 0),
        words("setting", 0),
        words("value", 0),
        words("effect", 0),
        words("to change it", 1),
    ]);
    let mut all: Vec<_> = environment.preflight.iter().collect();
    all.put_in_order_by_key(|item| std::cmp::Reverse(item.severity));
    for item in all {
        let remedy = item.remedy.clone().unwrap_or_default();
        let severity = value_words::severity(item.severity).to_owned();
        table.row([severity, item.setting.clone(), item.value.clone(), item.effect.clone(), remedy]);
    }
    table
}

/// How many settings distort, as a sentence.
pub fn preflight_summary(environment: &Environment) -> String {
    let count = |severity| environment.preflight.iter().filter(|p| p.severity == severity).count();
    match (environment.preflight.len(), count(Severity::Warning)) {
        (0, _) => "The machine's settings were not looked at.".to_owned(),
        (all, 0) => format!("None of {all} settings looked at distorts results."),
        (all, 1) => format!("1 of {all} settings looked at changes results. Nothing was changed."),
        (all, n) => format!("{n} of {all} settings looked at change results. Nothing was changed."),
    }
}

/// A figure of a check in its unit.
fn figure(value: f64, unit: &str) -> String {
    match unit {
        "ns" => number::time(value),
        "share" => number::percent(value),
        _ if value.fract() == 0.0 => format!("{value:.0} {unit}").trim_end().to_owned(),
        _ => format!("{value:.2} {unit}").trim_end().to_owned(),
    }
}

/// Self-checks of one run, as recorded: those that failed first.
pub fn checks(checks: &[Check]) -> Table {
    let mut table = Table::new(&[
        words("outcome", 0),
        words("check", 0),
        numbers("found", 0),
        numbers("limit", 0),
        words("what it means", 0),
    ]);
    let mut all: Vec<&Check> = checks.iter().collect();
    all.put_in_order_by_key(|check| std::cmp::Reverse(check.outcome));
    for check in all {
        let in_unit =
            |value: Option<f64>| value.map(|v| figure(v, &check.unit)).unwrap_or_else(|| "–".to_owned());
        table.row([
            value_words::outcome(check.outcome).to_owned(),
            value_words::check(check.name).to_owned(),
            in_unit(check.value),
            in_unit(check.limit),
            check.explanation.clone(),
        ]);
    }
    table
}

/// Self-checks of many runs: how each ended, how often, and the explanation of the worst case.
pub fn checks_of_all(runs: &[RunRecord]) -> Table {
    let mut table = Table::new(&[
        words("check", 0),
        numbers("pass", 0),
        numbers("caution", 0),
        numbers("failed", 0),
        numbers("does not apply", 1),
        words("worst case", 0),
    ]);
    let mut names = Vec::new();
    for check in runs.iter().flat_map(|run| &run.checks) {
        if !names.contains(&check.name) {
            names.push(check.name);
        }
    }
    for name in names {
        let all: Vec<&Check> = runs.iter().flat_map(|run| &run.checks).filter(|c| c.name == name).collect();
        let ended = |outcome| all.iter().filter(|c| c.outcome == outcome).count().to_string();
        let worst = all.iter().max_by_key(|c| c.outcome).map(|c| c.explanation.clone()).unwrap_or_default();
        table.row([
            value_words::check(name).to_owned(),
            ended(CheckOutcome::Pass),
            ended(CheckOutcome::Caution),
            ended(CheckOutcome::Fail),
            ended(CheckOutcome::NotApplicable),
            worst,
        ]);
    }
    table
}
