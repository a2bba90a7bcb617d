//! SNIA's rule for steady state, shown beside the verdict and deciding nothing.
//!
//! SSS-PTS 2.0.1: over five rounds the largest and the smallest differ by at most 20 % of their mean, and
//! the fitted line rises or falls by at most 10 % of it. On simulated series that settle slowly it accepts
//! a wrong level in 61 of 100, so it is a statement of compliance and not of steadiness.

use fathom_record::steadiness::SniaRounds;

use super::drift::Line;

/// Length of a round here, in seconds.
const ROUND_S: usize = 60;
const ROUNDS: usize = 5;
const MOST_EXCURSION: f64 = 0.2;
const MOST_SLOPE: f64 = 0.1;

/// The rule on the last five rounds of a series; `None` for fewer.
pub fn last_rounds(rates: &[f64]) -> Option<SniaRounds> {
    let whole = rates.len() / ROUND_S * ROUND_S;
    judge(&Line::fit(&rates[..whole], ROUNDS, ROUND_S)?, ROUND_S as f64)
}

/// The rule on the last five of rounds that were measured apart, each with its mean rate; `None` for fewer.
/// `round_s` is the length of each, in seconds.
pub fn last_of(rounds: &[f64], round_s: f64) -> Option<SniaRounds> {
    judge(&Line::fit(rounds, ROUNDS, 1)?, round_s)
}

fn judge(line: &Line, round_s: f64) -> Option<SniaRounds> {
    let high = line.batches.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = line.batches.iter().copied().fold(f64::INFINITY, f64::min);
    let excursion_share = (high - low) / line.mean;
    let slope_share = line.slope * (ROUNDS - 1) as f64 / line.mean;
    let met = excursion_share <= MOST_EXCURSION && slope_share.abs() <= MOST_SLOPE;
    Some(SniaRounds { met, round_s, excursion_share, slope_share })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(values: [f64; 5]) -> Option<SniaRounds> {
        last_rounds(&values.iter().flat_map(|value| vec![*value; ROUND_S]).collect::<Vec<_>>())
    }

    #[test]
    fn both_limits_count() {
        assert!(rounds([100.0, 109.0, 91.0, 109.0, 100.0]).unwrap().met);
        assert!(!rounds([100.0, 111.0, 89.0, 111.0, 100.0]).unwrap().met);
        let slope = rounds([94.0, 97.0, 100.0, 103.0, 106.0]).unwrap();
        assert!(!slope.met && (slope.slope_share - 0.12).abs() < 1e-12);
        assert_eq!(last_rounds(&[1.0; 299]), None);
        assert!(last_of(&[5.0, 100.0, 109.0, 91.0, 109.0, 100.0], 60.0).unwrap().met);
        assert_eq!(last_of(&[1.0; 4], 60.0), None);
    }
}
