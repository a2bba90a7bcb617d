//! A run's witness in the block layer: what it watches, and what of the run it is set beside.

use std::sync::Arc;

use fathom_engine::job::{JobPlan, Measurement};
use fathom_engine::launch::Medium;
use fathom_engine::tap::Listener;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_record::facts::TargetFacts;
use fathom_record::options::WitnessSource;
use fathom_record::{Direction, Witness as Record};
use fathom_target as target;
use fathom_telemetry::TelemetryError;
use fathom_telemetry::blocktrace::{RunDirection, Stretch, TargetLocation, Witness, WitnessPlan};

/// A witness that watches, or why there is none.
pub type WitnessStart = Result<Witness, TelemetryError>;

/// Refuses targets whose I/O passes no block layer.
pub fn require(target: &TargetFacts) -> Result<(), EngineError> {
    if target.devices.is_empty() {
        let cause =
            format!("{} lies on no block device, so the block layer sees none of its I/O", target.name);
        return Err(EngineError::new(ErrorKind::Unsupported, "preparing the block-layer witness", cause)
            .with_remedy("leave --witness out, or measure a block device or a file on one"));
    }
    Ok(())
}

/// Begins to watch the devices that the target lies on directly. That the kernel does not allow it is
/// no error: the record says why nobody watched.
pub fn start(
    source: WitnessSource,
    (target, medium): (&TargetFacts, &Medium),
    clock: WallClock,
) -> WitnessStart {
    // The list goes from the device that holds the data directly down to the disks.
    let alone = std::slice::from_ref(target);
    let members = if target.members.is_empty() { alone } else { &target.members };
    let targets = members.iter().enumerate().map(|(at, facts)| TargetLocation {
        device: facts.devices.first().map(|device| device.name.clone()).unwrap_or_default(),
        stretches: match medium {
            Medium::Files(files) => stretches(&files[at], facts.size_bytes),
            _ => Vec::new(),
        },
    });
    let plan = WitnessPlan { targets: targets.collect(), direct: target.direct, source };
    Witness::start(plan, clock)
}

/// Where a file lies on its device; nowhere where its file system does not say, which the record then does.
fn stretches(file: &Arc<target::Handle>, size_bytes: u64) -> Vec<Stretch> {
    let found = target::stretches(file, &(0..size_bytes)).unwrap_or_default();
    let each = found.into_iter().map(|target::Stretch { first_byte, bytes, device_byte }| Stretch {
        first_byte,
        bytes,
        device_byte,
    });
    each.collect()
}

/// Tells the witness of a job's I/Os.
pub fn listener(witness: &Witness, plan: &JobPlan) -> Listener {
    let mut probe = witness.probe(plan.target as usize);
    Box::new(move |io, stamps| {
        probe.note(io.direction, (io.offset, io.bytes), (stamps.submitted_ns, stamps.reaped_ns));
    })
}

/// Ends watching. Both sides cover the run from its first I/O to its last completion.
pub fn finish(started: WitnessStart, measured: &Measurement) -> Record {
    let ours = Direction::ALL.map(|direction| {
        let counts = &measured.whole.directions[direction.index()];
        RunDirection { service: counts.service.clone(), failed: counts.errors + counts.short }
    });
    match started {
        Ok(witness) => witness.finish(&ours),
        Err(error) => Record::Absent { reason: error.cause },
    }
}
