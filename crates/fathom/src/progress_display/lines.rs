//! Lines of JSON for programs: one a second, and one for each step of a campaign.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{Second, StepNotice, live_seconds};
use serde::Serialize;

use crate::output;

/// Writes them to stdout.
#[derive(Debug)]
pub struct Lines {
    /// Set when nobody reads any more.
    stop: Arc<AtomicBool>,
    unheard: bool,
}

/// A second of a run: what `live_seconds` has of it but the time and the machine.
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

/// A step of a campaign that starts, as `live_seconds` has it, its words whole.
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

impl SecondLine {
    fn of(second: &Second) -> Self {
        let (format, version) = live_seconds::SecondLine::FORMAT;
        Self {
            format,
            version,
            warmup: second.warmup,
            until_ns: second.until_ns,
            iops: second.operations_per_s,
            throughput_bytes_per_s: second.throughput_bytes_per_s,
            service_p50_ns: second.service_p50_ns,
            service_p99_ns: second.service_p99_ns,
            service_p999_ns: second.service_p999_ns,
            in_flight: second.in_flight,
            errors: second.errors,
        }
    }
}

impl<'a> StepLine<'a> {
    fn of(notice: &'a StepNotice) -> Self {
        let (format, version) = live_seconds::StepLine::FORMAT;
        Self {
            format,
            version,
            title: &notice.title,
            number: notice.pattern.0,
            of: notice.pattern.1,
            jobs: notice.cell.0,
            depth: notice.cell.1,
            purpose: &notice.purpose,
            run_ns: notice.run_ns,
            left_ns: notice.left_ns,
        }
    }
}

impl Lines {
    /// A measurement that nobody hears of ends by `stop`, as one that was interrupted.
    pub fn new(stop: &Arc<AtomicBool>) -> Self {
        Self { stop: Arc::clone(stop), unheard: false }
    }

    /// Tells of a second.
    pub fn second(&mut self, second: &Second) {
        self.line(&SecondLine::of(second));
    }

    /// Tells of a step.
    pub fn step(&mut self, notice: &StepNotice) {
        self.line(&StepLine::of(notice));
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn names<T: Serialize>(line: &T) -> Vec<String> {
        let Value::Object(fields) = json!(line) else { panic!("a line has fields") };
        fields
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| name != "format" && name != "version")
            .collect()
    }

    #[test]
    fn a_line_has_no_field_that_those_who_watch_do_not_get() {
        let (second, notice) = (Second::default(), StepNotice::from(&live_seconds::StepLine::default()));
        let watched = names(&live_seconds::SecondLine::default());
        assert!(names(&SecondLine::of(&second)).iter().all(|name| watched.contains(name)), "{watched:?}");
        assert_eq!(names(&StepLine::of(&notice)), names(&live_seconds::StepLine::default()));
    }
}
