//! `--fail-if`: conditions under which a measurement fails, read before it starts and judged when it is over.

use fathom_campaign::SidesPlan;
use fathom_plan::{condition, unmeasurable};
use fathom_record::campaign::{AssessPlan, AssessRecord, CompareRecord, OperatingPointKind};
use fathom_record::comparison::Side;
use fathom_record::condition::{
    Condition, ConditionFigure, ConditionLimit, ConditionOutcome, ConditionScope, ConditionState,
    JudgedQuantity, UnmeasuredReason, of_assessment, of_comparison, of_run,
};
use fathom_record::{CampaignRecord, RunRecord, Workload, shell_word};

use super::store_access::{StorePlace, StoredItem, find, runs_of};
use crate::failure::Failure;
use crate::output;

/// The flag, as failures name it.
const FLAG: &str = "--fail-if";
/// Side A of the same comparison, in place of another measurement's name.
const SIDE_A: &str = "a";

/// What was asked for, with the measurements that limits are shares of.
pub struct Conditions(Vec<ResolvedCondition>);

struct ResolvedCondition {
    condition: Condition,
    reference: Reference,
}

/// What a limit is a share of.
enum Reference {
    /// It is none.
    None,
    /// A finished run.
    Run(Box<RunRecord>),
    /// A finished assessment with its runs.
    Assessment(Box<AssessRecord>, Vec<RunRecord>),
    /// Side A of the same comparison.
    SideA,
}

impl Conditions {
    /// Reads conditions on runs; `workloads` are those that fathom itself will carry out, as far as they are known.
    ///
    /// # Errors
    /// When one makes no sense, or will not be measured.
    pub fn of_runs(texts: &[String], place: &StorePlace, workloads: &[&Workload]) -> Result<Self, Failure> {
        let read = |text: &String| {
            let condition = parsed(text)?;
            if condition.scope != ConditionScope::default() || condition.quantity == JudgedQuantity::Slower {
                let cause = "patterns, points and sides are those of fathom assess and fathom compare";
                return Err(refused(text, cause, "write it for a run: p99>2ms, read iops<50k"));
            }
            refuse_unmeasurable(&condition, workloads)?;
            let reference = match named(&condition) {
                None => Reference::None,
                Some(name) => match find(place, name)?.0 {
                    StoredItem::Run(run) => {
                        let limit = of_run(&condition, &run);
                        limit.map_err(|UnmeasuredReason(why)| without_reference(text, name, &why))?;
                        Reference::Run(run)
                    }
                    StoredItem::Campaign(_) => {
                        let cause = format!("{name} is a campaign, and this is on a run");
                        return Err(refused(text, &cause, "name a run: fathom runs lists them"));
                    }
                },
            };
            Ok(ResolvedCondition { condition, reference })
        };
        texts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Reads conditions on an assessment.
    ///
    /// # Errors
    /// When one makes no sense, or will not be measured.
    pub fn of_assessment(texts: &[String], place: &StorePlace, plan: &AssessPlan) -> Result<Self, Failure> {
        let read = |text: &String| {
            let condition = parsed(text)?;
            if condition.scope.side.is_some() || condition.quantity == JudgedQuantity::Slower {
                return Err(refused(text, "sides are those of fathom compare", "leave it out"));
            }
            let names = plan.patterns.iter().map(|pattern| pattern.name.as_str());
            refuse_unknown(&condition, names)?;
            if condition.scope.point == Some(OperatingPointKind::Slo) && plan.slo.is_none() {
                return Err(refused(
                    text,
                    "there is an SLO point only with --slo",
                    "add, e.g., --slo p99=2ms",
                ));
            }
            let meant = |name: &str| condition.scope.pattern.as_deref().is_none_or(|wanted| wanted == name);
            let workloads = plan.patterns.iter().filter(|pattern| meant(&pattern.name));
            refuse_unmeasurable(&condition, &workloads.map(|pattern| &pattern.workload).collect::<Vec<_>>())?;
            let reference = match named(&condition) {
                None => Reference::None,
                Some(name) => match find(place, name)? {
                    (StoredItem::Campaign(campaign), store) => match *campaign {
                        CampaignRecord::Assess(record) => {
                            let runs = runs_of(&store, &CampaignRecord::Assess(record.clone()))?;
                            Reference::Assessment(record, runs)
                        }
                        _ => return Err(no_assessment(text, name)),
                    },
                    (StoredItem::Run(_), _) => return Err(no_assessment(text, name)),
                },
            };
            Ok(ResolvedCondition { condition, reference })
        };
        texts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Reads conditions on a comparison; of two finished sides no workload is known yet.
    ///
    /// # Errors
    /// When one makes no sense, or will not be measured.
    pub fn of_comparison(
        texts: &[String],
        place: &StorePlace,
        workloads: &[SidesPlan],
    ) -> Result<Self, Failure> {
        let read = |text: &String| {
            let condition = parsed(text)?;
            if condition.scope.point.is_some() {
                return Err(refused(text, "points are those of fathom assess", "leave it out"));
            }
            let stem = condition.scope.pattern.as_deref();
            let meant = |name: &str| {
                stem.is_none_or(|stem| {
                    name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with("-d"))
                })
            };
            if !workloads.is_empty() && !workloads.iter().any(|sides| meant(&sides.name)) {
                refuse_unknown(&condition, workloads.iter().map(|sides| sides.name.as_str()))?;
            }
            let of_side = |sides: &'_ SidesPlan| match condition.scope.side {
                Some(Side::A) => sides.a.workload.clone(),
                _ => sides.b.workload.clone(),
            };
            let plans: Vec<Workload> =
                workloads.iter().filter(|sides| meant(&sides.name)).map(of_side).collect();
            refuse_unmeasurable(&condition, &plans.iter().collect::<Vec<_>>())?;
            let reference = match named(&condition) {
                None => Reference::None,
                Some(name) if name.eq_ignore_ascii_case(SIDE_A) => Reference::SideA,
                Some(name) => match find(place, name)?.0 {
                    StoredItem::Run(run) => Reference::Run(run),
                    StoredItem::Campaign(_) => {
                        let remedy = "write a share of the other side, e.g. iops<95% of a, or name a run";
                        return Err(refused(text, &format!("{name} is a campaign"), remedy));
                    }
                },
            };
            Ok(ResolvedCondition { condition, reference })
        };
        texts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// What became of them by a run.
    pub fn judge_run(&self, run: &RunRecord) -> Vec<ConditionOutcome> {
        self.judge_runs(&[run]).concat()
    }

    /// What became of them by each of several runs. One on a direction that some of them have is not on those that
    /// have it not.
    pub fn judge_runs(&self, runs: &[&RunRecord]) -> Vec<Vec<ConditionOutcome>> {
        let has = |run: &RunRecord, condition: &Condition| {
            condition.direction.is_none_or(|direction| run.summary.direction(direction).is_some())
        };
        let of_one = |run: &&RunRecord| -> Vec<ConditionOutcome> {
            let is_on = |asked: &&ResolvedCondition| {
                has(run, &asked.condition) || !runs.iter().any(|other| has(other, &asked.condition))
            };
            self.0
                .iter()
                .filter(is_on)
                .map(|asked| asked.judge(&of_run(&asked.condition, run), &[]))
                .collect()
        };
        runs.iter().map(of_one).collect()
    }

    /// What became of them by an assessment.
    pub fn judge_assessment(&self, record: &AssessRecord, runs: &[RunRecord]) -> Vec<ConditionOutcome> {
        self.0.iter().map(|asked| asked.judge(&of_assessment(&asked.condition, record, runs), &[])).collect()
    }

    /// What became of them by a comparison.
    pub fn judge_comparison(&self, record: &CompareRecord, runs: &[RunRecord]) -> Vec<ConditionOutcome> {
        let judge = |asked: &ResolvedCondition| {
            let condition = &asked.condition;
            let figures = of_comparison(condition, record, runs, condition.scope.side.unwrap_or(Side::B));
            let of_a = of_comparison(condition, record, runs, Side::A).unwrap_or_default();
            asked.judge(&figures, &of_a)
        };
        self.0.iter().map(judge).collect()
    }
}

impl ResolvedCondition {
    /// Holds figures against the limit; `of_a` are side A's, in the same order.
    fn judge(
        &self,
        found: &Result<Vec<ConditionFigure>, UnmeasuredReason>,
        of_a: &[ConditionFigure],
    ) -> ConditionOutcome {
        let share = match &self.condition.limit {
            ConditionLimit::Fixed(limit) => return self.condition.judge(found, &[*limit]),
            ConditionLimit::ShareOf { share, .. } => *share,
        };
        let figures = found.as_deref().unwrap_or_default();
        let limits: Vec<f64> = match &self.reference {
            Reference::None => Vec::new(),
            Reference::SideA => of_a.iter().map(|figure| figure.value * share).collect(),
            Reference::Run(run) => {
                let of_reference = of_run(&self.condition, run).unwrap_or_default();
                // A run has its figures by direction; a point has one for all of it.
                let same = |figure: &ConditionFigure| {
                    let by_name = of_reference.iter().find(|other| figure.of.starts_with(other.of.as_str()));
                    by_name.or(of_reference.first()).map_or(f64::NAN, |other| other.value * share)
                };
                figures.iter().map(same).collect()
            }
            Reference::Assessment(record, runs) => {
                let of_reference = of_assessment(&self.condition, record, runs).unwrap_or_default();
                let same = |figure: &ConditionFigure| {
                    let other = of_reference.iter().find(|other| other.of == figure.of);
                    other.map_or(f64::NAN, |other| other.value * share)
                };
                figures.iter().map(same).collect()
            }
        };
        let limits = if limits.is_empty() { vec![f64::NAN] } else { limits };
        self.condition.judge(found, &limits)
    }
}

/// Says what became of conditions, those that fail first; nothing where none was asked for.
pub fn tell(outcomes: &[ConditionOutcome]) {
    tell_failing(outcomes);
    say(outcomes.iter().filter(|outcome| !outcome.fails()));
}

/// Says which conditions fail, and nothing of the others: harnesses of other tools take any message for a failure.
pub fn tell_failing(outcomes: &[ConditionOutcome]) {
    say(outcomes.iter().filter(|outcome| outcome.fails()));
}

fn say<'a>(outcomes: impl Iterator<Item = &'a ConditionOutcome>) {
    for outcome in outcomes {
        let word = match outcome.outcome {
            ConditionState::Met => "FAILED",
            ConditionState::NotMeasured => "FAILED, not measured",
            ConditionState::NotMet => "passed",
        };
        let found = outcome.found.trim_start_matches("not measured: ");
        output::message(&format!("{word}: {found}  ({FLAG} {})", shell_word(&outcome.condition)));
    }
}

fn parsed(text: &str) -> Result<Condition, Failure> {
    condition(text).map_err(|error| Failure {
        kind: "value",
        ..Failure::usage(FLAG, error.cause, "what can be written: fathom run --help")
    })
}

fn named(condition: &Condition) -> Option<&str> {
    match &condition.limit {
        ConditionLimit::Fixed(_) => None,
        ConditionLimit::ShareOf { name, .. } => Some(name),
    }
}

fn refused(text: &str, cause: &str, remedy: &str) -> Failure {
    Failure::usage(format!("{FLAG} {}", shell_word(text)), cause, remedy)
}

fn without_reference(text: &str, name: &str, why: &str) -> Failure {
    refused(text, &format!("{name} has no such figure: {why}"), "name a run that measured it")
}

fn no_assessment(text: &str, name: &str) -> Failure {
    let remedy = "name an assessment, e.g. last-1; `fathom runs` lists campaigns below the runs";
    refused(text, &format!("{name} is not an assessment"), remedy)
}

fn refuse_unknown<'a>(condition: &Condition, names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let Some(wanted) = condition.scope.pattern.as_deref() else { return Ok(()) };
    let names: Vec<&str> = names.collect();
    if names.contains(&wanted) {
        return Ok(());
    }
    let cause = format!("`{wanted}` is not measured here");
    Err(refused(&condition.text, &cause, &format!("write one of: {}", names.join(", "))))
}

/// Refuses what none of the workloads will measure.
fn refuse_unmeasurable(condition: &Condition, workloads: &[&Workload]) -> Result<(), Failure> {
    let mut reasons = workloads.iter().map(|workload| unmeasurable(condition, workload));
    let Some(Some(first)) = reasons.next() else { return Ok(()) };
    if reasons.all(|reason| reason.is_some()) {
        return Err(refused(&condition.text, &first, "leave it out, or write it for what is measured"));
    }
    Ok(())
}
