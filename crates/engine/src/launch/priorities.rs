//! Runs with a priority for each I/O, which engines of Linux tell the kernel.

use std::sync::Arc;

use fathom_record::options::Priorities;

use super::Launch;
use crate::EngineError;
use crate::job::{JobPlan, Measured, Observer};
use crate::priority::{Single, TakesPriority, Tallies};

impl Launch<'_> {
    /// Runs engines with what tells them the priorities.
    pub(crate) fn with_priorities<E: TakesPriority + 'static>(
        &self,
        priorities: &Priorities,
        build: impl Fn(&JobPlan) -> Result<E, EngineError> + Sync,
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        let seed = self.workload.seed;
        let tallies = Arc::new(Tallies::default());
        let build = |plan: &JobPlan| {
            let engine = build(plan)?;
            Ok(Single::new(engine, priorities, plan.buffers(), (seed, plan.job), Arc::clone(&tallies)))
        };
        let mut measured = self.on_shared_loop(build, observe)?;
        measured.priorities = tallies.take();
        Ok(measured)
    }
}
