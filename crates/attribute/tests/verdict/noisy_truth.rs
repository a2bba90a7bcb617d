//! Random truths under measuring noise: how often the right limit is named, and how often a wrong one is
//! claimed with confidence.

use fathom_record::verdict::{Confidence, Limit};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::scene::{Scene, claims};

const CASES: usize = 1000;

/// A scene with a rate that is the p-norm of `N / R1` and a most, under relative noise of each cell's rate.
fn curve(
    rng: &mut Xoshiro256PlusPlus,
    noise: f64,
    unloaded_s: f64,
    most: f64,
    p: f64,
    variation: f64,
) -> Scene {
    let noise = Normal::new(0.0, noise).unwrap();
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
fn case(rng: &mut Xoshiro256PlusPlus, noise: f64) -> (Limit, Scene) {
    let unloaded_s = rng.random_range(2e-5f64.ln()..1e-3f64.ln()).exp();
    let knee = rng.random_range(2.0f64.ln()..32.0f64.ln()).exp();
    let most = knee / unloaded_s;
    let uneven = rng.random_range(0.012..0.05);
    let even = rng.random_range(0.001..0.006);
    match rng.random_range(0..7) {
        0 => (Limit::Concurrency, curve(rng, noise, unloaded_s, 1e5 * most, 4.0, uneven)),
        1 => (Limit::VolumeIops, curve(rng, noise, unloaded_s, most, 40.0, even).declare_iops(most)),
        2 => (
            Limit::VolumeThroughput,
            curve(rng, noise, unloaded_s, most, 40.0, even).declare_throughput(most * 4096.0),
        ),
        3 => {
            let p = rng.random_range(0.9..3.0);
            (
                Limit::DeviceParallelism,
                curve(rng, noise, unloaded_s, most, p, uneven).declare_iops(3.0 * most),
            )
        }
        4 => {
            let scene = curve(rng, noise, unloaded_s, most, 6.0, uneven);
            (Limit::OneCore, scene.each(|_, seen| seen.core_busy_shares[2] = 0.98))
        }
        5 => {
            // Measured only up to half way: neither latency-bound nor full.
            let mut scene = curve(rng, noise, unloaded_s, 300.0 / unloaded_s, 1.0, uneven);
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

/// Runs the cases at one noise; returns the share of bound cases whose limit is named first.
fn named_share(noise: f64, seed: u64) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut confident, mut confident_right, mut bound, mut named) = (0, 0, 0, 0);
    for _ in 0..CASES {
        let (truth, scene) = case(&mut rng, noise);
        let verdict = scene.verdict();
        let first =
            claims(&verdict).into_iter().find(|(limit, _)| ![Limit::Unknown, Limit::RateCap].contains(limit));
        let (found, confidence) = first.unwrap_or((Limit::Unknown, Confidence::None));
        let is_confident = confidence >= Confidence::Likely;
        assert!(!(truth == Limit::Unknown && is_confident), "{found:?} claimed where nothing binds");
        confident += u32::from(is_confident);
        confident_right += u32::from(is_confident && found == truth);
        bound += u32::from(truth != Limit::Unknown);
        named += u32::from(truth != Limit::Unknown && found == truth);
    }
    println!("noise {noise}: named {named} of {bound}, confident and right {confident_right} of {confident}");
    assert!(confident_right * 100 >= confident * 97, "{confident_right} of {confident}");
    f64::from(named) / f64::from(bound)
}

#[test]
fn noise_makes_verdicts_rarer_before_it_makes_them_wrong() {
    assert!(named_share(0.003, 11) >= 0.97);
    assert!(named_share(0.01, 12) >= 0.97);
    assert!(named_share(0.02, 13) >= 0.97);
}
