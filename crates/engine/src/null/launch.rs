//! Runs on nothing.

use super::Null;
use crate::job::JobPlan;
use crate::launch::{Launcher, Medium};

/// What a user types.
pub(super) const NAME: &str = "null";

pub(crate) const LAUNCHER: Launcher = Launcher {
    others: Some(|launch, observe| {
        let Medium::Null = launch.medium else { return Err(launch.does_not_carry()) };
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        launch.on_threads(|plan: &JobPlan| Null::new(plan.depth, bytes, clock), observe)
    }),
    ..Launcher::of(&[NAME])
};
