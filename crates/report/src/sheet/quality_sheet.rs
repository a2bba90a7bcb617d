//! How far the numbers of an assessment's points are known, whether they last, and what was written to the
//! target before.

use fathom_measure::{Nanos, counted};
use fathom_record::burst_and_base::BurstAndBase;
use fathom_record::campaign::{AssessRecord, PointQuality, PreconditionEnd, Preconditioning};
use fathom_record::precision::{StallSummary, StopDecision};

use crate::number;
use crate::table::{Table, numbers, words};

/// One row a chosen point of which anything is known.
pub fn points(campaign: &AssessRecord) -> Table {
    let mut table = Table::new(&[
        words("pattern", 0),
        numbers("jobs × depth", 0),
        numbers("error", 0),
        numbers("windows", 2),
        words("reached", 0),
        words("its seconds", 0),
        words("SNIA", 4),
        words("token bucket", 3),
    ]);
    for point in &campaign.points {
        let title = campaign.patterns.iter().find(|pattern| pattern.name == point.pattern);
        table.row([
            title.map_or(point.pattern.clone(), |pattern| pattern.title.clone()),
            number::cell(point.jobs, point.depth),
            error(point),
            windows(point),
            reached(point),
            steadiness(point),
            snia(point),
            point.bucket.map_or("–".to_owned(), |bucket| number::count(bucket.tokens as u64)),
        ]);
    }
    table
}

fn error(point: &PointQuality) -> String {
    let share = point.precision.as_ref().and_then(|precision| precision.half_width_share);
    share.map_or("–".to_owned(), number::interval)
}

fn windows(point: &PointQuality) -> String {
    match (&point.precision, point.rounds.len()) {
        (Some(precision), _) => precision.runs.to_string(),
        (None, 0) => "–".to_owned(),
        (None, rounds) => rounds.to_string(),
    }
}

fn reached(point: &PointQuality) -> String {
    let Some(precision) = &point.precision else { return "–".to_owned() };
    match &precision.decision {
        StopDecision::Reached => "yes".to_owned(),
        StopDecision::Continue => "not yet".to_owned(),
        StopDecision::CapReached => "no".to_owned(),
        StopDecision::Unusable { .. } => "unusable".to_owned(),
    }
}

fn steadiness(point: &PointQuality) -> String {
    point.steadiness.as_ref().map_or("too few".to_owned(), |judged| judged.verdict.name().to_owned())
}

fn snia(point: &PointQuality) -> String {
    let rounds = point.snia.or(point.steadiness.as_ref().and_then(|judged| judged.snia));
    rounds.map_or("–", |rounds| if rounds.met { "met" } else { "not met" }).to_owned()
}

/// What was found of each point beside its row: why its seconds are called what they are, its bucket, and
/// why its windows have no common mean.
pub fn remarks(campaign: &AssessRecord) -> Vec<String> {
    let mut out = Vec::new();
    for point in &campaign.points {
        let place = format!("{} at {}", point.pattern, number::cell(point.jobs, point.depth));
        if let Some(judged) = &point.steadiness {
            out.push(format!("{place}: {}, {}", judged.verdict.name(), judged.reason));
        }
        if let Some(bucket) = &point.bucket {
            out.push(format!("{place}: {}", bucket_in_words(bucket)));
        }
        if let Some(stalls) = point.precision.as_ref().and_then(|precision| precision.stalls) {
            out.push(format!("{place}: {}", stalls_in_words(&stalls)));
        }
        if let Some(StopDecision::Unusable { reason }) = point.precision.as_ref().map(|p| &p.decision) {
            out.push(format!("{place}: its windows have no common mean, because {reason}"));
        }
    }
    out
}

fn stalls_in_words(stalls: &StallSummary) -> String {
    format!(
        "the target stalled: {:.1} % of the time in these windows ({}), {:.1} % in all runs ({}), which adds ±{:.1} % to \
         the error",
        100.0 * stalls.share,
        counted(u64::from(stalls.met), "stall"),
        100.0 * stalls.share_in_all,
        counted(u64::from(stalls.in_all), "stall"),
        100.0 * stalls.half_width_share
    )
}

fn bucket_in_words(bucket: &BurstAndBase) -> String {
    format!(
        "a token bucket ran out: {} while it lasted, {} from then on, about {} operations in it (at least: \
         it may not have been full), {} to fill again without load",
        number::iops(bucket.burst_per_s),
        number::iops(bucket.base_per_s),
        number::count(bucket.tokens as u64),
        Nanos::from_seconds(bucket.refill_s()).coarse()
    )
}

/// The ledger of a preconditioning: one row a part.
pub fn preconditioning(ledger: &Preconditioning) -> Table {
    let mut table = Table::new(&[
        words("part", 0),
        numbers("bytes", 0),
        numbers("over the span", 0),
        numbers("time", 0),
        numbers("throughput", 1),
        numbers("runs", 2),
    ]);
    for stage in &ledger.stages {
        let per_s = if stage.seconds > 0.0 { stage.bytes as f64 / stage.seconds } else { 0.0 };
        table.row([
            stage.kind.name().to_owned(),
            number::size(stage.bytes),
            format!("{:.2}", stage.over_span),
            Nanos::from_seconds(stage.seconds).coarse(),
            number::throughput(per_s),
            stage.runs.len().to_string(),
        ]);
    }
    table
}

/// How a preconditioning ended, as a sentence.
pub fn preconditioned(ledger: &Preconditioning) -> String {
    let end = match ledger.ended {
        PreconditionEnd::Steady => "steady",
        PreconditionEnd::BytesSpent => "all bytes written that it may take, not shown to be steady",
        PreconditionEnd::Stopped => "stopped before its end",
        PreconditionEnd::Failed => "the target failed",
    };
    let reason = ledger.steadiness.as_ref().map_or(String::new(), |judged| format!(": {}", judged.reason));
    let written = number::size(ledger.written_bytes());
    format!("{written} written to a span of {}; {end}{reason}.", number::size(ledger.span_bytes))
}
