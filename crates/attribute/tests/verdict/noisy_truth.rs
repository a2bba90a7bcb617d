//! Random truths under measuring noise: how often the right limit is named, and how often a wrong one is
//! claimed with confidence.

use fathom_record::verdict::{Confidence, Limit};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::scene::{Scene, claims};

/// Relative noise of one cell's rate.
const NOISE: f64 = 0.003;
const CASES: usize = 1000;

/// A scene with a rate that is the p-norm of `N / R1` and a most, under noise.
fn curve(rng: &mut Xoshiro256PlusPlus, unloaded_s: f64, most: f64, p: f64, variation: f64) -> Scene {
    let noise = Normal::new(0.0, NOISE).unwrap();
    let free = |n: f64| ((n / unloaded_s).powf(-p) + most.powf(-p)).powf(-1.0 / p);
    let factors: Vec<f64> = (0..16).map(|_| noise.sample(rng).exp()).collect();
    let next = std::cell::Cell::new(0);
    Scene::new(
        |jobs, depth| {
            next.set(next.get() + 1);
            free(jobs * depth) * factors[next.get() - 1]
        },
        variation,
    )
}

/// One random truth; `Unknown` where nothing binds.
fn case(rng: &mut Xoshiro256PlusPlus) -> (Limit, Scene) {
    let unloaded_s = rng.random_range(2e-5f64.ln()..1e-3f64.ln()).exp();
    let knee = rng.random_range(2.0f64.ln()..32.0f64.ln()).exp();
    let most = knee / unloaded_s;
    let uneven = rng.random_range(0.012..0.05);
    let even = rng.random_range(0.001..0.006);
    match rng.random_range(0..7) {
        0 => (Limit::Concurrency, curve(rng, unloaded_s, 1e5 * most, 4.0, uneven)),
        1 => (Limit::DeclaredCeiling, curve(rng, unloaded_s, most, 40.0, even).declare_iops(most)),
        2 => (Limit::RateCap, curve(rng, unloaded_s, most, 40.0, even)),
        3 => {
            let p = rng.random_range(0.9..3.0);
            (Limit::DeviceParallelism, curve(rng, unloaded_s, most, p, uneven).declare_iops(3.0 * most))
        }
        4 => {
            let scene = curve(rng, unloaded_s, most, 6.0, uneven);
            (Limit::OneCore, scene.each(|_, seen| seen.core_busy_shares[2] = 0.98))
        }
        5 => {
            // Measured only up to half way: neither latency-bound nor full.
            let mut scene = curve(rng, unloaded_s, 300.0 / unloaded_s, 1.0, uneven);
            scene.cells.iter_mut().for_each(|c| c.busiest_core_share = Some(0.4));
            (Limit::Unknown, scene)
        }
        _ => {
            let exponent = rng.random_range(0.3..0.7);
            let scale = 1.0 / unloaded_s;
            (Limit::Unknown, Scene::new(|jobs, depth| scale * (jobs * depth).powf(exponent), uneven))
        }
    }
}

#[test]
fn confident_claims_are_right_and_nothing_is_claimed_where_nothing_binds() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let (mut confident, mut confident_right, mut bound, mut named, mut idle_claims) = (0, 0, 0, 0, 0);
    for _ in 0..CASES {
        let (truth, scene) = case(&mut rng);
        let (found, confidence) = claims(&scene.verdict())[0];
        let is_confident = confidence >= Confidence::Likely;
        confident += usize::from(is_confident);
        confident_right += usize::from(is_confident && found == truth);
        bound += usize::from(truth != Limit::Unknown);
        named += usize::from(truth != Limit::Unknown && found == truth);
        idle_claims += usize::from(truth == Limit::Unknown && is_confident);
    }
    println!("named {named} of {bound}, confident and right {confident_right} of {confident}");
    assert!(named * 100 >= bound * 85, "{named} of {bound}");
    assert!(confident_right * 100 >= confident * 97, "{confident_right} of {confident}");
    assert_eq!(idle_claims, 0);
}
