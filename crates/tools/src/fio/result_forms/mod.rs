//! fio's forms of results from run records: JSON with or without bins, the text for people, the terse lines, logs.
//!
//! What fathom calls service latency begins before the submission and ends when the completion is seen: it
//! stands under `clat` and `lat`, and nothing is counted under `slat`, so that no figure is one of another kind. What a
//! record does not hold, as the distribution of depths, is absent.

mod device_use;
mod iolog;
mod json_output;
mod logs;
mod normal_output;
mod runs_as_jobs;
mod terse;
mod totals;

pub use device_use::{DeviceUse, Devices, ProcessUse};
pub use iolog::{LoggedIo, iolog};
pub use json_output::document;
use json_output::job;
pub use logs::{LogFile, log_files, log_names};
pub use normal_output::{DEVICES, DIFFERENCES, head, text};
pub use runs_as_jobs::RunsAsJobs;
pub use terse::lines as terse;
pub use totals::{DirectionTotals, Totals};

use fathom_record::RunRecord;

use super::map::ReportSettings;

/// One entry of the results: a job with its clones, or all jobs of a group that are reported together.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Name of its first job.
    pub name: &'a str,
    /// Number of its group, from 0.
    pub group: u32,
    /// Clones of all its jobs.
    pub clones: u32,
    /// `rw`, sizes and engine as a line says them.
    pub title: String,
    /// Clones that its title is of; absent for a clone whose title an entry before it has.
    pub titled: Option<u32>,
    /// What it is to look like; its first job's.
    pub reporting: &'a ReportSettings,
    /// Options as they were given: those of its last job, as fio has it.
    pub options: &'a [(String, String)],
    /// Records of its runs.
    pub records: Vec<&'a RunRecord>,
}

impl Entry<'_> {
    /// Depth of each of its jobs, as its first one was asked for.
    fn depth(&self) -> u32 {
        self.records.first().map_or(1, |record| record.workload.depth)
    }

    /// Whether it still runs: a record gets its name at the end, and has until then what was counted so far.
    fn is_running(&self) -> bool {
        self.records.iter().any(|record| record.id.is_empty())
    }
}

#[cfg(test)]
mod tests;
