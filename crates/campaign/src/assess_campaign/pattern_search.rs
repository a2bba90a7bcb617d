//! The search of one pattern: its steps in a loop, each run saved as it ends.

use fathom_record::RunRecord;
use fathom_record::campaign::AssessPlan;
use fathom_record::run_record::RunEnding;

use super::steps::PatternSteps;
use super::work::AssessTools;
use crate::error::CampaignError;
use crate::progress::Progress;

/// Part of the budget that searches have where chosen points are repeated in passes afterwards.
const SEARCH_SHARE: f64 = 0.25;

/// What came of one pattern's search.
pub struct PatternSearchResult {
    pub runs: Vec<RunRecord>,
    pub incomplete: Option<String>,
    pub interrupted: bool,
    pub target_gone: bool,
}

/// Searches one pattern, after the runs of it that were made before. A pattern after which anything else
/// was measured is not taken up again, so that a resumed assessment keeps to its steps.
///
/// # Errors
/// When a run cannot be made or saved.
pub fn search(
    work: &mut AssessTools<'_>,
    plan: &AssessPlan,
    index: usize,
    progress: &mut dyn Progress,
) -> Result<PatternSearchResult, CampaignError> {
    let pattern = &plan.patterns[index];
    let known = work.runner.runs_of(&prefix(&pattern.name))?;
    let later = plan.patterns.iter().skip(index + 1).any(|later| work.runner.has(&prefix(&later.name)));
    let closed = later || work.runner.has(super::point_repeats::PREFIX);
    let share = work.budget.share(plan.patterns.len() - index, &known, part_of(plan));
    let mut steps = PatternSteps::new(pattern, work.session, share, known, !in_passes(plan));
    let (mut interrupted, mut failure) = (false, None);
    while !closed && let Some(step) = steps.next(&work.budget) {
        if work.runner.is_stopped() {
            interrupted = true;
            break;
        }
        progress.step(&steps.notice(&step, (index + 1, plan.patterns.len()), &work.budget));
        let key = steps.key(&step);
        let run = work.make(&key, &steps.workload(&step, plan.seed), progress)?;
        work.budget.spend(&run);
        match &run.ending {
            RunEnding::Interrupted => interrupted = true,
            RunEnding::Failed { error } => failure = Some(error.clone()),
            RunEnding::Complete => {}
        }
        if interrupted {
            break;
        }
        steps.take(work.save(&key, run, progress)?);
        if failure.is_some() {
            break;
        }
    }
    let incomplete = match (&failure, interrupted) {
        (Some(error), _) => Some(format!("the target failed: {error}")),
        (None, true) => Some("stopped before its end".to_owned()),
        (None, false) if steps.is_empty() => Some("no time was left for it in the budget".to_owned()),
        (None, false) => None,
    };
    let runs = steps.into_runs();
    let incomplete = incomplete.or_else(|| lone(&runs));
    Ok(PatternSearchResult { runs, incomplete, interrupted, target_gone: failure.is_some() })
}

/// Whether chosen points are repeated in passes after the searches.
fn in_passes(plan: &AssessPlan) -> bool {
    plan.until_share.is_some() || plan.thorough
}

/// Part of the budget that searches have.
pub fn part_of(plan: &AssessPlan) -> f64 {
    if in_passes(plan) { SEARCH_SHARE } else { 1.0 }
}

/// That a pattern has one test point alone, which shows neither a peak nor a balance.
fn lone(runs: &[RunRecord]) -> Option<String> {
    let cell = |run: &RunRecord| (run.workload.jobs, run.workload.depth);
    let first = cell(runs.first()?);
    runs.iter().all(|run| cell(run) == first).then(|| {
        "it has one test point, which shows neither a peak nor a balanced point; a longer --budget, or fewer \
         --patterns, leave time for more"
            .to_owned()
    })
}

fn prefix(pattern: &str) -> String {
    format!("{pattern}/")
}
