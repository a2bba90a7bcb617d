//! Cliffs and modes in distributions made by hand.

use fathom_measure::Histogram;
use fathom_stats::shape::{cliffs, modes};
use fathom_stats::tail::{LatencySeries, quantile_interval};
use fathom_truth::random_process::shape_process::{Draw, mixture, series};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

#[test]
fn a_cliff_tells_where_and_how_often_and_the_quantile_on_it_says_so() {
    let mut series = LatencySeries::of_seconds(120);
    for second in 0..120 {
        let mut histogram = Histogram::new();
        (0..9990).for_each(|i| histogram.record(100_000 + i));
        if second % 4 == 0 {
            (0..40).for_each(|i| histogram.record(8_000_000 + 1000 * i));
        }
        series.add_histogram(second, &histogram).unwrap();
    }
    let found = cliffs(&series, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    let cliff = found[0];
    assert!((0.9989..0.9991).contains(&cliff.at_q), "{cliff:?}");
    assert!((100_000..125_000).contains(&cliff.gap.from_ns), "{cliff:?}");
    assert!((7_500_000..=8_040_000).contains(&cliff.gap.to_ns), "{cliff:?}");
    assert_eq!((cliff.beyond, cliff.seconds_per_minute), (1200, 15.0));
    let on_it = quantile_interval(&series, cliff.at_q, &found).unwrap();
    assert_eq!(on_it.cliff, Some(cliff.gap));
    assert!(quantile_interval(&series, 0.9, &found).unwrap().cliff.is_none());
}

#[test]
fn one_burst_is_no_cliff_and_an_empty_series_has_no_shape() {
    let mut series = LatencySeries::of_seconds(120);
    let mut histogram = Histogram::new();
    (0..1000).for_each(|i| histogram.record(100_000 + 10 * i));
    (0..120).for_each(|second| series.add_histogram(second, &histogram).unwrap());
    let mut burst = Histogram::new();
    (0..500).for_each(|_| burst.record(90_000_000));
    series.add_histogram(7, &burst).unwrap();
    assert!(cliffs(&series, 1).is_empty());
    let empty = LatencySeries::of_seconds(60);
    assert!(cliffs(&empty, 1).is_empty() && modes(&empty, 1).is_empty());
}

#[test]
fn a_coarse_clock_is_no_comb_of_modes() {
    let draw = mixture(0.3, 0.0, 1.0);
    let coarse: Draw = Box::new(move |rng| (draw(rng) / 16.0).floor() * 16.0);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let seen = series(&coarse, 60_000, &mut rng);
    assert!(modes(&seen, 1).len() > 1, "the comb is there for those who do not say their clock");
    assert_eq!(modes(&seen, 16_000).len(), 1);
}
