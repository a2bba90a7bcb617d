//! The command that measures the same thing again.

use fathom_record::campaign::{AssessPlan, AssessRecord, ComparePlan, PreconditionPlan, SidePlan, SweepPlan};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::workload::{Addresses, Arrival, Data, Sizes};
use fathom_record::{RunRecord, Witness, Workload, shell_word};

use crate::number;

/// A way back to the same measurement.
pub struct Reproduction {
    /// What to type.
    pub command: String,
    /// What the command alone does not say.
    pub remark: Option<String>,
}

/// A size without a space, as a flag takes it: `4KiB`, exact.
fn size(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >= 1 << shift && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// A time without a space, as a flag takes it: `30s`, exact.
fn time(ns: u64) -> String {
    for (unit, factor) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)] {
        if ns >= factor && ns.is_multiple_of(factor) {
            return format!("{}{unit}", ns / factor);
        }
    }
    if ns == 0 { "0s".to_owned() } else { format!("{ns}ns") }
}

/// How to repeat a run. Workloads that go beyond the flags named in the manual's first page are
/// repeated from the record itself.
pub fn run(run: &RunRecord) -> Reproduction {
    if let Some(origin) = &run.origin {
        return Reproduction {
            command: format!("fathom show {} --json", shell_word(&run.id)),
            remark: Some(format!("{} measured it; fathom read it from {}.", run.tool.name, origin.file)),
        };
    }
    let sized = number::size(run.target.size_bytes);
    let scratch =
        run.target.scratch.then(|| format!("The run made a scratch file of {sized} and removed it."));
    match flags(&run.workload) {
        Some(flags) => {
            let path = path(run);
            Reproduction {
                command: format!("fathom run{}{path} {flags}", targets(&run.target)),
                remark: scratch,
            }
        }
        None => Reproduction {
            command: format!("fathom show {} --json", shell_word(&run.id)),
            remark: Some(
                "The workload goes beyond the short flags; the record holds all of it under \"workload\"."
                    .to_owned(),
            ),
        },
    }
}

/// The flags that name the target, or several.
fn targets(facts: &TargetFacts) -> String {
    let members = if facts.members.is_empty() { std::slice::from_ref(facts) } else { &facts.members };
    let flags = members.iter().map(|member| format!(" --target {}", shell_word(&member.name)));
    let stripe = facts.stripe_bytes.map(|bytes| format!(" --stripe {}", size(bytes)));
    flags.chain(stripe).collect()
}

/// The flags of the way to the target: its engine, what that was told, and what stands around it. Permission to
/// destroy data is not one of them.
fn path(run: &RunRecord) -> String {
    let facts = &run.target;
    let used = |name: &str| run.engine.features.iter().any(|known| known.used && known.name == name);
    let is_path =
        matches!(facts.kind, TargetKind::File | TargetKind::BlockDevice | TargetKind::NvmeNamespace);
    let io_flags: Vec<&str> = IO_FLAGS.into_iter().filter(|flag| used(&format!("rwf_{flag}"))).collect();
    let decorated = facts.decorated.as_ref();
    let flags = [
        is_path.then(|| format!("engine {}", shell_word(&run.engine.name))),
        // A mapping goes through the page cache by itself.
        (is_path && !facts.direct && run.engine.name != "mmap").then(|| "buffered".to_owned()),
        (facts.kind == TargetKind::Simulated && !run.is_virtual()).then(|| "real-time".to_owned()),
        used("polled_completions").then(|| "polled".to_owned()),
        used("opened_o_dsync").then(|| "durable data".to_owned()),
        used("opened_o_sync").then(|| "durable all".to_owned()),
        (!io_flags.is_empty()).then(|| format!("io-flags {}", io_flags.join(","))),
        decorated.and_then(|d| d.delay.as_ref()).map(|text| format!("delay {}", shell_word(text))),
        decorated.and_then(|d| d.throttle.as_ref()).map(|text| format!("throttle {}", shell_word(text))),
        cpus(run).map(|cpus| format!("cpus {cpus}")),
        run.witness.as_ref().map(witness),
    ];
    flags.into_iter().flatten().map(|flag| format!(" --{flag}")).collect()
}

/// Flags of single I/Os, as they are typed; records put `rwf_` before them.
const IO_FLAGS: [&str; 6] = ["hipri", "dsync", "sync", "nowait", "dontcache", "atomic"];

/// The processors, where they were asked for and not chosen.
fn cpus(run: &RunRecord) -> Option<String> {
    let chosen = run.engine.features.iter().any(|known| known.name == "bound_near_device");
    if chosen || run.is_virtual() {
        return None;
    }
    let cpus = run.jobs.iter().map(|job| Some(job.cpu?.to_string())).collect::<Option<Vec<_>>>();
    let Some(cpus) = cpus.filter(|cpus| !cpus.is_empty()) else { return Some("any".to_owned()) };
    Some(cpus.join(","))
}

/// The witness by the source that it had; of one that could not be had, only that it was asked for.
fn witness(witness: &Witness) -> String {
    witness.seen().map_or_else(|| "witness".to_owned(), |trace| format!("witness={}", trace.source))
}

/// The flags of a plain closed loop; `None` for anything that they do not say exactly.
fn flags(workload: &Workload) -> Option<String> {
    let Sizes::Fixed { bytes } = workload.sizes.read else { return None };
    let same_sizes =
        workload.sizes.write == workload.sizes.read && workload.sizes.trim == workload.sizes.read;
    let plain = workload.data == Data::default()
        && workload.arrival == Arrival::Closed
        && workload.mix.trim_share == 0.0
        && workload.mix.flush_every_writes == 0
        && workload.offset_bytes == 0;
    let rw = match (&workload.addresses, workload.mix.read_share) {
        (Addresses::RandomCycle, 1.0) => "randread",
        (Addresses::RandomCycle, 0.0) => "randwrite",
        (Addresses::Sequential, 1.0) => "read",
        (Addresses::Sequential, 0.0) => "write",
        _ => return None,
    };
    if !same_sizes || !plain {
        return None;
    }
    let mut flags =
        format!("--rw {rw} --bs {} --jobs {} --depth {}", size(bytes), workload.jobs, workload.depth);
    let length = &workload.length;
    let optional = [
        ("size", workload.span_bytes.map(size)),
        ("align", workload.alignment_bytes.map(size)),
        ("time", length.time_ns.map(time)),
        ("count", length.operations.map(|n| n.to_string())),
        ("bytes", length.bytes.map(size)),
        // Also where there is none: left out, it would be the default.
        ("warmup", Some(time(length.warmup_ns))),
        ("seed", Some(workload.seed.to_string())),
    ];
    for (name, value) in optional {
        flags.extend(value.map(|value| format!(" --{name} {value}")));
    }
    Some(flags)
}

/// A sweep as a line for a POSIX shell. Permission to destroy data is not part of it.
pub fn sweep(plan: &SweepPlan) -> String {
    let mut line = "fathom sweep".to_owned();
    for axis in &plan.axes {
        let separator = if axis.values.iter().any(|value| value.contains(',')) { ";" } else { "," };
        let values = axis.values.join(separator);
        line.push_str(&format!(" --over {}", shell_word(&format!("{}={values}", axis.key))));
    }
    line.push_str(&format!(" --passes {}", plan.passes));
    if let Some(share) = plan.until_share {
        line.push_str(&format!(" --until {}%", share * 100.0));
    }
    if plan.adaptive {
        line.push_str(" --adaptive");
    }
    for (key, value) in plan.base.as_object().into_iter().flatten() {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in values.iter().filter(|value| !value.is_null()) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            line.push_str(&format!(" --{key}={}", shell_word(&text)));
        }
    }
    line + &format!(" --seed {}", plan.seed)
}

/// A comparison as a line for a POSIX shell. Permission to destroy data is not part of it.
pub fn compare(plan: &ComparePlan) -> String {
    let own = |side: &SidePlan| {
        let target = side.settings.iter().find(|setting| setting.key == "target");
        side.stored.clone().or_else(|| target.map(|setting| setting.value.clone()))
    };
    let shared = || plan.base.get("target").and_then(serde_json::Value::as_str).map(str::to_owned);
    let mut names = String::new();
    for name in [own(&plan.a).or_else(shared), own(&plan.b).or_else(shared)].into_iter().flatten() {
        names.push_str(&format!(" {}", shell_word(&name)));
    }
    let mut line = "fathom compare".to_owned();
    for (flag, side) in [("a", &plan.a), ("b", &plan.b)] {
        for setting in side.settings.iter().filter(|setting| setting.key != "target") {
            line.push_str(&format!(
                " --{flag} {}",
                shell_word(&format!("{}={}", setting.key, setting.value))
            ));
        }
        if let Some(command) = &side.before {
            line.push_str(&format!(" --before-{flag} {}", shell_word(command)));
        }
    }
    line.push_str(&format!(" --by {}%", (plan.materiality * 1e6).round() / 1e4));
    if plan.a.stored.is_some() {
        return format!("{line} --{names}");
    }
    if !plan.patterns.is_empty() {
        line.push_str(&format!(" --patterns {}", plan.patterns.join(",")));
    }
    if !plan.depths.is_empty() {
        let depths: Vec<String> = plan.depths.iter().map(u32::to_string).collect();
        line.push_str(&format!(" --depth {}", depths.join(",")));
    }
    let pairs = if plan.fixed_pairs { "pairs" } else { "max-pairs" };
    line.push_str(&format!(" --{pairs} {}", plan.max_pairs));
    let base = plan.base.as_object().into_iter().flatten();
    for (key, value) in base.filter(|(key, value)| *key != "target" && !value.is_null()) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        line.push_str(&format!(" --{key}={}", shell_word(&text)));
    }
    format!("{line} --seed {} --{names}", plan.seed)
}

/// How to repeat a campaign.
pub fn campaign(campaign: &AssessRecord) -> Reproduction {
    let plan: &AssessPlan = &campaign.plan;
    let mut command = format!("fathom assess {} --budget {}", shell_word(&plan.target), time(plan.budget_ns));
    if let Some(engine) = &plan.engine {
        command.push_str(&format!(" --engine {}", shell_word(engine)));
    }
    if let Some(bytes) = plan.size_bytes {
        command.push_str(&format!(" --size {}", size(bytes)));
    }
    match plan.until_share {
        Some(share) => command.push_str(&format!(" --until {share}")),
        None if plan.thorough => {}
        None => command.push_str(" --until none"),
    }
    if plan.precondition != PreconditionPlan::None {
        command.push_str(&format!(" --precondition {}", plan.precondition.name()));
    }
    if plan.thorough {
        command.push_str(" --thorough");
    }
    if !plan.patterns.is_empty() {
        let names: Vec<_> = plan.patterns.iter().map(|p| p.name.as_str()).collect();
        command.push_str(&format!(" --patterns {}", shell_word(&names.join(","))));
    }
    for ceiling in &plan.ceilings {
        command.push_str(&format!(" --ceiling {}", shell_word(&ceiling.to_string())));
    }
    for (flag, value) in [("instance", &plan.instance), ("volume", &plan.volume)] {
        if let Some(value) = value {
            command.push_str(&format!(" --{flag} {}", shell_word(value)));
        }
    }
    if let Some(slo) = &plan.slo {
        let quantile = number::quantile_name(slo.quantile);
        command.push_str(&format!(" --slo {quantile}={}", time(slo.limit_ns)));
    }
    command.push_str(&format!(" --seed {}", plan.seed));
    let remark = format!(
        "Every run can be read again on its own: fathom show RUN. This campaign is {} of {} {}.",
        campaign.id, campaign.tool.name, campaign.tool.version
    );
    Reproduction { command, remark: Some(remark) }
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::{Decorated, Feature};

    use super::*;

    #[test]
    fn the_way_to_the_target_is_part_of_the_command() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        for name in ["opened_o_dsync", "rwf_dsync", "rwf_nowait", "polled_completions", "bound_near_device"] {
            record.engine.features.push(Feature { name: name.to_owned(), used: true, note: None });
        }
        record.engine.name = "aio".to_owned();
        record.target.direct = false;
        record.target.decorated = Some(Decorated {
            delay: Some("lognormal:100us/0.5".to_owned()),
            throttle: Some("iops=300,throughput=5B/s".to_owned()),
            ..Decorated::default()
        });
        let flags = " --engine aio --buffered --polled --durable data --io-flags dsync,nowait \
                     --delay lognormal:100us/0.5 --throttle iops=300,throughput=5B/s";
        assert!(path(&record).starts_with(flags), "{}", path(&record));
        assert_eq!(cpus(&record), None, "the run chose them, and does again");
        record.engine.features.pop();
        record.jobs.iter_mut().for_each(|job| job.cpu = Some(3));
        assert_eq!(cpus(&record), Some(vec!["3"; record.jobs.len()].join(",")));
    }

    #[test]
    fn quantities_come_back_exactly() {
        for bytes in [512, 4096, 5000, 1 << 30, 3 << 20] {
            assert_eq!(size(bytes).parse(), Ok(fathom_measure::Bytes(bytes)));
        }
        for ns in [1, 1500, 2_000_000, 30_000_000_000, 90_000_000_000] {
            assert_eq!(time(ns).parse(), Ok(fathom_measure::Nanos(ns)));
        }
    }
}
