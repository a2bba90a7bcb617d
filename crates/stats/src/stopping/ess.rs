//! How many independent seconds a correlated series is worth.
//!
//! n / tau with tau = 1 + 2 (sum of autocorrelations), summed as Geyer's initial monotone sequence
//! (Geyer, *Practical Markov Chain Monte Carlo*, 1992): sums of two neighbouring lags, up to the first that
//! is not positive, none larger than the one before.

use crate::student::mean;

/// Correlation time of a series in values: 1 for independent ones. `None` for fewer than four values, a
/// constant series, or a value that is not finite.
pub fn correlation_time(series: &[f64]) -> Option<f64> {
    let centre = mean(series)?;
    let variance = covariance(series, centre, 0);
    if series.len() < 4 || variance <= 0.0 {
        return None;
    }
    let mut tau = -1.0;
    let mut smallest = f64::INFINITY;
    for pair in 0..series.len() / 4 {
        let sum =
            (covariance(series, centre, 2 * pair) + covariance(series, centre, 2 * pair + 1)) / variance;
        if sum <= 0.0 {
            break;
        }
        smallest = sum.min(smallest);
        tau += 2.0 * smallest;
    }
    Some(tau.max(1.0))
}

/// Autocovariance at a lag, divided by the whole length.
fn covariance(series: &[f64], centre: f64, lag: usize) -> f64 {
    let products = series.iter().zip(&series[lag..]).map(|(a, b)| (a - centre) * (b - centre));
    products.sum::<f64>() / series.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_truth::random_process::noise_process::autoregressive;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn memory_shrinks_a_series_as_theory_says() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for (memory, tau) in [(0.0, 1.0), (0.6, 4.0), (0.9, 19.0)] {
            let series = autoregressive(20_000, memory, 1.0, &mut rng);
            let found = correlation_time(&series).unwrap();
            assert!((found / tau - 1.0).abs() < 0.25, "memory {memory}: {found}");
        }
    }

    #[test]
    fn constant_and_broken_series_have_none() {
        assert_eq!(correlation_time(&[2.0; 50]), None);
        assert_eq!(correlation_time(&[1.0, 2.0, 3.0]), None);
        assert_eq!(correlation_time(&[1.0, f64::NAN, 3.0, 4.0]), None);
    }
}
