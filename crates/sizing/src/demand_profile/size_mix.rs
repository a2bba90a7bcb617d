//! Sizes of I/Os: exact from a trace; from counters, what each tick's mean allows and no more.
//!
//! A tick of mean size `s` whose I/Os are all between `least` and `most` has at most
//! `(s - least) / (S - least)` of them at `S` or above (Markov's inequality), and at least
//! `(s - S) / (most - S)` above it. Summed over ticks, weighted by I/Os, both are bounds of the whole.

use fathom_record::profile_record::{SizeCount, SizeMix, SizePoint};

use crate::demand::Flow;
use crate::spread::NumberMap;
use crate::trace::Trace;

/// Smallest I/O of a block device.
const LEAST: u64 = 512;
/// Largest I/O that is taken to occur where only means are known: the kernel's own limit for most devices
/// is 1280 KiB or less. A tick whose mean is larger sets its own.
const MOST: u64 = 1 << 20;
/// Sizes at which shares are stated.
const SIZES: [u64; 9] =
    [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20];
/// Sizes that are listed by themselves.
const FREQUENT: usize = 16;

/// The sizes of one direction; absent without I/Os.
pub fn mix(flow: &Flow, trace: Option<&Trace>, write: bool) -> Option<SizeMix> {
    let operations: u64 = flow.operations.iter().sum();
    let bytes: u64 = flow.bytes.iter().sum();
    if operations == 0 {
        return None;
    }
    let mean_bytes = bytes as f64 / operations as f64;
    let (at_least, frequent) = match trace {
        Some(trace) => exact(trace, write),
        None => (SIZES.map(|size| bounds(flow, size, operations)).to_vec(), Vec::new()),
    };
    Some(SizeMix { mean_bytes, exact: trace.is_some(), at_least, frequent })
}

fn exact(trace: &Trace, write: bool) -> (Vec<SizePoint>, Vec<SizeCount>) {
    let mut counts: NumberMap<u64> = NumberMap::default();
    trace.ios.iter().filter(|io| io.write == write).for_each(|io| *counts.entry(io.bytes).or_default() += 1);
    counted(counts.into_iter().map(|(bytes, operations)| SizeCount { bytes, operations }).collect())
}

/// Sizes of I/Os that were each counted: bytes, and how many; absent without any.
pub fn of_counts(counts: &[(u64, u64)], bytes: u64) -> Option<SizeMix> {
    let sizes: Vec<_> = counts.iter().map(|&(bytes, operations)| SizeCount { bytes, operations }).collect();
    let operations: u64 = sizes.iter().map(|size| size.operations).sum();
    let (at_least, frequent) = counted(sizes);
    let mean_bytes = bytes as f64 / operations.max(1) as f64;
    (operations > 0).then_some(SizeMix { mean_bytes, exact: true, at_least, frequent })
}

fn counted(mut sizes: Vec<SizeCount>) -> (Vec<SizePoint>, Vec<SizeCount>) {
    let total: u64 = sizes.iter().map(|size| size.operations).sum();
    let point = |bytes: u64| {
        let above: u64 = sizes.iter().filter(|size| size.bytes >= bytes).map(|size| size.operations).sum();
        let share = above as f64 / total.max(1) as f64;
        SizePoint { bytes, share_low: share, share_high: share }
    };
    let points = SIZES.map(point).to_vec();
    sizes.sort_by_key(|size| (std::cmp::Reverse(size.operations), size.bytes));
    sizes.truncate(FREQUENT);
    (points, sizes)
}

fn bounds(flow: &Flow, bytes: u64, operations: u64) -> SizePoint {
    let (mut low, mut high) = (0.0, 0.0);
    let size = bytes as f64;
    for (&count, &moved) in flow.operations.iter().zip(&flow.bytes).filter(|(count, _)| **count > 0) {
        let mean = moved as f64 / count as f64;
        let (least, most) = ((LEAST as f64).min(mean), (MOST as f64).max(mean));
        let at_most = if mean >= size { 1.0 } else { (mean - least) / (size - least) };
        let at_least = if most <= size {
            f64::from(u8::from(mean >= size))
        } else {
            ((mean - size) / (most - size)).max(0.0)
        };
        high += at_most * count as f64;
        low += at_least * count as f64;
    }
    let share = |sum: f64| (sum / operations as f64).clamp(0.0, 1.0);
    SizePoint { bytes, share_low: share(low), share_high: share(high) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::TracedIo;

    proptest! {
        /// Whatever the sizes were, what the counters allow holds the truth.
        #[test]
        fn bounds_hold_the_truth(sizes in prop::collection::vec((0u64..20, 1u64..2049), 1..200)) {
            let ios: Vec<TracedIo> = {
                let mut ios: Vec<TracedIo> = sizes.iter().map(|&(second, sectors)| TracedIo {
                    at_ns: second * 1_000_000_000, offset: 0, bytes: sectors * 512, write: false,
                }).collect();
                ios.sort_by_key(|io| io.at_ns);
                ios
            };
            let trace = Trace { ios };
            let demand = trace.demand().unwrap();
            let truth = mix(&demand.read, Some(&trace), false).unwrap();
            let seen = mix(&demand.read, None, false).unwrap();
            for (truth, seen) in truth.at_least.iter().zip(&seen.at_least) {
                prop_assert!(seen.share_low <= truth.share_low + 1e-9, "{seen:?} {truth:?}");
                prop_assert!(seen.share_high >= truth.share_high - 1e-9, "{seen:?} {truth:?}");
            }
        }
    }

    #[test]
    fn pure_ticks_narrow_the_range() {
        let flow = Flow { operations: vec![100, 100], bytes: vec![100 * 512, 100 << 20] };
        let found = mix(&flow, None, false).unwrap();
        let middle = found.at_least[4];
        assert_eq!((middle.bytes, middle.share_low, middle.share_high), (64 << 10, 0.5, 0.5));
        assert!(mix(&Flow::default(), None, false).is_none());
    }
}
