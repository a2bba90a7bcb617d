//! The grid of jobs x depth that a search walks: powers of two on both axes.

/// One point: jobs, and the depth of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Independent submitters.
    pub jobs: u32,
    /// I/Os that each keeps in flight.
    pub depth: u32,
}

impl Cell {
    /// A cell of so many jobs at such a depth.
    pub const fn new(jobs: u32, depth: u32) -> Self {
        Self { jobs, depth }
    }

    /// I/Os in flight, all jobs together.
    pub const fn in_flight(self) -> u64 {
        self.jobs as u64 * self.depth as u64
    }
}

/// Most jobs of any grid.
pub const MAX_JOBS: u32 = 16;
/// Greatest depth of any grid.
pub const MAX_DEPTH: u32 = 256;

/// Jobs 1, 2, 4 .. and depths 1, 2, 4 .. up to limits, with a bound on their product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    max_jobs: u32,
    max_depth: u32,
    max_in_flight: u64,
}

impl Default for Grid {
    /// The whole grid: 5 x 9 cells.
    fn default() -> Self {
        Self::up_to(MAX_JOBS, MAX_DEPTH)
    }
}

impl Grid {
    /// All cells up to these jobs and this depth, each rounded down to a power of two and brought into
    /// `1..=`[`MAX_JOBS`] and `1..=`[`MAX_DEPTH`].
    pub fn up_to(max_jobs: u32, max_depth: u32) -> Self {
        let power = |value: u32, most: u32| 1 << value.clamp(1, most).ilog2();
        Self {
            max_jobs: power(max_jobs, MAX_JOBS),
            max_depth: power(max_depth, MAX_DEPTH),
            max_in_flight: u64::MAX,
        }
    }

    /// The same grid without cells that keep more than this in flight; (1, 1) always stays.
    pub fn with_max_in_flight(self, max_in_flight: u64) -> Self {
        Self { max_in_flight: max_in_flight.max(1), ..self }
    }

    /// Every cell, by jobs, then depth.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let axis = |most: u32| (0..=most.ilog2()).map(|i| 1u32 << i);
        axis(self.max_jobs)
            .flat_map(move |jobs| axis(self.max_depth).map(move |depth| Cell { jobs, depth }))
            .filter(|cell| self.contains(*cell))
    }

    /// Whether a cell belongs to the grid.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.jobs.is_power_of_two()
            && cell.depth.is_power_of_two()
            && cell.jobs <= self.max_jobs
            && cell.depth <= self.max_depth
            && cell.in_flight() <= self.max_in_flight
    }

    /// The nearest cell of the grid that is not above `cell` on either axis; where the product is too
    /// large, depth gives way before jobs.
    pub fn clamp(&self, cell: Cell) -> Cell {
        let power = |value: u32, most: u32| 1u32 << value.clamp(1, most).ilog2();
        let mut inside =
            Cell { jobs: power(cell.jobs, self.max_jobs), depth: power(cell.depth, self.max_depth) };
        while inside.in_flight() > self.max_in_flight && inside.in_flight() > 1 {
            if inside.depth > 1 { inside.depth /= 2 } else { inside.jobs /= 2 }
        }
        inside
    }

    /// The cell so many doublings away on each axis, if it is on the grid.
    pub fn step(&self, cell: Cell, jobs_doublings: i32, depth_doublings: i32) -> Option<Cell> {
        let shifted = |value: u32, doublings: i32| {
            let exponent = i32::try_from(value.checked_ilog2()?).ok()? + doublings;
            (0..31).contains(&exponent).then(|| 1u32 << exponent)
        };
        let to =
            Cell { jobs: shifted(cell.jobs, jobs_doublings)?, depth: shifted(cell.depth, depth_doublings)? };
        self.contains(to).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_whole_grid_has_45_cells_and_limits_shrink_it() {
        assert_eq!(Grid::default().cells().count(), 45);
        assert_eq!(Grid::up_to(16, 128).cells().count(), 40);
        assert_eq!(Grid::up_to(0, 0).cells().collect::<Vec<_>>(), vec![Cell::new(1, 1)]);
        assert_eq!(Grid::up_to(6, 1).cells().count(), 3);
        let small = Grid::default().with_max_in_flight(4);
        assert_eq!(small.cells().count(), 6);
        assert_eq!(small.clamp(Cell::new(16, 256)), Cell::new(4, 1));
    }

    #[test]
    fn steps_stay_on_the_grid() {
        let grid = Grid::up_to(4, 8);
        assert_eq!(grid.step(Cell::new(2, 4), 1, -1), Some(Cell::new(4, 2)));
        assert_eq!(grid.step(Cell::new(4, 4), 1, 0), None);
        assert_eq!(grid.step(Cell::new(1, 1), -1, 0), None);
    }

    proptest! {
        #[test]
        fn a_clamped_cell_is_on_the_grid(jobs: u32, depth: u32, limits in any::<(u32, u32, u64)>()) {
            let grid = Grid::up_to(limits.0, limits.1).with_max_in_flight(limits.2);
            prop_assert!(grid.contains(grid.clamp(Cell::new(jobs, depth))));
        }
    }
}
