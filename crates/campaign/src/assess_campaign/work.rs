//! The tools of an assessment under way: makes a step's run, and saves it.

use fathom_record::campaign::{AssessPlan, AssessRecord};
use fathom_record::{CampaignRecord, RunRecord, Workload};

use super::budget::Budget;
use crate::cells::without_histograms;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::resumable_campaign::Runner;
use crate::single_run::{Session, this_tool};
use fathom_plan::assess_command_line;

/// Everything that a step needs.
pub struct AssessTools<'a> {
    pub runner: &'a Runner<'a, AssessPlan>,
    pub session: &'a Session,
    pub budget: Budget,
}

impl AssessTools<'_> {
    /// The record before anything was measured.
    pub fn blank_record(&self) -> AssessRecord {
        let plan = &self.runner.plan;
        AssessRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.runner.id().to_owned(),
            started_at: self.runner.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            target: self.session.target().clone(),
            environment: self.session.environment().clone(),
            plan: plan.clone(),
            command: Some(assess_command_line(plan)),
            patterns: Vec::new(),
            busy_seconds: 0.0,
            notes: Vec::new(),
            preconditioning: None,
            repeats: None,
            points: Vec::new(),
        }
    }

    /// Makes the run of a step.
    pub fn make(
        &self,
        key: &str,
        workload: &Workload,
        progress: &mut dyn Progress,
    ) -> Result<RunRecord, CampaignError> {
        self.runner.make(key, (self.session, workload), progress)
    }

    /// Saves a step's run: the step is then done. What comes back is the run as an assessment keeps it,
    /// without the histograms of its seconds.
    pub fn save(
        &self,
        key: &str,
        run: RunRecord,
        progress: &mut dyn Progress,
    ) -> Result<RunRecord, CampaignError> {
        self.runner.save(key, &run)?;
        progress.saved(&run.id);
        Ok(without_histograms(run))
    }
}
