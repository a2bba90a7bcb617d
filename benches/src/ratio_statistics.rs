//! Medians, and the ratio of paired measurements with its 95 % interval.
//!
//! Random pairs are analysed as d = ln(B/A): mean and Student's t interval, back through exp. With fewer
//! than 20 pairs a percentile bootstrap covers too little, while t covers what it says.

/// Two-sided 95 % points of Student's t for 1 to 30 degrees of freedom; Fisher and Yates, Statistical
/// Tables, table III.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// Ratio of paired measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub median: f64,
    /// 95 % interval of the geometric mean.
    pub low: f64,
    pub high: f64,
}

/// Middle value, or the mean of the two middle ones; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Ratio of the first of each pair to the second. `None` with fewer than two pairs, or where a value is
/// not a positive number.
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let sound = |value: f64| value.is_finite() && value > 0.0;
    if pairs.len() < 2 || !pairs.iter().all(|&(a, b)| sound(a) && sound(b)) {
        return None;
    }
    let count = pairs.len() as f64;
    let logs = || pairs.iter().map(|(a, b)| (a / b).ln());
    let mean = logs().sum::<f64>() / count;
    let variance = logs().map(|d| (d - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = t_975(pairs.len() - 1) * (variance / count).sqrt();
    Some(Ratio {
        median: median(pairs.iter().map(|(a, b)| a / b))?,
        low: (mean - half).exp(),
        high: (mean + half).exp(),
    })
}

/// The same for many pairs of which some lie far out, as on a machine that is taken away for moments: the median of the
/// ratios, and around it the values that it lies between in 95 % of cases whatever their distribution. `None` with
/// fewer than six pairs, where no two values do.
pub fn paired_median(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let mut ratios: Vec<f64> = pairs.iter().map(|(a, b)| a / b).collect();
    if !ratios.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0) {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    let outside = values_outside(ratios.len())?;
    let (low, high) = (ratios[outside], ratios[ratios.len() - 1 - outside]);
    Some(Ratio { median: median(ratios)?, low, high })
}

/// How many of the lowest values, and of the highest, may be left out so that the median of what they were drawn from
/// still lies between the others in 95 % of cases: each lies below it with a chance of one half. `None` if not even
/// all of them do.
fn values_outside(count: usize) -> Option<usize> {
    let all = i32::try_from(count).ok()?;
    // The chance that exactly `below` of them lie below the median, and that so many or fewer do.
    let (mut chance, mut sum) = (0.5_f64.powi(all), 0.0);
    for below in 0..count {
        sum += chance;
        if sum > 0.025 {
            return below.checked_sub(1);
        }
        chance *= (count - below) as f64 / (below + 1) as f64;
    }
    None
}

/// The 97.5 % point; beyond the table by the expansion in 1/degrees around the normal point
/// (Abramowitz and Stegun, 26.7.5).
fn t_975(degrees: usize) -> f64 {
    if let Some(&point) = T_975.get(degrees.wrapping_sub(1)) {
        return point;
    }
    let (z, v) = (1.959_964_f64, degrees as f64);
    z + (z.powi(3) + z) / (4.0 * v) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn medians_of_odd_even_and_no_values() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn t_goes_on_smoothly_beyond_its_table() {
        assert_eq!(t_975(6), 2.447);
        for (degrees, point) in [(31, 2.040), (40, 2.021), (60, 2.000), (120, 1.980)] {
            assert!((t_975(degrees) - point).abs() < 6e-4, "{degrees}: {}", t_975(degrees));
        }
    }

    #[test]
    fn the_interval_is_the_one_computed_by_hand() {
        // ln ratios 0.00, 0.02, 0.04: mean 0.02, sd 0.02, half 4.303 * 0.02 / sqrt(3) = 0.04969.
        let pairs: Vec<(f64, f64)> = [0.0_f64, 0.02, 0.04].map(|d| (100.0 * d.exp(), 100.0)).to_vec();
        let ratio = paired_ratio(&pairs).unwrap();
        assert!((ratio.median - 0.02_f64.exp()).abs() < 1e-9);
        assert!((ratio.low - (0.02_f64 - 0.049_687).exp()).abs() < 1e-5, "{ratio:?}");
        assert!((ratio.high - (0.02_f64 + 0.049_687).exp()).abs() < 1e-5, "{ratio:?}");
    }

    #[test]
    fn a_common_drift_does_not_widen_the_interval() {
        let pairs: Vec<(f64, f64)> = (1..=7).map(|hour| (1.1 * f64::from(hour), f64::from(hour))).collect();
        let ratio = paired_ratio(&pairs).unwrap();
        assert!((ratio.low - 1.1).abs() < 1e-9 && (ratio.high - 1.1).abs() < 1e-9);
    }

    #[test]
    fn the_interval_holds_the_truth_95_times_in_100() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        // The sum of 12 uniform draws is normal enough.
        let mut noise = || (0..12).map(|_| random.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0;
        let trials = 2000;
        let held = (0..trials).filter(|_| {
            let pairs: Vec<_> =
                (0..7).map(|_| ((0.02 * noise()).exp() * 1.3, (0.02 * noise()).exp())).collect();
            let ratio = paired_ratio(&pairs).unwrap();
            ratio.low <= 1.3 && 1.3 <= ratio.high
        });
        let share = held.count() as f64 / f64::from(trials);
        assert!((0.935..=0.965).contains(&share), "{share}");
    }

    #[test]
    fn ranks_are_those_of_the_sign_test() {
        // Tables of the sign test: of 6 pairs the outermost, of 10 the second, of 20 the sixth, of 50 the eighteenth.
        for (count, outside) in [(5, None), (6, Some(0)), (10, Some(1)), (20, Some(5)), (50, Some(17))] {
            assert_eq!(values_outside(count), outside, "{count}");
        }
    }

    #[test]
    fn the_interval_of_a_median_holds_it_however_far_out_some_values_lie() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut draw = || random.next_u64() as f64 / u64::MAX as f64;
        let trials = 2000;
        let held = (0..trials).filter(|_| {
            let pairs: Vec<(f64, f64)> = (0..40)
                .map(|_| {
                    let noise = 0.02 * (draw() - 0.5);
                    let fall = if draw() < 0.1 { draw() } else { 1.0 };
                    (fall.max(0.01) * (1.0 + noise), if draw() < 0.1 { draw().max(0.01) } else { 1.0 })
                })
                .collect();
            let ratio = paired_median(&pairs).unwrap();
            ratio.low <= 1.0 && 1.0 <= ratio.high
        });
        assert!(held.count() as f64 / f64::from(trials) >= 0.945);
    }

    #[test]
    fn pairs_without_a_ratio_are_refused() {
        assert_eq!(paired_median(&[(1.0, 1.0); 5]), None);
        assert_eq!(paired_median(&[(1.0, 0.0); 9]), None);
        assert_eq!(paired_ratio(&[(1.0, 1.0)]), None);
        assert_eq!(paired_ratio(&[(1.0, 1.0), (0.0, 1.0)]), None);
        assert_eq!(paired_ratio(&[(1.0, 1.0), (f64::NAN, 1.0)]), None);
    }
}
