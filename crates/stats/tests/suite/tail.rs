//! Quantile intervals where there is too little to say, and their reference values.

use fathom_measure::Histogram;
use fathom_stats::tail::{LatencySeries, UnresolvedReason, quantile_interval, quantile_over_runs};
use fathom_truth::random_process::tail_process::{FIVE, TailTruth};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

#[test]
fn a_binomial_interval_would_not_cover_bursts() {
    let truth = TailTruth::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let (series, _) = truth.run(FIVE, 3600, &mut rng);
    let interval = quantile_interval(&series, 0.9999, &[]).unwrap();
    // 72 million I/Os, 7,200 of them beyond, worth a few dozen independent ones.
    assert!(interval.design_effect > 20.0, "{}", interval.design_effect);
    assert!(interval.effective_beyond < 400.0, "{}", interval.effective_beyond);
    assert_eq!(interval.resolves_every_s, 300.0);
}

fn constant(seconds: usize, rate: u64, value_ns: u64) -> LatencySeries {
    let mut series = LatencySeries::of_seconds(seconds);
    let mut histogram = Histogram::new();
    (0..rate).for_each(|_| histogram.record(value_ns));
    (0..seconds).for_each(|second| {
        series.add_histogram(second, &histogram).expect("the second is within the series")
    });
    series
}

#[test]
fn too_little_data_gives_a_reason_or_a_lower_bound_and_never_a_number() {
    assert_eq!(quantile_interval(&LatencySeries::of_seconds(60), 0.5, &[]), Err(UnresolvedReason::Empty));
    let short = constant(29, 1000, 100_000);
    assert_eq!(quantile_interval(&short, 0.99, &[]), Err(UnresolvedReason::TooShort { seconds: 29 }));
    let few = constant(60, 10, 100_000);
    let bound = quantile_interval(&few, 0.99, &[]).unwrap();
    assert_eq!((bound.value_ns, bound.high_ns, bound.beyond), (None, None, 6));
    assert_eq!(quantile_interval(&few, 0.999_99, &[]), Err(UnresolvedReason::Unbounded));
    assert_eq!(quantile_interval(&few, 1.0, &[]), Err(UnresolvedReason::NotAnOrder));
    assert_eq!(quantile_interval(&few, f64::NAN, &[]), Err(UnresolvedReason::NotAnOrder));
    let enough = quantile_interval(&few, 0.5, &[]).unwrap();
    assert_eq!((enough.value_ns, enough.low_ns, enough.high_ns), (Some(100_000), 100_000, Some(100_000)));
}

#[test]
fn one_burst_of_many_slow_ios_is_one_event() {
    let mut series = constant(600, 10_000, 100_000);
    let mut burst = Histogram::new();
    (0..2000).for_each(|_| burst.record(50_000_000));
    series.add_histogram(300, &burst).unwrap();
    let interval = quantile_interval(&series, 0.9999, &[]).unwrap();
    assert!(interval.effective_beyond < 5.0 && interval.value_ns.is_none(), "{interval:?}");
}

/// `scipy.stats.t.interval` of the logarithms, version 1.17.
#[test]
fn quantiles_over_runs_are_a_t_interval_of_logarithms() {
    let runs: Vec<f64> = [410, 395, 433, 402, 418, 390, 425, 407].map(|us| f64::from(us) * 1e3).to_vec();
    let found = quantile_over_runs(0.999, &runs).unwrap();
    assert!((found.value_ns - REFERENCE[0]).abs() < 1.0, "{found:?}");
    assert!((found.low_ns - REFERENCE[1]).abs() < 1.0, "{found:?}");
    assert!((found.high_ns - REFERENCE[2]).abs() < 1.0, "{found:?}");
    assert!(quantile_over_runs(0.999, &runs[..7]).is_err());
    assert!(quantile_over_runs(0.999, &[5.0; 8]).is_err());
    assert!(quantile_over_runs(0.999, &[5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 0.0]).is_err());
}

const REFERENCE: [f64; 3] = [409_769.75, 397_685.9, 422_220.8];
