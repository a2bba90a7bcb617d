//! What the machine takes from a loop that only reads the clock: the gaps between its readings, and how
//! late they alone would make I/Os of a known delay.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::program_run;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// How long.
    #[arg(value_name = "SECONDS", default_value_t = 1)]
    seconds: u64,
}

/// Above what a reading takes.
const GAP_NS: u64 = 150;

/// Gaps of a bare loop over some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    pub seconds: f64,
    /// In nanoseconds.
    pub each: Vec<f64>,
}

/// Runs the loop in this process and prints its gaps.
pub fn run(options: &Options) {
    for gap in spin(Duration::from_secs(options.seconds)) {
        println!("{gap}");
    }
}

#[allow(clippy::disallowed_methods, reason = "the gaps of the wall clock's readings are what is measured")]
fn spin(length: Duration) -> Vec<u64> {
    let mut gaps = Vec::with_capacity(1 << 20);
    let start = std::time::Instant::now();
    let mut last = start;
    while last - start < length {
        let now = std::time::Instant::now();
        let gap = (now - last).as_nanos() as u64;
        if gap > GAP_NS && gaps.len() < gaps.capacity() {
            gaps.push(gap);
        }
        last = now;
    }
    gaps
}

impl Gaps {
    /// Measured on a processor, in a process of its own.
    ///
    /// # Errors
    /// Where this program or `taskset` cannot be run.
    pub fn measure(cpu: usize, seconds: u64, folder: &Path) -> Result<Self, String> {
        let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let (cpu, length) = (cpu.to_string(), seconds.to_string());
        let this = this.to_string_lossy();
        let command = ["taskset", "-c", &cpu, &this, "gaps", &length].map(str::to_owned);
        let ended = program_run::run(&command, folder)?;
        let each = ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Self { seconds: seconds as f64, each })
    }

    /// Adds another measurement.
    pub fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.each.extend(other.each);
    }

    /// Quantile `q` of the service latency, in nanoseconds, of delays with this quantile function, if
    /// nothing but the gaps came on top.
    pub fn expected_ns(&self, q: f64, delay_ns: &dyn Fn(f64) -> f64) -> f64 {
        const STEPS: usize = 40_000;
        let delays: Vec<f64> = (0..STEPS).map(|at| delay_ns((at as f64 + 0.5) / STEPS as f64)).collect();
        let mean_ns = delays.iter().sum::<f64>() / STEPS as f64;
        let lateness = Lateness::of(self, mean_ns);
        let beyond = |value_ns: f64| {
            let share = |delay: &f64| {
                if *delay > value_ns { 1.0 } else { lateness.share_beyond(value_ns - delay) }
            };
            delays.iter().map(share).sum::<f64>() / STEPS as f64
        };
        let (mut low, mut high) = (0.0, delay_ns(1.0 - 1e-9) + self.longest_ns());
        while high - low > 1e-4 * high {
            let middle = f64::midpoint(low, high);
            if beyond(middle) > 1.0 - q { low = middle } else { high = middle }
        }
        high
    }

    fn longest_ns(&self) -> f64 {
        self.each.iter().copied().fold(0.0, f64::max)
    }

    /// In words.
    pub fn summary(&self) -> String {
        let many =
            |least_ns: f64| self.each.iter().filter(|gap| **gap > least_ns).count() as f64 / self.seconds;
        let share = self.each.iter().sum::<f64>() / (self.seconds * 1e7);
        format!(
            "{:.0} gaps a second above 1 us, {:.1} above 50 us, the longest {:.0} us; {share:.3} % of the time",
            many(1e3),
            many(5e4),
            self.longest_ns() / 1e3
        )
    }
}

/// How late I/Os of a closed loop end by gaps alone: those that fall due in a gap with so much left of it.
/// A slot has one I/O at a time, so a gap that is longer than an I/O takes still hits one.
struct Lateness {
    /// Ascending.
    gaps: Vec<f64>,
    /// Sum of the gaps from each on.
    sums: Vec<f64>,
    mean_ns: f64,
    whole_ns: f64,
}

impl Lateness {
    fn of(gaps: &Gaps, mean_ns: f64) -> Self {
        let mut each = gaps.each.clone();
        each.sort_by(f64::total_cmp);
        let mut sums: Vec<f64> = each
            .iter()
            .rev()
            .scan(0.0, |sum, gap| {
                *sum += gap;
                Some(*sum)
            })
            .collect();
        sums.reverse();
        sums.push(0.0);
        Self { gaps: each, sums, mean_ns, whole_ns: gaps.seconds * 1e9 }
    }

    /// What all gaps have beyond this length.
    fn beyond_ns(&self, length_ns: f64) -> f64 {
        let at = self.gaps.partition_point(|gap| *gap <= length_ns);
        self.sums[at] - (self.gaps.len() - at) as f64 * length_ns
    }

    /// Share of I/Os that end later than this.
    fn share_beyond(&self, late_ns: f64) -> f64 {
        (self.beyond_ns(late_ns) - self.beyond_ns(late_ns + self.mean_ns)) / self.whole_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred gaps of 50 us in a second: 0.5 % of the time.
    fn gaps() -> Gaps {
        Gaps { seconds: 1.0, each: vec![50_000.0; 100] }
    }

    #[test]
    fn the_tail_of_a_constant_delay_is_that_of_the_gaps() {
        // 0.1 % of a second is 10 us of each gap: what falls due there waits for 40 us or more.
        let expected_ns = gaps().expected_ns(0.999, &|_| 1e6);
        assert!((expected_ns - 1_040_000.0).abs() < 200.0, "{expected_ns}");
        // I/Os of 5 us: a gap hits one of them, at any of its own moments: 0.05 % of all.
        let short_ns = gaps().expected_ns(0.999, &|_| 5e3);
        assert!((short_ns - 5e3).abs() < 10.0, "{short_ns}");
        let none = Gaps { seconds: 1.0, each: Vec::new() };
        assert!((none.expected_ns(0.999, &|_| 1e5) - 1e5).abs() < 20.0);
    }

    #[test]
    fn a_wide_distribution_shows_less_of_them() {
        let exponential = |q: f64| -1e6 * (1.0 - q).ln();
        let share = gaps().expected_ns(0.999, &exponential) / exponential(0.999);
        assert!((0.995..1.01).contains(&share), "{share}");
    }

    #[test]
    fn a_bare_loop_ends_and_finds_gaps_in_order() {
        let found = spin(Duration::from_millis(20));
        assert!(found.iter().all(|gap| *gap > GAP_NS));
    }
}
