//! Lines of JSON for programs: one a second, and one for each step of a campaign.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{Second, StepNotice};
use serde::Serialize;

use crate::output;

/// Writes them to stdout.
#[derive(Debug)]
pub struct Lines {
    /// Set when nobody reads any more.
    stop: Arc<AtomicBool>,
    unheard: bool,
}

/// A second of a run.
#[derive(Serialize)]
struct SecondLine {
    format: &'static str,
    version: u32,
    warmup: bool,
    until_ns: u64,
    iops: f64,
    throughput_bytes_per_s: f64,
    service_p50_ns: Option<u64>,
    service_p99_ns: Option<u64>,
    service_p999_ns: Option<u64>,
    in_flight: f64,
    errors: u64,
}

/// A step of a campaign that starts.
#[derive(Serialize)]
struct StepLine<'a> {
    format: &'static str,
    version: u32,
    title: &'a str,
    number: usize,
    of: usize,
    jobs: u32,
    depth: u32,
    purpose: &'a str,
    run_ns: u64,
    left_ns: Option<u64>,
}

impl Lines {
    /// A measurement that nobody hears of ends by `stop`, as one that was interrupted.
    pub fn new(stop: &Arc<AtomicBool>) -> Self {
        Self { stop: Arc::clone(stop), unheard: false }
    }

    /// Tells of a second.
    pub fn second(&mut self, second: &Second) {
        self.line(&SecondLine {
            format: "fathom.second",
            version: 1,
            warmup: second.warmup,
            until_ns: second.until_ns,
            iops: second.operations_per_s,
            throughput_bytes_per_s: second.throughput_bytes_per_s,
            service_p50_ns: second.service_p50_ns,
            service_p99_ns: second.service_p99_ns,
            service_p999_ns: second.service_p999_ns,
            in_flight: second.in_flight,
            errors: second.errors,
        });
    }

    /// Tells of a step.
    pub fn step(&mut self, notice: &StepNotice) {
        self.line(&StepLine {
            format: "fathom.step",
            version: 1,
            title: &notice.title,
            number: notice.pattern.0,
            of: notice.pattern.1,
            jobs: notice.cell.0,
            depth: notice.cell.1,
            purpose: &notice.purpose,
            run_ns: notice.run_ns,
            left_ns: notice.left_ns,
        });
    }

    fn line<T: Serialize>(&mut self, line: &T) {
        if self.unheard {
            return;
        }
        match output::line(&output::json_line(line)) {
            Ok(true) => return,
            Ok(false) => {}
            Err(failure) => failure.warn(),
        }
        self.unheard = true;
        self.stop.store(true, Ordering::Relaxed);
    }
}
