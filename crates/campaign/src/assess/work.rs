//! The tools of an assessment under way: makes a step's run, and saves it.

use std::sync::atomic::AtomicBool;

use fathom_record::campaign::{AssessPlan, AssessRecord};
use fathom_record::run::CampaignLink;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::{Campaign, StepState, Store};

use super::budget::Budget;
use crate::cells::without_histograms;
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;
use crate::run::{Session, this_tool};
use fathom_plan::assess_command_line;

/// Everything that a step needs.
pub struct Work<'a> {
    pub store: &'a Store,
    pub session: &'a Session,
    pub campaign: &'a Campaign,
    pub budget: Budget,
    pub stop: &'a AtomicBool,
}

impl Work<'_> {
    /// The record before anything was measured.
    pub fn blank_record(&self, plan: &AssessPlan) -> AssessRecord {
        AssessRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.campaign.id().to_owned(),
            started_at: self.campaign.started_at().to_owned(),
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
        let link = CampaignLink { id: self.campaign.id().to_owned(), step: key.to_owned() };
        self.store.journal(self.campaign, key, &StepState::Started, &identity::now())?;
        self.session.run(workload, Some(link), progress, self.stop)
    }

    /// Saves a step's run: the step is then done. What comes back is the run as an assessment keeps it,
    /// without the histograms of its seconds.
    pub fn save(&self, key: &str, run: RunRecord) -> Result<RunRecord, CampaignError> {
        self.store.put_run_for_step(self.campaign, key, &run, &identity::now())?;
        Ok(without_histograms(run))
    }
}
