//! Sources and the table that they fill, without a thread or a clock.

use fathom_record::telemetry::{MetricSeries, Telemetry};

use crate::sample_columns::{Reading, Table};
use crate::{SamplerPlan, Source, sources};

/// All sources of one run. The caller says when a sample is due and what time it is.
pub struct Collector {
    sources: Vec<Box<dyn Source>>,
    table: Table,
    last_ns: Option<u64>,
}

impl Collector {
    /// The sources of a plan. Processor counters start here and follow the threads that exist now
    /// and all that these start later.
    pub fn new(plan: &SamplerPlan) -> Self {
        Self { sources: sources::all(plan), table: Table::default(), last_ns: None }
    }

    /// Takes a sample whose interval ends at `now_ns`. The first sets the counters' baseline and
    /// leaves no row; one that is not later than the one before is not taken.
    pub fn tick(&mut self, now_ns: u64) {
        let elapsed_ns = match self.last_ns {
            Some(last) if now_ns <= last => return,
            Some(last) => now_ns - last,
            None => 0,
        };
        let mut sample = if elapsed_ns == 0 { self.table.baseline() } else { self.table.row(now_ns) };
        for source in &mut self.sources {
            source.sample(elapsed_ns, &mut sample);
        }
        self.last_ns = Some(now_ns);
    }

    /// When the newest sample was taken, on the caller's clock.
    pub fn last_ns(&self) -> Option<u64> {
        self.last_ns
    }

    pub(crate) fn newest(&self) -> Option<(u64, Vec<Reading>)> {
        Some((self.table.last_at_ns()?, self.table.newest()))
    }

    pub(crate) fn absent(&mut self, source: &str, reason: String) {
        self.table.baseline().absent(source, reason);
    }

    /// Everything as the record has it, with times from `origin_ns`, the start of the first I/O.
    pub fn finish(self, origin_ns: u64, own_cpu_ns: Option<u64>) -> Telemetry {
        let (at_ns, series, absent): (_, Vec<MetricSeries>, _) = self.table.into_series();
        // Both are nanoseconds of one clock; their difference fits for 292 years.
        let at_ns = at_ns.into_iter().map(|at| at.wrapping_sub(origin_ns) as i64).collect();
        Telemetry { at_ns, series, absent, own_cpu_ns }
    }
}
