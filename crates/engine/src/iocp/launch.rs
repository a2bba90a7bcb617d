//! Runs on a port for each job: over its target, or over all of a stripe.

use std::sync::Arc;

use super::{CallTimes, Iocp};
use crate::EngineError;
use crate::job::{JobPlan, Measurement};
use crate::launch::{Launcher, of};
use crate::stripe::{Slots, Stripe};

/// What a user types.
pub(super) const NAME: &str = "iocp";

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| {
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        let inside = Arc::<CallTimes>::default();
        let build = |plan: &JobPlan| {
            let slots = Slots::spared(plan.depth, plan.spares.count);
            Ok::<_, EngineError>(Iocp::over(&[of(plan, files)], (slots, bytes), clock)?.counting(&inside))
        };
        launch.on_threads(build, observe).map(|measured| with_calls(measured, &inside))
    }),
    striped: Some(|launch, volume, observe| {
        let (shape, layout, clock) = (launch.shape_of(volume)?, volume.layout, launch.clock);
        let slots = (shape.slots(), u64::from(launch.largest_io_bytes()));
        let inside = Arc::<CallTimes>::default();
        let build = |_: &JobPlan| {
            let inner = Iocp::over(&volume.files, slots, clock)?.counting(&inside);
            Ok::<_, EngineError>(Stripe::new(inner, layout, shape, clock))
        };
        launch.on_threads(build, observe).map(|measured| with_calls(measured, &inside))
    }),
    ..Launcher::of(&[NAME])
};

/// With what the calls took that started the I/Os; all engines have ended.
fn with_calls(mut measured: Measurement, inside: &CallTimes) -> Measurement {
    measured.engine.features.push(inside.sum().feature());
    measured
}
