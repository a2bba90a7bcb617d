//! From the ratios of all metrics to verdicts, at the level of one look.

use fathom_record::comparison::{Decision, MetricComparison, MetricSense, UndecidedReason};

use super::{LogRatios, Metric, Rules, equivalence_pairs, holm_levels, minimum_detectable, pairs_for};

/// One entry a metric. Primary metrics share the level by Holm; the others by Benjamini and Hochberg,
/// with intervals at the level that their selection leaves (Benjamini and Yekutieli 2005).
pub(super) fn judge(
    metrics: &[Metric],
    ratios: Vec<Result<LogRatios, UndecidedReason>>,
    rules: &Rules,
    level: f64,
) -> Vec<MetricComparison> {
    let margin = rules.ln_margin();
    let difference = levels(metrics, &ratios, level, LogRatios::p_value);
    let equivalence = levels(metrics, &ratios, level, |r| r.equivalence_p_value(margin));
    metrics
        .iter()
        .zip(ratios)
        .enumerate()
        .map(|(at, (metric, ratios))| match ratios {
            Ok(ratios) => verdict(metric, &ratios, rules, (difference[at], equivalence[at])),
            Err(reason) => without_number(metric, reason),
        })
        .collect()
}

/// The level of each metric's test.
fn levels(
    metrics: &[Metric],
    ratios: &[Result<LogRatios, UndecidedReason>],
    level: f64,
    p_value: impl Fn(&LogRatios) -> f64,
) -> Vec<f64> {
    let mut levels = vec![level; metrics.len()];
    for primary in [true, false] {
        let group: Vec<(usize, f64)> = metrics
            .iter()
            .zip(ratios)
            .enumerate()
            .filter(|(_, (metric, _))| metric.primary == primary)
            .filter_map(|(at, (_, ratios))| Some((at, p_value(ratios.as_ref().ok()?))))
            .collect();
        let p_values: Vec<f64> = group.iter().map(|(_, p)| *p).collect();
        let own = if primary { holm_levels(&p_values, level) } else { selected_levels(&p_values, level) };
        for ((at, _), own) in group.into_iter().zip(own) {
            levels[at] = own;
        }
    }
    levels
}

/// The level `q R / m` that Benjamini and Hochberg leave to all when R of m are found.
fn selected_levels(p_values: &[f64], q: f64) -> Vec<f64> {
    let adjusted = super::benjamini_hochberg(p_values);
    let found = adjusted.iter().filter(|p| **p <= q).count().max(1);
    vec![q * found as f64 / p_values.len() as f64; p_values.len()]
}

fn verdict(
    metric: &Metric,
    ratios: &LogRatios,
    rules: &Rules,
    (difference, equivalence): (f64, f64),
) -> MetricComparison {
    let (pairs, deviation) = (ratios.pairs() as u32, ratios.deviation());
    let half = ratios.half_width(1.0 - difference);
    let differs = ratios.p_value() <= difference && ratios.mean().abs() > half;
    let decision = decide(
        rules,
        metric.better,
        ratios.mean(),
        half,
        differs,
        ratios.equivalence_p_value(rules.ln_margin()) <= equivalence,
    );
    let needed = || {
        let apart = pairs_for(ratios.mean(), deviation, difference, rules.power);
        let alike = equivalence_pairs(ratios.mean(), deviation, rules.ln_margin(), equivalence, rules.power);
        [apart, alike].into_iter().flatten().min().map(|n| n.saturating_sub(pairs).max(1))
    };
    let is_open = decision == Decision::Inconclusive;
    MetricComparison {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        better: metric.better,
        primary: metric.primary,
        pairs,
        ratio: Some(ratios.ratio(1.0 - difference)),
        decision,
        reason: is_open.then_some(UndecidedReason::Undecided),
        deviation: Some(deviation),
        p_value: Some(ratios.p_value()),
        exchange_p_value: None,
        minimum_detectable: minimum_detectable(pairs, deviation, difference, rules.power),
        pairs_still_needed: is_open.then(needed).flatten(),
    }
}

/// One of four verdicts from the mean of the logarithm and its half-width.
pub(super) fn decide(
    rules: &Rules,
    better: MetricSense,
    mean: f64,
    half_width: f64,
    differs: bool,
    is_equivalent: bool,
) -> Decision {
    // A difference that is surely immaterial is not one, however well it is known.
    if differs && mean.abs() + half_width > rules.ln_materiality() {
        return if (mean > 0.0) == (better == MetricSense::Higher) {
            Decision::Faster
        } else {
            Decision::Slower
        };
    }
    if is_equivalent { Decision::Equivalent } else { Decision::Inconclusive }
}

/// The entry of a metric that has no number.
pub(super) fn without_number(metric: &Metric, reason: UndecidedReason) -> MetricComparison {
    let (pairs, decision) = match reason {
        UndecidedReason::TooFewPairs { have, .. } | UndecidedReason::TooFewRuns { have, .. } => {
            (have, Decision::Inconclusive)
        }
        UndecidedReason::NoVariation => (0, Decision::Inconclusive),
        _ => (0, Decision::NotComparable),
    };
    MetricComparison {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        better: metric.better,
        primary: metric.primary,
        pairs,
        ratio: None,
        decision,
        reason: Some(reason),
        deviation: None,
        p_value: None,
        exchange_p_value: None,
        minimum_detectable: None,
        pairs_still_needed: None,
    }
}
