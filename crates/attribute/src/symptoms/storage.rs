//! What the storage itself shows: bytes that it moved, data that it held, its own counters.

use fathom_record::facts::TargetKind;

use crate::curve_shape::{CurveShape, share};
use crate::evidence::Feature;
use crate::input::MeasuredPattern;
use crate::printed;
use crate::rate_bounds::{is_foreseeable, mean_bytes};

use super::Symptom;

pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Vec<Symptom> {
    let mut found = vec![
        device_bytes(pattern, shape),
        unwritten(pattern),
        cached_span(pattern, shape),
        map_unit(pattern, shape),
        flushes(pattern),
    ];
    found.extend(counters(shape));
    found.into_iter().flatten().collect()
}

/// How often a write waits for stable storage, where any does.
fn flushes(pattern: &MeasuredPattern<'_>) -> Option<Symptom> {
    let flushes = pattern.flushes_per_write().filter(|flushes| *flushes > 0.0)?;
    Symptom::flushes(flushes, 0.0)
}

/// Bytes moved over bytes asked for, where the disks can be seen.
fn device_bytes(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Option<Symptom> {
    if !matches!(pattern.target.kind, TargetKind::File | TargetKind::BlockDevice) {
        return None;
    }
    Symptom::device_bytes(shape.telemetry.device_bytes_share?)
}

/// Reads of blocks that were never written.
fn unwritten(pattern: &MeasuredPattern<'_>) -> Option<Symptom> {
    let written = share(pattern.target.written_share)?;
    if pattern.workload.mix.read_share <= 0.0 {
        return None;
    }
    let text = format!(
        "{} of the span held data; the rest reads as zeros without touching the device.",
        printed::percent(written)
    );
    Symptom::new(Feature::Unwritten, 1.0 - written.min(1.0), 0.01, text)
}

/// The page cache in use, where the disks' bytes do not tell.
fn cached_span(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Option<Symptom> {
    let target = pattern.target;
    let has_cache = matches!(target.kind, TargetKind::File | TargetKind::BlockDevice);
    if !has_cache || shape.telemetry.device_bytes_share.is_some() {
        return None;
    }
    let span_bytes = pattern.workload.span_bytes.unwrap_or(target.size_bytes);
    let fits = pattern.memory_bytes.is_some_and(|memory| span_bytes <= memory);
    let text = match (target.direct, fits) {
        (true, _) => "The page cache was bypassed.",
        (false, true) => "The page cache was used, and the span fits into the machine's memory.",
        (false, false) => "The page cache was used, but the span is larger than the machine's memory.",
    };
    Symptom::new(Feature::CachedSpan, if !target.direct && fits { 1.0 } else { 0.0 }, 0.0, text)
}

/// Random writes against the unit below which the device reads, modifies and writes.
fn map_unit(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Option<Symptom> {
    // A real device tells it as its physical block; a simulated one was given it.
    let simulated = pattern.target.simulated.as_ref().and_then(|s| s.get("indirection_unit_bytes")?.as_f64());
    let unit = simulated.or(pattern.target.physical_block_bytes.map(f64::from)).filter(|unit| *unit > 0.0)?;
    if pattern.workload.mix.write_share() <= 0.0 || is_foreseeable(pattern) {
        return None;
    }
    Symptom::map_unit(mean_bytes(pattern, shape), unit)
}

/// What the device, the volume and the instance counted themselves.
fn counters(shape: &CurveShape<'_>) -> Vec<Option<Symptom>> {
    let telemetry = &shape.telemetry;
    let counted = |feature, share: Option<f64>, what| Symptom::counted(feature, share?, what);
    vec![
        telemetry.heat_share.and_then(Symptom::heat),
        counted(
            Feature::VolumeIopsExceeded,
            telemetry.volume_iops_exceeded_share,
            "The volume counted its limit on operations as exceeded",
        ),
        counted(
            Feature::VolumeThroughputExceeded,
            telemetry.volume_throughput_exceeded_share,
            "The volume counted its limit on bytes as exceeded",
        ),
        counted(
            Feature::InstanceExceeded,
            telemetry.instance_exceeded_share,
            "The instance counted a limit of its own as exceeded",
        ),
    ]
}
