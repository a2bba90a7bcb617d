//! What a measurement tells while it runs, for whoever shows it.

use std::sync::Arc;

use fathom_engine::job::tally::Tally;
use fathom_engine::job::timeline::Phase;
use fathom_measure::Histogram;
use fathom_record::facts::TargetFacts;
use fathom_record::latency::VALUES_BEYOND;
use fathom_target::Preparation;
use fathom_telemetry::Latest;

/// Fewer I/Os of a second than this have no 99.9th percentile: so many have to lie beyond it.
const P999_COUNT_MIN: u64 = 1000 * VALUES_BEYOND as u64;

/// One second of a run, as it is complete.
///
/// Screens show it, and two lines carry it on: that of `--json-lines` (`fathom/src/progress_display/lines.rs`) and that of the
/// ring for other processes (`live_seconds/live_lines.rs`). A figure that is new here is put into both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Second {
    /// Whether it belongs to the warm-up.
    pub warmup: bool,
    /// Its end, from the start of the run's first I/O.
    pub until_ns: u64,
    /// I/Os that ended well, per second.
    pub operations_per_s: f64,
    /// Bytes moved, per second.
    pub throughput_bytes_per_s: f64,
    /// Median of service latency over all directions; absent without I/O.
    pub service_p50_ns: Option<u64>,
    /// Its 99th percentile.
    pub service_p99_ns: Option<u64>,
    /// Its 99.9th percentile; absent of a second with too few I/Os too.
    pub service_p999_ns: Option<u64>,
    /// I/Os in flight on average.
    pub in_flight: f64,
    /// CPUs that this process used on average; absent of what other machines did, and of simulated time.
    pub cpus: Option<f64>,
    /// I/Os that failed.
    pub errors: u64,
}

impl Second {
    /// From the jobs' counts; `None` for the drain, which is not measured.
    pub fn of(tally: &Tally) -> Option<Self> {
        let length_s = (tally.end_ns.saturating_sub(tally.start_ns)) as f64 / 1e9;
        if tally.phase == Phase::Drain || length_s <= 0.0 {
            return None;
        }
        let mut service = Histogram::new();
        tally.directions.iter().for_each(|direction| service.merge(&direction.service));
        let cpu_ns = tally.process_user_ns + tally.process_system_ns;
        Some(Self {
            warmup: tally.phase == Phase::Warmup,
            until_ns: tally.end_ns,
            operations_per_s: tally.operations() as f64 / length_s,
            throughput_bytes_per_s: tally.bytes() as f64 / length_s,
            in_flight: tally.in_flight_integral_ns as f64 / 1e9 / length_s,
            cpus: (cpu_ns > 0).then(|| cpu_ns as f64 / 1e9 / length_s),
            errors: tally.errors(),
            ..Self::of_latencies(&service)
        })
    }

    /// The percentiles alone.
    pub(crate) fn of_latencies(service: &Histogram) -> Self {
        Self {
            service_p50_ns: service.quantile(0.5),
            service_p99_ns: service.quantile(0.99),
            service_p999_ns: service.quantile(0.999).filter(|_| service.count() >= P999_COUNT_MIN),
            ..Self::default()
        }
    }
}

/// A step of a campaign that is about to start.
#[derive(Clone, Debug, PartialEq)]
pub struct StepNotice {
    /// Pattern in words.
    pub title: String,
    /// Number of the pattern, from 1, and how many there are.
    pub pattern: (usize, usize),
    /// Jobs and depth.
    pub cell: (u32, u32),
    /// What the step is for.
    pub purpose: String,
    /// Length of the run.
    pub run_ns: u64,
    /// Time until the campaign should be over, on the clock of its runs; `None` where nothing tells yet.
    pub left_ns: Option<u64>,
}

/// Receives what happens. Every method may do nothing.
pub trait Progress {
    /// A target is being made ready: what is done to it, bytes done and in all.
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        let _ = (what, done_bytes, total_bytes);
    }
    /// Targets are open and laid out: what they turned out to be. Of clients, those of the first.
    fn opened(&mut self, target: &TargetFacts) {
        let _ = target;
    }
    /// The campaign of the steps that follow, by its id.
    fn campaign(&mut self, id: &str) {
        let _ = id;
    }
    /// A run begins, by its id.
    fn run(&mut self, id: &str) {
        let _ = id;
    }
    /// A run was saved, by its id.
    fn saved(&mut self, id: &str) {
        let _ = id;
    }
    /// A step of a campaign starts.
    fn step(&mut self, notice: &StepNotice) {
        let _ = notice;
    }
    /// A second of a run is complete.
    fn second(&mut self, second: &Second) {
        let _ = second;
    }
    /// The newest sample of the machine during a run; the same one comes again where there is no newer one yet.
    fn machine(&mut self, latest: &Arc<Latest>) {
        let _ = latest;
    }
    /// What was counted in a second of a run, the drain after its end included.
    fn counted(&mut self, tally: &Tally) {
        let _ = tally;
    }
    /// Whether the times of what follows are those of a simulated clock, which no waiting goes by.
    fn simulated_time(&mut self, is_simulated: bool) {
        let _ = is_simulated;
    }
    /// Something that people should know, once.
    fn note(&mut self, text: &str) {
        let _ = text;
    }
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoProgress;

impl Progress for NoProgress {}
