//! The words that stand for a record's values.

use fathom_measure::{Nanos, Share};
use fathom_record::check::{CheckName, CheckOutcome};
use fathom_record::environment_facts::Severity;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_record::RunEnding;
use fathom_record::verdict::Confidence;
use fathom_record::workload::{Addresses, Arrival, Length, Sizes, Verify};
use fathom_record::{Direction, Workload};

use crate::number;
use crate::zoned_moment::Zone;

/// A moment as records have it, in UTC and for people: to the second. What is no such moment stays as it is.
pub fn moment(rfc3339: &str) -> String {
    Zone::Utc.second(rfc3339)
}

/// With a capital letter in front.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How sure, in a word or two; `attribute/src/thresholds.rs` says from which probability on.
pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::None => "a guess",
        Confidence::Possible => "possible",
        Confidence::Likely => "likely",
        Confidence::Strong => "strong",
    }
}

/// How sure, explained.
pub fn confidence_meaning(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::None => "no better than a guess",
        Confidence::Possible => "one of several candidates",
        Confidence::Likely => "the best candidate, with others left; meant to be right in about 4 of 5 cases",
        Confidence::Strong => "shown by direct evidence",
    }
}

/// What was checked.
pub fn check(name: CheckName) -> &'static str {
    match name {
        CheckName::InFlight => "in-flight",
        CheckName::LittlesLaw => "Little's law",
        CheckName::GeneratorBusy => "generator busy",
        CheckName::ReapLag => "completion detection delay",
        CheckName::GeneratorLag => "generator lag",
        CheckName::Overload => "overload",
        CheckName::OfferedRate => "offered rate",
        CheckName::Clock => "clock",
        CheckName::UnwrittenData => "unwritten data",
        CheckName::ShortTransfers => "short transfers",
        CheckName::Errors => "errors",
        CheckName::PageCache => "page cache",
        CheckName::WriteCache => "write cache",
        CheckName::Verification => "verification",
        CheckName::LostIntervals => "lost intervals",
        CheckName::Standstill => "standstill",
        CheckName::OtherLoad => "other load",
        CheckName::EngineContract => "engine contract",
        CheckName::OtherPrograms => "other programs",
        CheckName::ClientSkew => "skew of clients",
        CheckName::ClientOverlap => "overlap of clients",
        CheckName::NetworkFull => "network",
    }
}

/// How a check ended.
pub fn outcome(outcome: CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::NotApplicable => "does not apply",
        CheckOutcome::Pass => "pass",
        CheckOutcome::Caution => "caution",
        CheckOutcome::Fail => "FAILED",
    }
}

/// How much a setting distorts.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Good => "good",
        Severity::Note => "note",
        Severity::Warning => "warning",
    }
}

/// What kind of thing the target is.
pub fn target_kind(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::File => "file",
        TargetKind::BlockDevice => "block device",
        TargetKind::NvmeNamespace => "NVMe namespace",
        TargetKind::FabricNamespace => "NVMe namespace on the network",
        TargetKind::Simulated => "simulated device",
        TargetKind::Memory => "memory",
        TargetKind::Null => "null",
        TargetKind::Unknown => "kind not known",
    }
}

/// The target as the subject of a sentence: a scratch file stands for the disk under it.
pub fn subject(facts: &TargetFacts) -> String {
    match facts.devices.last() {
        Some(disk) if facts.scratch => format!("{} under {}", disk.name, facts.name),
        _ => facts.name.clone(),
    }
}

/// The target in one line: `/data/x (scratch file, ext4 on nvme0n1, Samsung 990)`; several after each other.
pub fn target(facts: &TargetFacts) -> String {
    if !facts.members.is_empty() {
        let members: Vec<String> = facts.members.iter().map(target).collect();
        return format!("{}: {}", layout(facts), members.join(", "));
    }
    let kind = if facts.scratch { "scratch file" } else { target_kind(facts.kind) };
    let file_system = facts.file_system.as_ref().map(|fs| fs.kind.clone());
    let device = facts.devices.last().map(|disk| match &disk.model {
        Some(model) => format!("{} ({})", disk.name, model.trim()),
        None => disk.name.clone(),
    });
    let place = match (file_system, device) {
        (Some(fs), Some(disk)) => format!(", {fs} on {disk}"),
        (Some(fs), None) => format!(", {fs}"),
        (None, Some(disk)) if !facts.name.ends_with(disk.as_str()) => format!(", {disk}"),
        _ => String::new(),
    };
    let behind = facts.decorated.as_ref().map(|decorated| format!(", behind {}", decorated.words()));
    format!("{} ({kind}{place}){}", facts.name, behind.unwrap_or_default())
}

/// How several targets were measured together.
pub fn layout(facts: &TargetFacts) -> String {
    let count = facts.members.len();
    match facts.stripe_bytes {
        Some(bytes) => format!("{count} targets striped in chunks of {}", number::size(bytes)),
        None => format!("jobs spread over {count} targets"),
    }
}

/// Why a run ended, when not as planned.
pub fn ending(ending: &RunEnding) -> Option<String> {
    match ending {
        RunEnding::Complete => None,
        RunEnding::Interrupted => {
            Some("interrupted; the numbers cover what was measured until then".to_owned())
        }
        RunEnding::Failed { error } => {
            Some(format!("the target failed: {error}; the numbers cover what was measured until then"))
        }
    }
}

/// A workload in a line: `4 KiB random read, closed loop, 2 jobs × depth 32, 30 s`.
pub fn workload(workload: &Workload) -> String {
    let mut parts =
        vec![io(workload), arrival(&workload.arrival), concurrency(workload), length(&workload.length)];
    if workload.mix.flush_every_writes > 0 {
        parts.push(format!("a flush every {} writes", workload.mix.flush_every_writes));
    }
    if workload.data.verify != Verify::Off {
        parts.push("content verified".to_owned());
    }
    parts.join(", ")
}

/// Size, order and directions: `4 KiB random read`.
pub fn io(workload: &Workload) -> String {
    let mix = &workload.mix;
    let shares = [
        (Direction::Read, mix.read_share, &workload.sizes.read),
        (Direction::Write, mix.write_share(), &workload.sizes.write),
        (Direction::Trim, mix.trim_share, &workload.sizes.trim),
    ];
    let used: Vec<_> = shares.into_iter().filter(|(_, share, _)| *share > 1e-9).collect();
    let order = addresses(&workload.addresses);
    match used.as_slice() {
        [(direction, _, of)] => format!("{} {order} {}", sizes(of), direction.name()),
        _ if used.windows(2).all(|pair| pair[0].2 == pair[1].2) && !used.is_empty() => {
            let shares: Vec<_> = used.iter().map(|(d, s, _)| format!("{} {}", Share(*s), d.name())).collect();
            format!("{} {order} {}", sizes(used[0].2), shares.join(" / "))
        }
        _ => {
            let parts: Vec<_> =
                used.iter().map(|(d, s, of)| format!("{} {} {}", Share(*s), sizes(of), d.name())).collect();
            format!("{order} {}", parts.join(" / "))
        }
    }
}

fn sizes(sizes: &Sizes) -> String {
    match sizes {
        Sizes::Fixed { bytes } => number::size(*bytes),
        Sizes::Range { min_bytes, max_bytes, .. } => {
            format!("{} to {}", number::size(*min_bytes), number::size(*max_bytes))
        }
        Sizes::Split { shares } => {
            let parts: Vec<_> =
                shares.iter().map(|s| format!("{} ({})", number::size(s.bytes), Share(s.share))).collect();
            parts.join(" + ")
        }
    }
}

fn addresses(addresses: &Addresses) -> String {
    match addresses {
        Addresses::RandomCycle | Addresses::RandomIndependent => "random".to_owned(),
        Addresses::Sequential => "sequential".to_owned(),
        Addresses::Interlocked => "sequential (jobs interlocked)".to_owned(),
        Addresses::Strided { stride_bytes } => format!("strided by {}", number::size(*stride_bytes)),
        Addresses::Backwards { step_bytes } => format!("backwards by {}", number::size(*step_bytes)),
        Addresses::Parts { part_bytes, gap_bytes } => {
            format!(
                "sequential in parts of {} with gaps of {}",
                number::size(*part_bytes),
                number::size(*gap_bytes)
            )
        }
        Addresses::Laps { jump_share, .. } if *jump_share > 0.0 => {
            format!("sequential with {} of jumps", Share(*jump_share))
        }
        Addresses::Laps { step_bytes: Some(step), .. } => {
            format!("sequential by {} (each job over all)", number::size(*step))
        }
        Addresses::Laps { .. } => "sequential (each job over all)".to_owned(),
        Addresses::Zipf { exponent } => format!("Zipf {exponent}"),
        Addresses::Pareto { skew } => format!("Pareto {skew}"),
        Addresses::Normal { deviation } => format!("normal (deviation {})", Share(*deviation)),
        Addresses::HotSpot(spot) => {
            format!("hot-spot ({} to {} of the span)", Share(spot.access_share), Share(spot.span_share))
        }
        Addresses::Zoned { zones } => format!("zoned ({} zones)", zones.len()),
        Addresses::Traced(traced) => format!("trace {}:", traced.file),
    }
}

fn arrival(arrival: &Arrival) -> String {
    match arrival {
        Arrival::Closed => "closed loop".to_owned(),
        Arrival::Pausing { after_operations, pause_ns } => {
            format!(
                "closed loop, a pause of {} after every {after_operations} I/Os",
                number::time(*pause_ns as f64)
            )
        }
        Arrival::PerDirection { read_per_s, write_per_s, .. } => {
            let rate =
                |rate: &Option<f64>| rate.map_or("no rate".to_owned(), |rate| number::iops(rate).to_string());
            let kind = if arrival.is_open() { "open loop" } else { "closed loop" };
            format!(
                "{kind} with a rate of its own for reads ({}) and writes ({})",
                rate(read_per_s),
                rate(write_per_s)
            )
        }
        Arrival::Constant { rate_per_s } => format!("open loop at a constant {}", number::iops(*rate_per_s)),
        Arrival::Poisson { rate_per_s } => format!("open loop, Poisson at {}", number::iops(*rate_per_s)),
        Arrival::Steps { step_ns, rates_per_s } => format!(
            "open loop at {} rates of {} each, {} on average",
            rates_per_s.len(),
            Nanos(*step_ns).coarse(),
            number::iops(arrival.steps_mean_per_s().unwrap_or(0.0))
        ),
        Arrival::Traced { speed } => format!("open loop at the trace's own times, speed {speed}"),
        Arrival::Ramp { from_per_s, to_per_s, over_ns } => format!(
            "open loop from {} to {} within {}",
            number::iops(*from_per_s),
            number::iops(*to_per_s),
            Nanos(*over_ns).coarse()
        ),
    }
}

fn concurrency(workload: &Workload) -> String {
    if workload.arrival.is_open() {
        let jobs = if workload.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", workload.jobs) };
        format!("{jobs}, at most {} in flight each", workload.depth)
    } else {
        number::cell_in_words(workload.jobs, workload.depth)
    }
}

fn length(length: &Length) -> String {
    let mut limits = Vec::new();
    limits.extend(length.time_ns.map(|ns| Nanos(ns).coarse()));
    limits.extend(length.operations.map(|n| format!("{} I/Os", number::count(n))));
    limits.extend(length.bytes.map(number::size));
    let text = limits.join(" or ");
    if length.warmup_ns > 0 {
        format!("{text} after {} warm-up", Nanos(length.warmup_ns).coarse())
    } else {
        text
    }
}
