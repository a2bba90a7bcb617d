//! Bins and percentiles of the forms.

use fathom_measure::Histogram;
use fathom_measure::histogram::bucket_bounds;

use super::*;
use crate::fio::bins::{bin_of, bin_value};

#[test]
fn two_of_our_buckets_are_one_of_fios() {
    let mut histogram = Histogram::new();
    for shift in 0..34 {
        for step in 0..40 {
            histogram.record((1u64 << shift) + step * (1u64 << shift) / 40);
        }
    }
    for (bucket, _) in histogram.buckets() {
        let (low, high) = bucket_bounds(bucket);
        assert_eq!(bin_of(low), bin_of(high), "bucket from {low} to {high} lies in two bins");
    }
    for value in [0, 1, 63, 64, 127, 128, 1000, 123_456, 17_000_000_000] {
        let middle = bin_value(bin_of(value));
        assert_eq!(bin_of(middle), bin_of(value), "{middle} stands for {value}");
        assert!((middle as f64 - value as f64).abs() <= value as f64 / 64.0, "{middle} stands for {value}");
    }
}

#[test]
fn percentiles_are_those_of_the_merged_histogram() {
    let mut direction = DirectionTotals::default();
    (1..=10_000u64).for_each(|value| direction.service.record(value * 1000));
    for percent in [1.0, 50.0, 99.0, 99.99] {
        let exact = percent * 100_000.0;
        let found = direction.percentile_ns(percent) as f64;
        assert!((found / exact - 1.0).abs() < 1.0 / 128.0, "{percent}: {found} for {exact}");
    }
    assert_eq!(direction.percentile_ns(100.0), 10_000_000);
}
