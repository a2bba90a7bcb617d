//! fio's latency bins, as sparse histograms and as the edges around a percentile.
//!
//! fio cuts each power of two into 64 equal bins and prints a bin by the value in its middle (`stat.c`,
//! `plat_idx_to_val`; FIO_IO_U_PLAT_BITS is 6). That is a sparse histogram of grouping power 6, so nothing is
//! lost. Before 3.0 the values were microseconds, and the layout is that of microseconds.

use fathom_measure::Histogram;
use fathom_record::SparseHistogram;
use fathom_record::latency::{Quantile, bounds_at};

/// Bits that divide each power of two.
pub const BITS: u32 = 6;

/// Groups of bins since fio counts nanoseconds.
const GROUPS: usize = 29;

/// The largest value that a bin of its own is kept for: fio has 19 groups of 64 bins while it counts
/// microseconds (`unit_ns` 1000), and 29 since it counts nanoseconds; what is above falls into the last.
pub fn largest_ns(unit_ns: u64) -> u64 {
    let groups = if unit_ns == 1000 { 19 } else { GROUPS };
    bounds_at(BITS, (groups << BITS) - 1).map_or(u64::MAX, |(_, high)| high.saturating_mul(unit_ns))
}

/// The bin that fio counts a latency in, in nanoseconds: the last one takes what is above.
pub fn bin_of(value_ns: u64) -> usize {
    index_of(value_ns).min((GROUPS << BITS) - 1)
}

/// The value that fio prints for a bin: its middle.
pub fn bin_value(bin: usize) -> u64 {
    bounds_at(BITS, bin).map_or(u64::MAX, |(low, high)| middle(low, high))
}

/// The bin of a value, where none is the last.
fn index_of(value: u64) -> usize {
    if value < 1 << (BITS + 1) {
        return value as usize;
    }
    let shift = value.ilog2() - BITS;
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// A percentile with the edges of the bin that it is the middle of; its own value where it is no bin's middle,
/// as the first and the last percentile may be. `unit_ns` is 1000 for the versions that count microseconds.
pub fn quantile(q: f64, value: u64, unit_ns: u64) -> Quantile {
    let (low, high) = match bounds_at(BITS, index_of(value)) {
        Some((low, high)) if value == middle(low, high) => (low, high),
        _ => (value, value),
    };
    let last = high.saturating_mul(unit_ns).saturating_add(unit_ns - 1);
    Quantile {
        q,
        value_ns: value.saturating_mul(unit_ns),
        low_ns: low.saturating_mul(unit_ns),
        high_ns: last,
    }
}

/// A percentile of text for people, which is the middle of a bin, rounded to a unit in one direction or the other.
pub fn rounded_quantile(q: f64, ns: u64, unit_ns: u64) -> Quantile {
    /// Half of a bin, as a share of its value, is at most one in so many.
    const HALF_BINS: u64 = 128;
    let (low, high) = (ns.saturating_sub(unit_ns), ns.saturating_add(unit_ns));
    let (low_ns, high_ns) = (low - low / HALF_BINS, high.saturating_add(high / HALF_BINS));
    Quantile { q, value_ns: ns, low_ns, high_ns }
}

fn middle(low: u64, high: u64) -> u64 {
    low + (high - low).div_ceil(2)
}

/// The whole distribution from bins, each a value and a count, in nanoseconds; `None` where they contradict the
/// smallest, largest and mean that are stated beside them.
pub fn histogram(bins: &[(u64, u64)], (min, max): (u64, u64), mean: f64) -> Option<SparseHistogram> {
    let (buckets, total) = ascending(bins).unwrap_or_else(|| ascending_of_any(bins));
    let sum = (mean * total as f64).round().clamp(0.0, u128::MAX as f64) as u128;
    let sum = sum.clamp(u128::from(min) * total, u128::from(max) * total);
    let sparse = SparseHistogram {
        grouping_power: BITS,
        sum_low: sum as u64,
        sum_high: (sum >> 64) as u64,
        min_ns: min,
        max_ns: max,
        buckets,
    };
    sparse.check().is_ok().then_some(sparse)
}

/// Distances and counts of bins in use, and the count of all; absent where a bin is not above the one before it, as
/// fio prints them.
fn ascending(bins: &[(u64, u64)]) -> Option<(Vec<u64>, u128)> {
    let mut buckets = Vec::with_capacity(2 * bins.len());
    let (mut before, mut next, mut total) = (0, 0, 0u128);
    for (value, count) in bins {
        let index = index_of(*value);
        if index < next {
            return None;
        }
        next = index + 1;
        if *count > 0 {
            buckets.extend([(index - before) as u64, *count]);
            (before, total) = (index, total + u128::from(*count));
        }
    }
    Some((buckets, total))
}

/// The same of bins in any order, of which several may be one.
fn ascending_of_any(bins: &[(u64, u64)]) -> (Vec<u64>, u128) {
    let mut counts: Vec<(u64, u64)> = bins.to_vec();
    counts.sort_unstable_by_key(|(value, _)| *value);
    counts.dedup_by(|next, kept| {
        let same = index_of(next.0) == index_of(kept.0);
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
    ascending(&counts).unwrap_or_default()
}

/// The same from bins of microseconds: a bin of theirs lies across bins of nanoseconds, so its middle stands for
/// all of it.
pub fn histogram_of_us(bins: &[(u64, u64)], (min, max): (u64, u64), mean: f64) -> Option<SparseHistogram> {
    let mut whole: Vec<(usize, u64)> = Vec::with_capacity(bins.len() + 2);
    let total: u64 = bins.iter().map(|(_, n)| *n).fold(0, u64::saturating_add);
    let (min, max) = (min.saturating_mul(1000), max.saturating_mul(1000));
    if min > max || total == 0 {
        return None;
    }
    let bucket = fathom_measure::histogram::bucket_of;
    let ends = [min, max];
    let mut left: Vec<(u64, u64)> =
        bins.iter().map(|(value, n)| (value.saturating_mul(1000).clamp(min, max), *n)).collect();
    left.sort_unstable_by_key(|(value, _)| *value);
    left.retain(|(_, n)| *n > 0);
    let last = left.len() - 1;
    for (end, at) in ends.into_iter().zip([0, last]) {
        if left[at].1 > 0 {
            left[at].1 -= 1;
            whole.push((bucket(end), 1));
        }
    }
    whole.extend(left.iter().filter(|(_, n)| *n > 0).map(|(value, n)| (bucket(*value), *n)));
    let sum = (mean * 1000.0 * total as f64).round().clamp(0.0, u128::MAX as f64) as u128;
    let sum = sum.clamp(u128::from(min) * u128::from(total), u128::from(max) * u128::from(total));
    Histogram::from_parts(whole, sum, min, max).ok().as_ref().map(SparseHistogram::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_is_found_by_the_value_that_fio_prints_for_it() {
        // Values and counts of an installed fio 3.33: its own bins, and percentiles among them.
        for value in [0, 10, 120, 131, 282, 330, 580, 5088, 15_040, 375_390_208] {
            let (low, high) = bounds_at(BITS, index_of(value)).unwrap();
            assert!(low <= value && value <= high, "{value}");
            let edges = quantile(0.5, value, 1);
            assert_eq!((edges.low_ns, edges.high_ns), (low, high), "{value} is the middle of its bin");
        }
        let odd = quantile(0.9999, 5089, 1);
        assert_eq!((odd.low_ns, odd.high_ns), (5089, 5089), "not the middle of a bin");
        let micro = quantile(0.5, 9280, 1000);
        assert_eq!((micro.low_ns, micro.high_ns), (9_216_000, 9_343_999));
    }

    #[test]
    fn bins_become_a_histogram_with_exact_ends_and_mean() {
        let bins = [(100, 37), (5088, 1), (110, 2)];
        let sparse = histogram(&bins, (100, 5058), 227.5).unwrap();
        let histogram = Histogram::try_from(&sparse).unwrap();
        assert_eq!((histogram.count(), histogram.min(), histogram.max()), (40, Some(100), Some(5058)));
        assert_eq!(histogram.mean(), Some(227.5));
        assert_eq!(super::histogram(&bins, (3, 5058), 227.5), None, "nothing is as small as that");
        let micro = histogram_of_us(&bins, (100, 5058), 227.5).unwrap();
        let micro = Histogram::try_from(&micro).unwrap();
        assert_eq!((micro.count(), micro.min(), micro.max()), (40, Some(100_000), Some(5_058_000)));
    }
}
