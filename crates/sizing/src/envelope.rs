//! The arrival envelope: for each rate, the largest backlog that a demand leaves behind it.
//!
//! It contains every window's peak and every token bucket's requirement. Source: Tang and Tai,
//! "Network traffic characterization using token bucket model" (INFOCOM 1999): the least bucket for a rate is
//! the largest excess of any stretch over that rate.

/// Rates in an envelope.
const RATES: usize = 20;

/// One point: behind a plain cap of `per_s` at most `backlog` units ever wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Units a second.
    pub per_s: u64,
    /// Most units that wait at the end of any tick.
    pub backlog: u64,
}

/// The largest backlog behind one rate.
pub fn backlog(units: &[u64], tick_s: u32, per_s: u64) -> u64 {
    let drained = per_s.saturating_mul(u64::from(tick_s));
    let step = |waiting: &mut u64, &arriving: &u64| {
        *waiting = waiting.saturating_add(arriving).saturating_sub(drained);
        Some(*waiting)
    };
    units.iter().scan(0, step).max().unwrap_or(0)
}

/// The envelope from the mean rate to the largest tick, at rates of even ratios.
pub fn envelope(units: &[u64], tick_s: u32) -> Vec<Point> {
    let ticks = units.len().max(1) as f64 * f64::from(tick_s);
    let mean = units.iter().map(|&u| u as f64).sum::<f64>() / ticks;
    let peak = units.iter().copied().max().unwrap_or(0) as f64 / f64::from(tick_s);
    if peak <= 0.0 {
        return Vec::new();
    }
    let rate = |i: usize| mean * (peak / mean).powf(i as f64 / (RATES - 1) as f64);
    let mut rates: Vec<u64> = (0..RATES).map(|i| rate(i).ceil() as u64).collect();
    rates.dedup();
    rates.into_iter().map(|per_s| Point { per_s, backlog: backlog(units, tick_s, per_s) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_backlog_is_the_largest_excess_of_any_stretch(units in prop::collection::vec(0u64..100, 1..60), per_s in 0u64..80) {
            let stretches = (0..units.len()).flat_map(|from| (from + 1..=units.len()).map(move |to| (from, to)));
            let excess = |(from, to): (usize, usize)| {
                units[from..to].iter().sum::<u64>().saturating_sub(per_s * (to - from) as u64)
            };
            prop_assert_eq!(backlog(&units, 1, per_s), stretches.map(excess).max().unwrap_or(0));
        }
    }

    #[test]
    fn an_envelope_falls_to_nothing_at_the_peak() {
        let points = envelope(&[0, 10, 400, 3, 0, 0], 1);
        assert_eq!(points.last().map(|p| (p.per_s, p.backlog)), Some((400, 0)));
        assert!(points.windows(2).all(|pair| pair[0].backlog >= pair[1].backlog));
        assert!(envelope(&[0, 0], 1).is_empty());
    }
}
