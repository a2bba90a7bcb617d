//! Base-2 log-linear histogram of unsigned integers, from single values to mergeable distributions.
//!
//! Each power of two is cut into 128 buckets, so a bucket is at most 0.78 % of its value wide and
//! its midpoint at most 0.39 % away from any value in it. Values below 256 are exact. The range is
//! all of `u64`: nothing is ever capped. Merging adds counts and loses nothing.
//! Method: "H2" histograms, <https://h2histogram.org>.

/// Bits of a value that choose the bucket within its power of two.
pub const GROUPING_POWER: u32 = 7;

/// Number of buckets that cover all of `u64`.
pub const BUCKETS: usize = ((64 - GROUPING_POWER as usize) << GROUPING_POWER) + (1 << GROUPING_POWER);

/// Widest bucket as a share of the values in it (2^-7, 0.78 %).
pub const RELATIVE_WIDTH: f64 = 1.0 / (1u64 << GROUPING_POWER) as f64;

/// Bucket that holds `value`; always below [`BUCKETS`].
#[inline(always)]
pub const fn bucket_of(value: u64) -> usize {
    // Setting bit 7 makes every value below 256 take the exponent 7, which is the linear part.
    let exponent = 63 - (value | (1 << GROUPING_POWER)).leading_zeros();
    let shift = exponent - GROUPING_POWER;
    ((shift as usize) << GROUPING_POWER) + (value >> shift) as usize
}

/// Smallest and largest value of a bucket, both inside it.
///
/// # Panics
/// If `bucket` is not below [`BUCKETS`].
pub const fn bucket_bounds(bucket: usize) -> (u64, u64) {
    assert!(bucket < BUCKETS, "bucket index beyond the histogram");
    if bucket < (2 << GROUPING_POWER) {
        return (bucket as u64, bucket as u64);
    }
    let shift = (bucket >> GROUPING_POWER) as u32 - 1;
    let mantissa = (bucket - ((shift as usize) << GROUPING_POWER)) as u64;
    let low = mantissa << shift;
    (low, low + ((1u64 << shift) - 1))
}

/// Counts per bucket, with the exact sum, smallest and largest value beside them.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count)
            .field("min", &self.min())
            .field("max", &self.max())
            .finish_non_exhaustive()
    }
}

impl Histogram {
    /// An empty histogram (58 KiB on the heap).
    pub fn new() -> Self {
        let counts: Box<[u64]> = vec![0; BUCKETS].into_boxed_slice();
        let counts = counts.try_into().expect("the slice was made with BUCKETS entries");
        Self { counts, count: 0, sum: 0, min: u64::MAX, max: 0 }
    }

    /// Adds one value. No branch, no allocation, no division.
    #[inline(always)]
    pub fn record(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Number of values recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True when nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Exact sum of all values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Smallest value, exact; `None` when empty.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Largest value, exact; `None` when empty.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Exact mean; `None` when empty.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Bucket of the value of rank `ceil(q * count)`; `None` when empty. `q` is clamped to 0..=1.
    pub fn quantile_bucket(&self, q: f64) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).clamp(1, self.count);
        let mut seen = 0;
        // Below the bucket of the smallest value there is none.
        for (bucket, &count) in self.counts.iter().enumerate().skip(bucket_of(self.min)) {
            seen += count;
            if seen >= rank {
                return Some(bucket);
            }
        }
        unreachable!("the counts add up to `count`");
    }

    /// Value at quantile `q`: its bucket's midpoint, held within the exact smallest and largest
    /// value, so at most 0.39 % from the true order statistic. `None` when empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let (low, high) = bucket_bounds(self.quantile_bucket(q)?);
        Some((low + (high - low) / 2).clamp(self.min, self.max))
    }

    /// Number of values in buckets wholly above the bucket of `value`.
    pub fn count_above(&self, value: u64) -> u64 {
        self.counts[bucket_of(value) + 1..].iter().sum()
    }

    /// Adds all of `other`; exact.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        let used = bucket_of(other.min)..bucket_of(other.max) + 1;
        for (mine, theirs) in self.counts[used.clone()].iter_mut().zip(&other.counts[used]) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Empties the histogram without giving its memory back.
    pub fn clear(&mut self) {
        if self.count == 0 {
            return;
        }
        let (low, high) = (bucket_of(self.min), bucket_of(self.max));
        self.counts[low..=high].fill(0);
        self.count = 0;
        self.sum = 0;
        self.min = u64::MAX;
        self.max = 0;
    }

    /// Buckets that hold values, ascending, with their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let range = if self.count == 0 { 0..0 } else { bucket_of(self.min)..bucket_of(self.max) + 1 };
        range.map(|bucket| (bucket, self.counts[bucket])).filter(|&(_, count)| count > 0)
    }

    /// Rebuilds a histogram from its parts, as a record holds them.
    ///
    /// # Errors
    /// Names the first part that contradicts another: a bucket out of range, counts that overflow,
    /// or a smallest, largest or sum that the buckets cannot have.
    pub fn from_parts(
        buckets: impl IntoIterator<Item = (usize, u64)>,
        sum: u128,
        min: u64,
        max: u64,
    ) -> Result<Self, &'static str> {
        let (mut histogram, mut parts) = (Self::new(), Parts::default());
        for (bucket, count) in buckets {
            parts.add(bucket, count)?;
            // The sum of all counts fits, so that of one bucket does.
            histogram.counts[bucket] += count;
        }
        parts.fit(sum, min, max)?;
        if parts.count > 0 {
            (histogram.count, histogram.sum, histogram.min, histogram.max) = (parts.count, sum, min, max);
        }
        Ok(histogram)
    }

    /// Whether these are parts of a histogram, without making it.
    ///
    /// # Errors
    /// As [`from_parts`](Self::from_parts).
    pub fn check_parts(
        buckets: impl IntoIterator<Item = (usize, u64)>,
        sum: u128,
        min: u64,
        max: u64,
    ) -> Result<(), &'static str> {
        let mut parts = Parts::default();
        buckets.into_iter().try_for_each(|(bucket, count)| parts.add(bucket, count))?;
        parts.fit(sum, min, max)
    }
}

/// What the buckets of a histogram come to.
#[derive(Default)]
struct Parts {
    count: u64,
    /// First and last bucket in use.
    ends: Option<(usize, usize)>,
}

impl Parts {
    fn add(&mut self, bucket: usize, count: u64) -> Result<(), &'static str> {
        if bucket >= BUCKETS {
            return Err("bucket index beyond the histogram");
        }
        self.count = self.count.checked_add(count).ok_or("total count overflows")?;
        if count > 0 {
            let (first, last) = self.ends.unwrap_or((bucket, bucket));
            self.ends = Some((first.min(bucket), last.max(bucket)));
        }
        Ok(())
    }

    fn fit(&self, sum: u128, min: u64, max: u64) -> Result<(), &'static str> {
        let Some(ends) = self.ends else {
            return if sum == 0 { Ok(()) } else { Err("a sum without any value") };
        };
        if ends != (bucket_of(min), bucket_of(max)) || min > max {
            return Err("smallest or largest value lies outside the buckets in use");
        }
        let count = u128::from(self.count);
        if sum < u128::from(min) * count || sum > u128::from(max) * count {
            return Err("sum lies outside what the counts allow");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_tile_the_whole_range() {
        let mut expected_low = 0u64;
        for bucket in 0..BUCKETS {
            let (low, high) = bucket_bounds(bucket);
            assert_eq!(low, expected_low, "bucket {bucket} leaves a gap");
            assert_eq!(bucket_of(low), bucket);
            assert_eq!(bucket_of(high), bucket);
            assert!((high - low) as f64 <= low as f64 * RELATIVE_WIDTH, "bucket {bucket} is too wide");
            expected_low = high.wrapping_add(1);
        }
        assert_eq!(expected_low, 0, "the last bucket ends at u64::MAX");
    }

    proptest! {
        #[test]
        fn quantile_is_within_half_a_bucket_of_the_order_statistic(
            mut values in prop::collection::vec(prop_oneof![0u64..1000, any::<u64>()], 1..300),
            q in 0.0f64..=1.0,
        ) {
            let mut histogram = Histogram::new();
            values.iter().for_each(|&v| histogram.record(v));
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let truth = values[rank - 1] as f64;
            let got = histogram.quantile(q).unwrap() as f64;
            prop_assert!((got - truth).abs() <= truth * 0.0040 + 0.5, "{got} against {truth}");
        }

        #[test]
        fn merging_equals_recording_together(
            a in prop::collection::vec(any::<u64>(), 0..100),
            b in prop::collection::vec(any::<u64>(), 0..100),
        ) {
            let fill = |values: &[u64]| {
                let mut h = Histogram::new();
                values.iter().for_each(|&v| h.record(v));
                h
            };
            let mut merged = fill(&a);
            merged.merge(&fill(&b));
            let together = fill(&[a, b].concat());
            prop_assert_eq!(&merged, &together);
            let parts = Histogram::from_parts(
                merged.buckets(), merged.sum(), merged.min().unwrap_or(u64::MAX), merged.max().unwrap_or(0));
            prop_assert_eq!(parts.unwrap(), together);
            merged.clear();
            prop_assert_eq!(merged, Histogram::new());
        }
    }

    #[test]
    fn contradictory_parts_are_refused() {
        assert!(Histogram::from_parts([(BUCKETS, 1)], 1, 1, 1).is_err());
        assert!(Histogram::from_parts([(5, 1)], 5, 5, 6).is_err());
        assert!(Histogram::from_parts([(5, 2)], 50, 5, 5).is_err());
        assert!(Histogram::from_parts([(5, u64::MAX), (6, 1)], 5, 5, 6).is_err());
    }
}
