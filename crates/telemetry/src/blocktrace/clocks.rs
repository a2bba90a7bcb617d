//! The run's clock and the witness's, read inside each other again and again, and stamps carried from
//! one to the other.

use fathom_measure::Clock;

/// Two clocks read at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    /// The run's.
    pub run_ns: u64,
    /// The witness's: `CLOCK_MONOTONIC`.
    pub witness_ns: u64,
    /// Half the time in which both were read.
    pub half_width_ns: u64,
}

impl Bracket {
    /// Reads both: the narrowest of several readings, so that an interrupt in one of them does no harm.
    pub fn take(clock: &impl Clock, witness: impl Fn() -> u64) -> Self {
        let one = || {
            let before_ns = witness();
            let run_ns = clock.now_ns();
            let width_ns = witness().saturating_sub(before_ns);
            Self { run_ns, witness_ns: before_ns + width_ns / 2, half_width_ns: width_ns.div_ceil(2) }
        };
        (0..32).map(|_| one()).min_by_key(|b| b.half_width_ns).expect("the range is not empty")
    }
}

/// How the clocks ran beside each other over a run.
#[derive(Clone, Debug)]
pub struct Clocks(Vec<Bracket>);

impl Clocks {
    /// From the first reading.
    pub fn new(first: Bracket) -> Self {
        Self(vec![first])
    }

    /// Adds a later reading.
    pub fn push(&mut self, bracket: Bracket) {
        self.0.push(bracket);
    }

    /// A stamp of the witness's clock on the run's, along straight lines between readings.
    pub fn run_ns(&self, witness_ns: u64) -> u64 {
        let next = self.0.partition_point(|b| b.witness_ns <= witness_ns);
        let to = next.max(1).min(self.0.len() - 1);
        let (from, to) = (self.0[to.saturating_sub(1)], self.0[to]);
        along(&from, &to, witness_ns)
    }

    /// How far a stamp that was carried over may be off: the widest reading, and the furthest that a
    /// reading lies beside the line between its neighbours.
    pub fn uncertainty_ns(&self) -> u64 {
        let width = self.0.iter().map(|b| b.half_width_ns).max().unwrap_or(0);
        let beside =
            self.0.windows(3).map(|w| along(&w[0], &w[2], w[1].witness_ns).abs_diff(w[1].run_ns)).max();
        width + beside.unwrap_or(0)
    }

    /// How much further the witness's clock went than the run's.
    pub fn drift_ns(&self) -> i64 {
        let (first, last) = (self.0[0], self.0[self.0.len() - 1]);
        (last.witness_ns - first.witness_ns) as i64 - (last.run_ns - first.run_ns) as i64
    }
}

fn along(from: &Bracket, to: &Bracket, witness_ns: u64) -> u64 {
    let passed = i128::from(witness_ns) - i128::from(from.witness_ns);
    let span = i128::from(to.witness_ns) - i128::from(from.witness_ns);
    let run = i128::from(to.run_ns) - i128::from(from.run_ns);
    let run_passed = if span > 0 { passed * run / span } else { passed };
    u64::try_from(i128::from(from.run_ns) + run_passed).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stamps_are_carried_over_whatever_zero_and_rate(
            zero in 1u64 << 40..1 << 50, ppm in -200i64..200, at in 0u64..10_000_000_000,
        ) {
            let truth = |run_ns: u64| zero + (run_ns as i64 + run_ns as i64 / 1_000_000 * ppm) as u64;
            let read = |run_ns| Bracket { run_ns, witness_ns: truth(run_ns), half_width_ns: 50 };
            let mut clocks = Clocks::new(read(1_000_000_000));
            (2..8).for_each(|second| clocks.push(read(second * 1_000_000_000)));
            // Before the first reading and after the last, too.
            let found = clocks.run_ns(truth(at));
            prop_assert!(found.abs_diff(at) <= 1_000, "{found} for {at}");
            prop_assert!((clocks.drift_ns() - 6_000 * ppm).abs() <= 1);
            prop_assert!(clocks.uncertainty_ns() <= 52);
        }
    }

    #[test]
    fn a_step_between_the_clocks_is_uncertainty() {
        let read = |run_ns, step| Bracket { run_ns, witness_ns: run_ns + step, half_width_ns: 10 };
        let mut clocks = Clocks::new(read(0, 0));
        assert_eq!(clocks.run_ns(5), 5, "one reading gives the shift alone");
        (1..6).for_each(|at| clocks.push(read(at * 1_000, u64::from(at > 2) * 300)));
        assert!(clocks.uncertainty_ns() >= 100, "{}", clocks.uncertainty_ns());
    }
}
