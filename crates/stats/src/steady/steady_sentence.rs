//! A verdict in words with its figures.

use fathom_record::exposure_guard::{ExposureGuard, HiddenStateStanding};
use fathom_record::steadiness::{Steadiness, SteadyVerdict};

use super::{SHORTEST_WINDOW_S, period};

/// The one sentence that a verdict is given with.
pub(super) fn reason(result: &Steadiness, guard: &ExposureGuard) -> String {
    let window_s = result.window_s;
    match result.verdict {
        SteadyVerdict::Steady => format!("even over the last {window_s:.0} s: {}", change(result)),
        SteadyVerdict::Periodic => format!(
            "goes up and down by {} every {:.0} s, and is even over whole periods of the last {window_s:.0} s: {}",
            percent(result.period.map_or(0.0, |p| p.swing_share)),
            result.period.map_or(0.0, |p| p.seconds),
            change(result)
        ),
        SteadyVerdict::Transient => transient(result),
        SteadyVerdict::Drifting => match result.gates.drift {
            Some(drift) => format!(
                "goes {} by {} in {:.0} s; {} are tolerated",
                if drift.drift_share < 0.0 { "down" } else { "up" },
                percent(drift.drift_share.abs()),
                drift.claim_s,
                percent(drift.tolerance_share)
            ),
            None => "drifts one way throughout".to_owned(),
        },
        SteadyVerdict::RegimeConditional => regime(result, guard),
        SteadyVerdict::NotEnoughData => not_enough(result),
        SteadyVerdict::Unusable => result.reason.clone(),
    }
}

fn transient(result: &Steadiness) -> String {
    match (result.gates.transient, result.gates.level) {
        (Some(gate), _) if !gate.passed => {
            format!(
                "still settling: no end of the start is found in the first half of {:.0} s",
                result.seconds
            )
        }
        (_, Some(level)) => format!(
            "the level changed by {} within the last {:.0} s; {} are tolerated",
            percent(level.range_share),
            result.window_s,
            percent(level.tolerance_share)
        ),
        _ => "still settling".to_owned(),
    }
}

fn regime(result: &Steadiness, guard: &ExposureGuard) -> String {
    let left: Vec<&str> = guard
        .rows
        .iter()
        .filter(|row| matches!(row.standing, HiddenStateStanding::NotYet { .. }))
        .map(|row| row.state.name())
        .collect();
    match (left.is_empty(), result.gates.guard.from_s) {
        (true, _) => format!(
            "even, but the lasting state was seen for less than {SHORTEST_WINDOW_S} s after what hid it was used up"
        ),
        (false, Some(from_s)) => {
            format!("even, in the burst regime: {} last until second {from_s:.0}", left.join(", "))
        }
        (false, None) => format!("even, in the burst regime: this load never uses up {}", left.join(", ")),
    }
}

fn not_enough(result: &Steadiness) -> String {
    let (Some(drift), Some(level)) = (result.gates.drift, result.gates.level) else {
        return match result.period {
            Some(found) if result.window_s >= SHORTEST_WINDOW_S as f64 => format!(
                "goes up and down every {:.0} s: {} whole periods are needed, {:.0} s hold fewer",
                found.seconds,
                period::WHOLE_PERIODS,
                result.window_s
            ),
            _ => format!(
                "{:.0} s are left after the start; less than {SHORTEST_WINDOW_S} s is not judged",
                result.window_s
            ),
        };
    };
    if result.gates.transient.is_some_and(|gate| !gate.passed) {
        return format!(
            "too noisy for {:.0} s: no end of the start is found in the first half, and no change is shown",
            result.seconds
        );
    }
    if !drift.passed {
        return format!(
            "too noisy for {:.0} s: a drift of {} in {:.0} s cannot be excluded, {} are tolerated",
            result.window_s,
            percent(drift.drift_share.abs() + drift.uncertainty_share),
            drift.claim_s,
            percent(drift.tolerance_share)
        );
    }
    format!(
        "too noisy for {:.0} s: thirds differ by {} and the mean is known to {}",
        result.window_s,
        percent(level.range_share),
        percent(level.error_share)
    )
}

fn change(result: &Steadiness) -> String {
    let most = result.gates.drift.map_or(0.0, |drift| drift.drift_share.abs() + drift.uncertainty_share);
    let claim_s = result.gates.drift.map_or(0.0, |drift| drift.claim_s);
    format!("changes by less than {} in {claim_s:.0} s", percent(most))
}

/// The verdict line by line for a report: verdict, start, validity, what is not excluded, time left, SNIA.
pub fn explain(result: &Steadiness) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", result.verdict.name(), result.reason)];
    if result.discarded_s > 0.0 && result.mean.is_some() {
        lines.push(format!("the first {:.0} s of {:.0} s do not count", result.discarded_s, result.seconds));
    }
    if let Some(horizon_s) = result.horizon_s.filter(|_| result.verdict.is_settled()) {
        lines.push(format!("valid for {} ahead, by its drift", duration(horizon_s)));
    }
    if !result.not_excluded.is_empty() {
        let names: Vec<&str> = result.not_excluded.iter().map(|state| state.name()).collect();
        lines.push(format!("not excluded, because nothing is known of it: {}", names.join(", ")));
    }
    match result.remaining_s {
        Some(left_s) if left_s > 0.0 => {
            lines.push(format!("{} more may be enough, if it continues like this", duration(left_s)));
        }
        None if !matches!(result.verdict, SteadyVerdict::Unusable) => {
            lines.push("how long it still takes cannot be foreseen".to_owned());
        }
        _ => {}
    }
    if let Some(snia) = result.snia {
        lines.push(format!(
            "SNIA's 20 %/10 % rule on five rounds of {:.0} s: {} (range {}, slope {})",
            snia.round_s,
            if snia.met { "met" } else { "not met" },
            percent(snia.excursion_share),
            percent(snia.slope_share.abs())
        ));
    }
    lines
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}
