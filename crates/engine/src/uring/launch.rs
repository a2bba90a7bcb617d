//! Runs on a ring for each job: over its target, over all of a stripe, or with a priority for each I/O.

use std::sync::Arc;

use fathom_measure::WallClock;
use fathom_record::facts::TargetFacts;
use fathom_target::Handle;

use super::{Options, Uring, available};
use crate::job::JobPlan;
use crate::launch::{Launch, Launcher, of};
use crate::stripe::{Slots, Stripe};
use crate::{EngineError, ErrorKind, poll_queues};

/// What a user types.
pub const NAME: &str = "uring";

pub(crate) const LAUNCHER: Launcher = Launcher {
    available,
    polled: Some(admit_polling),
    files: Some(|launch, files, observe| launch.on_threads(|plan| ring(launch, plan, files), observe)),
    prioritised: Some(|launch, files, priorities, observe| {
        launch.with_priorities(priorities, |plan| ring(launch, plan, files), observe)
    }),
    striped: Some(|launch, volume, observe| {
        let (shape, layout, clock) = (launch.shape_of(volume)?, volume.layout, launch.clock);
        let (bytes, options) = (u64::from(launch.largest_io_bytes()), options(launch));
        let build = |_: &JobPlan| {
            let inner = Uring::over(&volume.files, shape.slots(), bytes, options, clock)?;
            Ok(Stripe::new(inner, layout, shape, clock))
        };
        launch.on_threads(build, observe)
    }),
    ..Launcher::of(&[NAME])
};

/// A ring that polls needs direct I/O, and queues of the devices that are polled.
pub(crate) fn admit_polling(target: &TargetFacts) -> Result<(), EngineError> {
    let place = "preparing polled completions";
    if target.direct {
        return poll_queues::require(target, place, "--polled");
    }
    let cause = format!("I/O to {} passes through the page cache, and is never polled for", target.name);
    Err(EngineError::new(ErrorKind::Unsupported, place, cause).with_remedy("leave --polled out"))
}

fn ring(launch: &Launch<'_>, plan: &JobPlan, files: &[Arc<Handle>]) -> Result<Uring<WallClock>, EngineError> {
    let slots = Slots::spared(plan.depth, plan.spares.count);
    let bytes = u64::from(launch.largest_io_bytes());
    Uring::over(&[of(plan, files)], slots, bytes, options(launch), launch.clock)
}

/// What a run chooses of its rings.
pub(crate) fn options<'a>(launch: &Launch<'a>) -> Options<'a> {
    Options { run: launch.options, on_time: launch.workload.arrival.is_open() }
}
