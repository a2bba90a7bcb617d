//! fio's histogram of latencies: 64 buckets to each power of two, named by the middle of each.
//!
//! A bucket of fathom's is half of one of fio's, so that nothing is lost but that half. Source:
//! `plat_val_to_idx` and `plat_idx_to_val` in fio's `stat.c`.

use std::collections::BTreeMap;

use fathom_measure::Histogram;
use fathom_measure::histogram::bucket_bounds;

/// Bits of a value that choose the bucket within a power of two.
const BITS: u32 = 6;

/// The value by which fio names the bucket of a latency.
pub fn name_of(value_ns: u64) -> u64 {
    let top = u64::BITS - 1 - (value_ns | 1).leading_zeros();
    if top <= BITS {
        return value_ns;
    }
    let shift = top - BITS;
    ((value_ns >> shift) << shift) + (1 << (shift - 1))
}

/// Counts by the names of fio's buckets.
pub fn bins(histogram: &Histogram) -> BTreeMap<u64, u64> {
    let mut bins = BTreeMap::new();
    for (bucket, count) in histogram.buckets() {
        *bins.entry(name_of(bucket_bounds(bucket).0)).or_default() += count;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_the_names_that_fio_prints() {
        // Keys of a JSON+ output of fio 3.33.
        for name in [1736, 9792, 9920, 10_304, 10_688, 29_229_056, 37_486_592] {
            assert_eq!(name_of(name), name);
        }
        assert_eq!(name_of(9_764), 9_792);
        assert_eq!((name_of(0), name_of(100), name_of(127)), (0, 100, 127));
        assert_eq!(name_of(128), 129);
        assert!(name_of(u64::MAX) > 1 << 63);
    }

    #[test]
    fn no_count_is_lost() {
        let mut histogram = Histogram::new();
        (0..100_000_u64).for_each(|at| histogram.record(at * at));
        assert_eq!(bins(&histogram).values().sum::<u64>(), 100_000);
    }
}
