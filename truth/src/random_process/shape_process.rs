//! Latencies of a known shape: smooth families with one mode, and mixtures with a slow group.

use fathom_measure::Histogram;
use fathom_stats::tail::LatencySeries;
use rand_distr::{Bernoulli, Distribution, Exp, Gamma, LogNormal, Pareto, Weibull};
use rand_xoshiro::Xoshiro256PlusPlus;

type Rng = Xoshiro256PlusPlus;
/// One latency, in microseconds.
pub type Draw = Box<dyn Fn(&mut Rng) -> f64>;

/// Unimodal latencies, in microseconds.
pub fn smooth() -> Vec<(&'static str, Draw)> {
    let lognormal = |sigma: f64| {
        let d = LogNormal::new(100f64.ln(), sigma).expect("the parameters are in range");
        move |rng: &mut Rng| d.sample(rng)
    };
    let (gamma, weibull) = (
        Gamma::new(4.0, 20.0).expect("the parameters are in range"),
        Weibull::new(1.0, 0.8).expect("the parameters are in range"),
    );
    let (exponential, pareto) = (
        Exp::new(1.0 / 30.0).expect("the parameters are in range"),
        Pareto::new(60.0, 2.5).expect("the parameters are in range"),
    );
    let quantised = lognormal(0.1);
    vec![
        ("lognormal .1", Box::new(lognormal(0.1))),
        ("lognormal .5", Box::new(lognormal(0.5))),
        ("gamma", Box::new(move |rng| 20.0 + gamma.sample(rng))),
        ("weibull", Box::new(move |rng| 30.0 + 100.0 * weibull.sample(rng))),
        ("exponential", Box::new(move |rng| 80.0 + exponential.sample(rng))),
        ("pareto", Box::new(move |rng| pareto.sample(rng))),
        ("whole us", Box::new(move |rng| quantised(rng).round().max(1.0))),
    ]
}

/// A body of lognormal latencies around 100 us and a share of others, `factor` slower.
pub fn mixture(sigma: f64, share: f64, factor: f64) -> Draw {
    let d = LogNormal::new(100f64.ln(), sigma).expect("the parameters are in range");
    Box::new(move |rng| {
        let slow = Bernoulli::new(share).expect("the parameters are in range").sample(rng);
        d.sample(rng) * if slow { factor } else { 1.0 }
    })
}

/// 60 s of independent latencies.
pub fn series(draw: &Draw, count: usize, rng: &mut Rng) -> LatencySeries {
    let mut series = LatencySeries::of_seconds(60);
    let mut histogram = Histogram::new();
    for second in 0..60 {
        histogram.clear();
        (0..count / 60).for_each(|_| histogram.record((draw(rng) * 1e3) as u64));
        series.add_histogram(second, &histogram).expect("the parameters are in range");
    }
    series
}
