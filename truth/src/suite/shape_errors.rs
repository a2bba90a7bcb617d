//! Cliffs and modes: how often smooth latencies raise an alarm, and how often slow groups are seen.

use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::distribution::ModeAttribute;
use fathom_stats::shape::{cliffs, explain, modes};
use fathom_stats::tail::LatencySeries;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::shape_process::{Draw, mixture, series, smooth};
use crate::{Bound, Figure};

/// False alarms at most 1 %, detections as published.
pub fn run(effort: Effort) -> Vec<Figure> {
    let mut figures = Vec::new();
    let alarms: &[(usize, usize)] = if effort == Effort::Short {
        &[(20_000, 10)]
    } else {
        &[(10_000, 300), (100_000, 150), (1_000_000, 20)]
    };
    for (count, tries) in alarms {
        for (name, draw) in smooth() {
            let scenario = format!("{name}, {count} I/Os");
            let alarm =
                |seed, test: &dyn Fn(&LatencySeries) -> bool| found(&draw, *count, *tries, seed, test);
            let rate = alarm(400, &has_cliff);
            figures.push(Figure::share(&scenario, "false cliff", rate, Bound::AtMost(0.01)));
            let rate = alarm(401, &|s| modes(s, 1).len() != 1);
            figures.push(Figure::share(&scenario, "false second mode", rate, Bound::AtMost(0.01)));
        }
    }
    let seen: &[(usize, usize)] =
        if effort == Effort::Short { &[(60_000, 6)] } else { &[(100_000, 60), (1_000_000, 15)] };
    for (count, tries) in seen {
        figures.extend(detections(*count, *tries));
    }
    figures.extend(explanations(effort));
    figures
}

/// How the slow I/Os of a bimodal run are spread over directions and seconds.
#[derive(Clone, Copy, PartialEq)]
enum Spread {
    /// Over all alike.
    Even,
    /// Writes alone are slow.
    Writes,
    /// All I/Os are slow, in 4 of 60 s.
    Bursts,
}

/// What two modes go with, where the truth is that they go with nothing, with writes, or with seconds.
fn explanations(effort: Effort) -> Vec<Figure> {
    let tries = effort.trials(40, 600);
    let mut figures = Vec::new();
    for (at, (name, spread)) in
        [("by chance", Spread::Even), ("in writes alone", Spread::Writes), ("in bursts", Spread::Bursts)]
            .into_iter()
            .enumerate()
    {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(410 + at as u64);
        let (mut direction, mut time, mut seen) = (0usize, 0usize, 0usize);
        for _ in 0..tries {
            let [reads, writes] = two_directions(spread, &mut rng);
            let mut whole = reads.clone();
            whole.merge(&writes);
            let parts = [(Direction::Read, &reads), (Direction::Write, &writes)];
            let found = explain(&modes(&whole, 1), &whole, &parts);
            let by = |attribute| usize::from(found.iter().any(|e| e.by == attribute && e.explains));
            seen += usize::from(!found.is_empty());
            direction += by(ModeAttribute::Direction);
            time += by(ModeAttribute::Time);
        }
        let scenario = format!("slow I/Os {name}");
        let share = |count: usize| count as f64 / tries as f64;
        let bound = |truth| if spread == truth { Bound::AtLeast(0.98) } else { Bound::AtMost(0.01) };
        figures.push(Figure::share(&scenario, "both modes seen", share(seen), Bound::Shown));
        figures.push(Figure::share(
            &scenario,
            "explained by direction",
            share(direction),
            bound(Spread::Writes),
        ));
        figures.push(Figure::share(&scenario, "explained by time", share(time), bound(Spread::Bursts)));
    }
    figures
}

/// 60 s of 500 reads and 500 writes a second, of which one in fifteen or so is 10 times slower.
fn two_directions(spread: Spread, rng: &mut Xoshiro256PlusPlus) -> [LatencySeries; 2] {
    let draw = mixture(0.12, 0.0, 1.0);
    [false, true].map(|writes| {
        let mut series = LatencySeries::of_seconds(60);
        for second in 0..60 {
            let mut histogram = Histogram::new();
            for _ in 0..500 {
                let share = match spread {
                    Spread::Even => 1.0 / 15.0,
                    Spread::Writes => f64::from(u8::from(writes)) * 2.0 / 15.0,
                    Spread::Bursts => f64::from(u8::from(second % 15 == 7)),
                };
                let factor = if rng.random_bool(share) { 10.0 } else { 1.0 };
                histogram.record((draw(rng) * factor * 1e3) as u64);
            }
            series.add_histogram(second, &histogram).expect("the second is in the series");
        }
        series
    })
}

fn detections(count: usize, tries: usize) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (share, factor) in [(1e-2, 10.0), (1e-2, 50.0), (1e-3, 10.0), (1e-3, 50.0), (3e-4, 10.0), (1e-3, 5.0)]
    {
        let rate = found(&mixture(0.3, share, factor), count, tries, 402, &has_cliff);
        // A factor of 5 overlaps; the least share leaves 30 of 1e5, and chance takes some below the 20 needed.
        let is_plain = factor >= 10.0 && share * count as f64 >= 60.0;
        let bound = if is_plain { Bound::AtLeast(0.99) } else { Bound::Shown };
        let scenario = format!("{:.2} % stalls {factor} times slower, {count} I/Os", 100.0 * share);
        figures.push(Figure::share(scenario, "cliff seen", rate, bound));
    }
    for (share, factor) in
        [(0.02, 2.0), (0.02, 4.0), (0.1, 2.0), (0.1, 10.0), (0.4, 1.6), (0.4, 2.0), (0.1, 1.6)]
    {
        let rate = found(&mixture(0.12, share, factor), count, tries, 403, &|s| modes(s, 1).len() == 2);
        // Below twice as slow, only groups of similar size part.
        let bound = if factor >= 2.0 || share >= 0.4 { Bound::AtLeast(0.95) } else { Bound::Shown };
        let scenario = format!("{:.0} % at {factor} times, {count} I/Os", 100.0 * share);
        figures.push(Figure::share(scenario, "both modes seen", rate, bound));
    }
    figures
}

/// Share of series in which something is found.
fn found(draw: &Draw, count: usize, tries: usize, seed: u64, test: &dyn Fn(&LatencySeries) -> bool) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..tries).filter(|_| test(&series(draw, count, &mut rng))).count() as f64 / tries as f64
}

fn has_cliff(series: &LatencySeries) -> bool {
    !cliffs(series, 1).is_empty()
}
