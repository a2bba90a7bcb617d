//! The search against devices whose optimum is known. Seeds are fixed; the rates asserted are those of
//! the method, the ones reached are printed with `--nocapture`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code outside of test functions")]

use fathom_stats::{Cell, Grid, Observation, Purpose, Search, SearchEnd, SearchOptions, Step};
use fathom_truth::random_process::device_process::{Device, grid};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const DEVICES: usize = 300;

/// Results over many random devices.
#[derive(Default)]
struct Tally {
    runs: Vec<f64>,
    regrets: Vec<f64>,
    peak_shares: Vec<f64>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn share(values: &[f64], holds: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|v| holds(**v)).count() as f64 / values.len() as f64
}

impl Tally {
    /// Share of devices whose balanced point is within 2 % of the best normalised power.
    fn within(&self) -> f64 {
        share(&self.regrets, |r| r <= 0.02)
    }

    /// Share of devices whose peak reaches 95 % of the true highest rate: 2 % by definition, the rest noise.
    fn peaks(&self) -> f64 {
        share(&self.peak_shares, |s| s >= 0.95)
    }

    fn print(&self, what: &str) {
        println!(
            "{what}: mean runs {:.1}, within 2 % {:.1} %, peak {:.1} %",
            mean(&self.runs),
            100.0 * self.within(),
            100.0 * self.peaks()
        );
    }
}

fn cell_at(search: &Search, index: usize) -> Cell {
    let observed = search.estimates()[index];
    Cell::new(observed.jobs, observed.depth)
}

/// Searches random devices; the rate of each run is multiplied by `(1 + drift)^run`.
fn tally(noise: f64, max_runs: u32, drift: f64, seed: u64) -> Tally {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let grid = grid();
    let mut tally = Tally::default();
    for _ in 0..DEVICES {
        let device = Device::random(&mut rng);
        let mut search = Search::new(grid.clone(), SearchOptions { max_runs, ..SearchOptions::default() });
        while let Some(step) = search.next() {
            let mut run = device.run(step.cell, noise, &mut rng);
            let factor = (1.0 + drift).powi(search.runs() as i32);
            run.x_per_s *= factor;
            run.r_ns /= factor;
            search.observe(step.cell, run);
        }
        assert!(search.runs() as u64 <= u64::from(max_runs));
        let chosen = cell_at(&search, search.balanced().unwrap().index);
        let peak = cell_at(&search, search.peak().unwrap().index);
        tally.runs.push(search.runs() as f64);
        tally.regrets.push(device.regret(chosen, &grid));
        tally.peak_shares.push(device.rate(peak) / device.highest_rate(&grid));
    }
    tally
}

#[test]
fn the_optimum_is_found_in_a_third_of_the_grid() {
    let found = tally(0.01, u32::MAX, 0.0, 1);
    found.print("1 % noise");
    assert!(found.within() >= 0.98, "{}", found.within());
    assert!(mean(&found.runs) <= 14.0, "{}", mean(&found.runs));
    assert!(found.peaks() >= 0.98, "{}", found.peaks());
}

#[test]
fn noise_costs_runs_before_it_costs_truth() {
    let quiet = tally(0.005, u32::MAX, 0.0, 2);
    let noisy = tally(0.03, u32::MAX, 0.0, 3);
    quiet.print("0.5 % noise");
    noisy.print("3 % noise");
    assert!(quiet.within() >= 0.98 && mean(&quiet.runs) <= 14.0);
    assert!(noisy.within() >= 0.90, "{}", noisy.within());
    assert!(mean(&noisy.runs) > mean(&quiet.runs));
}

#[test]
fn short_budgets_are_kept_and_lose_little() {
    for (max_runs, least) in [(6, 0.85), (7, 0.90), (8, 0.93)] {
        let found = tally(0.01, max_runs, 0.0, 4);
        found.print(&format!("{max_runs} runs"));
        assert!(found.within() >= least, "{max_runs} runs: {}", found.within());
    }
}

#[test]
fn a_device_that_drifts_is_still_searched_right() {
    let found = tally(0.005, u32::MAX, -0.005, 6);
    found.print("0.5 % drift a run");
    assert!(found.within() >= 0.95, "{}", found.within());
}

#[test]
fn a_second_hill_in_a_far_corner_is_found() {
    // A hill at sixteen jobs that no neighbour of the first one shows.
    let rate = |cell: Cell| {
        let n = cell.in_flight() as f64;
        let first = 1.0 / (1.0 / (n * 1e4) + 1.0 / 1e5);
        if cell.jobs == 16 && cell.depth >= 128 { 8.0 * first } else { first }
    };
    let mut search = Search::new(grid(), SearchOptions::default());
    while let Some(step) = search.next() {
        let x_per_s = rate(step.cell);
        let r_ns = step.cell.in_flight() as f64 / x_per_s * 1e9;
        search.observe(step.cell, Observation { x_per_s, r_ns, noise: Some(0.01) });
    }
    assert_eq!(cell_at(&search, search.balanced().unwrap().index), Cell::new(16, 128));
    assert_eq!(search.finished(), Some(SearchEnd::Decided));
}

/// Each job more makes a lock that all take dearer: the best is one job, as deep as the device is parallel.
#[test]
fn where_jobs_contend_one_job_is_tried_as_deep_as_it_takes() {
    for (lock_us, handover_us, server_us) in [(76.0, 18.0, 4016.0), (58.0, 9.0, 1800.0), (31.0, 40.0, 900.0)]
    {
        let rate = |cell: Cell| {
            let concurrency = cell.in_flight() as f64 * 1e6 / (50.0 + server_us);
            let servers = 64e6 / server_us;
            let lock = 1e6 / (lock_us + handover_us * f64::from(cell.jobs - 1));
            concurrency.min(servers).min(lock)
        };
        let grid = grid();
        let best = grid.cells().map(rate).fold(0.0, f64::max);
        let mut search = Search::new(grid, SearchOptions::default());
        while let Some(step) = search.next() {
            let x_per_s = rate(step.cell);
            let r_ns = step.cell.in_flight() as f64 / x_per_s * 1e9;
            search.observe(step.cell, Observation { x_per_s, r_ns, noise: Some(0.01) });
        }
        let found = cell_at(&search, search.balanced().unwrap().index);
        assert!(rate(found) >= 0.97 * best, "{found:?}: {} of {best}", rate(found));
    }
}

#[test]
fn anchors_come_first_and_a_budget_given_late_is_kept() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let device = Device::random(&mut rng);
    let mut search = Search::new(Grid::default(), SearchOptions::default());
    let mut steps = Vec::new();
    search.remaining(3);
    while let Some(step) = search.next() {
        steps.push(step);
        search.observe(step.cell, device.run(step.cell, 0.01, &mut rng));
    }
    assert_eq!(steps[0], Step { cell: Cell::new(1, 1), purpose: Purpose::Unloaded });
    assert_eq!(steps[1], Step { cell: Cell::new(8, 32), purpose: Purpose::Capacity });
    assert_eq!((steps.len(), steps[2].purpose), (3, Purpose::Start));
    assert_eq!(search.finished(), Some(SearchEnd::BudgetSpent));
    search.remaining(1);
    assert!(search.next().is_some());
}

#[test]
fn replaying_the_observations_continues_where_it_stopped() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let device = Device::random(&mut rng);
    let mut search = Search::new(grid(), SearchOptions::default());
    let mut log = Vec::new();
    while let Some(step) = search.next() {
        let mut resumed = Search::new(grid(), SearchOptions::default());
        log.iter().for_each(|(cell, run)| resumed.observe(*cell, *run));
        assert_eq!(resumed.next(), Some(step));
        let run = device.run(step.cell, 0.01, &mut rng);
        log.push((step.cell, run));
        search.observe(step.cell, run);
    }
}

#[test]
fn a_target_that_never_works_ends_the_search() {
    let mut search = Search::new(Grid::default(), SearchOptions::default());
    while let Some(step) = search.next() {
        search.observe(step.cell, Observation { x_per_s: 0.0, r_ns: 0.0, noise: None });
    }
    assert_eq!(search.finished(), Some(SearchEnd::NothingUsable));
    assert!(search.runs() <= 3);
    assert_eq!(search.balanced(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_observations_on_any_grid_lead_to_an_end(
        limits in (0u32..40, 0u32..400, 1u64..5000),
        values in prop::collection::vec((any::<f64>(), 1.0f64..1e6, any::<bool>(), any::<Option<f64>>()), 1..60),
    ) {
        let grid = Grid::up_to(limits.0, limits.1).with_max_in_flight(limits.2);
        let mut search = Search::new(grid.clone(), SearchOptions::default());
        let mut runs = 0;
        while let Some(step) = search.next() {
            prop_assert!(grid.contains(step.cell));
            let (absurd, sane, is_sane, noise) = values[runs % values.len()];
            let x_per_s = if is_sane { sane } else { absurd };
            search.observe(step.cell, Observation { x_per_s, r_ns: 1e9 / x_per_s, noise });
            runs += 1;
            prop_assert!(runs <= 45 * 8);
        }
        prop_assert!(search.finished().is_some());
    }
}
