//! What the observations so far say: one estimate a cell, free of drift, with the noise they have.

use super::{Cell, Observation};
use crate::operating_point::MeasuredCell;

/// Noise of a run that says nothing about its own: what short passes on a quiet machine show.
pub const DEFAULT_NOISE: f64 = 0.01;
/// Drift is corrected only where it exceeds this many of its standard errors.
const DRIFT_SIGNIFICANCE: f64 = 2.5;
/// Degrees of freedom from which the scatter of repeats is trusted over what runs say of themselves.
const MIN_SCATTER_DEGREES: f64 = 3.0;

/// One cell's runs in one value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) cell: Cell,
    /// Usable runs.
    pub(super) runs: u32,
    /// Geometric mean rate, as it would be at the time of the latest run.
    pub(super) x_per_s: f64,
    /// Geometric mean latency, likewise.
    pub(super) r_ns: f64,
    /// Logarithm of the normalised power.
    pub(super) ln_power: f64,
}

/// All estimates, by the order in which their cells were first observed.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) estimates: Vec<Estimate>,
    /// Relative standard deviation of one run's rate.
    pub(super) noise: f64,
    /// Common change of ln X from one run to the next.
    #[cfg(test)]
    pub(super) drift_per_run: f64,
}

impl Picture {
    pub(super) fn of(log: &[(Cell, Observation)]) -> Self {
        let usable: Vec<(usize, Cell, Observation)> = log
            .iter()
            .enumerate()
            .filter(|(_, (_, o))| o.is_usable())
            .map(|(at, (cell, o))| (at, *cell, *o))
            .collect();
        let mut groups: Vec<(Cell, Vec<(usize, Observation)>)> = Vec::new();
        for (at, cell, observation) in usable {
            match groups.iter_mut().find(|(known, _)| *known == cell) {
                Some((_, runs)) => runs.push((at, observation)),
                None => groups.push((cell, vec![(at, observation)])),
            }
        }
        let reported = reported_noise(log);
        let drift_per_run = drift(&groups, reported);
        let noise = scatter(&groups, drift_per_run).map_or(reported, |seen| seen.max(reported));
        let now = log.len().saturating_sub(1);
        let estimates =
            groups.iter().filter_map(|(cell, runs)| estimate(*cell, runs, now, drift_per_run)).collect();
        Self {
            estimates,
            noise,
            #[cfg(test)]
            drift_per_run,
        }
    }

    pub(super) fn find(&self, cell: Cell) -> Option<&Estimate> {
        self.estimates.iter().find(|e| e.cell == cell)
    }

    /// The cell of highest power; exact ties go to fewer jobs, then less in flight.
    pub(super) fn incumbent(&self) -> Option<&Estimate> {
        self.estimates.iter().max_by(|a, b| {
            let order = |e: &Estimate| (e.cell.jobs, e.cell.in_flight());
            a.ln_power.total_cmp(&b.ln_power).then_with(|| order(b).cmp(&order(a)))
        })
    }

    /// The cell of the highest rate.
    pub(super) fn fastest(&self) -> Option<&Estimate> {
        self.estimates.iter().max_by(|a, b| a.x_per_s.total_cmp(&b.x_per_s))
    }
}

impl Estimate {
    /// The estimate as the operating points read it.
    pub(super) fn observed(&self) -> MeasuredCell {
        MeasuredCell {
            jobs: self.cell.jobs,
            depth: self.cell.depth,
            x_per_s: self.x_per_s,
            r_ns: self.r_ns,
            quantile_ns: None,
        }
    }
}

/// Median of what the runs say of their noise.
fn reported_noise(log: &[(Cell, Observation)]) -> f64 {
    let mut known: Vec<f64> =
        log.iter().filter_map(|(_, o)| o.noise).filter(|n| *n > 0.0 && *n < 1.0).collect();
    known.sort_by(f64::total_cmp);
    known.get(known.len() / 2).copied().unwrap_or(DEFAULT_NOISE)
}

/// Distances of the runs of repeated cells from their cell's mean: time, and ln X.
fn deviations(groups: &[(Cell, Vec<(usize, Observation)>)]) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for (_, runs) in groups.iter().filter(|(_, runs)| runs.len() > 1) {
        let count = runs.len() as f64;
        let time = runs.iter().map(|(at, _)| *at as f64).sum::<f64>() / count;
        let level = runs.iter().map(|(_, o)| o.x_per_s.ln()).sum::<f64>() / count;
        found.extend(runs.iter().map(|(at, o)| (*at as f64 - time, o.x_per_s.ln() - level)));
    }
    found
}

/// Least-squares change of ln X a run that all repeated cells share; 0 unless it stands out of the noise.
fn drift(groups: &[(Cell, Vec<(usize, Observation)>)], noise: f64) -> f64 {
    let pairs = deviations(groups);
    let time_squares: f64 = pairs.iter().map(|(t, _)| t * t).sum();
    if time_squares == 0.0 {
        return 0.0;
    }
    let slope = pairs.iter().map(|(t, y)| t * y).sum::<f64>() / time_squares;
    if slope.abs() > DRIFT_SIGNIFICANCE * noise / time_squares.sqrt() { slope } else { 0.0 }
}

/// Standard deviation of the repeats around their cells' means, where there are enough.
fn scatter(groups: &[(Cell, Vec<(usize, Observation)>)], drift_per_run: f64) -> Option<f64> {
    let degrees: f64 = groups.iter().map(|(_, runs)| runs.len() as f64 - 1.0).sum();
    let squares: f64 = deviations(groups).iter().map(|(t, y)| (y - drift_per_run * t).powi(2)).sum();
    (degrees >= MIN_SCATTER_DEGREES).then(|| (squares / degrees).sqrt())
}

fn estimate(cell: Cell, runs: &[(usize, Observation)], now: usize, drift_per_run: f64) -> Option<Estimate> {
    let count = runs.len() as f64;
    let age = |at: usize| (now - at) as f64 * drift_per_run;
    let ln_x = runs.iter().map(|(at, o)| o.x_per_s.ln() + age(*at)).sum::<f64>() / count;
    // At a constant concurrency, latency drifts against the rate.
    let ln_r = runs.iter().map(|(at, o)| o.r_ns.ln() - age(*at)).sum::<f64>() / count;
    let observed = MeasuredCell {
        jobs: cell.jobs,
        depth: cell.depth,
        x_per_s: ln_x.exp(),
        r_ns: ln_r.exp(),
        quantile_ns: None,
    };
    Some(Estimate {
        cell,
        runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        x_per_s: observed.x_per_s,
        r_ns: observed.r_ns,
        ln_power: observed.ln_power()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(x_per_s: f64) -> Observation {
        Observation { x_per_s, r_ns: 1e9 / x_per_s, noise: Some(0.005) }
    }

    #[test]
    fn a_common_drift_is_taken_out() {
        let (a, b) = (Cell::new(1, 1), Cell::new(1, 2));
        // 2 % lost from run to run; without the correction `a` looks better than `b`.
        let at = |level: f64, i: i32| run(level * 0.98f64.powi(i));
        let log: Vec<_> =
            (0..8).map(|i| if i % 4 == 0 { (a, at(1000.0, i)) } else { (b, at(1001.0, i)) }).collect();
        let picture = Picture::of(&log);
        assert!((picture.drift_per_run - 0.98f64.ln()).abs() < 1e-6);
        let ratio = picture.find(b).unwrap().x_per_s / picture.find(a).unwrap().x_per_s;
        assert!((ratio - 1.001).abs() < 1e-6, "{ratio}");
    }

    #[test]
    fn scatter_within_the_noise_is_not_a_drift() {
        let a = Cell::new(1, 1);
        let log = [(a, run(1000.0)), (a, run(1004.0)), (a, run(1001.0))];
        assert_eq!(Picture::of(&log).drift_per_run, 0.0);
    }

    #[test]
    fn runs_that_failed_are_left_out() {
        let a = Cell::new(1, 1);
        let broken = Observation { x_per_s: f64::NAN, r_ns: 0.0, noise: Some(f64::NAN) };
        let picture = Picture::of(&[(a, run(1000.0)), (a, broken), (Cell::new(2, 2), broken)]);
        assert_eq!(picture.estimates.len(), 1);
        assert!((picture.estimates[0].x_per_s - 1000.0).abs() < 1e-9);
    }
}
