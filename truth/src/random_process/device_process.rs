//! Random devices with known throughput over jobs x depth: a closed queueing network (parallel servers
//! and a shared pipe), or a curve bent by a p-norm, under a processor a job, contention between jobs and
//! a cap.

use fathom_stats::{Cell, Grid, Observation};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::sides::normal;

/// Grid of the published error rates: 5 jobs x 8 depths.
pub fn grid() -> Grid {
    Grid::up_to(16, 128)
}

/// What limits a random device beside its parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Cap,
    Net,
    Processor,
    Lock,
    Soft,
    /// A lock that one I/O at a time holds, longer for each other job that wants it.
    Handover,
}

const KINDS: [Kind; 7] =
    [Kind::Read, Kind::Write, Kind::Cap, Kind::Net, Kind::Processor, Kind::Lock, Kind::Soft];

/// A device by what limits it.
pub struct Device {
    servers: f64,
    service_s: f64,
    pipe_s: f64,
    think_s: f64,
    per_job_per_s: f64,
    lock: f64,
    /// For how long an I/O holds a lock, and how much longer for each other job; zeros without one.
    held_s: [f64; 2],
    cap_per_s: f64,
    /// Exponent of the p-norm; absent: the queueing network.
    sharpness: Option<f64>,
    /// Rate of the queueing network by I/Os in flight.
    network_per_s: Vec<f64>,
}

impl Device {
    /// Draws one.
    pub fn random(rng: &mut Xoshiro256PlusPlus) -> Self {
        let kind = KINDS[rng.random_range(0..KINDS.len())];
        Self::of(kind, rng)
    }

    /// Draws one whose jobs hand a lock over to each other.
    pub fn contended(rng: &mut Xoshiro256PlusPlus) -> Self {
        Self::of(Kind::Handover, rng)
    }

    fn of(kind: Kind, rng: &mut Xoshiro256PlusPlus) -> Self {
        let log_uniform =
            |rng: &mut Xoshiro256PlusPlus, low: f64, high: f64| rng.random_range(low.ln()..high.ln()).exp();
        let service_s = log_uniform(rng, 10e-6, 1e-3);
        let servers = rng.random_range(0.0..8.0f64).exp2().floor();
        let pipe_s = service_s / rng.random_range(-1.0..9.0f64).exp2();
        let think_s = rng.random_range(1e-6..8e-6);
        let mut device = Self {
            servers,
            service_s,
            pipe_s,
            think_s,
            per_job_per_s: rng.random_range(8e4..5e5),
            lock: 0.0,
            held_s: [0.0; 2],
            cap_per_s: f64::INFINITY,
            sharpness: None,
            network_per_s: Vec::new(),
        };
        match kind {
            Kind::Lock => device.lock = rng.random_range(0.1..1.0),
            Kind::Processor => device.per_job_per_s = rng.random_range(2e4..8e4),
            Kind::Handover => {
                // It is what binds: the servers would do two to eight times as much.
                let held_s = service_s / servers.max(2.0) * rng.random_range(2.0..8.0);
                device.servers = servers.max(2.0);
                device.held_s = [held_s, held_s * rng.random_range(0.1..0.6)];
            }
            Kind::Cap => device.cap_per_s = log_uniform(rng, 2e3, 2e5),
            _ => {}
        }
        device.sharpness = match kind {
            Kind::Cap | Kind::Write => Some(rng.random_range(2.0..8.0)),
            // Exponents under which six published vendor picks are consistent.
            Kind::Soft => Some(log_uniform(rng, 0.9, 4.0)),
            _ => None,
        };
        device.network_per_s = device.solve_network(1024);
        device
    }

    /// Mean value analysis of the closed network; a station of m servers is one of service S/m and a
    /// delay of S(m-1)/m (Seidmann).
    fn solve_network(&self, most: usize) -> Vec<f64> {
        let demand = [self.service_s / self.servers, self.pipe_s];
        let delay = self.think_s + self.service_s * (self.servers - 1.0) / self.servers;
        let mut queue = [0.0f64; 2];
        let mut rates = vec![0.0];
        for n in 1..=most {
            let waits = [0, 1].map(|i| demand[i] * (1.0 + queue[i]));
            let rate = n as f64 / (delay + waits[0] + waits[1]);
            queue = waits.map(|w| w * rate);
            rates.push(rate);
        }
        rates
    }

    /// True operations per second.
    pub fn rate(&self, cell: Cell) -> f64 {
        let n = cell.in_flight() as f64;
        let unloaded_s = self.service_s + self.pipe_s + self.think_s;
        let free = match self.sharpness {
            Some(p) => {
                let most = (self.servers / self.service_s).min(1.0 / self.pipe_s).min(self.cap_per_s);
                ((n / unloaded_s).powf(-p) + most.powf(-p)).powf(-1.0 / p)
            }
            None => {
                let index = (cell.in_flight() as usize).min(self.network_per_s.len() - 1);
                self.network_per_s[index].min(self.cap_per_s)
            }
        };
        let others = f64::from(cell.jobs) - 1.0;
        let held_s = self.held_s[0] + others * self.held_s[1];
        let free = if held_s > 0.0 { (free.powi(-6) + held_s.powi(6)).powf(-1.0 / 6.0) } else { free };
        let processor = f64::from(cell.jobs) * self.per_job_per_s;
        let bent = (free.powi(-6) + processor.powi(-6)).powf(-1.0 / 6.0);
        bent / (1.0 + self.lock * (f64::from(cell.jobs) - 1.0) * (n.log2() - 6.0).max(0.0) / 10.0)
    }

    /// One run with log-normal noise.
    pub fn run(&self, cell: Cell, noise: f64, rng: &mut Xoshiro256PlusPlus) -> Observation {
        let factor = normal(noise, rng).exp();
        let x_per_s = self.rate(cell) * factor;
        Observation { x_per_s, r_ns: cell.in_flight() as f64 / x_per_s * 1e9, noise: Some(noise) }
    }

    /// True logarithm of the normalised power.
    pub fn ln_power(&self, cell: Cell) -> f64 {
        self.rate(cell).ln() - (cell.in_flight() as f64).ln() / 10.0
    }

    /// Share of the best normalised power that a cell gives away.
    pub fn regret(&self, cell: Cell, grid: &Grid) -> f64 {
        let best = grid.cells().map(|c| self.ln_power(c)).fold(f64::NEG_INFINITY, f64::max);
        1.0 - (self.ln_power(cell) - best).exp()
    }

    /// Highest true rate on a grid.
    pub fn highest_rate(&self, grid: &Grid) -> f64 {
        grid.cells().map(|c| self.rate(c)).fold(f64::NEG_INFINITY, f64::max)
    }
}
