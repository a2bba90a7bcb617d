//! Something else used the target or the machine.

use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Confidence, Limit};

use super::{Case, Finding, against, supports};
use crate::thresholds::{DEVICE_MUCH_SHARED, DEVICE_SHARED, LONG_TAIL, STOLEN, UNEVEN};
use crate::words;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    let shape = case.shape;
    let reads_only = case.pattern.workload.mix.read_share >= 1.0;
    let mut evidence = Vec::new();
    let mut confidence = Confidence::None;
    let uneven = shape.telemetry.variation().filter(|v| *v > UNEVEN);
    if let Some(variation) = uneven {
        evidence.push(supports(format!("The 1-s rates vary by {}.", words::percent(variation))));
        confidence = Confidence::Possible;
    }
    if let Some(factor) = tail_factor(case).filter(|factor| *factor > LONG_TAIL) {
        evidence.push(supports(format!(
            "One I/O in a thousand takes more than {} the median.",
            words::times(factor)
        )));
        if uneven.is_some() && reads_only {
            confidence = Confidence::Likely;
        }
    }
    if uneven.is_some() && !reads_only {
        evidence.push(against("A device's own housekeeping during writes looks the same."));
    }
    if let Some(moved) = foreign_traffic(case) {
        evidence.push(supports(format!("The disks moved {} the bytes asked for.", words::times(moved))));
        let found = if moved >= DEVICE_MUCH_SHARED { Confidence::Strong } else { Confidence::Likely };
        confidence = confidence.max(found);
    }
    if let Some(stolen) = shape.telemetry.steal_share.filter(|share| *share >= STOLEN) {
        evidence.push(supports(format!(
            "The hypervisor gave {} of the processors' time to others.",
            words::percent(stolen)
        )));
        confidence = confidence.max(Confidence::Likely);
    }
    (confidence > Confidence::None).then(|| Finding {
        limit: Limit::Interference,
        confidence,
        statement: format!(
            "Something else disturbed the measurement: {} is not a steady rate of this target alone.",
            words::iops(shape.focus.x_per_s)
        ),
        evidence,
    })
}

/// The 99.9th percentile over the median.
fn tail_factor(case: &Case<'_>) -> Option<f64> {
    let median = case.shape.cell.service_p50_ns;
    let tail = case.shape.cell.service_p999_ns?;
    (median > 0).then(|| tail as f64 / median as f64)
}

/// Bytes moved over bytes asked for, where more can only be somebody else's: direct reads of real disks.
fn foreign_traffic(case: &Case<'_>) -> Option<f64> {
    let target = case.pattern.target;
    let is_disk = matches!(target.kind, TargetKind::File | TargetKind::BlockDevice);
    let reads_only = case.pattern.workload.mix.read_share >= 1.0;
    case.shape
        .telemetry
        .device_bytes_share
        .filter(|share| is_disk && target.direct && reads_only && *share >= DEVICE_SHARED)
}
