//! Two sides compared: how often identical sides are called different, how often a difference is found
//! with the pairs predicted, and what asking after every pair costs.

use fathom_record::comparison::{Decision, MetricSense, Side};
use fathom_stats::paired_comparison::{
    CampaignStep, Comparison, LogRatios, Metric, Pair, QuantilePair, Rules, Runs, first_side, pairs_for,
    shift_function, unpaired,
};
use fathom_stats::{mean_interval, student};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::sides::{Disturbance, Machine, NOISY, QUIET, normal};
use crate::{Bound, Figure};

type Rng = Xoshiro256PlusPlus;

/// Gates: false differences 3 to 7 %, a 2 % difference found with the predicted pairs.
pub fn run(effort: Effort) -> Vec<Figure> {
    let mut figures = fixed(effort);
    figures.extend(sequential(effort));
    figures.extend(looks_alone(effort));
    figures.extend(skewed(effort));
    figures.extend(equivalence(effort));
    figures.extend(families(effort));
    figures.extend(bands(effort));
    figures.extend(sessions(effort));
    figures
}

/// The bound for identical sides; short runs of the suite scatter more.
fn false_differences(effort: Effort) -> Bound {
    if effort == Effort::Full { Bound::Within(0.03, 0.07) } else { Bound::Within(0.015, 0.085) }
}

/// The metric that is compared.
fn rate(primary: bool) -> Metric {
    Metric {
        name: "operations_per_s".to_owned(),
        unit: "1/s".to_owned(),
        better: MetricSense::Higher,
        primary,
        resolution: 0.0,
    }
}

/// A share of trials.
fn share(trials: usize, mut holds: impl FnMut() -> bool) -> f64 {
    (0..trials).filter(|_| holds()).count() as f64 / trials as f64
}

/// Pairs of a fixed number, in random order.
fn pairs(number: u32, disturbance: Disturbance, effect: f64, rng: &mut Rng) -> Vec<(f64, f64)> {
    let mut machine = Machine::new(disturbance, effect, rng);
    let seed = machine.run(Side::A, rng).to_bits();
    (0..number).map(|pair| machine.pair(first_side(seed, pair), rng)).collect()
}

/// A number of pairs that was fixed beforehand, with one look.
fn fixed(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(1000, 10_000);
    let mut figures = Vec::new();
    let trend = Disturbance { trend_per_run: 0.10 / 24.0, ..NOISY };
    let wave = Disturbance { drift: 0.0, noise: 0.01, trend_per_run: 0.0, wave: 0.06 };
    for (index, (name, disturbance)) in
        [("quiet", QUIET), ("noisy", NOISY), ("noisy with a trend", trend), ("wave of two runs", wave)]
            .into_iter()
            .enumerate()
    {
        let mut rng = Rng::seed_from_u64(500 + index as u64);
        let differs = share(trials, || {
            LogRatios::of(&pairs(12, disturbance, 0.0, &mut rng), 0.0, 5).is_ok_and(|r| r.p_value() <= 0.05)
        });
        figures.push(Figure::share(
            format!("{name}, 12 pairs"),
            "A/A called different",
            differs,
            false_differences(effort),
        ));
    }
    for (index, (deviation, effect)) in [(0.01, 0.02), (0.02, 0.02), (0.02, 0.03)].into_iter().enumerate() {
        let mut rng = Rng::seed_from_u64(510 + index as u64);
        let number = pairs_for(effect, deviation, 0.05, 0.8).unwrap_or(0);
        let noise = deviation / 2f64.sqrt();
        let only_noise = Disturbance { drift: 0.0, noise, trend_per_run: 0.0, wave: 0.0 };
        let seen = share(trials, || {
            LogRatios::of(&pairs(number, only_noise, effect, &mut rng), 0.0, 2)
                .is_ok_and(|r| r.p_value() <= 0.05)
        });
        let scenario =
            format!("{:.0} % at {:.0} % a pair, {number} pairs", 100.0 * effect, 100.0 * deviation);
        figures.push(Figure::share(scenario, "difference found", seen, Bound::AtLeast(0.77)));
    }
    figures
}

/// What one comparison came to.
struct Outcome {
    decision: Decision,
    pairs: u32,
    covered: bool,
}

fn compare(disturbance: Disturbance, effect: f64, seed: u64, rules: Rules, rng: &mut Rng) -> Option<Outcome> {
    let mut machine = Machine::new(disturbance, effect, rng);
    let mut comparison = Comparison::new(vec![rate(true)], rules, seed).ok()?;
    while let CampaignStep::Pair { first, .. } = comparison.next() {
        let (a, b) = machine.pair(first, rng);
        comparison.observe(Pair { first, a: vec![Some(a)], b: vec![Some(b)] });
    }
    let result = comparison.results().into_iter().next()?;
    let ratio = result.ratio?;
    let covered = (ratio.low..=ratio.high).contains(&effect.exp());
    Some(Outcome { decision: result.decision, pairs: result.pairs, covered })
}

/// Asked after every pair: pilot, plan, extension.
fn sequential(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(60, 1500);
    let mut figures = Vec::new();
    for (index, (name, disturbance)) in [("quiet", QUIET), ("noisy", NOISY)].into_iter().enumerate() {
        for (step, effect) in [0.0, 0.02, 0.05].into_iter().enumerate() {
            let mut rng = Rng::seed_from_u64(520 + 10 * index as u64 + step as u64);
            let outcomes: Vec<Outcome> = (0..trials as u64)
                .filter_map(|seed| compare(disturbance, effect, seed, Rules::default(), &mut rng))
                .collect();
            let of = |holds: &dyn Fn(&Outcome) -> bool| {
                outcomes.iter().filter(|o| holds(o)).count() as f64 / outcomes.len() as f64
            };
            let scenario = format!("{name}, B {:.0} % faster, asked after every pair", 100.0 * effect);
            let found = of(&|o| matches!(o.decision, Decision::Faster));
            let wrong = of(&|o| matches!(o.decision, Decision::Faster | Decision::Slower));
            if effect == 0.0 {
                // Where 3 % is plain, sides are equivalent before they could seem different: bounded from
                // above alone. `fixed` and `looks_alone` bound the same error from both sides.
                let most = if effort == Effort::Full { 0.07 } else { 0.1 };
                figures.push(Figure::share(&scenario, "called different", wrong, Bound::AtMost(most)));
                let alike = of(&|o| o.decision == Decision::Equivalent);
                figures.push(Figure::share(&scenario, "equivalent", alike, Bound::Shown));
            } else {
                let bound = if effort == Effort::Full { 0.77 } else { 0.74 };
                figures.push(Figure::share(&scenario, "called faster", found, Bound::AtLeast(bound)));
                figures.push(Figure::share(&scenario, "called slower", wrong - found, Bound::AtMost(0.005)));
            }
            figures.push(Figure::share(
                &scenario,
                "interval holds the truth",
                of(&|o| o.covered),
                Bound::AtLeast(if effort == Effort::Full { 0.93 } else { 0.9 }),
            ));
            let mean = outcomes.iter().map(|o| f64::from(o.pairs)).sum::<f64>() / outcomes.len() as f64;
            figures.push(Figure::count(&scenario, "mean pairs", mean, Bound::Shown));
        }
    }
    figures
}

/// The looks without the verdict that ends most comparisons of identical sides: what they spend by
/// themselves. A margin and a materiality that no data reach leave "different" or "inconclusive".
fn looks_alone(effort: Effort) -> Vec<Figure> {
    let rules = Rules { materiality: 0.0001, margin: 0.0001, ..Rules::default() };
    let mut figures = Vec::new();
    for (index, (name, disturbance)) in [("quiet", QUIET), ("noisy", NOISY)].into_iter().enumerate() {
        let mut rng = Rng::seed_from_u64(545 + index as u64);
        let trials = effort.trials(150, 3000) as u64;
        let differs = (0..trials)
            .filter_map(|seed| compare(disturbance, 0.0, seed, rules, &mut rng))
            .filter(|o| matches!(o.decision, Decision::Faster | Decision::Slower))
            .count() as f64
            / trials as f64;
        let bound =
            if effort == Effort::Full { Bound::Within(0.03, 0.07) } else { Bound::Within(0.005, 0.11) };
        let scenario = format!("{name}, planned looks, equivalence out of reach");
        figures.push(Figure::share(scenario, "A/A called different", differs, bound));
    }
    figures
}

/// Pairs whose differences lean to one side, as when only one of them is hit by stalls: Student's t
/// beside the bootstrap of its statistic, from 20 pairs on.
fn skewed(effort: Effort) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (index, number) in [20usize, 30, 40].into_iter().enumerate() {
        let mut rng = Rng::seed_from_u64(548 + index as u64);
        let (mut student, mut resampled) = (0usize, 0usize);
        let trials = effort.trials(40, 3000);
        for _ in 0..trials {
            // Exponential differences have the mean and the deviation 1: as skewed as stalls of one side.
            let values: Vec<f64> = (0..number).map(|_| Exp1.sample(&mut rng)).collect();
            student +=
                usize::from(t_interval(&values).is_some_and(|(low, high)| (low..=high).contains(&1.0)));
            resampled +=
                usize::from(bootstrap_t(&values, &mut rng).is_some_and(|(l, h)| (l..=h).contains(&1.0)));
        }
        let scenario = format!("exponential differences, {number} pairs");
        let share = |count: usize| count as f64 / trials as f64;
        figures.push(Figure::share(&scenario, "t interval holds the mean", share(student), Bound::Shown));
        figures.push(Figure::share(&scenario, "bootstrap-t holds the mean", share(resampled), Bound::Shown));
    }
    figures
}

fn t_interval(values: &[f64]) -> Option<(f64, f64)> {
    let interval = mean_interval(values)?;
    Some((interval.mean - interval.half_width, interval.mean + interval.half_width))
}

/// Efron's bootstrap-t: quantiles of the studentised mean over 999 resamples.
fn bootstrap_t(values: &[f64], rng: &mut Rng) -> Option<(f64, f64)> {
    let (mean, spread) = (student::mean(values)?, student::deviation(values)?);
    let root = (values.len() as f64).sqrt();
    let mut statistics: Vec<f64> = (0..999)
        .filter_map(|_| {
            let again: Vec<f64> = values.iter().map(|_| values[rng.random_range(0..values.len())]).collect();
            let deviation = student::deviation(&again).filter(|deviation| *deviation > 0.0)?;
            Some((student::mean(&again)? - mean) / (deviation / root))
        })
        .collect();
    statistics.sort_by(f64::total_cmp);
    let at = |share: f64| statistics.get((share * statistics.len() as f64) as usize).copied();
    let error = spread / root;
    Some((mean - at(0.975)? * error, mean - at(0.025)? * error))
}

/// Two one-sided tests at the margin, and with no difference.
fn equivalence(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(1000, 10_000);
    let mut figures = Vec::new();
    let margin = 0.02;
    for (index, (number, noise, power)) in
        [(6, 0.01, 0.78), (12, 0.02, 0.44), (24, 0.02, 0.87)].into_iter().enumerate()
    {
        let mut rng = Rng::seed_from_u64(560 + index as u64);
        let only_noise = Disturbance { drift: 0.0, noise, trend_per_run: 0.0, wave: 0.0 };
        let mut called = |effect: f64| {
            share(trials, || {
                LogRatios::of(&pairs(number, only_noise, effect, &mut rng), 0.0, 2)
                    .is_ok_and(|r| r.equivalence_p_value(margin) <= 0.05)
            })
        };
        let scenario = format!("margin 2 %, {:.0} % a run, {number} pairs", 100.0 * noise);
        let most = if effort == Effort::Full { 0.06 } else { 0.08 };
        figures.push(Figure::share(
            &scenario,
            "called equivalent at the margin",
            called(margin),
            Bound::AtMost(most),
        ));
        figures.push(Figure::share(
            &scenario,
            "called equivalent without a difference",
            called(0.0),
            Bound::AtLeast(power - 0.03),
        ));
    }
    figures
}

/// Three primary and nine other metrics, none of which differs.
fn families(effort: Effort) -> Vec<Figure> {
    let mut rng = Rng::seed_from_u64(570);
    let mut any = [0.0; 2];
    let trials = effort.trials(60, 800);
    for seed in 0..trials as u64 {
        let metrics = (0..12).map(|m| rate(m < 3)).collect();
        let Ok(mut comparison) = Comparison::new(metrics, Rules::default(), seed) else { continue };
        while let CampaignStep::Pair { first, .. } = comparison.next() {
            let mut values =
                || (0..12).map(|_| Some(1000.0 * normal(0.03, &mut rng).exp())).collect::<Vec<_>>();
            comparison.observe(Pair { first, a: values(), b: values() });
        }
        let results = comparison.results();
        for (primary, any) in [true, false].into_iter().zip(&mut any) {
            let differs = |d: Decision| matches!(d, Decision::Faster | Decision::Slower);
            *any += f64::from(u8::from(results.iter().any(|r| r.primary == primary && differs(r.decision))));
        }
    }
    let [primary, other] = any.map(|count| count / trials as f64);
    let most = if effort == Effort::Full { 0.06 } else { 0.1 };
    vec![
        Figure::share("3 primary metrics, A/A", "any called different", primary, Bound::AtMost(most)),
        Figure::share("9 other metrics, A/A", "any called different", other, Bound::AtMost(most)),
    ]
}

/// The band of the shift function over ten correlated quantiles.
fn bands(effort: Effort) -> Vec<Figure> {
    let orders = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
    let mut figures = Vec::new();
    for (index, (number, kept)) in
        [(5, 0.0), (5, 0.9), (8, 0.5), (12, 0.9), (20, 0.0), (20, 0.9)].into_iter().enumerate()
    {
        let mut rng = Rng::seed_from_u64(580 + index as u64);
        let truth = 0.05f64;
        let holds = share(effort.trials(100, 1000), || {
            let seed = normal(1.0, &mut rng).to_bits();
            let pairs: Vec<_> = (0..number)
                .map(|_| {
                    let mut z = normal(1.0, &mut rng);
                    let b = orders.map(|_| {
                        z = kept * z + normal((1.0f64 - kept * kept).sqrt(), &mut rng);
                        Some(1000.0 * (truth + 0.02 * z).exp())
                    });
                    QuantilePair { a: vec![Some(1000.0); 10], b: b.to_vec() }
                })
                .collect();
            shift_function(&orders, &pairs, 0.0, seed)
                .is_ok_and(|s| s.points.iter().all(|p| (p.low..=p.high).contains(&truth.exp())))
        });
        let scenario = format!("shift function, {number} pairs, neighbours correlated {kept}");
        let least = if effort == Effort::Full { 0.92 } else { 0.88 };
        figures.push(Figure::share(scenario, "band holds all ten", holds, Bound::AtLeast(least)));
    }
    figures
}

/// All runs of A, then all of B: what the allowance for sessions keeps, and what it costs.
fn sessions(effort: Effort) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (index, (allowance, bound)) in
        [(Some(0.0), Bound::Shown), (None, Bound::AtMost(0.05))].into_iter().enumerate()
    {
        let mut rng = Rng::seed_from_u64(590 + index as u64);
        let differs = share(effort.trials(1000, 10_000), || {
            let mut machine = Machine::new(NOISY, 0.0, &mut rng);
            let a: Vec<f64> = (0..12).map(|_| machine.run(Side::A, &mut rng)).collect();
            let b: Vec<f64> = (0..12).map(|_| machine.run(Side::B, &mut rng)).collect();
            let (a, b) = (Runs { values: &a, unit: "1/s" }, Runs { values: &b, unit: "1/s" });
            let result = unpaired(&rate(true), a, b, &Rules::default(), allowance);
            matches!(result.decision, Decision::Faster | Decision::Slower)
        });
        let scenario = match allowance {
            Some(_) => "A's runs, then B's, noisy, as if independent",
            None => "A's runs, then B's, noisy, sessions allowed for",
        };
        figures.push(Figure::share(scenario, "A/A called different", differs, bound));
    }
    figures
}
