//! The arrival envelope: for each rate the burst above it that no window of any length exceeds.
//!
//! Source: Tang and Tai, "Network traffic characterization using token bucket model" (INFOCOM 1999): the
//! least bucket `b` for a rate `r` is the largest backlog of a queue served at `r`, found in one pass.

use fathom_record::profile_record::EnvelopePoint;

use crate::demand::Demand;

/// Rates of an envelope, from the mean to the largest tick in equal steps of their logarithm.
const RATES: u32 = 20;

/// The envelope of so many units in each tick. A gap ends every window: nothing is claimed across it.
pub fn envelope(demand: &Demand, units: &[u64]) -> Vec<EnvelopePoint> {
    let seen = demand.seen();
    let known = || units.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(units, _)| *units);
    let (count, sum) =
        known().fold((0u64, 0u128), |(count, sum), units| (count + 1, sum + u128::from(units)));
    let most = known().max().unwrap_or(0);
    if sum == 0 {
        return Vec::new();
    }
    let tick_s = f64::from(demand.tick_s);
    let (mean, most) = (sum as f64 / count as f64 / tick_s, most as f64 / tick_s);
    let rates = if most > mean * (1.0 + 1e-9) { RATES } else { 1 };
    let step = (most / mean).ln() / f64::from(rates.max(2) - 1);
    (0..rates)
        .map(|i| {
            let rate_per_s = if i + 1 == rates { most } else { mean * (step * f64::from(i)).exp() };
            EnvelopePoint { rate_per_s, burst: burst(units, &seen, rate_per_s * tick_s) }
        })
        .collect()
}

/// The largest backlog of a queue that is served so much a tick. It counts from the beginning of a tick,
/// as if all that came in it came at once: the worst that its counts allow.
fn burst(units: &[u64], seen: &[bool], served: f64) -> f64 {
    let (mut backlog, mut most) = (0.0f64, 0.0f64);
    for (&units, &seen) in units.iter().zip(seen) {
        backlog = if seen { (backlog + units as f64 - served).max(0.0) } else { 0.0 };
        most = most.max(backlog);
    }
    most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::demand::Flow;

    fn of(units: &[u64]) -> Vec<EnvelopePoint> {
        let flow = |operations: Vec<u64>| Flow { bytes: operations.clone(), operations };
        let demand = Demand {
            tick_s: 1,
            read: flow(units.to_vec()),
            write: flow(vec![0; units.len()]),
            gaps: vec![],
            counted: None,
        };
        envelope(&demand, units)
    }

    #[test]
    fn a_steady_demand_needs_no_bucket() {
        let points = of(&[7; 50]);
        assert_eq!(points, [EnvelopePoint { rate_per_s: 7.0, burst: 0.0 }]);
        assert!(of(&[0; 50]).is_empty());
    }

    proptest! {
        #[test]
        fn no_window_exceeds_it(units in prop::collection::vec(0u64..50, 1..60)) {
            for point in of(&units) {
                for start in 0..units.len() {
                    for end in start + 1..=units.len() {
                        let came: u64 = units[start..end].iter().sum();
                        let bound = point.burst + point.rate_per_s * (end - start) as f64;
                        prop_assert!(came as f64 <= bound + 1e-6, "{start}..{end}: {came} over {bound}");
                    }
                }
            }
        }
    }
}
