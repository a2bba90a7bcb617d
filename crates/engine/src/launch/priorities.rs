//! Runs with a priority for each I/O, which engines of Linux tell the kernel.

use std::sync::Arc;

use fathom_record::options::Priorities;

use super::Launch;
use crate::EngineError;
use crate::job::{JobPlan, Measurement, Observer};
use crate::priority::{PrioritizedEngine, PrioritySetter, Tallies};

impl Launch<'_> {
    /// Runs engines with what tells them the priorities.
    pub(crate) fn with_priorities<E: PrioritySetter + 'static>(
        &self,
        priorities: &Priorities,
        build: impl Fn(&JobPlan) -> Result<E, EngineError> + Sync,
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        let seed = self.workload.seed;
        let tallies = Arc::new(Tallies::default());
        let build = |plan: &JobPlan| {
            let engine = build(plan)?;
            Ok(PrioritizedEngine::new(
                engine,
                priorities,
                plan.buffers(),
                (seed, plan.job),
                Arc::clone(&tallies),
            ))
        };
        let mut measured = self.on_shared_loop(build, observe)?;
        measured.priorities = tallies.take();
        Ok(measured)
    }
}
