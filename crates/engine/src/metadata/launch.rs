//! Runs of calls: one engine a call, by its name.

use super::{Metadata, MetadataCall};
use crate::job::JobPlan;
use crate::launch::{Launcher, of};

pub(crate) const LAUNCHER: Launcher = Launcher {
    files: Some(|launch, files, observe| {
        let (bytes, clock) = (u64::from(launch.largest_io_bytes()), launch.clock);
        let act = MetadataCall::named(launch.engine.name()).expect("the names of this launcher are acts");
        let build = |plan: &JobPlan| {
            let span = of(plan, launch.geometries).span();
            Metadata::new(act, of(plan, files), span, (plan.depth, bytes), clock)
        };
        launch.on_shared_loop(build, observe)
    }),
    ..Launcher::of(MetadataCall::NAMES)
};
