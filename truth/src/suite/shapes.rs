//! Cliffs and modes: how often smooth latencies raise an alarm, and how often slow groups are seen.

use fathom_stats::shape::{cliffs, modes};
use fathom_stats::tail::LatencySeries;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::process::shape::{Draw, mixture, series, smooth};
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
    figures
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
