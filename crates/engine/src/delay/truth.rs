//! What a right measurement of a constant delay with stalls must find, in closed form.

use fathom_record::options::Stalls;

/// Truths of a constant delay with stalls over whole periods. The delay is shorter than a stall and than
/// the time between two, and the engine underneath takes no time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StallTruth {
    /// The delay outside stalls.
    pub delay_ns: u64,
    /// The stalls.
    pub stalls: Stalls,
}

impl StallTruth {
    /// I/Os that each slot of a closed loop ends in a period. All slots start again together when a stall
    /// ends, so the last one of each is the one that falls due in the next stall.
    fn closed_count(&self) -> u64 {
        (self.stalls.every_ns - self.stalls.length_ns).div_ceil(self.delay_ns)
    }

    /// Share of a closed loop's I/Os that a stall holds, whatever the depth.
    pub fn closed_share(&self) -> f64 {
        1.0 / self.closed_count() as f64
    }

    /// Service latency of an I/O of a closed loop that a stall holds: what the others leave of a period.
    pub fn closed_held_ns(&self) -> u64 {
        self.stalls.every_ns - (self.closed_count() - 1) * self.delay_ns
    }

    /// Quantile of order `q` of the service latency of a closed loop.
    pub fn closed_quantile_ns(&self, q: f64) -> f64 {
        (if q <= 1.0 - self.closed_share() { self.delay_ns } else { self.closed_held_ns() }) as f64
    }

    /// Share of open arrivals at a constant rate that a stall holds.
    pub fn open_share(&self) -> f64 {
        self.stalls.length_ns as f64 / self.stalls.every_ns as f64
    }

    /// Quantile of order `q` of the response latency of open arrivals at a constant rate, without a cap on
    /// what is in flight: those held wait for any part of the stall alike.
    pub fn open_quantile_ns(&self, q: f64) -> f64 {
        let share = self.open_share();
        let rank = ((q - (1.0 - share)) / share).max(0.0);
        self.delay_ns as f64 + self.stalls.length_ns as f64 * rank
    }
}
