//! Counts on bins of equal ratio, from the linear buckets inside each power of two.

use fathom_measure::histogram::bucket_bounds;

use crate::tail::LatencySeries;

/// Bins to each doubling.
pub const BINS_PER_DOUBLING: usize = 32;
/// Empty bins on either side, so that a mode at the edge has flanks.
const MARGIN: usize = 2 * BINS_PER_DOUBLING;

/// Counts over bins of equal ratio.
///
/// A bucket's count is spread over the bins that it covers: without that, the widths of the linear
/// buckets jump by two at each power of two, and so would the counts. Counts are therefore not whole.
#[derive(Clone, Debug, PartialEq)]
pub struct LogBins {
    /// Count of each bin.
    pub counts: Vec<f64>,
    /// Bin number of the first, in doublings of 1 ns times [`BINS_PER_DOUBLING`].
    first: i64,
}

impl LogBins {
    /// The bins of a series. Each value stands for the whole of `resolution_ns` from it on (1 where the
    /// clock resolves nanoseconds), so that a coarse clock does not look like a comb of modes.
    /// `None` when empty.
    pub fn of(series: &LatencySeries, resolution_ns: u64) -> Option<Self> {
        Self::from_buckets(series.buckets(), resolution_ns)
    }

    fn from_buckets(buckets: impl Iterator<Item = (usize, u64)>, resolution_ns: u64) -> Option<Self> {
        let spans: Vec<(f64, f64, f64)> = buckets
            .map(|(bucket, count)| {
                let (low, high) = bucket_bounds(bucket);
                let width = (high - low).saturating_add(1).max(resolution_ns.max(1));
                // Zero has no logarithm; it shares the bin of one nanosecond.
                let low = low.max(1) as f64;
                (position(low), position(low + width as f64), count as f64)
            })
            .collect();
        let start = spans.first()?.0.floor() as i64 - MARGIN as i64;
        let end = spans.iter().map(|s| s.1.ceil() as i64).max()? + MARGIN as i64;
        let mut counts = vec![0.0; usize::try_from(end - start).ok()?];
        for (from, to, count) in spans {
            let mut at = from;
            while at < to {
                let bin = at.floor();
                let until = (bin + 1.0).min(to);
                // Spread evenly over the logarithm: within one bucket that is within 0.4 % of evenly.
                counts[(bin as i64 - start) as usize] += count * (until - at) / (to - from);
                at = until;
            }
        }
        Some(Self { counts, first: start })
    }

    /// Value at the lower edge of a bin, in nanoseconds.
    pub fn edge_ns(&self, bin: usize) -> u64 {
        ((self.first + bin as i64) as f64 / BINS_PER_DOUBLING as f64).exp2().round() as u64
    }

    /// Value in the middle of a bin, in nanoseconds.
    pub fn middle_ns(&self, bin: usize) -> u64 {
        ((self.first as f64 + bin as f64 + 0.5) / BINS_PER_DOUBLING as f64).exp2().round() as u64
    }

    /// Sum of all counts.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Place of a value on the axis of bins.
fn position(value_ns: f64) -> f64 {
    value_ns.log2() * BINS_PER_DOUBLING as f64
}
