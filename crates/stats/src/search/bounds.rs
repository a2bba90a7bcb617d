//! How high the rate of a cell that was not measured can be, from those that were.
//!
//! Throughput is concave in the I/Os in flight (operational analysis: it follows `N / R1` and bends
//! towards the capacity of the bottleneck), so outside of two measured points the curve lies below the
//! line through them, and beyond any point below the line from the origin. Cells with different jobs lie
//! on one curve only while neither a job's own processor nor contention between jobs shows.

use super::Cell;
use super::picture::{Estimate, Picture};
use crate::operating_point::POWER_EXPONENT;

/// A job below this share of the highest rate a job has shown is not limited by its own processor.
const JOB_HEADROOM: f64 = 0.6;
/// Standard errors kept as margin before a cell is excluded.
const MARGIN: f64 = 2.0;
/// Jobs that share a lock are as fast as others until it is busy: only cells that come this near to the highest rate
/// tell whether jobs contend.
const BUSY: f64 = 0.7;

/// Whether a cell cannot beat the best one in normalised power, as far as concavity tells.
pub(super) fn cannot_win(picture: &Picture, best: &Estimate, cell: Cell) -> bool {
    cannot_reach(picture, cell, needed_rate(best, cell))
}

/// Whether a cell cannot reach a rate, as far as concavity tells.
pub(super) fn cannot_reach(picture: &Picture, cell: Cell, x_per_s: f64) -> bool {
    highest_rate(picture, cell) * (1.0 + MARGIN * picture.noise) < x_per_s
}

/// Whether a cell cannot beat the best one whatever the shape of the curve: each I/O would have to be
/// faster than any was.
pub(super) fn latency_excludes(picture: &Picture, best: &Estimate, cell: Cell) -> bool {
    let per_io = picture.estimates.iter().map(|e| e.x_per_s / e.cell.in_flight() as f64).fold(0.0, f64::max);
    per_io * cell.in_flight() as f64 * (1.0 + MARGIN * picture.noise) < needed_rate(best, cell)
}

/// Rate at which a cell would equal the best one in normalised power.
fn needed_rate(best: &Estimate, cell: Cell) -> f64 {
    let ratio = cell.in_flight() as f64 / best.cell.in_flight() as f64;
    best.x_per_s * ratio.powf(1.0 / (1.0 + POWER_EXPONENT))
}

/// Upper bound on a cell's rate, in operations per second; infinite where nothing bounds it.
pub(super) fn highest_rate(picture: &Picture, cell: Cell) -> f64 {
    let n = cell.in_flight() as f64;
    let jobs = Jobs::of(picture);
    let mut bound = f64::INFINITY;
    for (i, a) in picture.estimates.iter().enumerate() {
        let na = a.cell.in_flight() as f64;
        if !jobs.comparable(a, cell) {
            continue;
        }
        if na <= n {
            bound = bound.min(a.x_per_s * n / na);
        }
        for b in &picture.estimates[i + 1..] {
            let nb = b.cell.in_flight() as f64;
            let same_jobs = a.cell.jobs == cell.jobs && b.cell.jobs == cell.jobs;
            let outside = (na < n && nb < n) || (na > n && nb > n);
            if na == nb || !outside || !jobs.comparable(b, cell) || !(same_jobs || jobs.one_curve(a, b)) {
                continue;
            }
            let slope = (b.x_per_s - a.x_per_s) / (nb - na);
            bound = bound.min((a.x_per_s + slope * (n - na)).max(0.0));
        }
        // The same concurrency with other jobs.
        if na == n {
            bound = bound.min(a.x_per_s);
        }
    }
    bound
}

/// Whether at one concurrency fewer jobs were faster.
pub(super) fn jobs_contend(picture: &Picture) -> bool {
    Jobs::of(picture).contention == Some(true)
}

/// What is known of the part that jobs play.
struct Jobs {
    /// Highest rate of one job.
    per_job_per_s: f64,
    /// Whether at one concurrency fewer jobs were faster; `None` before two such cells were measured.
    contention: Option<bool>,
}

impl Jobs {
    fn of(picture: &Picture) -> Self {
        let estimates = &picture.estimates;
        let per_job = |e: &Estimate| e.x_per_s / f64::from(e.cell.jobs);
        let margin = 1.0 + MARGIN * picture.noise;
        let fastest = estimates.iter().map(|e| e.x_per_s).fold(0.0, f64::max);
        let mut contention = None;
        for a in estimates {
            for b in estimates {
                let is_busy = a.x_per_s.max(b.x_per_s) >= BUSY * fastest;
                if is_busy && a.cell.in_flight() == b.cell.in_flight() && a.cell.jobs < b.cell.jobs {
                    let worse = a.x_per_s > b.x_per_s * margin;
                    contention = Some(worse || contention == Some(true));
                }
            }
        }
        Self { per_job_per_s: estimates.iter().map(per_job).fold(0.0, f64::max), contention }
    }

    /// Whether more jobs could not have helped a cell.
    fn has_headroom(&self, e: &Estimate) -> bool {
        e.x_per_s / f64::from(e.cell.jobs) < JOB_HEADROOM * self.per_job_per_s
    }

    /// Whether what was measured at `known` bounds `cell`, as far as their jobs are concerned.
    fn comparable(&self, known: &Estimate, cell: Cell) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match cell.jobs.cmp(&known.cell.jobs) {
            Equal => true,
            Greater => self.has_headroom(known),
            Less => self.contention == Some(false),
        }
    }

    /// Whether two measured cells lie on the same curve over concurrency.
    fn one_curve(&self, a: &Estimate, b: &Estimate) -> bool {
        a.cell.jobs == b.cell.jobs
            || (self.contention == Some(false) && self.has_headroom(a) && self.has_headroom(b))
    }
}
