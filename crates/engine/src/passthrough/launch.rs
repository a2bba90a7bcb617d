//! Runs of commands to one namespace a job.

use super::Passthrough;
use crate::job::JobPlan;
use crate::launch::{Launcher, of};
use crate::pattern::largest_transfer_bytes;
use crate::stripe::Slots;
use crate::uring::launch::options;
use fathom_target::namespace::Namespace;

/// What a user types.
pub(super) const NAME: &str = "passthrough";

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| {
        for file in files {
            Namespace::of(file)?.admit_transfer(largest_transfer_bytes(launch.workload))?;
        }
        let (bytes, clock, options) = (u64::from(launch.largest_io_bytes()), launch.clock, options(launch));
        let build = |plan: &JobPlan| {
            let slots = Slots::spared(plan.depth, plan.spares.count);
            Passthrough::over(of(plan, files), slots, bytes, options, clock)
        };
        launch.on_threads(build, observe)
    }),
    ..Launcher::of(&[NAME])
};
