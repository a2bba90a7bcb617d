//! Far probes: corners of the grid that a climb would never see, against a second hill of power (more
//! than one NUMA node, interrupt affinity).

use super::{Cell, MAX_DEPTH, MAX_JOBS, Purpose, Step, View, bounds};

/// The corners: everything, many jobs of depth one, one job of great depth.
const CORNERS: [Cell; 3] = [Cell::new(MAX_JOBS, MAX_DEPTH), Cell::new(MAX_JOBS, 1), Cell::new(1, MAX_DEPTH)];

impl View<'_> {
    /// The next corner that is new and that the unloaded latency does not exclude.
    pub(super) fn far_probe(&self) -> Option<Step> {
        let best = self.picture.incumbent()?;
        CORNERS
            .into_iter()
            .map(|corner| self.search.grid.clamp(corner))
            .filter(|corner| !bounds::latency_excludes(&self.picture, best, *corner))
            .find_map(|corner| self.fresh(corner, Purpose::FarProbe))
    }
}
