//! Runs by system calls: over each job's target, or over all of a stripe.

use fathom_record::facts::TargetFacts;

use super::Sync;
use crate::job::JobPlan;
use crate::launch::{Launcher, of};
use crate::stripe::Stripe;
use crate::{EngineError, poll_queues};

/// What a user types.
pub const NAME: &str = "sync";

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| {
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        let flags = launch.options.io_flags;
        let build = |plan: &JobPlan| Sync::with_flags(of(plan, files), (plan.depth, bytes), flags, clock);
        launch.on_threads(build, observe)
    }),
    striped: Some(|launch, volume, observe| {
        let (shape, layout, clock) = (launch.shape_of(volume)?, volume.layout, launch.clock);
        let (bytes, flags) = (u64::from(launch.largest_io_bytes()), launch.options.io_flags);
        let build = |_: &JobPlan| {
            let inner = Sync::over(&volume.files, (shape.slots(), bytes), flags, clock)?;
            Ok(Stripe::new(inner, layout, shape, clock))
        };
        launch.on_shared_loop(build, observe)
    }),
    hipri: Some(admit_hipri),
    ..Launcher::of(&[NAME])
};

/// A call of high priority polls for its own completion, which needs queues on the devices that are polled.
fn admit_hipri(target: &TargetFacts) -> Result<(), EngineError> {
    poll_queues::require(target, "preparing --io-flags hipri", "hipri")
}
