//! Which cells a pass visits, and in which order: at random, so that a drift of the target or of the
//! machine does not look like an effect of an axis.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::grid_refinement;

/// A cell with an interval from fewer runs than this is visited whatever its width: few runs agree by
/// chance.
pub const LEAST_RUNS: usize = 3;

/// What is known of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellProgress {
    /// Passes that visited it.
    pub visits: u32,
    /// I/Os per second of the first run; absent where it was not measured.
    pub first_rate: Option<f64>,
    /// Relative half-width of the interval over its runs.
    pub interval_share: Option<f64>,
    /// Whether it failed: it is not visited again.
    pub failed: bool,
}

/// Rules of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Number of values on each axis.
    pub lengths: &'a [usize],
    /// Width below which a cell is not visited again.
    pub until_share: Option<f64>,
    /// Whether cells between equal neighbours are left out.
    pub adaptive: bool,
    /// Seed of the order.
    pub seed: u64,
}

/// Cells to visit now in pass `pass`, from 0, in random order; empty when the pass is over.
///
/// The first pass of an adaptive sweep asks several times, because what it leaves out depends on what
/// it has found. The answer depends on nothing but the arguments, so that a sweep that was cut off goes on
/// in the order that it had.
pub fn wanted(rules: &Rules<'_>, pass: u32, known: &[CellProgress]) -> Vec<usize> {
    let mut cells: Vec<usize> = if pass == 0 && rules.adaptive {
        let rates: Vec<Option<f64>> = known.iter().map(|cell| cell.first_rate).collect();
        grid_refinement::wanted(rules.lengths, &rates)
            .into_iter()
            .filter(|cell| !known[*cell].failed)
            .collect()
    } else {
        (0..known.len()).filter(|cell| is_due(rules, pass, &known[*cell])).collect()
    };
    let step = u64::from(pass) << 32 | known.iter().filter(|cell| cell.visits > 0).count() as u64;
    cells.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(rules.seed.wrapping_add(step)));
    cells
}

fn is_due(rules: &Rules<'_>, pass: u32, cell: &CellProgress) -> bool {
    let was_left_out = rules.adaptive && cell.visits == 0;
    let is_decided = cell.visits as usize >= LEAST_RUNS
        && cell.interval_share.zip(rules.until_share).is_some_and(|(share, until)| share <= until);
    cell.visits <= pass && !cell.failed && !was_left_out && !is_decided
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(lengths: &[usize], until_share: Option<f64>) -> Rules<'_> {
        Rules { lengths, until_share, adaptive: false, seed: 3 }
    }

    #[test]
    fn each_pass_visits_every_cell_once_in_its_own_order() {
        let mut known = vec![CellProgress::default(); 12];
        let mut orders = Vec::new();
        for pass in 0..4 {
            let order = wanted(&rules(&[12], None), pass, &known);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..12).collect::<Vec<_>>());
            order.iter().for_each(|cell| known[*cell].visits += 1);
            assert!(wanted(&rules(&[12], None), pass, &known).is_empty());
            orders.push(order);
        }
        orders.dedup();
        assert_eq!(orders.len(), 4, "{orders:?}");
    }

    #[test]
    fn a_cell_that_is_known_well_enough_or_failed_is_left_alone() {
        let known = vec![
            CellProgress { visits: 3, interval_share: Some(0.01), ..CellProgress::default() },
            CellProgress { visits: 3, interval_share: Some(0.05), ..CellProgress::default() },
            CellProgress { visits: 2, interval_share: Some(0.01), ..CellProgress::default() },
            CellProgress { visits: 3, failed: true, ..CellProgress::default() },
        ];
        let mut due = wanted(&rules(&[4], Some(0.02)), 3, &known);
        due.sort_unstable();
        assert_eq!(due, [1, 2]);
    }
}
