//! Runs over the stores of the process, one a job.

use super::Memory;
use crate::job::JobPlan;
use crate::launch::{Launcher, Medium, of};

/// What a user types.
pub(super) const NAME: &str = "memory";

pub(crate) const LAUNCHER: Launcher = Launcher {
    others: Some(|launch, observe| {
        let Medium::Memory(stores) = launch.medium else { return Err(launch.does_not_carry()) };
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        let build = |plan: &JobPlan| Memory::new(of(plan, stores), plan.depth, bytes, clock);
        launch.on_threads(build, observe)
    }),
    ..Launcher::of(&[NAME])
};
