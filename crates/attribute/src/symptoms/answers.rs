//! What experiments answered, as logarithms of the new rate over the old one.

use crate::ceilings::in_operations;
use crate::evidence::Feature;
use crate::input::{Answer, Pattern};
use crate::thresholds::AT_BOUND;
use crate::words;

use super::Seen;

/// Standard error of an answer that another known limit cut short.
const CUT_SHORT: f64 = 0.4;

pub fn seen(pattern: &Pattern<'_>, mean_bytes: f64) -> Vec<Seen> {
    pattern.answers.iter().filter_map(|answer| one(pattern, answer, mean_bytes)).collect()
}

/// Whether an experiment ended at a known limit that did not bind before: its rate is then no answer to how
/// much more there would have been.
fn is_cut_short(pattern: &Pattern<'_>, answer: &Answer, mean_bytes: f64) -> bool {
    let bytes = match answer.experiment {
        Feature::HalfBlock => mean_bytes / 2.0,
        Feature::DoubleBlock => mean_bytes * 2.0,
        _ => mean_bytes,
    };
    let is_at = |rate: f64, known, bytes| {
        in_operations(pattern, known, bytes).is_some_and(|(bound, _)| AT_BOUND.contains(&(rate / bound)))
    };
    pattern.known.iter().any(|known| {
        is_at(answer.operations_per_s, known, bytes) && !is_at(answer.before_per_s, known, mean_bytes)
    })
}

fn one(pattern: &Pattern<'_>, answer: &Answer, mean_bytes: f64) -> Option<Seen> {
    let ratio = answer.operations_per_s / answer.before_per_s;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let is_cut_short = is_cut_short(pattern, answer, mean_bytes);
    let text = format!(
        "{} {} instead of {} ({}){}.",
        crate::experiments::done(answer.experiment),
        words::iops(answer.operations_per_s),
        words::iops(answer.before_per_s),
        change(ratio),
        if is_cut_short { ", where another known limit stopped it" } else { "" }
    );
    let error = if is_cut_short { CUT_SHORT } else { answer.error_share };
    Seen::new(answer.experiment, ratio.ln(), error, text)
}

fn change(ratio: f64) -> String {
    match ratio {
        r if (r - 1.0).abs() < 0.005 => "no change".to_owned(),
        r if r >= 2.0 => words::times(r),
        r if r > 1.0 => format!("{} more", words::percent(r - 1.0)),
        r => format!("{} less", words::percent(1.0 - r)),
    }
}
