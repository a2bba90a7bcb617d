//! Runs of commands to one namespace a job.

use fathom_record::facts::TargetFacts;
use fathom_target::namespace::Namespace;

use super::{Passthrough, polling};
use crate::job::JobPlan;
use crate::launch::{Launcher, of};
use crate::pattern::largest_transfer_bytes;
use crate::stripe::Slots;
use crate::uring::launch::{self as ring, options};
use crate::{EngineError, ErrorKind};

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
    polled: Some(admit_polling),
    ..Launcher::of(&[NAME])
};

/// A ring of commands polls as a ring does, where its kernel does it without harm and a block device shows the queues.
fn admit_polling(target: &TargetFacts) -> Result<(), EngineError> {
    polling::admit()?;
    if target.devices.is_empty() {
        let cause = format!("{} has no block device that could have poll queues", target.name);
        return Err(EngineError::new(ErrorKind::Unsupported, "preparing polled completions", cause)
            .with_remedy("leave --polled out"));
    }
    ring::admit_polling(target)
}
