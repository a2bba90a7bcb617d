//! What a measurement tells while it runs, for whoever shows it.

use fathom_engine::job::tally::Tally;
use fathom_engine::job::timeline::Phase;
use fathom_measure::Histogram;
use fathom_target::Preparation;

/// One second of a run, as it is complete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Second {
    /// Whether it belongs to the warm-up.
    pub warmup: bool,
    /// Its end, from the start of the run's first I/O.
    pub until_ns: u64,
    /// I/Os that ended well, per second.
    pub operations_per_s: f64,
    /// Bytes moved, per second.
    pub throughput_bytes_per_s: f64,
    /// 99th percentile of service latency over all directions; absent without I/O.
    pub service_p99_ns: Option<u64>,
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
        Some(Self {
            warmup: tally.phase == Phase::Warmup,
            until_ns: tally.end_ns,
            operations_per_s: tally.operations() as f64 / length_s,
            throughput_bytes_per_s: tally.bytes() as f64 / length_s,
            service_p99_ns: service.quantile(0.99),
            errors: tally.errors(),
        })
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
    /// A step of a campaign starts.
    fn step(&mut self, notice: &StepNotice) {
        let _ = notice;
    }
    /// A second of a run is complete.
    fn second(&mut self, second: &Second) {
        let _ = second;
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
pub struct Silent;

impl Progress for Silent {}
