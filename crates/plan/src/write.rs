//! Writes a run plan as a plan file or a command line that reads back as the same plan.

use fathom_record::shell_word;
use fathom_record::workload::{Addresses, Arrival, Verify};
use serde_json::Value;

use super::raw_plan::RawPlan;
use super::resolve::OWN_ALIGNMENT;
use super::scalar_text::Text;
use super::{PlanSource, RunPlan, addresses, quantity, rates, sizes, trace_keys};

/// The plan as the text of a plan file.
pub fn to_toml(plan: &RunPlan) -> String {
    toml::to_string(&raw_of(plan)).expect("a plan's values are all TOML values")
}

/// The line that measures the same again, as [`to_command_line`] writes it, without permission to destroy data;
/// `None` where the plan says what no flag does, so that the line would stand for another one.
pub fn exact_command_line(plan: &RunPlan) -> Option<String> {
    let options = plan.options.without_permits();
    let plan = RunPlan { options, ..plan.clone() };
    // With a seed other than the written one a lost seed shows.
    let read = PlanSource::from_flags(raw_of(&plan)).resolve(!plan.workload.seed);
    (read.as_ref() == Ok(&plan)).then(|| to_command_line(&plan))
}

/// The plan as a line for a POSIX shell, from `fathom run` on.
pub fn to_command_line(plan: &RunPlan) -> String {
    let values = raw_of(plan).values();
    let mut line = "fathom run".to_owned();
    // The values lie by their names; people read the target and the workload first.
    let mut keys = super::raw_plan::keys();
    keys.retain(|key| values.contains_key(key));
    for key in &keys {
        match &values[key] {
            Value::Bool(true) => line += &format!(" --{key}"),
            Value::Array(texts) => {
                for text in texts.iter().filter_map(Value::as_str) {
                    line += &flag(key, text);
                }
            }
            Value::String(text) => line += &flag(key, text),
            other => line += &flag(key, &other.to_string()),
        }
    }
    line
}

/// A flag with its value. A value that starts with a hyphen, and one that the flag can do without, are
/// bound to it.
pub(super) fn flag(name: &str, value: &str) -> String {
    let separator = if value.starts_with('-') || name == "witness" { '=' } else { ' ' };
    format!(" --{name}{separator}{}", shell_word(value))
}

/// The values that make this plan. What has a lasting neutral value (an offset of 0) is left out; what
/// has a default that could change (depth, time) is written.
fn raw_of(plan: &RunPlan) -> RawPlan {
    let workload = &plan.workload;
    let (mix, data, length) = (&workload.mix, &workload.data, &workload.length);
    let number = |number: u64| Some(Text(number.to_string()));
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| Text(quantity::write_bytes(bytes)));
    let not_zero = |share: f64| (share != 0.0).then(|| Text(quantity::write_share(share)));
    let random = workload.addresses.is_random();
    let (direction, mixed) = match (mix.read_share, mix.trim_share) {
        (1.0, 0.0) => ("read", false),
        (0.0, 0.0) => ("write", false),
        (0.0, 1.0) => ("trim", false),
        _ if workload.sizes.rewrites_trimmed => ("trimwrite", false),
        _ => ("rw", true),
    };
    // Older records name what had no effect.
    let writes = mix.write_share() > 0.0;
    let (bs, write_bs, trim_bs) = sizes::write_by_direction(&workload.sizes);
    let mut raw = RawPlan {
        target: Some(plan.targets.clone()),
        engine: plan.engine.clone().map(Text),
        rw: Some(Text(format!("{}{direction}", if random { "rand" } else { "" }))),
        bs: Some(Text(bs)),
        write_bs: write_bs.map(Text),
        trim_bs: trim_bs.map(Text),
        read_share: mixed.then(|| Text(quantity::write_share(mix.read_share))),
        trim_share: not_zero(mix.trim_share).filter(|_| mixed),
        flush_every: number(mix.flush_every_writes).filter(|_| mix.flush_every_writes > 0 && writes),
        addresses: match workload.addresses {
            Addresses::RandomCycle | Addresses::Sequential | Addresses::Traced(_) => None,
            ref other => Some(Text(addresses::write(other))),
        },
        offset: bytes(Some(workload.offset_bytes)).filter(|_| workload.offset_bytes > 0),
        size: bytes(workload.span_bytes),
        align: match workload.sizes.own_alignment {
            true => Some(OWN_ALIGNMENT.into()),
            false => bytes(workload.alignment_bytes),
        },
        compressible: not_zero(data.compressible_share).filter(|_| writes),
        duplicate: not_zero(data.duplicate_share).filter(|_| writes),
        verify: match data.verify {
            Verify::Off => None,
            Verify::OnRead => Some("on-read".into()),
            Verify::AtEnd => Some("at-end".into()),
        },
        jobs: number(workload.jobs.into()),
        depth: number(workload.depth.into()),
        time: length.time_ns.map(|ns| Text(quantity::write_time_ns(ns))),
        count: length.operations.map(|operations| Text(operations.to_string())),
        bytes: bytes(length.bytes),
        warmup: Some(Text(quantity::write_time_ns(length.warmup_ns))),
        seed: number(workload.seed),
        ..RawPlan::default()
    };
    fill_arrival(&mut raw, &workload.arrival);
    fill_options(&mut raw, plan);
    if let Addresses::Traced(traced) = &workload.addresses {
        trace_keys::write(&mut raw, traced);
    }
    raw
}

fn fill_arrival(raw: &mut RawPlan, arrival: &Arrival) {
    let rate = |rate_per_s: f64| Some(Text(quantity::write_rate_per_s(rate_per_s)));
    let (process, to_per_s) = match *arrival {
        Arrival::Closed => return,
        Arrival::Pausing { after_operations, pause_ns } => {
            raw.pause = Some(Text(quantity::write_time_ns(pause_ns)));
            raw.pause_every = Some(Text(after_operations.to_string()));
            return;
        }
        Arrival::Steps { step_ns, ref rates_per_s } => {
            raw.rates = Some(Text(rates::write(rates_per_s)));
            raw.rate_step = Some(Text(quantity::write_time_ns(step_ns)));
            return;
        }
        Arrival::Traced { speed } => {
            raw.speed = Some(Text(speed.to_string()));
            return;
        }
        Arrival::PerDirection { read_per_s, write_per_s, poisson } => {
            raw.arrival = Some(if poisson { "poisson" } else { "constant" }.into());
            raw.rate = Some(Text(rates::write_both(read_per_s, write_per_s)));
            return;
        }
        Arrival::Constant { rate_per_s } => ("constant", rate_per_s),
        Arrival::Poisson { rate_per_s } => ("poisson", rate_per_s),
        Arrival::Ramp { from_per_s, to_per_s, over_ns } => {
            raw.ramp_from = rate(from_per_s);
            raw.ramp_over = Some(Text(quantity::write_time_ns(over_ns)));
            ("ramp", to_per_s)
        }
    };
    raw.arrival = Some(process.into());
    raw.rate = rate(to_per_s);
}

fn fill_options(raw: &mut RawPlan, plan: &RunPlan) {
    let options = &plan.options;
    raw.buffered = (!options.direct).then_some(true);
    raw.stripe = options.stripe_bytes.map(|bytes| Text(quantity::write_bytes(bytes)));
    raw.destroy = (!options.permits.is_empty()).then(|| options.permits.clone());
    raw.check_empty = options.check_empty.then_some(true);
    raw.real_time = options.real_time.then_some(true);
    raw.polled = options.polled.then_some(true);
    raw.witness = options.witness.map(|source| source.name().into());
    raw.durable = options.durable.map(|durable| durable.name().into());
    let flags = options.io_flags.names();
    raw.io_flags = (!flags.is_empty()).then(|| Text(flags.join(",")));
    raw.keep = options.keep.then_some(true);
    raw.delay = options.decorators.delay.as_ref().map(|delay| Text(delay.to_string()));
    raw.throttle = options.decorators.throttle.as_ref().map(|throttle| Text(throttle.to_string()));
    raw.client =
        (!options.clients.is_empty()).then(|| options.clients.iter().map(ToString::to_string).collect());
    raw.partition = options.partition.then_some(true);
    raw.cpus = options.cpus.as_deref().map(|cpus| Text(quantity::write_cpus(cpus)));
}
