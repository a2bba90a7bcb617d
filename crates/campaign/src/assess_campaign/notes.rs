//! What people should know of an assessment's stages, as sentences.

use fathom_measure::{Bytes, Nanos, Share, counted};
use fathom_record::campaign::{
    PatternResult, PointQuality, PreconditionEnd, PreconditionKind, PreconditionPlan, Preconditioning,
    RepeatEnd, RepeatRule, Repeats,
};

/// Which runs were left out of a pattern's figures.
pub fn disturbed(pattern: &PatternResult) -> Option<String> {
    let left_out: usize = pattern.cells.iter().map(|cell| cell.disturbed_runs.len()).sum();
    (left_out > 0).then(|| {
        format!(
            "{}: {} disturbed for a moment and failed a self-check, next to at least as many at the same test point \
             that were not; the figures are those of the others.",
            pattern.title,
            if left_out == 1 { "1 run was".to_owned() } else { format!("{left_out} runs were") }
        )
    })
}

fn time(seconds: f64) -> String {
    Nanos::from_seconds(seconds).coarse()
}

/// That the budget has no room for a search of each pattern.
pub fn short_budget(budget_ns: u64, least_ns: u64, patterns: usize) -> Option<String> {
    (budget_ns < least_ns).then(|| {
        format!(
            "The budget of {} is too short for {}: points will be few or missing. Give --budget {}s, or fewer --patterns.",
            Nanos(budget_ns).coarse(),
            counted(patterns as u64, "pattern"),
            least_ns / 1_000_000_000
        )
    })
}

/// How a preconditioning went that was asked for so.
pub fn preconditioning(asked: PreconditionPlan, ledger: &Preconditioning) -> Vec<String> {
    let mut out = Vec::new();
    let not_purged = ledger.not_purged.as_ref().filter(|_| asked == PreconditionPlan::Full);
    if let Some(reason) = not_purged {
        out.push(format!("Preconditioning did not purge: {reason}."));
    }
    let stages: Vec<String> = ledger.stages.iter().map(stage).collect();
    let ended = match ledger.ended {
        PreconditionEnd::Steady => "its rate was steady at the end",
        PreconditionEnd::BytesSpent => {
            "the limit on bytes was reached before the rate was shown to be steady"
        }
        PreconditionEnd::Stopped => "it was stopped; the same command continues it",
        PreconditionEnd::Failed => "the target failed",
    };
    out.push(format!("Preconditioned {}: {}; {ended}.", Bytes(ledger.span_bytes), stages.join(", ")));
    if let Some(capacity) = ledger.capacity_bytes.filter(|capacity| *capacity > ledger.span_bytes) {
        out.push(format!(
            "Only {} of the {} device was preconditioned.",
            Bytes(ledger.span_bytes),
            Bytes(capacity)
        ));
    }
    out
}

fn stage(stage: &fathom_record::campaign::PreconditionStage) -> String {
    match stage.kind {
        PreconditionKind::Purge => format!("purge in {}", time(stage.seconds)),
        kind => format!("{} of {:.2} times that in {}", kind.name(), stage.over_span, time(stage.seconds)),
    }
}

/// That windows may have missed stalls of the target, or met too many.
fn stalled(points: &[PointQuality]) -> Option<String> {
    let by_stalls = points.iter().filter_map(|point| point.precision.as_ref()).filter(|precision| {
        precision.stalls.is_some_and(|stalls| stalls.half_width_share > precision.target_share)
    });
    let count = by_stalls.count();
    (count > 0).then(|| {
        format!(
            "The target stalled. How many stalls the windows of {} met is chance, so the error is larger than the \
             windows alone show; a longer --budget sees more stalls.",
            counted(count as u64, "point")
        )
    })
}

/// How the passes went.
pub fn repeats(repeats: &Repeats, points: &[PointQuality], budget_ns: u64) -> Vec<String> {
    let mut out = Vec::new();
    let (met, all) = match repeats.rule {
        RepeatRule::Error { .. } => {
            let judged = points.iter().filter_map(|point| point.target_met);
            (judged.clone().filter(|met| *met).count(), judged.count())
        }
        RepeatRule::Rounds { .. } => {
            let met = points.iter().filter(|point| point.snia.is_some_and(|rounds| rounds.met)).count();
            (met, points.len())
        }
    };
    let what = match repeats.rule {
        RepeatRule::Error { target_share } => format!("The error target of {} is met", Share(target_share)),
        RepeatRule::Rounds { .. } => "The last five rounds meet SNIA's steady-state limits".to_owned(),
    };
    let predicted =
        repeats.predicted_s.map_or(String::new(), |s| format!(" (predicted: at least {})", time(s)));
    out.push(format!(
        "{what} at {met} of {} after {} of windows of {} in {}{predicted}.",
        counted(all as u64, "point"),
        counted(u64::from(repeats.passes), "pass"),
        Nanos(repeats.window_ns).coarse(),
        time(repeats.took_s)
    ));
    if repeats.window_ns < 60_000_000_000 {
        out.push(format!("Windows are shorter than 60 s: {}.", repeats.window_reason));
    }
    match (repeats.ended, repeats.missing_s) {
        (RepeatEnd::BudgetOver, Some(missing_s)) => {
            let whole_s = budget_ns as f64 / 1e9 + 1.2 * missing_s;
            out.push(format!(
                "Ran out of budget: about {} more runs needed (try --budget {:.0}m).",
                time(missing_s),
                (whole_s / 60.0).ceil()
            ));
        }
        (RepeatEnd::CapReached, _) => {
            out.push("More windows would not help: what each point reached is the answer.".to_owned());
        }
        _ => {}
    }
    out.extend(stalled(points));
    let close = points.iter().filter_map(|p| p.precision.as_ref()).filter(|p| !p.spacing.kept()).count();
    if close > 0 {
        out.push(format!(
            "Windows of {} were less than 5 min apart: a longer disturbance can fall into several of \
             them, so their intervals may be too narrow. Measuring more patterns spreads them.",
            counted(close as u64, "point")
        ));
    }
    if matches!(repeats.rule, RepeatRule::Rounds { .. }) {
        out.push(
            "After SNIA SSS-PTS 2.0.1: writing twice the size in sequence at 128 KiB, rounds of a minute \
             where the budget allows, five rounds within 20 % with a slope of at most 10 %, 25 rounds at \
             most. Not after it: concurrency comes from the search, the patterns are those that were asked \
             for, and the tracking variable is the rate of each. This is not a claim of compliance."
                .to_owned(),
        );
    }
    out
}
