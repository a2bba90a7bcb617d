//! Jobs and depths that fit the storage here: those at which an assessment of one device found the most rate for its
//! latency, in place of the evaluation's own.
//!
//! Articles search that point on one drive, and take multiples of it for several drives and clients. All counts of a
//! pattern are scaled here by what the point of one device is to theirs, so that the article's own multiples are kept.

use fathom_plan::{PlanError, PlanErrorKind, PlanSource, RawPlan};
use fathom_record::Workload;
use fathom_record::campaign::{
    AssessRecord, OperatingPointKind, OptimumPoint, PatternResult, RepeatOptimum, RepeatPlan, RepeatSide,
    RepeatStep,
};

const FLAG: &str = "--optimum";

/// The points of an assessment for the steps that they fit, with sentences about those that have none.
///
/// # Errors
/// An assessment that fits no step.
pub fn of(
    assessed: &AssessRecord,
    plan: &RepeatPlan,
    source: impl Fn(&RepeatStep) -> Result<PlanSource, PlanError>,
) -> Result<(RepeatOptimum, Vec<String>), PlanError> {
    let refused = |cause: String| PlanError::new(PlanErrorKind::Contradiction, FLAG, cause);
    let Some(side) = measured(assessed, &plan.sides) else {
        return Err(refused(format!("{} has no sides", plan.evaluation)));
    };
    let mut optimum = RepeatOptimum {
        campaign: assessed.id.clone(),
        target: assessed.plan.target.clone(),
        points: Vec::new(),
    };
    let mut said = Vec::new();
    for step in plan.steps.iter().filter(|step| step.side == side.name) {
        if optimum.points.iter().any(|point| point.step == step.name) {
            continue;
        }
        let asked = planned_workload(&source(step)?, plan.seed)?;
        let Some((jobs, depth)) = balanced(assessed, &asked) else {
            said.push(format!(
                "{} has the evaluation's jobs and depth: {} has no balanced point of it.",
                step.name, assessed.id
            ));
            continue;
        };
        let (jobs_there, depth_there) = (asked.jobs, asked.depth);
        optimum.points.push(OptimumPoint {
            step: step.name.clone(),
            jobs,
            depth,
            jobs_there: (jobs_there / side.devices.max(1)).max(1),
            depth_there,
        });
    }
    if optimum.points.is_empty() {
        return Err(refused(format!(
            "{} has a balanced point of no step of {}",
            assessed.id, plan.evaluation
        )));
    }
    if !side.targets.contains(&assessed.plan.target) {
        let name = if side.name.is_empty() { "the target" } else { &side.name };
        said.push(format!(
            "The optimum is that of {}, which is not what stands for {name} here.",
            assessed.plan.target
        ));
    }
    said.extend(optimum.points.iter().map(told));
    Ok((optimum, said))
}

/// What a step's plan asks for.
///
/// # Errors
/// Where it is no plan.
pub fn planned_workload(own: &PlanSource, seed: u64) -> Result<Workload, PlanError> {
    // Its target is not looked at: a name that needs nothing stands for it.
    let target = Some(vec!["null:".to_owned()]);
    let plan = own.clone().overridden_by(RawPlan { target, ..RawPlan::default() }).resolve(seed)?;
    Ok(plan.workload)
}

/// Jobs and depth of a step, both at least 1, scaled as those of one device are; `None` where it has no point.
pub fn scaled(optimum: &RepeatOptimum, step: &str, (jobs, depth): (u32, u32)) -> Option<(u32, u32)> {
    let point = optimum.points.iter().find(|point| point.step == step)?;
    let scale = |count: u32, here: u32, there: u32| {
        let scaled = u64::from(count) * u64::from(here) / u64::from(there.max(1));
        scaled.clamp(1, u64::from(u32::MAX)) as u32
    };
    Some((scale(jobs, point.jobs, point.jobs_there), scale(depth, point.depth, point.depth_there)))
}

/// The side that was assessed; the first, where none has that target.
fn measured<'a>(assessed: &AssessRecord, sides: &'a [RepeatSide]) -> Option<&'a RepeatSide> {
    let has = |side: &&RepeatSide| side.targets.contains(&assessed.plan.target);
    sides.iter().find(has).or_else(|| sides.first())
}

/// Jobs and depth of the balanced point of the pattern that does the same I/Os.
fn balanced(assessed: &AssessRecord, asked: &Workload) -> Option<(u32, u32)> {
    let same = |workload: &Workload| {
        workload.mix == asked.mix
            && workload.addresses.is_random() == asked.addresses.is_random()
            && workload.sizes == asked.sizes
    };
    let pattern = assessed.plan.patterns.iter().find(|pattern| same(&pattern.workload))?;
    let found: &PatternResult = assessed.patterns.iter().find(|found| found.name == pattern.name)?;
    let point = found.operating_points.iter().find(|point| point.kind == OperatingPointKind::Balanced)?;
    let cell = found.cells.get(point.cell)?;
    Some((cell.jobs, cell.depth))
}

fn told(point: &OptimumPoint) -> String {
    let OptimumPoint { step, jobs, depth, jobs_there, depth_there } = point;
    format!(
        "{step} does best for its latency at {jobs} × {depth} on one device here, and at {jobs_there} × {depth_there} \
         there: jobs and depths of all sides are in proportion."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn optimum(jobs: u32, depth: u32) -> RepeatOptimum {
        let point = OptimumPoint { step: "r".to_owned(), jobs, depth, jobs_there: 8, depth_there: 4 };
        RepeatOptimum { campaign: "c-1".to_owned(), target: "x".to_owned(), points: vec![point] }
    }

    #[test]
    fn multiples_of_the_optimum_stay_multiples_of_it() {
        // Eight drives of four clients: 8 times the jobs; in sequence 4 times the jobs and twice the depth.
        assert_eq!(scaled(&optimum(2, 16), "r", (8, 4)), Some((2, 16)));
        assert_eq!(scaled(&optimum(2, 16), "r", (64, 4)), Some((16, 16)));
        assert_eq!(scaled(&optimum(2, 16), "r", (32, 8)), Some((8, 32)));
        assert_eq!(scaled(&optimum(2, 16), "other", (32, 8)), None);
    }

    #[test]
    fn no_count_falls_below_one_or_over_its_range() {
        assert_eq!(scaled(&optimum(1, 1), "r", (1, 1)), Some((1, 1)));
        assert_eq!(scaled(&optimum(u32::MAX, 1), "r", (u32::MAX, 1)), Some((u32::MAX, 1)));
    }
}
