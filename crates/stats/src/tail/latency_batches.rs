//! The seconds of a run folded into batches: all that intervals, cliffs and modes need, in one pass.

use fathom_measure::Histogram;
use fathom_measure::histogram::{BUCKETS, bucket_bounds};
use fathom_record::{Direction, Interval, SparseHistogram};

/// Batches that the variance is taken over.
pub const BATCHES: usize = 30;
/// Largest lag-1 correlation of batches that is corrected for.
const MAX_CORRELATION: f64 = 0.9;

/// Latency counts of a run: in all, by batch, and the largest value of each second.
///
/// About 2 MB, whatever the length of the run. The batches are equal numbers of whole seconds at the
/// run's end; up to 29 seconds at its start are in the totals only.
#[derive(Clone, Debug)]
pub struct LatencySeries {
    seconds: usize,
    batch_seconds: usize,
    /// Bucket by batch, batches ascending; the last row is the total.
    counts: Vec<u64>,
    batch_totals: [u64; BATCHES],
    total: u64,
    largest_ns: Vec<u64>,
    smallest_ns: u64,
}

impl LatencySeries {
    /// An empty series of so many seconds.
    pub fn of_seconds(seconds: usize) -> Self {
        Self {
            seconds,
            batch_seconds: seconds / BATCHES,
            counts: vec![0; (BATCHES + 1) * BUCKETS],
            batch_totals: [0; BATCHES],
            total: 0,
            largest_ns: vec![0; seconds],
            smallest_ns: u64::MAX,
        }
    }

    /// The service latencies of one direction in the intervals after the warm-up.
    ///
    /// # Errors
    /// What is wrong with a histogram.
    pub fn service(intervals: &[Interval], direction: Direction) -> Result<Self, &'static str> {
        Self::from_intervals(intervals, direction, |d| Some(&d.service))
    }

    /// The response latencies, likewise; empty for a closed loop.
    ///
    /// # Errors
    /// What is wrong with a histogram.
    pub fn response(intervals: &[Interval], direction: Direction) -> Result<Self, &'static str> {
        Self::from_intervals(intervals, direction, |d| d.response.as_ref())
    }

    fn from_intervals(
        intervals: &[Interval],
        direction: Direction,
        choose: impl Fn(&fathom_record::DirectionInterval) -> Option<&SparseHistogram>,
    ) -> Result<Self, &'static str> {
        let measured: Vec<&Interval> = intervals.iter().filter(|i| !i.warmup).collect();
        let mut series = Self::of_seconds(measured.len());
        for (second, interval) in measured.iter().enumerate() {
            for entry in interval.directions.iter().filter(|d| d.direction == direction) {
                if let Some(histogram) = choose(entry) {
                    series.add_sparse(second, histogram)?;
                }
            }
        }
        Ok(series)
    }

    /// Adds the values of one second, 0 to the number of seconds less one.
    ///
    /// # Errors
    /// What is wrong with the histogram or the second.
    pub fn add_sparse(&mut self, second: usize, histogram: &SparseHistogram) -> Result<(), &'static str> {
        if histogram.grouping_power != fathom_measure::histogram::GROUPING_POWER {
            return Err("a histogram with another grouping power than 7");
        }
        let (pairs, []) = histogram.buckets.as_chunks::<2>() else {
            return Err("a histogram whose list of buckets ends in the middle of a pair");
        };
        let mut bucket = 0usize;
        let absolute = pairs.iter().map(|[distance, count]| {
            bucket = bucket.saturating_add(usize::try_from(*distance).unwrap_or(usize::MAX));
            (bucket, *count)
        });
        self.add(second, absolute, histogram.min_ns, histogram.max_ns)
    }

    /// Adds the values of one second, 0 to the number of seconds less one.
    ///
    /// # Errors
    /// When the second is beyond the series.
    pub fn add_histogram(&mut self, second: usize, histogram: &Histogram) -> Result<(), &'static str> {
        self.add(second, histogram.buckets(), histogram.min().unwrap_or(0), histogram.max().unwrap_or(0))
    }

    fn add(
        &mut self,
        second: usize,
        buckets: impl Iterator<Item = (usize, u64)>,
        min_ns: u64,
        max_ns: u64,
    ) -> Result<(), &'static str> {
        if second >= self.seconds {
            return Err("a second beyond the series");
        }
        let skipped = self.seconds - self.batch_seconds * BATCHES;
        let batch = second.checked_sub(skipped).and_then(|at| at.checked_div(self.batch_seconds));
        let mut added = 0u64;
        for (bucket, count) in buckets {
            if bucket >= BUCKETS {
                return Err("a bucket index beyond the histogram");
            }
            let row = bucket * (BATCHES + 1);
            self.counts[row + BATCHES] = self.counts[row + BATCHES].saturating_add(count);
            if let Some(batch) = batch {
                self.counts[row + batch] = self.counts[row + batch].saturating_add(count);
            }
            added = added.saturating_add(count);
        }
        if added > 0 {
            self.total = self.total.saturating_add(added);
            if let Some(batch) = batch {
                self.batch_totals[batch] = self.batch_totals[batch].saturating_add(added);
            }
            self.largest_ns[second] = self.largest_ns[second].max(max_ns);
            self.smallest_ns = self.smallest_ns.min(min_ns);
        }
        Ok(())
    }

    /// Length, in seconds.
    pub fn seconds(&self) -> usize {
        self.seconds
    }

    /// Values in all.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Values in a bucket and above it.
    pub(crate) fn count_from(&self, bucket: usize) -> u64 {
        self.buckets().filter(|(at, _)| *at >= bucket).map(|(_, count)| count).sum()
    }

    /// Adds all values of another series of as many seconds, second by second.
    pub fn merge(&mut self, other: &LatencySeries) {
        debug_assert_eq!(self.seconds, other.seconds, "only series of the same seconds go together");
        let add = |to: &mut [u64], from: &[u64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = to.saturating_add(*from));
        };
        add(&mut self.counts, &other.counts);
        add(&mut self.batch_totals, &other.batch_totals);
        self.total = self.total.saturating_add(other.total);
        self.largest_ns.iter_mut().zip(&other.largest_ns).for_each(|(to, from)| *to = (*to).max(*from));
        self.smallest_ns = self.smallest_ns.min(other.smallest_ns);
    }

    /// Smallest and largest value; `None` without any.
    pub fn extremes_ns(&self) -> Option<(u64, u64)> {
        (self.total > 0).then(|| (self.smallest_ns, self.largest_ns.iter().copied().max().unwrap_or(0)))
    }

    /// Buckets that hold values, ascending, with their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.counts.iter().skip(BATCHES).step_by(BATCHES + 1).copied().enumerate().filter(|(_, c)| *c > 0)
    }

    /// Seconds whose largest value lies above `value_ns`.
    pub fn seconds_above(&self, value_ns: u64) -> usize {
        self.largest_ns.iter().filter(|largest| **largest > value_ns).count()
    }

    /// First bucket at which the cumulated count reaches a share of all values; `None` when empty.
    pub(super) fn bucket_at(&self, share: f64) -> Option<usize> {
        let target = share.clamp(0.0, 1.0) * self.total as f64;
        let mut seen = 0u64;
        let mut last = None;
        for (bucket, count) in self.buckets() {
            seen += count;
            last = Some(bucket);
            if seen as f64 >= target {
                break;
            }
        }
        last
    }

    /// The quantile, placed inside its bucket as if its values were spread evenly there, in nanoseconds;
    /// `None` when empty.
    pub fn quantile_ns(&self, q: f64) -> Option<f64> {
        let target = q.clamp(0.0, 1.0) * self.total as f64;
        let mut seen = 0.0;
        let mut found = None;
        for (bucket, count) in self.buckets() {
            let (low, high) = bucket_bounds(bucket);
            let inside = ((target - seen) / count as f64).clamp(0.0, 1.0);
            found = Some(low as f64 + inside * (high - low) as f64);
            seen += count as f64;
            if seen >= target {
                break;
            }
        }
        let (smallest, largest) = self.extremes_ns()?;
        Some(found?.clamp(smallest as f64, largest as f64))
    }

    /// Counts by batch of the values in a range of buckets.
    fn by_batch(&self, buckets: std::ops::Range<usize>) -> [u64; BATCHES] {
        let mut counts = [0u64; BATCHES];
        for row in self.counts[buckets.start * (BATCHES + 1)..buckets.end * (BATCHES + 1)].chunks(BATCHES + 1)
        {
            for (sum, count) in counts.iter_mut().zip(row) {
                *sum += count;
            }
        }
        counts
    }

    /// The share of values above a bucket (or below it) with its variance, as the batches show them; `None`
    /// with fewer seconds than batches or an empty series.
    pub(crate) fn share_beyond(&self, bucket: usize, above: bool) -> Option<Share> {
        if self.batch_seconds == 0 {
            return None;
        }
        let range = if above { bucket + 1..BUCKETS } else { 0..bucket };
        let beyond = self.by_batch(range);
        let all: f64 = self.batch_totals.iter().map(|c| *c as f64).sum();
        if all <= 0.0 {
            return None;
        }
        let share = beyond.iter().map(|c| *c as f64).sum::<f64>() / all;
        let residuals: Vec<f64> =
            beyond.iter().zip(&self.batch_totals).map(|(c, n)| *c as f64 - share * *n as f64).collect();
        let squares: f64 = residuals.iter().map(|d| d * d).sum();
        let batches = BATCHES as f64;
        let correlation = lag_one(&residuals).clamp(0.0, MAX_CORRELATION);
        let inflation = (1.0 + correlation) / (1.0 - correlation);
        let variance = batches / (batches - 1.0) * squares / (all * all) * inflation;
        Some(Share { share, variance })
    }
}

/// A share of a run's values, and how much it varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// Share, 0 to 1.
    pub(crate) share: f64,
    /// Variance of the share.
    pub(crate) variance: f64,
}

/// Pearson correlation of each value with the next; 0 where either side is constant.
fn lag_one(values: &[f64]) -> f64 {
    let (first, second) = (&values[..values.len() - 1], &values[1..]);
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (a, b) = (mean(first), mean(second));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in first.iter().zip(second) {
        ab += (x - a) * (y - b);
        aa += (x - a) * (x - a);
        bb += (y - b) * (y - b);
    }
    let scale = (aa * bb).sqrt();
    if scale > 0.0 { ab / scale } else { 0.0 }
}
