//! What makes two assessments the same one, and what earlier sittings spent of the budget.

use fathom_record::campaign::AssessPlan;
use fathom_store::StoreError;

use super::precondition;
use crate::resumable_campaign::{ResumablePlan, Runner};

impl ResumablePlan for AssessPlan {
    const NOUN: &'static str = "assessment";
    const LETTER: &'static str = "a";

    fn without_seed(&self) -> Self {
        let mut plain = self.clone();
        plain.seed = 0;
        plain.patterns.iter_mut().for_each(|pattern| pattern.workload.seed = 0);
        plain
    }

    fn targets(&self) -> Vec<String> {
        vec![self.target.clone()]
    }
}

/// Time under load of the runs that were made before, and their number; what preconditions is outside the
/// budget.
///
/// # Errors
/// When the store cannot be read.
pub fn spent(runner: &Runner<'_, AssessPlan>) -> Result<(u64, usize), StoreError> {
    let (mut spent_ns, mut runs) = (0, 0);
    let measured = runner.finished().iter().filter(|(step, _)| !step.starts_with(precondition::PREFIX));
    for (_, run) in measured {
        spent_ns += (runner.store().run_without_series(run)?.ledger.seconds * 1e9) as u64;
        runs += 1;
    }
    Ok((spent_ns, runs))
}
