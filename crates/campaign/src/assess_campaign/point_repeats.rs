//! Repeats all chosen points in passes until the stated error is reached at each, or until five rounds
//! keep SNIA's limits, or the budget is over; each window is a run of its own.

use fathom_measure::Nanos;
use fathom_record::campaign::{AssessPlan, PatternPlan, RepeatEnd, RepeatRule, Repeats};
use fathom_record::run_record::RunEnding;
use fathom_record::workload::Length;
use fathom_record::{RunRecord, Workload};
use fathom_stats::stopping::SpacedRun;
use fathom_stats::stopping::stalls::RunStalls;
use jiff::Timestamp;

use super::budget::Budget;
use super::passes::{PassRule, Passes, Point};
use super::run_stalls;
use super::work::AssessTools;
use crate::error::CampaignError;
use crate::progress::{Progress, StepNotice};
use crate::single_run::RUN_OVERHEAD_NS;

/// Steps of the journal that belong to it.
pub const PREFIX: &str = "repeats/";

/// Length of a window where the budget allows it.
const WINDOW_NS: u64 = 60_000_000_000;
/// A shorter one shows its edges.
const SHORTEST_WINDOW_NS: u64 = 1_000_000_000;
/// Warm-up of a window over its length, and at most.
const WARMUP_SHARE: f64 = 0.15;
const LONGEST_WARMUP_NS: u64 = 5_000_000_000;
/// Visits to each point that the budget is shared out for: the fewest that count, and two more.
const VISITS_PLANNED: u64 = 10;
/// Rounds after which SNIA's flow ends without its rule.
const MOST_ROUNDS: u32 = 25;

/// How long each window is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RepeatWindow {
    warmup_ns: u64,
    length_ns: u64,
    reason: String,
}

impl RepeatWindow {
    /// Shares what is left of the budget out over visits to points.
    fn of(budget: &Budget, points: usize, rule: RepeatRule) -> Self {
        let visits = match rule {
            RepeatRule::Error { .. } => VISITS_PLANNED,
            RepeatRule::Rounds { most } => u64::from(most),
        };
        let left_ns = budget.left_ns();
        let slot_ns = left_ns / (visits * points.max(1) as u64);
        let free_ns = slot_ns.saturating_sub(RUN_OVERHEAD_NS);
        let fits_ns =
            ((free_ns as f64 / (1.0 + WARMUP_SHARE)) as u64).max(free_ns.saturating_sub(LONGEST_WARMUP_NS));
        // Whole seconds, so that each is in the series.
        let length_ns =
            (fits_ns / SHORTEST_WINDOW_NS * SHORTEST_WINDOW_NS).clamp(SHORTEST_WINDOW_NS, WINDOW_NS);
        let reason = if length_ns == WINDOW_NS {
            "the rule's own length".to_owned()
        } else {
            format!(
                "{visits} visits to each of {points} points share the {} that the search left of the budget; \
                 windows of 60 s would take a larger --budget",
                Nanos(left_ns).coarse()
            )
        };
        Self { warmup_ns: warmup_ns(length_ns), length_ns, reason }
    }

    /// The one that a run was made with.
    fn of_run(run: &RunRecord, planned: Self) -> Self {
        let length_ns = run.workload.length.time_ns.unwrap_or(planned.length_ns);
        Self { warmup_ns: run.workload.length.warmup_ns, length_ns, ..planned }
    }

    fn run_ns(&self) -> u64 {
        self.warmup_ns + self.length_ns + RUN_OVERHEAD_NS
    }
}

fn warmup_ns(length_ns: u64) -> u64 {
    ((length_ns as f64 * WARMUP_SHARE) as u64).min(LONGEST_WARMUP_NS)
}

/// The passes under way.
struct PassExecution<'a> {
    plan: &'a AssessPlan,
    passes: Passes,
    window: RepeatWindow,
    /// Time that the visits took; in simulated time also where the next one starts.
    now_ns: u64,
    simulated: bool,
    /// Clients that carry each run; a point's jobs are those of all.
    clients: u32,
    runs: Vec<RunRecord>,
}

/// What came of it.
pub struct RepeatOutcome {
    pub repeats: Repeats,
    pub passes: Passes,
    pub runs: Vec<RunRecord>,
}

/// The rule that a plan asks for; `None` where it asks for none.
pub fn rule_of(plan: &AssessPlan) -> Option<RepeatRule> {
    match (plan.thorough, plan.until_share) {
        (true, _) => Some(RepeatRule::Rounds { most: MOST_ROUNDS }),
        (false, Some(target_share)) => Some(RepeatRule::Error { target_share }),
        (false, None) => None,
    }
}

/// Repeats the points, after the visits that were made before and the stalls that earlier runs saw.
///
/// # Errors
/// When a run cannot be made or saved.
pub fn perform(
    work: &mut AssessTools<'_>,
    plan: &AssessPlan,
    (rule, points, before): (RepeatRule, Vec<Point>, Vec<RunStalls>),
    progress: &mut dyn Progress,
) -> Result<RepeatOutcome, CampaignError> {
    let known = work.runner.runs_of(PREFIX)?;
    let mut window = RepeatWindow::of(&work.budget, points.len(), rule);
    if let Some(first) = known.first() {
        window = RepeatWindow::of_run(first, window);
    }
    let mut passes = Passes::new(points, PassRule::of(rule, window.length_ns as f64 / 1e9), plan.seed);
    before.into_iter().for_each(|run| passes.saw(None, run));
    let simulated = work.session.is_simulated_time();
    let clients = work.session.clients();
    let mut visiting =
        PassExecution { plan, passes, window, now_ns: 0, simulated, clients, runs: Vec::new() };
    let predicted_s = visiting.missing_ns().map(|ns| ns as f64 / 1e9);
    for run in known {
        visiting.replay(run);
    }
    if visiting.runs.is_empty() && !visiting.passes.points().is_empty() {
        progress.note(&visiting.announcement(rule, work.budget.left_ns()));
    }
    let ended = visiting.visit(work, progress)?;
    let missing_s =
        (ended != RepeatEnd::Met).then(|| visiting.missing_ns().map(|ns| ns as f64 / 1e9)).flatten();
    let repeats = Repeats {
        rule,
        window_ns: visiting.window.length_ns,
        window_reason: visiting.window.reason.clone(),
        passes: visiting.passes.passes(),
        ended,
        predicted_s,
        took_s: visiting.now_ns as f64 / 1e9,
        missing_s,
    };
    Ok(RepeatOutcome { repeats, passes: visiting.passes, runs: visiting.runs })
}

impl PassExecution<'_> {
    fn visit(
        &mut self,
        work: &mut AssessTools<'_>,
        progress: &mut dyn Progress,
    ) -> Result<RepeatEnd, CampaignError> {
        while let Some(point) = self.passes.next() {
            if work.runner.is_stopped() {
                return Ok(RepeatEnd::Stopped);
            }
            if work.budget.left_ns() < self.visit_ns(point) {
                return Ok(RepeatEnd::BudgetOver);
            }
            progress.step(&self.notice(point, &work.budget));
            let key = self.key(point);
            let run = work.make(&key, &self.workload(point), progress)?;
            work.budget.spend(&run);
            if run.ending == RunEnding::Interrupted {
                return Ok(RepeatEnd::Stopped);
            }
            let run = work.save(&key, run, progress)?;
            let failed = run.ending != RunEnding::Complete;
            self.take(point, run);
            if failed {
                return Ok(RepeatEnd::Failed);
            }
        }
        let all = 0..self.passes.points().len();
        let met = all.into_iter().all(|point| self.passes.is_met(point));
        Ok(if met { RepeatEnd::Met } else { RepeatEnd::CapReached })
    }

    /// Takes in a run of an earlier process.
    fn replay(&mut self, run: RunRecord) {
        let cell = (run.workload.jobs, run.workload.depth);
        let name = run.campaign.as_ref().and_then(|link| link.step.split('/').nth(2)).unwrap_or_default();
        let found = self.passes.points().iter().position(|point| {
            self.plan.patterns[point.pattern].name == name && (point.jobs, point.depth) == cell
        });
        // Begins the pass that it belongs to.
        let _ = self.passes.next();
        if let Some(point) = found {
            self.take(point, run);
        }
    }

    fn take(&mut self, point: usize, run: RunRecord) {
        let seconds = run.summary.duration_ns as f64 / 1e9;
        let start_s = if self.simulated { self.now_ns as f64 / 1e9 } else { calendar_s(&run) }
            + run.workload.length.warmup_ns as f64 / 1e9;
        self.now_ns += (run.ledger.seconds * 1e9) as u64 + RUN_OVERHEAD_NS;
        let value = if run.ending == RunEnding::Complete { run.summary.operations_per_s() } else { 0.0 };
        self.passes.saw(Some(point), run_stalls::of(&run));
        self.passes.take(point, SpacedRun { start_s, seconds, value });
        self.runs.push(run);
    }

    fn pattern(&self, point: usize) -> &PatternPlan {
        &self.plan.patterns[self.passes.points()[point].pattern]
    }

    fn key(&self, point: usize) -> String {
        let Point { jobs, depth, .. } = self.passes.points()[point];
        format!("{PREFIX}{:05}/{}/{jobs}x{depth}", self.passes.len(), self.pattern(point).name)
    }

    fn workload(&self, point: usize) -> Workload {
        let Point { jobs, depth, .. } = self.passes.points()[point];
        Workload {
            jobs: jobs / self.clients,
            depth,
            length: Length {
                time_ns: Some(self.window.length_ns),
                warmup_ns: self.window.warmup_ns,
                ..Length::default()
            },
            // Apart from the seeds of the search.
            seed: self.plan.seed.wrapping_add(1_000_000 + self.passes.len() as u64),
            ..self.pattern(point).workload.clone()
        }
    }

    /// Time that the rule is likely still to take; `None` where nothing is missing.
    fn missing_ns(&self) -> Option<u64> {
        let made = self.passes.len() as u64;
        // A deep queue takes its time to drain.
        let each_ns = self.now_ns.checked_div(made).unwrap_or(0).max(self.window.run_ns());
        Some(self.passes.likely().saturating_mul(each_ns)).filter(|ns| *ns > 0)
    }

    /// Time that the next visit to a point takes, by the one before.
    fn visit_ns(&self, point: usize) -> u64 {
        let Point { jobs, depth, .. } = self.passes.points()[point];
        let name = &self.pattern(point).name;
        let before = self.runs.iter().rev().find(|run| {
            let step = run.campaign.as_ref().and_then(|link| link.step.split('/').nth(2));
            (run.workload.jobs, run.workload.depth) == (jobs, depth) && step == Some(name.as_str())
        });
        let took_ns = before.map_or(0, |run| (run.ledger.seconds * 1e9) as u64 + RUN_OVERHEAD_NS);
        took_ns.max(self.window.run_ns())
    }

    fn announcement(&self, rule: RepeatRule, left_ns: u64) -> String {
        let points = fathom_measure::counted(self.passes.points().len() as u64, "point");
        let likely = Nanos(self.missing_ns().unwrap_or(0)).coarse();
        let until = match rule {
            RepeatRule::Error { target_share } => {
                format!("until each rate is known to {}", fathom_measure::Share(target_share))
            }
            RepeatRule::Rounds { most } => format!("until five rounds keep SNIA's limits, {most} at most"),
        };
        format!(
            "Repeating {points} in windows of {} {until}: at least {likely}; {} are left of the budget.",
            Nanos(self.window.length_ns).coarse(),
            Nanos(left_ns).coarse()
        )
    }

    fn notice(&self, point: usize, budget: &Budget) -> StepNotice {
        let Point { pattern, jobs, depth } = self.passes.points()[point];
        let left_ns = self.missing_ns().unwrap_or(0).max(self.visit_ns(point));
        let visit = self.passes.visits(point).len() + 1;
        let reached = self.passes.precision(point).and_then(|precision| precision.half_width_share);
        let error =
            reached.map_or(String::new(), |share| format!(", known to {:.1} % so far", 100.0 * share));
        StepNotice {
            title: self.plan.patterns[pattern].title.clone(),
            pattern: (pattern + 1, self.plan.patterns.len()),
            cell: (jobs, depth),
            purpose: format!("window {visit}{error}"),
            run_ns: self.window.warmup_ns + self.window.length_ns,
            left_ns: Some(left_ns.min(budget.left_ns())),
        }
    }
}

/// Seconds of the calendar at which a run started; 0 for one whose time cannot be read.
fn calendar_s(run: &RunRecord) -> f64 {
    run.started_at.parse::<Timestamp>().map_or(0.0, |at| at.as_millisecond() as f64 / 1e3)
}
