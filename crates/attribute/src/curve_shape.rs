//! The shape of a pattern's curve around the cell in question: unloaded latency, growth with concurrency,
//! the effect of jobs, the plateau.

use std::ops::RangeInclusive;

use fathom_record::campaign::CellResult;
use fathom_stats::{Plateau, PlateauCell, plateau};

use crate::input::{CellTelemetry, Connections, MeasuredPattern, TargetCores};
use crate::thresholds::{CREEPS, MIN_SECONDS};

/// Least ratio of two concurrencies that growth is judged over.
const DOUBLING: f64 = 1.9;
/// Largest ratio that still says something of a doubling.
const FAR: f64 = 4.3;
/// Largest ratio of two concurrencies that count as the same.
const SAME: f64 = 1.1;
/// In flight over that at the knee, near it.
const NEAR_KNEE: RangeInclusive<f64> = 0.4..=2.5;
/// Relative variation, or bytes moved per byte asked for, from which on a counter is taken to be broken.
const MAX_SHARE: f64 = 1e6;
/// Half-width, relative, from which on an interval says nothing.
const MAX_ERROR_SHARE: f64 = 10.0;

/// One usable cell in plain numbers.
#[derive(Clone, Copy, Debug)]
pub struct CurvePoint {
    pub index: usize,
    pub jobs: u32,
    pub depth: u32,
    /// Operations per second.
    pub x_per_s: f64,
    /// Mean service latency, in nanoseconds.
    pub r_ns: f64,
    /// Mean I/Os in flight.
    pub in_flight: f64,
}

/// What the curve looks like from the cell in question.
pub struct CurveShape<'a> {
    pub cell: &'a CellResult,
    pub telemetry: CellTelemetry,
    pub focus: CurvePoint,
    pub points: Vec<CurvePoint>,
    /// The cell of one job at depth one, if it is not the one in question.
    pub unloaded: Option<CurvePoint>,
    /// `dlnX / dlnN` over the doubling at the cell: above it where more was measured, below it otherwise.
    pub growth: Option<f64>,
    /// Whether that was measured above the cell in question.
    pub grows_above: bool,
    /// Largest ratio of rates between cells of the same concurrency for each doubling of jobs, near the
    /// cell in question.
    pub jobs_factor: Option<f64>,
    /// How far the curve falls short of its asymptotes where they cross, as a share: near 0 at the corner
    /// that a cap cuts, a half for a simple queue.
    pub corner: Option<f64>,
    /// The plateau, if the cell in question lies on it.
    pub plateau: Option<Plateau>,
}

impl<'a> CurveShape<'a> {
    /// `None` when no cell has a usable rate and latency.
    pub fn of(pattern: &MeasuredPattern<'a>) -> Option<Self> {
        let points: Vec<CurvePoint> =
            pattern.cells.iter().enumerate().filter_map(|(index, cell)| point(index, cell)).collect();
        let named = pattern.focus.and_then(|wanted| points.iter().find(|p| p.index == wanted));
        let fastest = || points.iter().max_by(|a, b| a.x_per_s.total_cmp(&b.x_per_s));
        let focus = *named.or_else(fastest)?;
        let telemetry = |index: usize| pattern.telemetry.get(index).map(cleaned).unwrap_or_default();
        let unloaded = points.iter().find(|p| (p.jobs, p.depth) == (1, 1) && p.index != focus.index).copied();
        let growth = growth(&points, &focus);
        Some(Self {
            cell: &pattern.cells[focus.index],
            telemetry: telemetry(focus.index),
            focus,
            unloaded,
            growth: growth.map(|(growth, _)| growth),
            grows_above: growth.is_some_and(|(_, above)| above),
            jobs_factor: jobs_factor(&points, &focus),
            corner: unloaded.and_then(|unloaded| corner(&points, &unloaded)),
            plateau: plateau_at(&points, &focus, |index| telemetry(index).variation()),
            points,
        })
    }

    /// The cell with most in flight: the one in question or one beyond it.
    pub fn deepest(&self) -> CurvePoint {
        let deeper = self.points.iter().filter(|p| p.in_flight > self.focus.in_flight);
        deeper.max_by(|a, b| a.in_flight.total_cmp(&b.in_flight)).copied().unwrap_or(self.focus)
    }

    /// Best rate over that of the cell in question among cells with at least twice its jobs and no less in
    /// flight.
    pub fn more_jobs_factor(&self) -> Option<f64> {
        let focus = &self.focus;
        let more = self.points.iter().filter(|p| {
            u64::from(p.jobs) >= 2 * u64::from(focus.jobs) && p.in_flight * SAME >= focus.in_flight
        });
        more.map(|p| p.x_per_s / focus.x_per_s).max_by(f64::total_cmp)
    }

    /// Busy share of the busiest processor, where known.
    pub fn busiest_core(&self) -> Option<f64> {
        let seen = self.telemetry.core_busy_shares.iter().copied().max_by(f64::total_cmp);
        seen.or_else(|| share(self.cell.busiest_core_share))
    }

    /// Mean busy share of all processors, where known.
    pub fn mean_core(&self) -> Option<f64> {
        let shares = &self.telemetry.core_busy_shares;
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// Half-width of the rate's interval, relative; 0 where it is not known or wider than any run makes it.
    pub fn error_share(&self) -> f64 {
        self.cell.interval_share.filter(|share| (0.0..MAX_ERROR_SHARE).contains(share)).unwrap_or(0.0)
    }
}

impl CellTelemetry {
    /// The variation of the 1-s rates, if enough seconds were seen.
    pub fn variation(&self) -> Option<f64> {
        self.rate_variation.filter(|_| self.seconds >= MIN_SECONDS)
    }
}

/// The same without figures that cannot be.
fn cleaned(telemetry: &CellTelemetry) -> CellTelemetry {
    let known = |value: Option<f64>| value.filter(|v| (0.0..MAX_SHARE).contains(v));
    CellTelemetry {
        seconds: if telemetry.seconds.is_finite() { telemetry.seconds.max(0.0) } else { 0.0 },
        core_busy_shares: telemetry.core_busy_shares.iter().filter_map(|s| share(Some(*s))).collect(),
        generator_busy_share: share(telemetry.generator_busy_share),
        generator_user_share: share(telemetry.generator_user_share),
        rate_variation: known(telemetry.rate_variation),
        rate_change: known(telemetry.rate_change),
        device_bytes_share: known(telemetry.device_bytes_share),
        steal_share: share(telemetry.steal_share),
        quota_share: share(telemetry.quota_share),
        heat_share: share(telemetry.heat_share),
        volume_iops_exceeded_share: share(telemetry.volume_iops_exceeded_share),
        volume_throughput_exceeded_share: share(telemetry.volume_throughput_exceeded_share),
        instance_exceeded_share: share(telemetry.instance_exceeded_share),
        asked_share: known(telemetry.asked_share),
        connections: telemetry.connections.map(|seen| Connections {
            least_rtt_ns: if seen.least_rtt_ns.is_finite() { seen.least_rtt_ns.max(0.0) } else { 0.0 },
            resent_share: share(seen.resent_share),
            window_share: known(seen.window_share),
            receiver_limited_share: share(seen.receiver_limited_share),
            buffer_limited_share: share(seen.buffer_limited_share),
        }),
        target_cores: telemetry.target_cores.and_then(|seen| {
            Some(TargetCores {
                busiest_share: share(Some(seen.busiest_share))?,
                mean_share: share(seen.mean_share),
            })
        }),
        simulated_time: telemetry.simulated_time,
    }
}

/// A share that can be one; sampling may overshoot 1 a little.
pub fn share(value: Option<f64>) -> Option<f64> {
    value.filter(|v| (0.0..=1.1).contains(v)).map(|v| v.min(1.0))
}

fn point(index: usize, cell: &CellResult) -> Option<CurvePoint> {
    let (x_per_s, r_ns, in_flight) = (cell.operations_per_s, cell.service_mean_ns, cell.in_flight_mean);
    // Beyond these a product of two would not be a number any more.
    let usable = [x_per_s, r_ns, in_flight].iter().all(|v| (1e-9..=1e18).contains(v));
    usable.then_some(CurvePoint { index, jobs: cell.jobs, depth: cell.depth, x_per_s, r_ns, in_flight })
}

fn elasticity(from: &CurvePoint, to: &CurvePoint) -> f64 {
    (to.x_per_s / from.x_per_s).ln() / (to.in_flight / from.in_flight).ln()
}

/// Growth over the nearest doubling, and whether it lies above: of cells with the same jobs where there are any,
/// because more jobs also bring more threads; otherwise of the best cell there.
fn growth(points: &[CurvePoint], focus: &CurvePoint) -> Option<(f64, bool)> {
    let same_jobs: Vec<CurvePoint> = points.iter().filter(|p| p.jobs == focus.jobs).copied().collect();
    let above = |among: &[CurvePoint]| {
        nearest(among, |p| p.in_flight / focus.in_flight).map(|p| elasticity(focus, p))
    };
    let below = |among: &[CurvePoint]| {
        nearest(among, |p| focus.in_flight / p.in_flight).map(|p| elasticity(p, focus))
    };
    let at = |growth: Option<f64>, is_above: bool| growth.map(|growth| (growth, is_above));
    // What is flat below is flat above; what grows below may still bend.
    at(above(&same_jobs), true)
        .or_else(|| at(below(&same_jobs).filter(|growth| growth.abs() <= CREEPS), false))
        .or_else(|| at(above(points), true))
        .or_else(|| at(below(&same_jobs), false))
        .or_else(|| at(below(points), false))
}

/// The fastest of the cells that are nearest by a ratio of at least a doubling.
fn nearest(points: &[CurvePoint], ratio: impl Fn(&CurvePoint) -> f64) -> Option<&CurvePoint> {
    let least = points.iter().map(&ratio).filter(|r| (DOUBLING..=FAR).contains(r)).min_by(f64::total_cmp)?;
    points
        .iter()
        .filter(|p| (least..=least * SAME).contains(&ratio(p)))
        .max_by(|a, b| a.x_per_s.total_cmp(&b.x_per_s))
}

fn jobs_factor(points: &[CurvePoint], focus: &CurvePoint) -> Option<f64> {
    let same = |a: &CurvePoint, b: &CurvePoint| (1.0 / SAME..=SAME).contains(&(a.in_flight / b.in_flight));
    let near = |p: &CurvePoint| (1.0 / 2.2..=2.2).contains(&(p.in_flight / focus.in_flight));
    let mut factors = Vec::new();
    for few in points.iter().filter(|p| near(p)) {
        for many in points.iter().filter(|p| u64::from(p.jobs) >= 2 * u64::from(few.jobs) && same(p, few)) {
            let doublings = (f64::from(many.jobs) / f64::from(few.jobs)).log2();
            factors.push((many.x_per_s / few.x_per_s).powf(doublings.recip()));
        }
    }
    factors.into_iter().max_by(f64::total_cmp)
}

/// Largest shortfall near the knee; `None` when nothing was measured there.
fn corner(points: &[CurvePoint], unloaded: &CurvePoint) -> Option<f64> {
    let curve: Vec<(f64, f64)> = points.iter().map(|p| (p.in_flight, p.x_per_s)).collect();
    shortfalls(&curve, unloaded.r_ns, &NEAR_KNEE).max_by(f64::total_cmp)
}

/// Shortfalls of a curve of in flight and rate from `min(N / R1, highest rate)`, near where the two cross.
pub fn shortfalls(
    curve: &[(f64, f64)],
    alone_ns: f64,
    near: &RangeInclusive<f64>,
) -> impl Iterator<Item = f64> {
    let highest = curve.iter().map(|(_, x_per_s)| *x_per_s).max_by(f64::total_cmp).unwrap_or(f64::NAN);
    let crossing = highest * alone_ns / 1e9;
    curve
        .iter()
        .filter(move |(in_flight, _)| near.contains(&(in_flight / crossing)))
        .map(move |(in_flight, x_per_s)| 1.0 - x_per_s / (in_flight / alone_ns * 1e9).min(highest))
}

fn plateau_at(
    points: &[CurvePoint],
    focus: &CurvePoint,
    variation: impl Fn(usize) -> Option<f64>,
) -> Option<Plateau> {
    let cells: Vec<PlateauCell> = points
        .iter()
        .map(|p| PlateauCell {
            in_flight: p.in_flight,
            x_per_s: p.x_per_s,
            r_ns: p.r_ns,
            variation: variation(p.index),
        })
        .collect();
    plateau(&cells).filter(|found| found.cells.iter().any(|&i| points[i].index == focus.index))
}
