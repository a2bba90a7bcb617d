//! Intended starts of an open arrival process.

use fathom_record::workload::Arrival;
use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::script::StartTimes;
use super::seed::{Purpose, random_of};

/// One job's share of an arrival process, as a value that gives the next intended start.
///
/// Constant, ramped and stepped arrivals are one stream dealt out to the jobs in turn: job `j` of `J` takes
/// arrivals `j`, `j + J`, `j + 2J`..., so that the merged stream keeps its gaps. Poisson streams add up
/// to a Poisson stream, so each job has its own at its part of the rate.
#[derive(Debug)]
pub struct ArrivalPattern(Kind);

#[derive(Debug)]
enum Kind {
    Closed,
    Written(StartTimes),
    Constant(ConstantArrivals),
    Poisson(Poisson),
    Ramp(Ramp),
    Steps(Steps),
}

/// Next start and step, in nanoseconds with 64 fractional bits: adding the step loses nothing that
/// would add up to a nanosecond in the age of the universe.
#[derive(Clone, Debug)]
struct ConstantArrivals {
    next: u128,
    step: u128,
}

#[derive(Clone, Debug)]
struct Poisson {
    mean_gap_ns: f64,
    whole_ns: u64,
    /// What the whole nanoseconds lack, 0 to 1, so that truncation does not speed the stream up.
    rest_ns: f64,
    random: Xoshiro256PlusPlus,
}

/// Each start is computed from its number, so that no error adds up.
#[derive(Clone, Debug)]
struct Ramp {
    from_per_s: f64,
    to_per_s: f64,
    over_s: f64,
    /// Arrivals until the rate stays.
    during: f64,
    number: u64,
    jobs: u64,
}

/// Rates that change from step to step, and begin again. Each start is computed from its number.
#[derive(Clone, Debug)]
struct Steps {
    step_s: f64,
    rates_per_s: Vec<f64>,
    /// Arrivals before each step and, last, of a whole lap.
    before: Vec<f64>,
    /// Where the number before was: starts only go forward.
    step: usize,
    lap: u64,
    number: u64,
    jobs: u64,
}

const NS_PER_S: f64 = 1e9;

impl ArrivalPattern {
    /// The share of job number `job` of `jobs`; `seed` is the workload's.
    pub fn new(arrival: &Arrival, (job, jobs): (u32, u32), seed: u64) -> Self {
        let jobs = jobs.max(1);
        Self(match arrival {
            // A trace's starts come from a script.
            Arrival::Closed | Arrival::Pausing { .. } | Arrival::Traced { .. } => Kind::Closed,
            // Rates of single directions are kept by their caps.
            Arrival::PerDirection { .. } => Kind::Closed,
            &Arrival::Constant { rate_per_s } => {
                let gap = (NS_PER_S / rate_per_s * 2f64.powi(64)) as u128;
                Kind::Constant(ConstantArrivals {
                    next: gap.saturating_mul(u128::from(job)),
                    step: gap.saturating_mul(u128::from(jobs)),
                })
            }
            &Arrival::Poisson { rate_per_s } => Kind::Poisson(Poisson {
                mean_gap_ns: NS_PER_S / rate_per_s * f64::from(jobs),
                whole_ns: 0,
                rest_ns: 0.0,
                random: random_of(seed, Purpose::Arrival, job),
            }),
            Arrival::Steps { step_ns, rates_per_s } => {
                Kind::Steps(Steps::new(*step_ns, rates_per_s, u64::from(job), u64::from(jobs)))
            }
            &Arrival::Ramp { from_per_s, to_per_s, over_ns } => {
                let over_s = over_ns as f64 / NS_PER_S;
                Kind::Ramp(Ramp {
                    from_per_s,
                    to_per_s,
                    over_s,
                    during: (from_per_s + to_per_s) / 2.0 * over_s,
                    number: u64::from(job),
                    jobs: u64::from(jobs),
                })
            }
        })
    }

    /// Starts that were written down before.
    pub fn written(starts: StartTimes) -> Self {
        Self(Kind::Written(starts))
    }

    /// Whether starts follow the clock, whatever the target does.
    pub fn is_open(&self) -> bool {
        !matches!(self.0, Kind::Closed)
    }

    /// The next intended start, in nanoseconds since the run's start; never before the last one. In a
    /// closed loop always 0: at once. `u64::MAX` where no further one comes.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        match &mut self.0 {
            Kind::Closed => 0,
            Kind::Constant(constant) => {
                let start_ns = (constant.next >> 64) as u64;
                constant.next = constant.next.saturating_add(constant.step);
                start_ns
            }
            Kind::Poisson(poisson) => poisson.next_ns(),
            Kind::Ramp(ramp) => ramp.next_ns(),
            Kind::Steps(steps) => steps.next_ns(),
            Kind::Written(starts) => starts.next_ns(),
        }
    }
}

impl Poisson {
    #[inline]
    fn next_ns(&mut self) -> u64 {
        let exponential: f64 = Exp1.sample(&mut self.random);
        let gap_ns = exponential * self.mean_gap_ns + self.rest_ns;
        let whole_ns = gap_ns as u64;
        self.rest_ns = gap_ns - whole_ns as f64;
        self.whole_ns = self.whole_ns.saturating_add(whole_ns);
        self.whole_ns
    }
}

impl Ramp {
    /// Where the integral of the rate reaches the arrival's number. While the rate `f + a t` changes
    /// that is the root of `f t + a t^2 / 2 = n`, written so that a small `a` cancels nothing.
    #[inline]
    fn next_ns(&mut self) -> u64 {
        let number = self.number as f64;
        self.number += self.jobs;
        let start_s = if number < self.during {
            let slope = (self.to_per_s - self.from_per_s) / self.over_s;
            let square = self.from_per_s * self.from_per_s + 2.0 * slope * number;
            2.0 * number / (self.from_per_s + square.max(0.0).sqrt())
        } else {
            self.over_s + (number - self.during) / self.to_per_s
        };
        (start_s * NS_PER_S) as u64
    }
}

impl Steps {
    fn new(step_ns: u64, rates_per_s: &[f64], job: u64, jobs: u64) -> Self {
        let step_s = step_ns as f64 / NS_PER_S;
        let mut before = Vec::with_capacity(rates_per_s.len() + 1);
        let mut sum = 0.0;
        before.push(sum);
        for rate in rates_per_s {
            sum += rate * step_s;
            before.push(sum);
        }
        Self { step_s, rates_per_s: rates_per_s.to_vec(), before, step: 0, lap: 0, number: job, jobs }
    }

    /// Where the integral of the rates reaches the arrival's number; never for rates that are all 0, which
    /// no workload has.
    #[inline]
    fn next_ns(&mut self) -> u64 {
        let (steps, number) = (self.rates_per_s.len(), self.number as f64);
        let whole = self.before[steps];
        if whole <= 0.0 {
            return u64::MAX;
        }
        self.number += self.jobs;
        let mut within = number - self.lap as f64 * whole;
        if within >= whole {
            // Whole laps at once: a lap may hold far less than one arrival.
            (self.step, self.lap) = (0, (number / whole) as u64);
            within = number - self.lap as f64 * whole;
        }
        while within >= self.before[self.step + 1] {
            self.step += 1;
            if self.step == steps {
                (self.step, self.lap) = (0, self.lap + 1);
                within = number - self.lap as f64 * whole;
            }
        }
        let inside_s = (within - self.before[self.step]).max(0.0) / self.rates_per_s[self.step];
        let steps_before = self.lap as f64 * steps as f64 + self.step as f64;
        ((steps_before * self.step_s + inside_s.min(self.step_s)) * NS_PER_S) as u64
    }
}

#[cfg(test)]
#[path = "arrival_tests.rs"]
mod tests;
