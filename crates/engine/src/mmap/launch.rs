//! Runs over a mapping for each job.

use super::Mmap;
use crate::job::JobPlan;
use crate::launch::{Launcher, of};

/// What a user types.
pub(super) const NAME: &str = "mmap";

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| {
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        let addresses = &launch.workload.addresses;
        let build = |plan: &JobPlan| {
            let span = of(plan, launch.geometries).span();
            Mmap::new(of(plan, files), span, addresses, (plan.depth, bytes), clock)
        };
        launch.on_threads(build, observe)
    }),
    ..Launcher::of(&[NAME])
};
