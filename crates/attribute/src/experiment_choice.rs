//! The experiment that is expected to decide most for its time.
//!
//! The expected fall of entropy is summed over what each cause would show, at nine quantiles of its density,
//! and divided by the root of the minutes: an experiment four times as long must tell twice as much.

use crate::evidence::{Feature, Table};
use crate::posterior::{CauseWeight, FeatureFigure, after, entropy};

/// Student's t with four degrees of freedom at the orders 1/18, 3/18, ... 17/18.
const QUANTILES: [f64; 9] = [-2.039, -1.099, -0.642, -0.302, 0.0, 0.302, 0.642, 1.099, 2.039];
/// Causes below this probability do not change what is expected.
const LEAST_PROBABILITY: f64 = 0.005;

/// An experiment and what it is expected to tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenExperiment {
    /// Which.
    pub experiment: Feature,
    /// Expected fall of entropy, in nats.
    pub information_nats: f64,
    /// What it takes, in minutes.
    pub minutes: f64,
}

/// The best of the experiments that can be made; `None` where none tells anything.
///
/// `minutes_of` gives what an experiment takes where it is known better than the table knows.
pub fn choose(
    table: &Table,
    weighed: &[CauseWeight],
    feasible: &[Feature],
    minutes_of: impl Fn(Feature) -> Option<f64>,
) -> Option<ChosenExperiment> {
    let before = entropy(weighed);
    feasible
        .iter()
        .filter_map(|&experiment| {
            let minutes = minutes_of(experiment).or_else(|| Some(table.trial(experiment)?.minutes))?;
            let information_nats = before - expected_entropy(table, weighed, experiment)?;
            Some(ChosenExperiment { experiment, information_nats, minutes })
        })
        .filter(|chosen| chosen.information_nats > 1e-3)
        .max_by(|a, b| worth(a).total_cmp(&worth(b)))
}

fn worth(chosen: &ChosenExperiment) -> f64 {
    chosen.information_nats / chosen.minutes.sqrt()
}

fn expected_entropy(table: &Table, weighed: &[CauseWeight], experiment: Feature) -> Option<f64> {
    let inflation = table.calibration?.inflation;
    let (mut expected, mut counted) = (0.0, 0.0);
    for cause in weighed.iter().filter(|w| w.probability >= LEAST_PROBABILITY) {
        let peaks: Vec<_> = table.density(cause.limit, experiment)?.peaks().collect();
        let weight = cause.probability / (peaks.len() * QUANTILES.len()) as f64;
        for peak in &peaks {
            for quantile in QUANTILES {
                let value = peak.mean + quantile * peak.deviation * inflation;
                let figure = FeatureFigure { feature: experiment, value, error: 0.0, at_least: None };
                expected += weight * entropy(&after(table, weighed, &figure));
                counted += weight;
            }
        }
    }
    (counted > 0.0).then(|| expected / counted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{EXPERIMENTS, table};
    use fathom_record::verdict::Limit;

    #[test]
    fn the_quantiles_are_those_of_their_orders() {
        for (at, quantile) in QUANTILES.into_iter().enumerate() {
            let order = (2.0 * at as f64 + 1.0) / 18.0;
            let u = 1.0 + quantile * quantile / 4.0;
            let below = 0.5 + 0.375 * (quantile / u.sqrt()) * (1.0 - quantile * quantile / u / 12.0);
            assert!((below - order).abs() < 2e-4, "{quantile}: {below} for {order}");
        }
    }

    fn even(limits: &[Limit]) -> Vec<CauseWeight> {
        let probability = 1.0 / limits.len() as f64;
        limits.iter().map(|&limit| CauseWeight { limit, probability }).collect()
    }

    fn chosen(limits: &[Limit], feasible: &[Feature]) -> Feature {
        choose(table(), &even(limits), feasible, |_| None).unwrap().experiment
    }

    #[test]
    fn the_experiment_separates_what_is_left() {
        let depth = [Limit::Concurrency, Limit::VolumeIops];
        assert_eq!(chosen(&depth, &EXPERIMENTS), Feature::DoubleDepth);
        let bytes = [Limit::VolumeIops, Limit::VolumeThroughput];
        assert!([Feature::HalfBlock, Feature::DoubleBlock].contains(&chosen(&bytes, &EXPERIMENTS)));
        let shared = [Limit::VolumeIops, Limit::InstanceCap];
        assert_eq!(chosen(&shared, &EXPERIMENTS), Feature::SecondTarget);
        // The same question, with less to answer it with.
        let without: Vec<Feature> = EXPERIMENTS.into_iter().filter(|e| *e != Feature::SecondTarget).collect();
        assert_ne!(chosen(&shared, &without), Feature::SecondTarget);
    }

    #[test]
    fn what_is_decided_needs_no_experiment() {
        let sure = [CauseWeight { limit: Limit::Link, probability: 1.0 }];
        assert_eq!(choose(table(), &sure, &EXPERIMENTS, |_| None), None);
    }

    #[test]
    fn a_long_wait_must_tell_more() {
        let left = even(&[Limit::BurstCredits, Limit::VolumeIops, Limit::VolumeThroughput]);
        let first = choose(table(), &left, &[Feature::Idle, Feature::HalfBlock], |_| None).unwrap();
        assert_eq!(first.experiment, Feature::HalfBlock);
        let short = choose(table(), &left, &[Feature::Idle, Feature::HalfBlock], |e| {
            (e == Feature::Idle).then_some(0.1)
        });
        assert_eq!(short.unwrap().experiment, Feature::Idle);
    }
}
