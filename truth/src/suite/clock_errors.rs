//! Clocks of clients against the coordinator's: how far a second of theirs is from the same second here, against the
//! bound that is stated, over drawn delays, asymmetries and drifts.

use fathom_measure::clock::offset::{Offset, Ping, offset, skew_bound_ns};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::{Bound, Figure};

type Rng = Xoshiro256PlusPlus;

const PINGS: usize = 32;

/// A client's clock and the way to it.
struct RemoteClock {
    /// Its clock at the coordinator's zero, in nanoseconds.
    ahead_ns: f64,
    /// Its rate against the coordinator's.
    rate: f64,
    /// Shortest time under way, both ways together, in nanoseconds.
    shortest_ns: f64,
    /// Share of it that the question takes.
    share: f64,
    /// Mean of what a busy network adds each way, in nanoseconds.
    queue_ns: f64,
    /// What its clock is set by in the middle of a run, in nanoseconds.
    step_ns: f64,
    /// When.
    step_at_ns: f64,
}

impl RemoteClock {
    fn draw(rng: &mut Rng) -> Self {
        let log_uniform = |rng: &mut Rng, low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
        Self {
            ahead_ns: rng.random_range(1e9..1e15),
            rate: 1.0 + rng.random_range(-50e-6..50e-6),
            shortest_ns: log_uniform(rng, 20e3, 50e6),
            share: rng.random(),
            queue_ns: log_uniform(rng, 1e3, 20e6),
            step_ns: 0.0,
            step_at_ns: f64::INFINITY,
        }
    }

    /// Its clock at a moment of the coordinator's.
    fn clock(&self, at_ns: f64) -> f64 {
        let step_ns = if at_ns >= self.step_at_ns { self.step_ns } else { 0.0 };
        self.ahead_ns + self.rate * at_ns + step_ns
    }

    fn ping(&self, asked_ns: f64, rng: &mut Rng) -> Ping {
        let queued = |rng: &mut Rng| self.queue_ns * <Exp1 as Distribution<f64>>::sample(&Exp1, rng);
        let heard = asked_ns + self.share * self.shortest_ns + queued(rng);
        let answered = heard + rng.random_range(500.0..20e3);
        let back = answered + (1.0 - self.share) * self.shortest_ns + queued(rng);
        Ping {
            asked_ns: asked_ns as u64,
            heard_ns: self.clock(heard) as u64,
            answered_ns: self.clock(answered) as u64,
            back_ns: back as u64,
        }
    }

    /// Compares the clocks from a moment on; the offset, and when that was over.
    fn compare(&self, from_ns: f64, rng: &mut Rng) -> Option<(Offset, f64)> {
        let mut at_ns = from_ns;
        let pings: Vec<Ping> = (0..PINGS)
            .map(|_| {
                let ping = self.ping(at_ns, rng);
                at_ns = ping.back_ns as f64 + 1.0;
                ping
            })
            .collect();
        Some((offset(&pings)?, at_ns))
    }

    /// The worst distance of a second, and the bound that is stated, over one run.
    fn run(&self, rng: &mut Rng) -> Option<(f64, f64)> {
        let (before, over_ns) = self.compare(rng.random_range(1e9..1e12), rng)?;
        let start_ns = over_ns + 500e6_f64.max(20.0 * before.round_trip_ns as f64);
        // The moment that the client is told, on its own clock.
        let told_ns = start_ns + before.ns as f64;
        let seconds = rng.random_range(5.0..3600.0_f64).floor();
        let (after, _) = self.compare(start_ns + seconds * 1e9 + 1e6, rng)?;
        let distance = |second: f64| (told_ns + second * 1e9 - self.clock(start_ns + second * 1e9)).abs();
        let worst =
            [0.0, seconds / 4.0, seconds / 2.0, seconds].map(distance).into_iter().fold(0.0, f64::max);
        Some((worst, skew_bound_ns(&before, &after) as f64))
    }
}

/// Gate: the bound holds in every case.
pub fn run(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(1000, 100_000);
    let mut rng = Rng::seed_from_u64(2026);
    let mut runs = |change: fn(&mut RemoteClock)| -> Vec<(f64, f64)> {
        let mut case = || {
            let mut far = RemoteClock::draw(&mut rng);
            change(&mut far);
            far.run(&mut rng)
        };
        (0..trials).filter_map(|_| case()).collect()
    };
    let drawn = runs(|_| ());
    // Doubles are rounded to an eighth of a nanosecond at 10^15 ns.
    let beyond = |cases: &[(f64, f64)]| {
        let out = cases.iter().filter(|(worst, bound)| *worst > bound + 1.0).count();
        (out + trials - cases.len()) as f64 / trials as f64
    };
    let mut used: Vec<f64> = drawn.iter().map(|(worst, bound)| worst / bound).collect();
    used.sort_by(f64::total_cmp);
    let set = runs(|far| (far.step_ns, far.step_at_ns) = (250e6, 0.0));
    let stepped = runs(|far| {
        far.rate = 1.0;
        (far.step_ns, far.step_at_ns) = (250e6, 1.002e12);
    });
    let noticed = stepped.iter().filter(|(worst, bound)| *worst < 200e6 || *bound > 100e6).count();
    vec![
        Figure::share(
            "drawn delays, asymmetries and drifts",
            "seconds beyond the bound",
            beyond(&drawn),
            Bound::AtMost(0.0),
        ),
        Figure::share(
            "the same",
            "median share of the bound that was used",
            used.get(used.len() / 2).copied().unwrap_or(f64::NAN),
            Bound::Within(0.01, 1.0),
        ),
        Figure::share(
            "another origin of the clock",
            "seconds beyond the bound",
            beyond(&set),
            Bound::AtMost(0.0),
        ),
        Figure::share(
            "a clock that is set in the middle",
            "steps that show as more than 100 ms",
            noticed as f64 / stepped.len().max(1) as f64,
            Bound::AtLeast(1.0),
        ),
    ]
}
