//! Records with nothing in them yet: every number absent, every guess in the workload named as one.

use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_record::{RunEnding, Tool};
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{RecordOrigin, RunRecord, Workload};

use super::{Context, ForeignTelemetry};

/// A record that says who measured and nothing of what. `origin` holds what was noticed while reading, with
/// its `parser` set; its file and digest are filled in by whoever gave the file.
///
/// Whoever fills a part of the workload in sets all of it, starting from [`blank_workload`], and names what
/// stays a guess with [`RecordOrigin::lacks`], as `workload.depth`.
pub fn blank(tool: Tool, origin: RecordOrigin, context: &Context) -> RunRecord {
    RunRecord {
        started_at: context.changed_at.clone(),
        origin: Some(origin),
        ending: RunEnding::Complete,
        ..RunRecord::begun(tool, blank_workload(), blank_target(), "unknown")
    }
}

/// A target of which nothing is known.
pub fn blank_target() -> TargetFacts {
    TargetFacts::named("unknown", TargetKind::Unknown)
}

/// One job of depth 1 that reads 4 KiB in a random order: what a record holds where nothing is known, as
/// guesses that the origin names.
pub fn blank_workload() -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length::default(),
        seed: 0,
        special: None,
    }
}

/// Telemetry as a record of its own, without any I/O: its length is that of the samples.
pub fn alone(found: ForeignTelemetry, context: &Context) -> RunRecord {
    let mut origin = found.origin;
    origin.lacks("workload", "the file names no workload");
    origin.lacks("target", "the file names no target");
    if found.started_at.is_none() {
        origin.lacks("started_at", "the text states no time; this is when the file was last changed");
    }
    let ends = || found.telemetry.at_ns.iter().copied();
    let last_ns = ends().max().and_then(|end| u64::try_from(end).ok()).unwrap_or(0);
    let mut record = blank(found.tool, origin, context);
    record.started_at = found.started_at.unwrap_or(record.started_at);
    record.summary.duration_ns = last_ns;
    record.telemetry = found.telemetry;
    record.environment = found.environment;
    record
}
