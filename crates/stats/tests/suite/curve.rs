//! Fits of curves that were drawn from the model, with 1 % of noise, and of what no model fits.

use fathom_stats::curve::{fit_p_norm, fit_usl};
use fathom_truth::process::sides::normal;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

#[test]
fn the_asymptotes_and_the_bend_of_a_curve_are_found() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (r0_s, x_max, p) in [(80e-6, 700_000.0, 1.0f64), (20e-6, 200_000.0, 2.5), (1e-3, 3000.0, 16.0)] {
        let curve = |n: f64| ((n / r0_s).powf(-p) + f64::powf(x_max, -p)).powf(-1.0 / p);
        let points: Vec<(f64, f64)> = (0..11)
            .map(|i| f64::from(1 << i))
            .map(|n| (n, curve(n) * normal(0.01, &mut rng).exp()))
            .collect();
        let fitted = fit_p_norm(&points).unwrap();
        assert!((fitted.x_max_per_s / x_max - 1.0).abs() < 0.05, "{fitted:?}");
        assert!((fitted.r0_ns / 1e9 / r0_s - 1.0).abs() < 0.05, "{fitted:?}");
        assert_eq!(fitted.is_hard_cap(), p > 8.0, "{fitted:?}");
        assert!(fitted.residual < 0.02, "{fitted:?}");
        assert!((fitted.rate(8.0) / curve(8.0) - 1.0).abs() < 0.03);
    }
}

#[test]
fn a_curve_without_a_bend_has_no_highest_rate() {
    let straight: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(1 << i), 1e4 * f64::from(1 << i))).collect();
    assert_eq!(fit_p_norm(&straight), None);
    assert_eq!(fit_p_norm(&straight[..3]), None);
    assert_eq!(fit_p_norm(&[(1.0, f64::NAN), (2.0, 0.0), (0.0, 1.0), (4.0, -1.0)]), None);
}

#[test]
fn only_a_rate_that_falls_is_retrograde() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut points = |a: f64, b: f64| -> Vec<(f64, f64)> {
        [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0]
            .map(|j| {
                let x: f64 = 5e4 * j / (1.0 + a * (j - 1.0) + b * j * (j - 1.0));
                (j, x * normal(0.01, &mut rng).exp())
            })
            .to_vec()
    };
    let falling = fit_usl(&points(0.05, 0.01)).unwrap();
    assert!(falling.is_retrograde(), "{falling:?}");
    assert!((falling.coherence / 0.01 - 1.0).abs() < 0.2, "{falling:?}");
    assert!((falling.best_jobs().unwrap() - 9.7).abs() < 1.0, "{falling:?}");
    let scaling = fit_usl(&points(0.05, 0.0)).unwrap();
    assert!(!scaling.is_retrograde(), "{scaling:?}");
    assert!(fit_usl(&points(0.0, 0.0)).is_some_and(|s| !s.is_retrograde()));
    assert_eq!(fit_usl(&[(1.0, 5.0), (2.0, 9.0)]), None);
    assert_eq!(fit_usl(&[(1.0, 5.0), (2.0, 9.0), (4.0, 17.0)]).unwrap().coherence_low, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_numbers_are_taken(points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..8)) {
        let _ = (fit_p_norm(&points), fit_usl(&points));
    }
}
