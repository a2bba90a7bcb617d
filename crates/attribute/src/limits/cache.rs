//! A cache, or blocks that hold no data, answered instead of the device.

use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Confidence, Evidence, Limit};

use super::{Case, Finding, against, supports};
use crate::shape::share;
use crate::thresholds::{DEVICE_SPARED, EXCEEDED, FAR_EXCEEDED, MOSTLY_WRITTEN, REACHED};
use crate::words;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    if matches!(case.pattern.target.kind, TargetKind::Null | TargetKind::Memory) {
        return None;
    }
    let mut evidence = Vec::new();
    let is_unwritten = unwritten(case, &mut evidence);
    let signs = [is_unwritten, page_cache(case, &mut evidence), exceeded(case, &mut evidence)];
    let confidence = signs.into_iter().flatten().max()?;
    // Disks count reads of blocks that they know to be empty, so this says nothing about those.
    let disks_worked = case.shape.telemetry.device_bytes_share.is_some_and(|share| share >= REACHED);
    if disks_worked && is_unwritten.is_none() {
        evidence.push(against("The disks moved as many bytes as were asked for."));
    }
    Some(Finding {
        limit: Limit::CacheArtefact,
        confidence,
        statement: format!(
            "{} is not what the device delivers: a cache or empty blocks answered.",
            words::iops(case.shape.focus.x_per_s)
        ),
        evidence,
    })
}

/// Reads of blocks that were never written.
fn unwritten(case: &Case<'_>, evidence: &mut Vec<Evidence>) -> Option<Confidence> {
    let written = share(case.pattern.target.written_share)?;
    if case.pattern.workload.mix.read_share <= 0.0 || written >= MOSTLY_WRITTEN {
        return None;
    }
    evidence.push(supports(format!(
        "Only {} of the span held data: the rest reads as zeros without touching the device.",
        words::percent(written)
    )));
    Some(if written <= 0.5 { Confidence::Strong } else { Confidence::Likely })
}

/// The operating system's page cache, or another one above the disks.
fn page_cache(case: &Case<'_>, evidence: &mut Vec<Evidence>) -> Option<Confidence> {
    let target = case.pattern.target;
    let moved = case.shape.telemetry.device_bytes_share;
    if target.kind == TargetKind::Simulated {
        return None;
    }
    if !target.direct {
        evidence.push(supports("The page cache was not bypassed."));
    }
    if let Some(moved) = moved.filter(|share| *share < DEVICE_SPARED) {
        evidence.push(supports(format!(
            "The disks moved only {} of the bytes asked for.",
            words::percent(moved)
        )));
        return Some(if target.direct { Confidence::Likely } else { Confidence::Strong });
    }
    if target.direct || moved.is_some() {
        return None;
    }
    let span_bytes = case.pattern.workload.span_bytes.unwrap_or(target.size_bytes);
    let fits = case.pattern.memory_bytes.is_some_and(|memory| span_bytes <= memory);
    if fits {
        evidence.push(supports(format!(
            "The span of {} fits into the machine's memory.",
            fathom_measure::Bytes(span_bytes)
        )));
    }
    Some(if fits { Confidence::Likely } else { Confidence::Possible })
}

/// A rate above everything that was declared for the storage.
fn exceeded(case: &Case<'_>, evidence: &mut Vec<Evidence>) -> Option<Confidence> {
    let nearest =
        case.declared().max_by(|a, b| a.ceiling.reached_share.total_cmp(&b.ceiling.reached_share))?;
    // The tightest declared bound is the one that matters: it cannot be exceeded.
    let share = nearest.ceiling.reached_share;
    if share <= EXCEEDED {
        return None;
    }
    evidence.push(supports(format!(
        "The rate is {} that were declared for the storage.",
        nearest.reached(case.shape)
    )));
    evidence.push(against("The declared limit may be too low, or allow bursts above it."));
    Some(if share >= FAR_EXCEEDED { Confidence::Likely } else { Confidence::Possible })
}
