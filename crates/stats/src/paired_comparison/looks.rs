//! When a comparison may look at its data, and how much of the error each look may spend.
//!
//! The pilot decides only what is plain. Its scatter then says how many pairs the wanted difference needs;
//! the look at that number has most of the error. Whatever follows shares the rest. The levels add up to
//! the whole (Bonferroni). When the planned number is reached, the scatter is taken again before the look;
//! a scatter that is low by chance then ends it sooner, which on a noisy machine makes 6 % of the nominal
//! 5 % error. Intervals are shown at the level of their look, as
//! repeated confidence intervals (Jennison and Turnbull 1989): interval and decision never disagree.

use super::Rules;

/// Share of the error that the pilot may spend.
const PILOT: f64 = 0.2;
/// Share of the error for the planned number of pairs.
const PLANNED: f64 = 0.7;

/// The error that a look may spend; `is_last` when no pairs can follow, and nothing has to be kept.
pub(super) fn level(rules: &Rules, look: u32, is_last: bool) -> f64 {
    let spent = |before: u32| match before {
        0 => 0.0,
        1 => PILOT,
        // After the planned look each one halves what is left.
        _ => 1.0 - (1.0 - PILOT - PLANNED) * 0.5f64.powi(before as i32 - 2),
    };
    let until = if is_last { 1.0 } else { spent(look + 1) };
    rules.alpha * (until - spent(look))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_looks_together_spend_the_error_and_no_more() {
        let rules = Rules::default();
        let before: f64 = (0..6).map(|look| level(&rules, look, false)).sum();
        assert!((before + level(&rules, 6, true) - rules.alpha).abs() < 1e-12);
        assert!((level(&rules, 0, false) - 0.01).abs() < 1e-12);
        assert!((level(&rules, 1, false) - 0.035).abs() < 1e-12);
        assert!((level(&rules, 1, true) - 0.04).abs() < 1e-12);
    }
}
