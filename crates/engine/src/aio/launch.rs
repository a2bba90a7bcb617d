//! Runs on a context for each job: over its target, over all of a stripe, or with a priority for each I/O.

use std::sync::Arc;

use fathom_measure::WallClock;
use fathom_target::Handle;

use super::Aio;
use crate::EngineError;
use crate::job::JobPlan;
use crate::launch::{Launch, Launcher, of};
use crate::stripe::{Slots, Stripe};

/// What a user types.
pub(super) const NAME: &str = "aio";

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| launch.on_threads(|plan| context(launch, plan, files), observe)),
    prioritised: Some(|launch, files, priorities, observe| {
        launch.with_priorities(priorities, |plan| context(launch, plan, files), observe)
    }),
    striped: Some(|launch, volume, observe| {
        let (shape, layout, clock) = (launch.shape_of(volume)?, volume.layout, launch.clock);
        let (bytes, flags) = (u64::from(launch.largest_io_bytes()), launch.options.io_flags);
        let build = |_: &JobPlan| {
            let inner = Aio::over(&volume.files, shape.slots(), bytes, clock)?.with_flags(flags);
            Ok(Stripe::new(inner, layout, shape, clock))
        };
        launch.on_shared_loop(build, observe)
    }),
    ..Launcher::of(&[NAME])
};

fn context(
    launch: &Launch<'_>,
    plan: &JobPlan,
    files: &[Arc<Handle>],
) -> Result<Aio<WallClock>, EngineError> {
    let slots = Slots::spared(plan.depth, plan.spares.count);
    let bytes = u64::from(launch.largest_io_bytes());
    let engine = Aio::over(&[of(plan, files)], slots, bytes, launch.clock)?;
    Ok(engine.with_flags(launch.options.io_flags))
}
