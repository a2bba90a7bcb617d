//! Modes: humps that a valley parts, deep enough and beyond chance.

use fathom_record::distribution::Mode;

use super::LogBins;
use crate::tail::LatencySeries;

/// A valley parts two humps when it is at most this share of the lower one.
pub const VALLEY_SHARE: f64 = 0.5;
/// Standard errors of the difference between hump and valley that are beyond chance.
pub const MIN_Z: f64 = 4.0;
/// Least share of all values that makes a mode.
pub const MIN_MASS: f64 = 0.002;
/// Standard deviation of the smoothing kernel, in bins.
const BANDWIDTH: f64 = 1.5;
/// Reach of the kernel, in bins.
const REACH: usize = 6;

/// The modes of a series, ascending; a single one for a unimodal distribution, none for an empty one.
///
/// Counts are smoothed with a Gaussian of 1.5 bins. Neighbouring peaks are merged, the shallowest parting
/// first, until every valley is at most [`VALLEY_SHARE`] of the lower peak and stands out by [`MIN_Z`]
/// Poisson standard errors. Each value stands for `resolution_ns` from it on.
pub fn modes(series: &LatencySeries, resolution_ns: u64) -> Vec<Mode> {
    let Some(bins) = LogBins::of(series, resolution_ns) else { return Vec::new() };
    let smooth = smoothed(&bins.counts);
    let peaks = parted(&smooth, peaks(&smooth));
    let mut cuts = vec![0];
    cuts.extend(peaks.windows(2).map(|pair| valley(&smooth, pair[0], pair[1])));
    cuts.push(bins.counts.len());
    let total = bins.total();
    let (smallest, largest) = series.extremes_ns().unwrap_or((0, 0));
    peaks
        .iter()
        .zip(cuts.windows(2))
        .map(|(peak, cut)| Mode {
            at_ns: bins.middle_ns(*peak),
            low_ns: bins.edge_ns(cut[0]).max(smallest),
            high_ns: bins.edge_ns(cut[1]).min(largest),
            share: bins.counts[cut[0]..cut[1]].iter().sum::<f64>() / total,
        })
        .filter(|mode| mode.share >= MIN_MASS)
        .collect()
}

fn smoothed(counts: &[f64]) -> Vec<f64> {
    let kernel: Vec<f64> =
        (0..=2 * REACH).map(|i| (-0.5 * ((i as f64 - REACH as f64) / BANDWIDTH).powi(2)).exp()).collect();
    let sum: f64 = kernel.iter().sum();
    (0..counts.len())
        .map(|at| {
            let inside = |k: usize| (at + k).checked_sub(REACH).and_then(|i| counts.get(i)).copied();
            kernel.iter().enumerate().map(|(k, w)| w * inside(k).unwrap_or(0.0)).sum::<f64>() / sum
        })
        .collect()
}

/// Local maxima; of a level stretch its upper end.
fn peaks(smooth: &[f64]) -> Vec<usize> {
    (1..smooth.len().saturating_sub(1))
        .filter(|&i| smooth[i] > 0.0 && smooth[i] >= smooth[i - 1] && smooth[i] > smooth[i + 1])
        .collect()
}

/// The peaks that remain when all that are not truly parted have been merged into the higher one.
fn parted(smooth: &[f64], mut peaks: Vec<usize>) -> Vec<usize> {
    // Bins that the kernel pools: the smoothed counts vary as counts over so many bins do.
    let pooled = 2.0 * std::f64::consts::PI.sqrt() * BANDWIDTH;
    // Merging two peaks changes only the partings beside them; the rest keep their depth.
    let parting = |a: usize, b: usize| {
        let low = smooth[valley(smooth, a, b)];
        let peak = smooth[a].min(smooth[b]);
        let z = (peak - low) * pooled / ((peak + low) * pooled + 1e-9).sqrt();
        let is_parted = low <= (1.0 - VALLEY_SHARE) * peak && z >= MIN_Z;
        (!is_parted).then_some(peak - low)
    };
    let mut partings: Vec<Option<f64>> = peaks.windows(2).map(|pair| parting(pair[0], pair[1])).collect();
    while let Some((at, _)) = partings
        .iter()
        .enumerate()
        .filter_map(|(at, depth)| depth.map(|d| (at, d)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
    {
        let lower = if smooth[peaks[at]] < smooth[peaks[at + 1]] { at } else { at + 1 };
        peaks.remove(lower);
        partings.remove(at);
        if lower > 0 && lower < peaks.len() {
            partings[lower - 1] = parting(peaks[lower - 1], peaks[lower]);
        }
    }
    peaks
}

/// The lowest bin between two peaks.
fn valley(smooth: &[f64], from: usize, to: usize) -> usize {
    (from..=to).min_by(|&a, &b| smooth[a].total_cmp(&smooth[b])).unwrap_or(from)
}
