//! How probable each cause is after everything that was seen.
//!
//! Log densities of independent features are summed, divided by a temperature because they are not
//! independent, and normalised. Beside the listed causes stands an unlisted one that may show anything. A best
//! cause whose features lie further from its row than in all but a small share of its own cases is not named:
//! the answer is then that the pattern is unknown, never the least bad cause.

use fathom_order::InOrder;
use fathom_record::verdict::Limit;

use crate::evidence::{CausePrecondition, Density, Feature, Table, ln_mean_of, squared_misfit};

/// One figure on a feature's scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureFigure {
    /// Of what.
    pub feature: Feature,
    /// On the scale that the table states.
    pub value: f64,
    /// Standard error of the measurement, on the same scale.
    pub error: f64,
    /// Where something else that is known cut it short: that standard error of it as the least that it would have been.
    pub at_least: Option<f64>,
}

/// A cause and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CauseWeight {
    /// Which; [`Limit::Unknown`] for one that is not listed.
    pub limit: Limit,
    /// From 0 to 1; all sum to 1.
    pub probability: f64,
}

/// What must be left of an unknown pattern's probability once a cause does not fit its own row.
const MISFIT_UNKNOWN: f64 = 0.6;
/// Mean of `ln(1 + t^2 / 4)` for a Student's t with four degrees of freedom: digamma(5/2) - digamma(2).
const MISFIT_MEAN: f64 = 0.280_372_3;
/// Its variance: trigamma(2) - trigamma(5/2).
const MISFIT_VARIANCE: f64 = 0.154_576_4;

/// Whether a cause is possible at all where these needs are met.
pub fn is_possible(table: &Table, limit: Limit, met: &[CausePrecondition]) -> bool {
    table.cause(limit).is_none_or(|cause| cause.needs.iter().all(|need| met.contains(need)))
}

/// Every possible cause and the unlisted one, most probable first.
pub fn weigh(table: &Table, figures: &[FeatureFigure], met: &[CausePrecondition]) -> Vec<CauseWeight> {
    weigh_with(table, figures, met, &|_| 1.0)
}

/// The same where something beside the figures makes causes as many times as probable as `times` says.
pub fn weigh_with(
    table: &Table,
    figures: &[FeatureFigure],
    met: &[CausePrecondition],
    times: &dyn Fn(Limit) -> f64,
) -> Vec<CauseWeight> {
    let Some(calibration) = table.calibration else { return unknown_alone() };
    let limits = table.causes.iter().map(|cause| cause.limit).filter(|l| is_possible(table, *l, met));
    let scored: Vec<(Limit, f64)> = limits
        .chain([Limit::Unknown])
        .map(|limit| {
            let prior = table.cause(limit).map_or(calibration.unknown_prior, |cause| cause.prior);
            let seen = ln_likelihood(table, limit, figures);
            (limit, seen / calibration.temperature + (prior * times(limit)).ln())
        })
        .collect();
    let mut weighed = normalised(&scored);
    weighed.put_in_order_by(|a, b| b.probability.total_cmp(&a.probability).then(a.limit.cmp(&b.limit)));
    restrain_misfit(table, figures, &mut weighed);
    weighed
}

fn unknown_alone() -> Vec<CauseWeight> {
    vec![CauseWeight { limit: Limit::Unknown, probability: 1.0 }]
}

/// Whether a figure supports a cause: it is more probable with it, by half again, than where nothing is special.
pub fn supports(table: &Table, limit: Limit, figure: &FeatureFigure) -> bool {
    let (Some(calibration), Some(usual)) = (table.calibration, table.usual(figure.feature)) else {
        return false;
    };
    let (inflation, freedom) = (calibration.inflation, calibration.degrees_of_freedom);
    ln_density(table, limit, figure) - usual.ln(figure.value, figure.error, inflation, freedom) > 0.4
}

/// Log density of all figures under a cause. Those of features that belong together are all of its first peaks or all
/// of its second ones, either as often.
fn ln_likelihood(table: &Table, limit: Limit, figures: &[FeatureFigure]) -> f64 {
    let together = table.cause(limit).map_or(&[][..], |cause| &cause.together);
    let (bound, free): (Vec<&FeatureFigure>, Vec<&FeatureFigure>) =
        figures.iter().partition(|figure| together.contains(&figure.feature));
    let alone: f64 = free.into_iter().map(|figure| ln_density(table, limit, figure)).sum();
    let Some(calibration) = table.calibration.filter(|_| !bound.is_empty()) else { return alone };
    let (inflation, freedom) = (calibration.inflation, calibration.degrees_of_freedom);
    let mut modes = [0.0, 0.0];
    for figure in bound {
        let Some(density) = table.density(limit, figure.feature) else { continue };
        let each = match figure.at_least {
            Some(error) => density.ln_each_at_least(figure.value, error, inflation),
            None => density.ln_each(figure.value, figure.error, inflation, freedom),
        };
        (modes[0], modes[1]) = (modes[0] + each[0], modes[1] + each[1]);
    }
    alone + ln_mean_of(modes[0], modes[1])
}

/// Log density of a figure under a cause; 0 where the table says nothing of it.
///
/// Above the edge of what a cause can show, its density falls from the value that it has there: a rate slightly
/// above a limit is no evidence for those that the limit bounds.
pub fn ln_density(table: &Table, limit: Limit, figure: &FeatureFigure) -> f64 {
    let density = table.density(limit, figure.feature);
    let (Some(density), Some(calibration)) = (density, table.calibration) else { return 0.0 };
    if let Some(error) = figure.at_least {
        return density.ln_at_least(figure.value, error, calibration.inflation);
    }
    let ln = |density: Density, value: f64| {
        density.ln(value, figure.error, calibration.inflation, calibration.degrees_of_freedom)
    };
    match table.edge(limit, figure.feature, figure.value) {
        Some(edge) => ln(density, 0.0) + ln(edge, figure.value) - ln(edge, 0.0),
        None => ln(density, figure.value),
    }
}

fn normalised(scored: &[(Limit, f64)]) -> Vec<CauseWeight> {
    let highest = scored.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scored.iter().map(|(_, score)| (score - highest).exp()).sum();
    let weighed = |(limit, score): &(Limit, f64)| CauseWeight {
        limit: *limit,
        probability: (score - highest).exp() / total,
    };
    scored.iter().map(weighed).collect()
}

/// Gives most of the probability to the unlisted cause where the best one does not fit its own row.
fn restrain_misfit(table: &Table, figures: &[FeatureFigure], weighed: &mut [CauseWeight]) {
    let Some(best) = weighed.iter().find(|w| w.limit != Limit::Unknown).copied() else { return };
    let least = table.calibration.map_or(0.0, |calibration| calibration.least_fit);
    if fit(table, best.limit, figures) >= least {
        return;
    }
    let unknown = weighed.iter().find(|w| w.limit == Limit::Unknown).map_or(0.0, |w| w.probability);
    let wanted = unknown.max(MISFIT_UNKNOWN);
    let rest = (1.0 - wanted) / (1.0 - unknown).max(f64::MIN_POSITIVE);
    for entry in weighed.iter_mut() {
        let is_unknown = entry.limit == Limit::Unknown;
        entry.probability = if is_unknown { wanted } else { entry.probability * rest };
    }
    weighed.put_in_order_by(|a, b| b.probability.total_cmp(&a.probability).then(a.limit.cmp(&b.limit)));
}

/// Share of a cause's own cases that fit its row worse than these figures do, from 0 to 1.
///
/// The sum of `ln(1 + z^2 / 4)` has a gamma distribution with the sum's mean and variance, to a percent; its
/// tail is that of the cube root, which is nearly normal (Wilson and Hilferty).
pub fn fit(table: &Table, limit: Limit, figures: &[FeatureFigure]) -> f64 {
    let Some(calibration) = table.calibration else { return 1.0 };
    let misfits: Vec<f64> = figures
        .iter()
        .filter_map(|figure| {
            let edge = table.edge(limit, figure.feature, figure.value);
            let density = edge.or_else(|| table.density(limit, figure.feature))?;
            let (inflation, freedom) = (calibration.inflation, calibration.degrees_of_freedom);
            let error = figure.at_least.unwrap_or(figure.error);
            // What was cut short may have been anything above.
            let is_above = figure.at_least.is_some() && figure.value <= density.nearest(figure.value).mean;
            Some(if is_above {
                0.0
            } else {
                squared_misfit(density, figure.value, error, inflation, freedom)
            })
        })
        .collect();
    if misfits.is_empty() {
        return 1.0;
    }
    let (mean, variance) = (MISFIT_MEAN * misfits.len() as f64, MISFIT_VARIANCE * misfits.len() as f64);
    let shape = mean * mean / variance;
    let ratio = misfits.iter().sum::<f64>() / mean;
    let ninth = 1.0 / (9.0 * shape);
    let z = (ratio.cbrt() - (1.0 - ninth)) / ninth.sqrt();
    upper_normal(z)
}

/// Probability that a standard normal exceeds `z`, to 1e-7 (Abramowitz and Stegun 26.2.17).
fn upper_normal(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - upper_normal(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let series = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    series * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// Entropy in nats.
pub fn entropy(weighed: &[CauseWeight]) -> f64 {
    weighed.iter().map(|w| w.probability).filter(|p| *p > 0.0).map(|p| -p * p.ln()).sum()
}

/// The probabilities after one more figure. What belongs together is not known here any more: a figure with two peaks
/// is either of them, which makes an experiment look a little less telling than it is.
pub fn after(table: &Table, weighed: &[CauseWeight], figure: &FeatureFigure) -> Vec<CauseWeight> {
    let temperature = table.calibration.map_or(1.0, |calibration| calibration.temperature);
    let scored: Vec<(Limit, f64)> = weighed
        .iter()
        .map(|w| {
            let prior = w.probability.max(1e-12).ln();
            (w.limit, prior + ln_density(table, w.limit, figure) / temperature)
        })
        .collect();
    normalised(&scored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::table;

    const ALL: [CausePrecondition; 8] = [
        CausePrecondition::Device,
        CausePrecondition::Provisioned,
        CausePrecondition::Processors,
        CausePrecondition::Writes,
        CausePrecondition::File,
        CausePrecondition::Rate,
        CausePrecondition::Tags,
        CausePrecondition::Link,
    ];

    fn figure(feature: Feature, value: f64) -> FeatureFigure {
        FeatureFigure { feature, value, error: 0.0, at_least: None }
    }

    #[test]
    fn nothing_seen_says_nothing() {
        let weighed = weigh(table(), &[], &ALL);
        assert!(weighed[0].probability < 0.1);
        let total: f64 = weighed.iter().map(|w| w.probability).sum();
        assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_was_cut_short_is_the_least_that_it_would_have_been() {
        // Reads go half again as fast until another known limit stops them: no limit of operations lets them.
        let cut = FeatureFigure { feature: Feature::Reads, value: 0.4, error: 0.4, at_least: Some(0.005) };
        let ln = |limit| ln_density(table(), limit, &cut);
        assert!(ln(Limit::WriteCliff) > ln(Limit::VolumeIops) + 3.0);
        let free = FeatureFigure { at_least: None, ..cut };
        assert!(
            ln(Limit::WriteCliff) - ln(Limit::VolumeIops)
                > ln_density(table(), Limit::WriteCliff, &free)
                    - ln_density(table(), Limit::VolumeIops, &free)
        );
        // Where it did not even rise, it says nothing between causes that show more.
        let none = FeatureFigure { value: -0.5, ..cut };
        let away =
            ln_density(table(), Limit::WriteCliff, &none) - ln_density(table(), Limit::VolumeIops, &none);
        assert!(away.abs() < 0.1, "{away}");
    }

    #[test]
    fn a_cause_that_cannot_be_is_not_weighed() {
        let weighed = weigh(table(), &[], &[CausePrecondition::Device]);
        assert!(weighed.iter().all(|w| ![Limit::WriteCliff, Limit::OneCore].contains(&w.limit)));
    }

    #[test]
    fn peaks_that_belong_together_are_weighed_as_one() {
        // An instance limits operations or bytes: both answers of either kind leave it beside the volume's limit.
        let of = |half: f64, double: f64, limit: Limit| {
            let figures = [figure(Feature::HalfBlock, half), figure(Feature::DoubleBlock, double)];
            let weighed = weigh(table(), &figures, &ALL);
            weighed.iter().find(|w| w.limit == limit).map_or(0.0, |w| w.probability)
        };
        let ln2 = std::f64::consts::LN_2;
        for (half, double, volume) in [(0.0, 0.0, Limit::VolumeIops), (ln2, -ln2, Limit::VolumeThroughput)] {
            let ratio = of(half, double, volume) / of(half, double, Limit::InstanceCap);
            assert!((1.5..6.0).contains(&ratio), "{volume:?} {ratio}");
        }
        // The same operations with half the block, half of them with twice: no limit of an instance does that.
        let odd = of(0.0, -ln2, Limit::InstanceCap);
        assert!(odd < 0.1 * of(0.0, 0.0, Limit::InstanceCap), "{odd}");
    }

    #[test]
    fn a_rate_just_above_a_limit_still_points_to_it() {
        let weighed = |value: f64| weigh(table(), &[figure(Feature::VolumeIops, value)], &ALL);
        for value in [-0.01, 0.0, 0.01, 0.06] {
            assert_eq!(weighed(value)[0].limit, Limit::VolumeIops, "{value}");
            assert!(weighed(value)[0].probability > 0.35, "{value}: {:?}", weighed(value));
        }
        // Twice the limit is no longer the limit's doing.
        assert_ne!(weighed(0.7)[0].limit, Limit::VolumeIops);
    }

    #[test]
    fn figures_that_fit_no_row_are_an_unknown_pattern() {
        // Far above every limit and known device, in seconds as even as a cap's, and halved by more depth.
        let odd = [
            figure(Feature::VolumeIops, 3.0),
            figure(Feature::DeviceRate, 4.0),
            figure(Feature::Unevenness, -7.5),
            figure(Feature::DoubleDepth, -1.5),
            figure(Feature::HalfBlock, -1.5),
            figure(Feature::Waiting, -3.0),
        ];
        let weighed = weigh(table(), &odd, &ALL);
        assert_eq!(weighed[0].limit, Limit::Unknown, "{weighed:?}");
    }

    #[test]
    fn the_test_of_fit_has_the_size_that_it_states() {
        use rand::SeedableRng;
        use rand_distr::{Distribution, StudentT};
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
        let t = StudentT::new(4.0).unwrap();
        let calibration = table().calibration.unwrap();
        let features =
            [Feature::Unevenness, Feature::Waiting, Feature::Tail, Feature::HalfBlock, Feature::Corner];
        let draws = 20_000;
        let mut below = 0;
        for _ in 0..draws {
            let figures = features.map(|feature| {
                let Some(Density::One(peak)) = table().density(Limit::Concurrency, feature) else {
                    panic!("{feature:?} is a mixture")
                };
                figure(feature, peak.mean + t.sample(&mut rng) * peak.deviation * calibration.inflation)
            });
            below += u32::from(fit(table(), Limit::Concurrency, &figures) < 0.05);
        }
        let share = f64::from(below) / f64::from(draws);
        assert!((0.04..0.06).contains(&share), "{share}");
    }
}
