//! From findings to the verdict: which claims stand, in what order, and when nothing is decided.

use fathom_record::Verdict;
use fathom_record::verdict::{Claim, Confidence, Evidence, Limit};

use crate::ceilings::{Bound, bounds};
use crate::experiment;
use crate::input::Pattern;
use crate::limits::{Case, Finding, findings};
use crate::shape::Shape;
use crate::thresholds::REACHED;
use crate::words;

/// Says what limits a pattern at the cell in question.
///
/// The claims are ordered by confidence. Unless one is at least likely, the first claim is that the limit
/// is unknown, and what is possible follows it. Figures that are not numbers are treated as not measured.
pub fn attribute(pattern: &Pattern<'_>) -> Verdict {
    let Some(shape) = Shape::of(pattern) else { return nothing_measured(pattern) };
    let bounds = bounds(pattern, &shape);
    let case = Case { pattern, shape: &shape, bounds: &bounds };
    let mut found = findings(&case);
    settle_conflicts(&mut found);
    restrain(&mut found, &shape);
    found.sort_by_key(|finding| std::cmp::Reverse(finding.confidence));
    let decided = found.first().is_some_and(|first| first.confidence >= Confidence::Likely);
    if !decided {
        found.insert(0, unknown(pattern, &shape, &bounds, &found));
    }
    let scope = scope(pattern, &shape);
    let next_experiment = experiment::next(pattern, &shape, &found);
    let claim = |f: Finding| Claim {
        limit: f.limit,
        statement: f.statement,
        confidence: f.confidence,
        probability: None,
        evidence: f.evidence,
        scope: scope.clone(),
    };
    Verdict {
        claims: found.into_iter().map(claim).collect(),
        ceilings: bounds.into_iter().map(|b| b.ceiling).collect(),
        next_experiment,
    }
}

/// Lowers what another finding takes the ground from, and names limits that bind together.
fn settle_conflicts(found: &mut [Finding]) {
    let is_likely = |f: &Finding| f.confidence >= Confidence::Likely;
    let has = |limit: Limit, found: &[Finding]| found.iter().any(|f| f.limit == limit && is_likely(f));
    // A cached or disturbed rate says nothing about the device behind it, but processors are busy all the same.
    for (disturber, what) in [
        (Limit::CacheArtefact, "A cache answered, so this is not shown for the device."),
        (Limit::Interference, "The measurement was disturbed, so this may not hold without the disturbance."),
    ] {
        if !has(disturber, found) {
            continue;
        }
        let device_limits = [
            Limit::Concurrency,
            Limit::VolumeIops,
            Limit::VolumeThroughput,
            Limit::RateCap,
            Limit::DeviceParallelism,
        ];
        for finding in found.iter_mut().filter(|f| device_limits.contains(&f.limit)) {
            finding.confidence = finding.confidence.min(Confidence::Possible);
            finding.evidence.push(Evidence { supports: false, text: what.to_owned() });
        }
    }
    let together: Vec<(usize, Limit)> =
        found.iter().enumerate().filter(|(_, f)| is_likely(f)).map(|(i, f)| (i, f.limit)).collect();
    for (index, _) in &together {
        for (_, other) in together.iter().filter(|(other, _)| other != index) {
            let text = format!("At the same time {} was reached.", name(*other));
            found[*index].evidence.push(Evidence { supports: false, text });
        }
        // Two limits at one rate: either may give way first, so neither is beyond doubt.
        if together.len() > 1 {
            found[*index].confidence = Confidence::Likely;
        }
    }
}

/// Keeps confidence within what the runs can carry.
fn restrain(found: &mut [Finding], shape: &Shape<'_>) {
    for finding in found {
        if shape.cell.runs.len() < 2 {
            finding.confidence = finding.confidence.min(Confidence::Likely);
        }
        for check in &shape.cell.failed_checks {
            finding.confidence = finding.confidence.min(Confidence::Possible);
            finding
                .evidence
                .push(Evidence { supports: false, text: format!("A self-check failed: {check}") });
        }
    }
}

/// What a limit is called inside a sentence.
fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Concurrency => "the rate that the concurrency allows",
        Limit::VolumeIops => "the volume's limit on operations",
        Limit::VolumeThroughput => "the volume's limit on bytes",
        Limit::InstanceCap => "the instance's limit",
        Limit::BurstCredits => "the end of burst credits",
        Limit::Link => "the limit of a link",
        Limit::Software => "the software's cost",
        Limit::WriteCliff => "a full write cache",
        Limit::IndirectionUnit => "the device's mapping unit",
        Limit::QueueTags => "the limit of the queue's tags",
        Limit::Thermal => "heat",
        Limit::FileSystem => "the file system",
        Limit::Demand => "all that was asked for",
        Limit::RateCap => "a fixed rate",
        Limit::OneCore => "the limit of one processor",
        Limit::AllCores => "the limit of all processors",
        Limit::Generator => "the limit of the measuring program",
        Limit::DeviceParallelism => "the target's parallelism",
        Limit::CacheArtefact => "a rate that only a cache gives",
        Limit::Interference => "a disturbance",
        Limit::Unknown => "an unknown limit",
    }
}

fn unknown(pattern: &Pattern<'_>, shape: &Shape<'_>, bounds: &[Bound], found: &[Finding]) -> Finding {
    let mut evidence: Vec<Evidence> = Vec::new();
    let closest = bounds.iter().max_by(|a, b| a.ceiling.reached_share.total_cmp(&b.ceiling.reached_share));
    if let Some(bound) = closest {
        let is_reached = bound.ceiling.reached_share >= REACHED;
        let what = if is_reached { "The highest bound reached" } else { "No bound was reached; the closest" };
        evidence.push(Evidence {
            supports: !is_reached,
            text: format!("{what} is \"{}\": {}.", bound.ceiling.name, bound.reached(shape)),
        });
    } else {
        evidence.push(Evidence { supports: true, text: "No upper bound is known for this rate.".to_owned() });
    }
    let mut missing = |is_missing: bool, text: &str| {
        if is_missing {
            evidence.push(Evidence { supports: true, text: text.to_owned() });
        }
    };
    missing(shape.unloaded.is_none(), "Latency at one job and depth 1 was not measured beside it.");
    let unseen = shape.busiest_core().is_none() && !shape.telemetry.simulated_time;
    missing(unseen, "The processors' load was not measured.");
    missing(shape.growth.is_none(), "No other concurrency was measured to see whether the rate grows.");
    for check in &shape.cell.failed_checks {
        missing(true, &format!("A self-check failed: {check}"));
    }
    let candidates = match found.len() {
        0 => "nothing that was measured points to a limit",
        1 => "one limit is possible, but not shown",
        _ => "several limits are possible, and the measurements do not tell them apart",
    };
    Finding {
        limit: Limit::Unknown,
        confidence: Confidence::None,
        statement: format!(
            "What limits {} at {} is not decided: {candidates}.",
            pattern.title,
            words::iops(shape.focus.x_per_s)
        ),
        evidence,
    }
}

fn nothing_measured(pattern: &Pattern<'_>) -> Verdict {
    let claim = Claim {
        limit: Limit::Unknown,
        statement: format!("What limits {} is not decided: no run gave a usable rate.", pattern.title),
        confidence: Confidence::None,
        probability: None,
        evidence: Vec::new(),
        scope: format!("{} on {}.", pattern.title, pattern.target.name),
    };
    Verdict { claims: vec![claim], ceilings: Vec::new(), next_experiment: None }
}

/// What the claims cover, and what they do not.
fn scope(pattern: &Pattern<'_>, shape: &Shape<'_>) -> String {
    let Shape { focus, telemetry, cell, .. } = shape;
    let runs = match cell.runs.len() {
        0 => "no recorded run".to_owned(),
        1 => "one run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let mut text = format!(
        "{} on {} by the {} engine, {} x depth {}, {runs}",
        pattern.title,
        pattern.target.name,
        pattern.engine,
        if focus.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", focus.jobs) },
        focus.depth
    );
    if let Some(decorated) = &pattern.target.decorated {
        text += &format!(", behind {}: nothing is shown for the target alone", decorated.words());
    }
    if telemetry.seconds > 0.0 {
        let seconds = format!("{:.0} s", telemetry.seconds.max(1.0));
        text += &format!(
            ", {seconds} under load. Not covered: what takes longer than {seconds} to show, as burst credits \
             running out, caches filling or rare stalls"
        );
    }
    text + "."
}
