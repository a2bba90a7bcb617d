//! What experiments answered, as logarithms of the new rate over the old one.

use crate::input::{Answer, Pattern};
use crate::words;

use super::Seen;

pub fn seen(pattern: &Pattern<'_>) -> Vec<Seen> {
    pattern.answers.iter().filter_map(one).collect()
}

fn one(answer: &Answer) -> Option<Seen> {
    let ratio = answer.operations_per_s / answer.before_per_s;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let text = format!(
        "{} {} instead of {} ({}).",
        crate::experiments::done(answer.experiment),
        words::iops(answer.operations_per_s),
        words::iops(answer.before_per_s),
        change(ratio)
    );
    Seen::new(answer.experiment, ratio.ln(), answer.error_share, text)
}

fn change(ratio: f64) -> String {
    match ratio {
        r if (r - 1.0).abs() < 0.005 => "no change".to_owned(),
        r if r >= 2.0 => words::times(r),
        r if r > 1.0 => format!("{} more", words::percent(r - 1.0)),
        r => format!("{} less", words::percent(1.0 - r)),
    }
}
