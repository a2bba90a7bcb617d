//! Prints the state of the jobs while they run (`--status-interval`).

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::tool_jobs::fio::CountedRun;
use fathom_tools::fio::cmdline::Globals;
use fathom_tools::fio::fio_job::Job;
use fathom_tools::fio::map::MappedJob;

use super::result_delivery::{Destination, results};

/// Prints reports, one behind another.
pub struct Printer<'a> {
    jobs: (&'a [Job], &'a [MappedJob]),
    globals: &'a Globals,
    destination: &'a Destination,
    failed: AtomicBool,
}

impl<'a> Printer<'a> {
    /// Of these jobs, to where the results go.
    pub fn new(
        jobs: (&'a [Job], &'a [MappedJob]),
        globals: &'a Globals,
        destination: &'a Destination,
    ) -> Self {
        Self { jobs, globals, destination, failed: AtomicBool::new(false) }
    }

    /// Prints one. That it could not be printed is said once.
    pub fn print(&self, counted: &[Vec<&CountedRun>]) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        let is_first = !self.destination.is_begun();
        let text = results(self.jobs, counted, None, self.globals, is_first);
        if let Err(failure) = self.destination.write(&text) {
            self.failed.store(true, Ordering::Relaxed);
            failure.warn();
        }
    }
}
