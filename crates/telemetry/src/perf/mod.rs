//! Cycles and instructions of the measuring process, where the machine has counters.

#[cfg(target_os = "linux")]
#[path = "counter_linux.rs"]
mod counter;
#[cfg_attr(target_os = "linux", path = "counters_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "counters_elsewhere.rs")]
mod counters;
mod metrics;

pub use metrics::METRICS;

use crate::counter_growth::per_second;
use crate::{MetricDecl, Sample, Source, TelemetryError};
use counters::Counters;

/// Totals since the counters were started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    cycles: u64,
    instructions: u64,
}

/// The process's counters, or why there are none.
pub struct Perf {
    counters: Result<Counters, TelemetryError>,
    before: Option<Totals>,
}

impl Perf {
    /// Starts counting all threads of this process that exist now, and all that they start later.
    pub fn start() -> Self {
        Self { counters: Counters::start(), before: None }
    }
}

impl Source for Perf {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let counters = match &mut self.counters {
            Ok(counters) => counters,
            Err(error) => return sample.absent("perf", error.cause.as_str()),
        };
        let now = counters.read();
        if let (Some(before), Some(now)) = (self.before, now) {
            let label = counters.label();
            let cycles = per_second(before.cycles, now.cycles, elapsed_ns);
            let instructions = per_second(before.instructions, now.instructions, elapsed_ns);
            sample.put(&METRICS[0], label, cycles);
            sample.put(&METRICS[1], label, instructions);
            let ratio = cycles.zip(instructions).map(|(cycles, instructions)| instructions / cycles);
            sample.put(&METRICS[2], label, ratio);
        }
        self.before = now;
    }
}
