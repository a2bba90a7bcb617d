//! A run's witness in the block layer: what it watches, and what of the run it is set beside.

use fathom_engine::job::Measured;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_record::facts::TargetFacts;
use fathom_record::workload::Verify;
use fathom_record::{Direction, Witness as Record, Workload};
use fathom_telemetry::blocktrace::{Ours, Source, Witness, WitnessPlan};

/// A witness that watches, or why there is none.
pub type Started = Result<Witness<WallClock>, String>;

fn refuse<T>(cause: &str, remedy: &str) -> Result<T, EngineError> {
    Err(EngineError::new(ErrorKind::Unsupported, "preparing the block-layer witness", cause)
        .with_remedy(remedy))
}

/// Refuses targets whose I/O passes no block layer.
pub fn require(target: &TargetFacts) -> Result<(), EngineError> {
    if target.devices.is_empty() {
        return refuse(
            &format!("{} lies on no block device, so the block layer sees none of its I/O", target.name),
            "leave --witness out, or measure a block device or a file on one",
        );
    }
    if target.stripe_bytes.is_some() {
        return refuse(
            "an I/O on a stripe is one for each part to the block layer, so the two latencies are of different things",
            "leave --witness or --stripe out",
        );
    }
    Ok(())
}

/// Begins to watch the devices that the target lies on directly. That the kernel does not allow it is
/// no error: the record says why nobody watched.
///
/// # Errors
/// When the workload reads back outside the measurement.
pub fn start(
    source: Source,
    workload: &Workload,
    target: &TargetFacts,
    clock: WallClock,
) -> Result<Started, EngineError> {
    if workload.data.verify == Verify::AtEnd {
        return refuse(
            "reading everything back at the end is no part of the run, and the block layer cannot tell the two apart",
            "leave --witness or --verify at-end out",
        );
    }
    // The list goes from the device that holds the data directly down to the disks.
    let alone = std::slice::from_ref(target);
    let members = if target.members.is_empty() { alone } else { &target.members };
    let first = members.iter().filter_map(|target| target.devices.first());
    let mut devices: Vec<String> = first.map(|device| device.name.clone()).collect();
    devices.sort_unstable();
    devices.dedup();
    Ok(Witness::start(WitnessPlan { devices, direct: target.direct, source }, clock))
}

/// Ends watching. Both sides cover the run from its first I/O to its last completion.
pub fn finish(started: Started, measured: &Measured) -> Record {
    let ours = Direction::ALL.map(|direction| {
        let counts = &measured.whole.directions[direction.index()];
        Ours {
            service: counts.service.clone(),
            submitted_sum_ns: counts.submitted_sum_ns,
            failed: counts.errors + counts.short,
        }
    });
    match started {
        Ok(witness) => witness.finish(&ours, measured.timeline.origin_ns),
        Err(reason) => Record::Absent { reason },
    }
}
