//! The bracket of the peak: the highest rate is followed up to where another doubling adds less than
//! 2 %, and the least concurrency that reaches 98 % of it is narrowed to one doubling.

use super::picture::Estimate;
use super::{Cell, Purpose, Step, View, bounds};
use crate::operating_point::PEAK_SHARE;

impl View<'_> {
    /// The next cell above the highest rate, or between it and the last cell that falls short of it.
    pub(super) fn peak_bracket(&self) -> Option<Step> {
        let fastest = self.picture.fastest()?;
        self.beyond(fastest).or_else(|| self.between(fastest))
    }

    /// A doubling beyond the fastest cell, where it could add more than 2 %.
    fn beyond(&self, fastest: &Estimate) -> Option<Step> {
        let grid = &self.search.grid;
        // A cell with more in flight has been no better: the rate has stopped growing. Where jobs contend, one with
        // more jobs may be worse for them alone.
        let contend = bounds::jobs_contend(&self.picture);
        let is_flat = self.picture.estimates.iter().any(|e| {
            let alike = e.cell.jobs == fastest.cell.jobs || e.cell.jobs > fastest.cell.jobs && !contend;
            alike && e.cell.in_flight() >= 2 * fastest.cell.in_flight()
        });
        if is_flat {
            return None;
        }
        [(0, 1), (1, 0)]
            .into_iter()
            .filter_map(|(jobs, depth)| grid.step(fastest.cell, jobs, depth))
            .filter(|cell| !bounds::cannot_reach(&self.picture, *cell, fastest.x_per_s / PEAK_SHARE))
            .find_map(|cell| self.fresh(cell, Purpose::PeakBracket))
    }

    /// The middle between the deepest cell that falls short and the shallowest that reaches 98 %.
    fn between(&self, fastest: &Estimate) -> Option<Step> {
        let enough = PEAK_SHARE * fastest.x_per_s;
        let reaches = |e: &&Estimate| e.x_per_s >= enough;
        let high = self.picture.estimates.iter().filter(reaches).min_by_key(|e| e.cell.in_flight())?;
        let low = self
            .picture
            .estimates
            .iter()
            .filter(|e| !reaches(e) && e.cell.in_flight() < high.cell.in_flight())
            .max_by_key(|e| e.cell.in_flight())?;
        let doublings = high.cell.in_flight().ilog2() - low.cell.in_flight().ilog2();
        if doublings < 2 {
            return None;
        }
        let in_flight = low.cell.in_flight() << (doublings / 2);
        let jobs = high.cell.jobs.min(u32::try_from(in_flight).unwrap_or(u32::MAX));
        let depth = u32::try_from(in_flight / u64::from(jobs)).ok()?;
        self.fresh(Cell::new(jobs, depth), Purpose::PeakBracket)
    }
}
