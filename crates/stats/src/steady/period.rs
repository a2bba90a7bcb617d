//! A period that a rate repeats with, as garbage collection or a neighbour's schedule makes it.

use fathom_record::steadiness::Period;

use crate::student::mean;

/// Least autocorrelation at the period's distance.
const LEAST_CORRELATION: f64 = 0.3;
/// Standard errors that the autocorrelation has to stand out by.
const STANDS_OUT: f64 = 2.0;
/// Periods that a window has to hold before one is believed.
const SEEN_PERIODS: usize = 3;
/// Periods over which a mean is published.
pub const WHOLE_PERIODS: usize = 6;

/// Points that the first look at a window takes: longer windows are averaged down to so many.
const POINTS: usize = 1000;

/// The dominant period of a window of 1-s rates, if there is one.
///
/// It is the highest peak of the autocorrelation beyond its first fall below zero. The peak must reach
/// 0.3 and two of Bartlett's standard errors, which grow with the memory of the noise; half a period away
/// the rates must be opposed, and two periods away alike again, which slow noise does not do.
pub fn dominant(window: &[f64]) -> Option<Period> {
    let point_s = window.len().div_ceil(POINTS).max(1);
    let points: Vec<f64> = window.chunks_exact(point_s).filter_map(mean).collect();
    let series = DetrendedSeries::of(&points)?;
    let longest = points.len() / SEEN_PERIODS;
    let correlations: Vec<f64> =
        (0..(2 * longest + longest / 4).min(points.len())).map(|lag| series.at(lag)).collect();
    let fall = (1..longest).find(|lag| correlations[*lag] < 0.0)?;
    let peak = (fall..longest)
        .filter(|lag| {
            correlations[*lag] >= correlations[lag - 1] && correlations[*lag] >= correlations[lag + 1]
        })
        .max_by(|a, b| correlations[*a].total_cmp(&correlations[*b]))?;
    let memory: f64 = correlations[1..fall].iter().map(|r| r * r).sum();
    let error = ((1.0 + 2.0 * memory) / points.len() as f64).sqrt();
    let height = correlations[peak];
    let opposed = correlations[peak / 2] < -height / 3.0;
    let again = nearby(&correlations, 2 * peak) > height / 2.0;
    if height < LEAST_CORRELATION.max(STANDS_OUT * error) || !opposed || !again {
        return None;
    }
    Some(Period {
        seconds: to_the_second(window, peak * point_s, point_s)? as f64,
        correlation: height,
        swing_share: swing(window)?,
    })
}

/// The lag of the highest autocorrelation within a point of a lag, in seconds.
fn to_the_second(window: &[f64], lag: usize, point_s: usize) -> Option<usize> {
    if point_s == 1 {
        return Some(lag);
    }
    let series = DetrendedSeries::of(window)?;
    (lag + 1 - point_s..lag + point_s).max_by(|a, b| series.at(*a).total_cmp(&series.at(*b)))
}

/// Half the distance between the tenth and the ninetieth percentile, as a share of the mean.
fn swing(window: &[f64]) -> Option<f64> {
    let mut sorted = window.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    Some((at(0.9) - at(0.1)) / 2.0 / mean(window)?)
}

/// Highest autocorrelation within a tenth of a lag.
fn nearby(correlations: &[f64], lag: usize) -> f64 {
    let reach = (lag / 10).max(1);
    let end = (lag + reach + 1).min(correlations.len());
    correlations.get(lag - reach..end).unwrap_or_default().iter().copied().fold(-1.0, f64::max)
}

/// What a straight line leaves of a series.
struct DetrendedSeries {
    rest: Vec<f64>,
    squares: f64,
}

impl DetrendedSeries {
    /// `None` for a constant series or one with values that are no numbers.
    fn of(series: &[f64]) -> Option<Self> {
        let length = series.len() as f64;
        let centre = mean(series)?;
        let middle = (length - 1.0) / 2.0;
        let slope = series.iter().enumerate().map(|(i, v)| (i as f64 - middle) * (v - centre)).sum::<f64>()
            / (length * (length * length - 1.0) / 12.0);
        let rest: Vec<f64> =
            series.iter().enumerate().map(|(i, v)| v - centre - slope * (i as f64 - middle)).collect();
        let squares: f64 = rest.iter().map(|v| v * v).sum();
        (squares.sqrt() > 1e-9 * centre.abs() * length.sqrt()).then_some(Self { rest, squares })
    }

    /// Autocorrelation at a lag.
    fn at(&self, lag: usize) -> f64 {
        self.rest.iter().zip(&self.rest[lag..]).map(|(a, b)| a * b).sum::<f64>() / self.squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_truth::random_process::noise_process::autoregressive;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn a_square_wave_is_found_with_its_length() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let noise = autoregressive(600, 0.5, 0.02, &mut rng);
        let wave = |i: usize| if i % 80 < 40 { 1.1 } else { 0.9 };
        let rates: Vec<f64> = noise.iter().enumerate().map(|(i, n)| wave(i) * (1.0 + n)).collect();
        let period = dominant(&rates).unwrap();
        assert!((period.seconds - 80.0).abs() <= 2.0, "{period:?}");
        assert!((period.swing_share - 0.1).abs() < 0.03, "{period:?}");
    }

    #[test]
    fn noise_with_memory_is_rarely_taken_for_a_period() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        for memory in [0.0, 0.5, 0.9] {
            let found = (0..200)
                .filter(|_| {
                    let noise = autoregressive(300, memory, 0.05, &mut rng);
                    dominant(&noise.iter().map(|n| 1.0 + n).collect::<Vec<_>>()).is_some()
                })
                .count();
            assert!(found <= 10, "memory {memory}: {found} of 200");
        }
    }

    #[test]
    fn a_constant_series_has_none() {
        assert_eq!(dominant(&[5.0; 300]), None);
        assert_eq!(dominant(&[]), None);
    }
}
