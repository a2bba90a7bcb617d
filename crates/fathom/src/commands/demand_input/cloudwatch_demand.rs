//! Demand from CloudWatch, as this machine may ask for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_campaign::calendar_now;
use fathom_demand::aws::{Caller, Machine, Request, Response, ServiceOptions};
use fathom_demand::{CLOUDWATCH_OPERATION, CloudWatchQuery, fetch_cloudwatch};
use fathom_measure::{Clock, WallClock};
use fathom_rows::DemandReport;
use fathom_tools::Refusal;
use jiff::Timestamp;

use super::http::Client;

/// The sums of a volume or an instance.
///
/// # Errors
/// When no credentials are found, nobody answers, the service refuses, or nothing is known of the subject.
pub fn fetch(asked: &CloudWatchQuery<'_>, service: ServiceOptions<'_>) -> Result<DemandReport, Refusal> {
    let mut here = LocalMachine::new();
    let mut caller = Caller::new(&mut here, ("monitoring", "CLOUDWATCH"), service)?;
    fetch_cloudwatch(asked, |body| caller.call(CLOUDWATCH_OPERATION, body))
}

/// This machine.
pub struct LocalMachine {
    client: Client,
    clock: WallClock,
}

impl LocalMachine {
    /// With connections of its own.
    pub fn new() -> Self {
        Self { client: Client::new(), clock: WallClock::start_on_system_clock().0 }
    }

    /// The same machine for another thread: its clock and its connections.
    pub fn beside(&self) -> Self {
        Self { client: self.client.clone(), clock: self.clock }
    }
}

impl Machine for LocalMachine {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn text(&self, path: &Path) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir()
    }

    fn now_unix_s(&self) -> i64 {
        calendar_now().parse::<Timestamp>().map_or(0, Timestamp::as_second)
    }

    fn since_start(&self) -> Duration {
        Duration::from_nanos(self.clock.now_ns())
    }

    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    fn send(&mut self, request: &Request) -> Result<Response, Refusal> {
        self.client.send(request)
    }
}
