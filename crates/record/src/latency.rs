//! Latencies as data: a summary for reading, a sparse histogram for computing.

use fathom_measure::Histogram;
use fathom_measure::histogram::{GROUPING_POWER, bucket_bounds, bucket_of};
use serde::{Deserialize, Serialize};

/// A quantile above the median needs so many values beyond it.
pub const VALUES_BEYOND: f64 = 10.0;

/// Quantiles that every summary lists, as far as its count resolves them.
pub const QUANTILES: [f64; 10] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

/// A distribution in a few numbers, all in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencySummary {
    /// Values counted.
    pub count: Option<u64>,
    /// Smallest, exact.
    pub min_ns: Option<u64>,
    /// Mean, exact.
    pub mean_ns: f64,
    /// Largest, exact.
    pub max_ns: Option<u64>,
    /// Standard deviation, where another tool states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation_ns: Option<f64>,
    /// Ascending; a quantile with fewer than 10 values beyond it is left out, because one stall decides it.
    pub quantiles: Vec<Quantile>,
    /// Whether all of this is as another tool states it: exact as far as that tool is, with quantiles that
    /// it may have taken from few values, and whose edges are those of its own buckets where they are known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stated: bool,
}

/// One quantile with the bucket it lies in: the true order statistic is between `low_ns` and `high_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quantile {
    /// Order, 0 to 1.
    pub q: f64,
    /// Best single value: the bucket's midpoint.
    pub value_ns: u64,
    /// Lower edge of the bucket.
    pub low_ns: u64,
    /// Upper edge of the bucket.
    pub high_ns: u64,
}

impl LatencySummary {
    /// Summarises a histogram; `None` when it is empty.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let beyond = |q: f64| (1.0 - q) * histogram.count() as f64;
        let quantile = |q: f64| {
            let (low_ns, high_ns) = bucket_bounds(histogram.quantile_bucket(q)?);
            Some(Quantile { q, value_ns: histogram.quantile(q)?, low_ns, high_ns })
        };
        Some(Self {
            count: Some(histogram.count()),
            min_ns: Some(histogram.min()?),
            mean_ns: histogram.mean()?,
            max_ns: Some(histogram.max()?),
            deviation_ns: None,
            stated: false,
            quantiles: QUANTILES
                .into_iter()
                .filter(|&q| q <= 0.5 || beyond(q) >= VALUES_BEYOND - 1e-6)
                .filter_map(quantile)
                .collect(),
        })
    }

    /// The listed quantile `q`, in nanoseconds.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        self.quantiles.iter().find(|entry| entry.q == q).map(|entry| entry.value_ns)
    }
}

/// A histogram as a record keeps it: only buckets in use.
///
/// `buckets` alternates the distance from the previous bucket in use (from 0 for the first) and the
/// count in this one. A bucket below `2^(grouping_power+1)` holds one value, its index; above that,
/// bucket `i` with `shift = (i >> grouping_power) - 1` starts at
/// `(i - (shift << grouping_power)) << shift` and is `2^shift` wide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SparseHistogram {
    /// Bits that divide each power of two; 7 gives buckets 0.78 % wide.
    pub grouping_power: u32,
    /// Exact sum of all values, in nanoseconds; as text where it exceeds 2^53 in JSON would lose digits,
    /// so kept as two halves: `sum_high * 2^64 + sum_low`.
    pub sum_low: u64,
    /// Upper half of the sum; 0 in practice.
    pub sum_high: u64,
    /// Smallest value, in nanoseconds; 0 when empty.
    pub min_ns: u64,
    /// Largest value, in nanoseconds; 0 when empty.
    pub max_ns: u64,
    /// Alternating index distance and count.
    pub buckets: Vec<u64>,
}

impl From<&Histogram> for SparseHistogram {
    fn from(histogram: &Histogram) -> Self {
        let mut buckets = Vec::new();
        let mut previous = 0;
        for (bucket, count) in histogram.buckets() {
            buckets.extend([(bucket - previous) as u64, count]);
            previous = bucket;
        }
        Self {
            grouping_power: GROUPING_POWER,
            sum_low: histogram.sum() as u64,
            sum_high: (histogram.sum() >> 64) as u64,
            min_ns: histogram.min().unwrap_or(0),
            max_ns: histogram.max().unwrap_or(0),
            buckets,
        }
    }
}

impl TryFrom<&SparseHistogram> for Histogram {
    type Error = &'static str;

    fn try_from(sparse: &SparseHistogram) -> Result<Self, Self::Error> {
        Histogram::from_parts(sparse.parts()?, sparse.sum(), sparse.min_ns, sparse.max_ns)
    }
}

impl SparseHistogram {
    /// Whether it is a histogram, without making it: cheap where there are thousands.
    ///
    /// # Errors
    /// The first part that contradicts another.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.grouping_power >= GROUPING_POWER {
            return Histogram::check_parts(self.parts()?, self.sum(), self.min_ns, self.max_ns);
        }
        let (mut count, mut ends, mut place) = (Some(0u64), None, 0usize);
        self.each(|index, n| {
            if n > 0 {
                let (first, _) = ends.unwrap_or(((place, index), (place, index)));
                ends = Some((first, (place, index)));
                count = count.and_then(|count| count.checked_add(n));
            }
            place += 1;
        })?;
        let Some((first, last)) = ends else { return Histogram::check_parts([], self.sum(), 0, 0) };
        let is_one = first == last && count == Some(1);
        self.ends_fit((first.1, last.1), is_one)?;
        // Refined they have their ends in the buckets of these, and no other count.
        let above = count.ok_or("total count overflows")? - 1;
        let parts = [(bucket_of(self.min_ns), 1), (bucket_of(self.max_ns), above)];
        Histogram::check_parts(parts, self.sum(), self.min_ns, self.max_ns)
    }

    /// Its buckets in use, ascending, each with its count, as those of [`Histogram`]: without making one, which is cheap
    /// where there are thousands.
    ///
    /// # Errors
    /// The first part that contradicts another.
    pub fn checked_buckets(&self) -> Result<Vec<(usize, u64)>, &'static str> {
        let mut parts = self.parts()?;
        Histogram::check_parts(parts.iter().copied(), self.sum(), self.min_ns, self.max_ns)?;
        parts.retain(|(_, count)| *count > 0);
        // A bucket may come in two parts, whose sum fits as that of all does.
        parts.dedup_by(|more, kept| {
            let is_same = more.0 == kept.0;
            kept.1 += if is_same { more.1 } else { 0 };
            is_same
        });
        Ok(parts)
    }

    /// Exact sum of all values, in nanoseconds.
    pub fn sum(&self) -> u128 {
        (u128::from(self.sum_high) << 64) | u128::from(self.sum_low)
    }

    /// Calls `part` with the index and the count of each bucket.
    #[inline]
    fn each(&self, mut part: impl FnMut(usize, u64)) -> Result<(), &'static str> {
        if !(1..=GROUPING_POWER).contains(&self.grouping_power) {
            return Err("a histogram with a grouping power that is not 1 to 7");
        }
        let (pairs, []) = self.buckets.as_chunks::<2>() else {
            return Err("a histogram whose list of buckets ends in the middle of a pair");
        };
        let mut at = 0usize;
        for [distance, count] in pairs {
            let distance = usize::try_from(*distance).map_err(|_| "a bucket index beyond the histogram")?;
            at = at.checked_add(distance).ok_or("a bucket index beyond the histogram")?;
            part(at, *count);
        }
        Ok(())
    }

    /// Whether the smallest and the largest value can be those of the first and the last bucket in use, of a
    /// histogram coarser than ours; `is_one` is whether they hold one value alone.
    fn ends_fit(&self, (first, last): (usize, usize), is_one: bool) -> Result<(), &'static str> {
        let bounds =
            |index| bounds_at(self.grouping_power, index).ok_or("a bucket index beyond the histogram");
        // Indices ascend: where the last is one, all are.
        let (last, first) = (bounds(last)?, bounds(first)?);
        let (min, max) = (self.min_ns, self.max_ns);
        // What lies above a tool's last bucket is counted in it, so the largest value may lie above.
        if min < first.0 || min > first.1 || max < last.0 || min > max {
            return Err("smallest or largest value lies outside the buckets in use");
        }
        if is_one && min != max {
            return Err("one value cannot have two ends");
        }
        Ok(())
    }

    /// Our buckets with their counts.
    fn parts(&self) -> Result<Vec<(usize, u64)>, &'static str> {
        let mut buckets = Vec::with_capacity(self.buckets.len() / 2);
        self.each(|index, count| buckets.push((index, count)))?;
        if self.grouping_power < GROUPING_POWER { refined(&buckets, self) } else { Ok(buckets) }
    }
}

/// Bounds of bucket `index` at a grouping power, both inclusive; `None` beyond what 64 bits hold.
pub fn bounds_at(power: u32, index: usize) -> Option<(u64, u64)> {
    let index = index as u64;
    let shift = u32::try_from((index >> power).saturating_sub(1)).ok()?;
    let base = index - (u64::from(shift) << power);
    let low = base.checked_shl(shift).filter(|low| low >> shift == base)?;
    Some((low, low + ((1u64 << shift) - 1)))
}

/// Buckets of a coarser histogram as buckets of ours. Its smallest and largest values are exact, and the rest
/// of a bucket is put in its middle: nothing closer is known.
fn refined(coarse: &[(usize, u64)], sparse: &SparseHistogram) -> Result<Vec<(usize, u64)>, &'static str> {
    let is_used = |(_, count): &(usize, u64)| *count > 0;
    let ends = (coarse.iter().position(is_used), coarse.iter().rposition(is_used));
    let (Some(first_at), Some(last_at)) = ends else { return Ok(Vec::new()) };
    let bounds = |index| bounds_at(sparse.grouping_power, index).ok_or("a bucket index beyond the histogram");
    let (min, max) = (sparse.min_ns, sparse.max_ns);
    let is_one = first_at == last_at && coarse[first_at].1 == 1;
    sparse.ends_fit((coarse[first_at].0, coarse[last_at].0), is_one)?;
    let mut out = Vec::with_capacity(coarse.len() + 2);
    out.push((bucket_of(min), 1));
    if !is_one {
        out.push((bucket_of(max), 1));
    }
    for (at, (index, count)) in coarse.iter().enumerate() {
        // Of a single value the smallest is the largest.
        let count = count.saturating_sub(u64::from(at == first_at) + u64::from(at == last_at));
        if count > 0 {
            let (low, high) = bounds(*index)?;
            out.push((bucket_of((low + (high - low) / 2).clamp(min, max)), count));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sparse_form_loses_nothing(values in prop::collection::vec(any::<u64>(), 0..200)) {
            let mut histogram = Histogram::new();
            values.iter().for_each(|&v| histogram.record(v));
            let sparse = SparseHistogram::from(&histogram);
            let text = serde_json::to_string(&sparse).unwrap();
            let back: SparseHistogram = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(sparse.checked_buckets().unwrap(), histogram.buckets().collect::<Vec<_>>());
            prop_assert_eq!(Histogram::try_from(&back), Ok(histogram));
        }

        #[test]
        fn a_coarser_histogram_keeps_its_counts_and_its_ends(values in prop::collection::vec(1u64..1 << 40, 1..100)) {
            let mut coarse: std::collections::BTreeMap<usize, u64> = Default::default();
            for value in &values {
                let index = (0..).find(|i| bounds_at(6, *i).unwrap().1 >= *value).unwrap();
                *coarse.entry(index).or_default() += 1;
            }
            let mut before = 0;
            let pair = |(index, count): (usize, u64)| {
                let distance = index - std::mem::replace(&mut before, index);
                [distance as u64, count]
            };
            let sum: u64 = values.iter().sum();
            let (min, max) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            let buckets = coarse.into_iter().flat_map(pair).collect();
            let sparse =
                SparseHistogram { grouping_power: 6, sum_low: sum, sum_high: 0, min_ns: min, max_ns: max, buckets };
            let histogram = Histogram::try_from(&sparse).unwrap();
            prop_assert_eq!(histogram.count(), values.len() as u64);
            prop_assert_eq!((histogram.min(), histogram.max()), (Some(min), Some(max)));
            let mut sorted = values;
            sorted.sort_unstable();
            let median = sorted[(sorted.len() - 1) / 2] as f64;
            let read = histogram.quantile(0.5).unwrap() as f64;
            prop_assert!((read - median).abs() <= median / 60.0 + 1.0, "{} for {}", read, median);
        }

        #[test]
        fn any_sparse_form_is_read_or_refused(
            power in 0u32..9,
            buckets in prop::collection::vec(any::<u64>(), 0..20),
            min: u64,
            max: u64,
        ) {
            let sparse = SparseHistogram { grouping_power: power, sum_low: min, sum_high: 0, min_ns: min, max_ns: max, buckets };
            prop_assert_eq!(sparse.check().err(), Histogram::try_from(&sparse).err());
            let dense = Histogram::try_from(&sparse).map(|histogram| histogram.buckets().collect());
            prop_assert_eq!(sparse.checked_buckets(), dense);
        }

        #[test]
        fn buckets_that_come_in_parts_are_one(values in prop::collection::vec((0u64..3, 0u64..4), 1..12)) {
            let (mut at, mut sum, mut held) = (0, 0, Vec::new());
            for (distance, count) in &values {
                at += distance;
                sum += at * count;
                held.extend((0..*count).map(|_| at));
            }
            let buckets = values.iter().flat_map(|(distance, count)| [*distance, *count]).collect();
            let (min, max) = (held.iter().min().copied().unwrap_or(0), held.iter().max().copied().unwrap_or(0));
            let sparse = SparseHistogram { grouping_power: 7, sum_low: sum, sum_high: 0, min_ns: min, max_ns: max, buckets };
            let dense = Histogram::try_from(&sparse).unwrap();
            prop_assert_eq!(sparse.checked_buckets().unwrap(), dense.buckets().collect::<Vec<_>>());
        }
    }

    #[test]
    fn quantiles_without_enough_values_beyond_are_left_out() {
        let mut histogram = Histogram::new();
        (0..1000).for_each(|v| histogram.record(v));
        let summary = LatencySummary::of(&histogram).unwrap();
        assert!(summary.quantile_ns(0.99).is_some());
        assert!(summary.quantile_ns(0.999).is_none());
    }
}
