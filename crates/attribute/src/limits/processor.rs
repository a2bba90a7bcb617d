//! Processors without time: one, all, or the measuring program's own threads.

use fathom_record::verdict::{Confidence, Evidence, Limit};

use super::{Case, Finding, against, supports};
use crate::thresholds::{CREEPS, HAS_TIME, JOBS_HELP, JOBS_INDIFFERENT, REACHED, USER_BOUND};
use crate::words;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    let shape = case.shape;
    let busiest = shape.busiest_core();
    let generator = shape.telemetry.generator_busy_share;
    let generator_full = is_generator_full(case);
    let all_full =
        shape.telemetry.core_busy_shares.len() > 1 && shape.mean_core().is_some_and(|share| share >= REACHED);
    let one_full = busiest.is_some_and(|share| share >= REACHED);
    if !(generator_full || all_full || one_full) {
        return None;
    }
    let mut evidence = busy_evidence(case);
    let user = shape.telemetry.generator_user_share;
    let is_own_code = generator_full && user.is_some_and(|share| share >= USER_BOUND);
    let limit = match (is_own_code, all_full) {
        (true, _) => Limit::Generator,
        (false, true) => Limit::AllCores,
        (false, false) => Limit::OneCore,
    };
    let confidence = if limit == Limit::AllCores { all_cores(case) } else { one_thread(case, &mut evidence) };
    if let Some(sentence) = case.growth_sentence() {
        let still_grows = shape.growth.is_some_and(|growth| growth > CREEPS);
        evidence.push(if still_grows { against(sentence) } else { supports(sentence) });
    }
    if let Some(share) = generator.filter(|share| limit == Limit::OneCore && *share < HAS_TIME) {
        evidence.push(supports(format!(
            "The generator's threads worked only {} of the time: interrupts, the driver or another program fill \
             the processor.",
            words::percent(share)
        )));
    }
    Some(Finding { limit, confidence, statement: statement(case, limit), evidence })
}

fn busy_evidence(case: &Case<'_>) -> Vec<Evidence> {
    let shape = case.shape;
    let mut evidence = Vec::new();
    let mut push = |share: Option<f64>, what: &str| {
        if let Some(share) = share {
            let text = format!("{what} {} of the time.", words::percent(share));
            evidence.push(Evidence { supports: share >= REACHED, text });
        }
    };
    push(shape.busiest_core(), "The busiest processor was busy");
    push(
        shape.telemetry.generator_busy_share.filter(|share| *share >= REACHED),
        "The generator's threads worked",
    );
    let cores = shape.telemetry.core_busy_shares.len();
    if let Some(mean) = shape.mean_core().filter(|_| cores > 1) {
        evidence
            .push(supports(format!("All {cores} processors together were busy {}.", words::percent(mean))));
    }
    if let Some(user) = shape.telemetry.generator_user_share {
        evidence.push(supports(format!(
            "Of the generator's processor time, {} was its own code and {} the kernel's.",
            words::percent(user),
            words::percent(1.0 - user)
        )));
    }
    if let Some(cost) = case.shape.cell.cpu_ns_per_operation.filter(|c| c.is_finite() && *c > 0.0) {
        evidence
            .push(supports(format!("An I/O costs the generator {} of processor time.", words::time(cost))));
    }
    evidence
}

/// Whether the rate has stopped growing with depth; `None` where that was not measured.
fn is_flat(case: &Case<'_>) -> Option<bool> {
    case.shape.growth.map(|growth| growth <= CREEPS)
}

fn all_cores(case: &Case<'_>) -> Confidence {
    match is_flat(case) {
        Some(true) => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

/// One thread or one processor: whether more jobs help tells.
fn one_thread(case: &Case<'_>, evidence: &mut Vec<Evidence>) -> Confidence {
    if let Some(factor) = case.shape.jobs_factor.filter(|factor| *factor >= JOBS_HELP) {
        evidence.push(supports(format!(
            "More jobs at the same concurrency reach {} the rate.",
            words::times(factor)
        )));
        return Confidence::Strong;
    }
    // More jobs take work off a submitting thread, but not off a processor that serves interrupts.
    let jobs_bring_nothing = case.shape.more_jobs_factor().is_some_and(|factor| factor <= JOBS_INDIFFERENT);
    if is_generator_full(case) && jobs_bring_nothing {
        evidence.push(against("More jobs reach no higher rate."));
        return Confidence::Possible;
    }
    if is_flat(case) == Some(true) { Confidence::Likely } else { Confidence::Possible }
}

fn is_generator_full(case: &Case<'_>) -> bool {
    case.shape.telemetry.generator_busy_share.is_some_and(|share| share >= REACHED)
}

fn statement(case: &Case<'_>, limit: Limit) -> String {
    let shape = case.shape;
    let rate = words::iops(shape.focus.x_per_s);
    let jobs = match shape.focus.jobs {
        1 => "its one job".to_owned(),
        jobs => format!("its {jobs} jobs"),
    };
    match limit {
        Limit::Generator => format!(
            "The measuring program itself binds: {jobs} had no time left at {rate}, so the target may be \
             faster than this."
        ),
        Limit::AllCores => {
            let cores = shape.telemetry.core_busy_shares.len();
            format!("The machine's {cores} processors bind: all of them were busy at {rate}.")
        }
        _ => format!("One processor binds: it had no time left at {rate}."),
    }
}
