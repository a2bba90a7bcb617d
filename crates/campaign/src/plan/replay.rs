//! The plan that a run record was made by.

use fathom_record::RunRecord;
use fathom_record::facts::TargetKind;

use super::{RunOptions, RunPlan};

impl RunPlan {
    /// The plan that makes the same run again, with the record's seed.
    ///
    /// Permission to destroy data is not carried over: whoever replays gives it again.
    pub fn replay(record: &RunRecord) -> Self {
        let cpus: Option<Vec<u32>> = record.jobs.iter().map(|job| job.cpu).collect();
        let simulated = record.target.kind == TargetKind::Simulated;
        Self {
            targets: vec![record.target.name.clone()],
            engine: Some(record.engine.name.clone()),
            workload: record.workload.clone(),
            options: RunOptions {
                direct: record.target.direct,
                permit: None,
                real_time: simulated && record.clock.source != "virtual",
                keep: false,
                cpus: cpus.filter(|cpus| !cpus.is_empty()),
            },
        }
    }
}
