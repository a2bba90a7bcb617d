//! The clock that real runs are stamped with, and what it knows about itself.

use super::calibrate::{Edge, Rate, calibrate, edge};
use super::{Clock, counter, os};

/// What a stamp is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSource {
    /// The processor's own counter, calibrated.
    Counter,
    /// `CLOCK_MONOTONIC_RAW`.
    MonotonicRaw,
}

impl ClockSource {
    /// As records name it: `tsc` on x86-64, `cntvct` on Arm, or `monotonic_raw`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => counter::NAME,
            Self::MonotonicRaw => "monotonic_raw",
        }
    }
}

/// What is known of the clock, for the record.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockFacts {
    /// What stamps are read from.
    pub source: ClockSource,
    /// Why the processor's counter is not used, if it is not.
    pub fallback_reason: Option<String>,
    /// Median cost of one read, in nanoseconds.
    pub read_cost_ns: f64,
    /// Smallest difference between two reads that is not zero, in nanoseconds.
    pub resolution_ns: u64,
    /// Bound on the rate error from calibration, in parts per million; zero for the system clock.
    pub calibration_error_ppm: f64,
}

/// The machine's clock. Copies share origin and rate, so stamps of different threads compare.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// Fixed-point nanoseconds per tick; zero means that the system clock is read instead.
    multiplier: u64,
    /// Raw value at the origin: ticks, or nanoseconds for the system clock.
    origin: u64,
    /// System time at the origin, to compare the two clocks later.
    origin_os_ns: u64,
}

impl WallClock {
    /// Chooses, calibrates and measures the clock. Takes about 20 ms.
    pub fn start() -> (Self, ClockFacts) {
        let choice =
            counter::check().and_then(|()| calibrate().ok_or("the CPU's counter could not be calibrated"));
        match choice {
            Ok((rate, origin)) => Self::from_counter(rate, origin),
            Err(reason) => Self::from_system(reason),
        }
    }

    /// The system clock, whatever the processor offers: for comparing the two.
    pub fn start_on_system_clock() -> (Self, ClockFacts) {
        Self::from_system("asked for")
    }

    /// The processor's counter, one tick for a nanosecond: it is read as after [`start`](Self::start), and
    /// its time means nothing. For counting what a reading costs; without such a counter it stands still.
    pub fn uncalibrated() -> Self {
        Self { multiplier: 1 << 32, origin: counter::read(), origin_os_ns: 0 }
    }

    fn from_counter(rate: Rate, origin: Edge) -> (Self, ClockFacts) {
        let clock = Self { multiplier: rate.multiplier, origin: origin.ticks, origin_os_ns: origin.ns };
        let facts = clock.measure(ClockSource::Counter, None, rate.error_ppm);
        (clock, facts)
    }

    fn from_system(reason: &str) -> (Self, ClockFacts) {
        let now = os::now_ns();
        let clock = Self { multiplier: 0, origin: now, origin_os_ns: now };
        let facts = clock.measure(ClockSource::MonotonicRaw, Some(reason.to_owned()), 0.0);
        (clock, facts)
    }

    fn measure(&self, source: ClockSource, fallback_reason: Option<String>, error_ppm: f64) -> ClockFacts {
        const READS: usize = 64;
        let mut costs: Vec<f64> = (0..32)
            .map(|_| {
                let start = self.now_ns();
                for _ in 0..READS {
                    std::hint::black_box(self.now_ns());
                }
                (self.now_ns() - start) as f64 / (READS + 1) as f64
            })
            .collect();
        costs.sort_by(f64::total_cmp);
        let steps = (0..1000).map(|_| {
            let first = self.now_ns();
            self.now_ns() - first
        });
        ClockFacts {
            source,
            fallback_reason,
            read_cost_ns: costs[costs.len() / 2],
            resolution_ns: steps.filter(|&step| step > 0).min().unwrap_or(1),
            calibration_error_ppm: error_ppm,
        }
    }

    /// Relative difference between this clock and the system clock since the origin, in parts per
    /// million: positive when this clock runs fast. A self-check at the end of a run; meaningless
    /// within the first seconds.
    pub fn drift_ppm(&self) -> f64 {
        let edge = edge();
        let here =
            if self.multiplier == 0 { edge.ns - self.origin } else { self.scale(edge.ticks - self.origin) };
        let there = edge.ns - self.origin_os_ns;
        if there == 0 { 0.0 } else { (here as f64 - there as f64) / there as f64 * 1e6 }
    }

    #[inline(always)]
    fn scale(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.multiplier)) >> 32) as u64
    }
}

impl Clock for WallClock {
    #[inline(always)]
    fn now_ns(&self) -> u64 {
        if self.multiplier == 0 {
            return os::now_ns() - self.origin;
        }
        // Another core's counter may be a few ticks behind the one the origin was read on.
        self.scale(counter::read().saturating_sub(self.origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sources_agree_with_the_system_and_know_their_cost() {
        for (clock, facts) in [WallClock::start(), WallClock::start_on_system_clock()] {
            let (mine, system) = (clock.now_ns(), os::now_ns());
            std::thread::sleep(std::time::Duration::from_millis(50));
            let (mine, system) = (clock.now_ns() - mine, os::now_ns() - system);
            let difference = mine.abs_diff(system) as f64 / system as f64;
            assert!(difference < 0.01, "{facts:?}: {mine} ns against {system} ns");
            assert!(facts.read_cost_ns > 0.5 && facts.read_cost_ns < 10_000.0, "{facts:?}");
            assert!(facts.resolution_ns >= 1);
            assert_eq!(facts.fallback_reason.is_some(), facts.source == ClockSource::MonotonicRaw);
            assert_eq!(facts.source.name() == "monotonic_raw", facts.source == ClockSource::MonotonicRaw);
            assert!(clock.drift_ppm().abs() < 10_000.0);
        }
    }

    #[test]
    fn time_never_steps_back() {
        let (clock, _) = WallClock::start();
        let mut last = 0;
        for _ in 0..100_000 {
            let now = clock.now_ns();
            assert!(now >= last);
            last = now;
        }
    }
}
