//! Begins an assessment, or takes an unfinished one up again.

use std::path::Path;

use fathom_record::RunRecord;
use fathom_record::campaign::{AssessPlan, PatternPlan};
use fathom_store::{Campaign, NewCampaign, Store, StoreError};

use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

/// A campaign that is open in the store, with what is known of it.
pub struct Started {
    /// Its plan: the one it was begun with.
    pub plan: AssessPlan,
    pub campaign: Campaign,
    /// Step keys and run ids of finished steps.
    finished: Vec<(String, String)>,
    spent_ns: u64,
}

/// The unfinished assessment of the same target with the same plan.
pub fn find(
    store: &Store,
    plan: &AssessPlan,
    progress: &mut dyn Progress,
) -> Result<Option<Started>, CampaignError> {
    if let Some(campaign) = store.open_campaign(&key_of(plan))?
        && let Ok(plan) = serde_json::from_str::<AssessPlan>(campaign.plan_json())
    {
        let finished: Vec<(String, String)> =
            store.finished_steps(&campaign)?.into_iter().map(|step| (step.step, step.run_id)).collect();
        let spent_ns = spent(store, &finished)?;
        progress.note(&format!("Continuing assessment {}: {} runs are done.", campaign.id(), finished.len()));
        return Ok(Some(Started { plan, campaign, finished, spent_ns }));
    }
    Ok(None)
}

/// Begins an assessment.
pub fn begin(store: &Store, plan: &AssessPlan) -> Result<Started, CampaignError> {
    let key = key_of(plan);
    let id = identity::new_id("a");
    let plan_json = serde_json::to_string(plan).unwrap_or_default();
    let new = NewCampaign {
        id: &id,
        key: &key,
        target: &plan.target,
        started_at: &identity::now(),
        plan_json: &plan_json,
    };
    let campaign = store.begin_campaign(&new)?;
    Ok(Started { plan: plan.clone(), campaign, finished: Vec::new(), spent_ns: 0 })
}

/// Time under load of the runs that were made before.
fn spent(store: &Store, finished: &[(String, String)]) -> Result<u64, StoreError> {
    let mut seconds = 0.0;
    for (_, run) in finished {
        seconds += store.run_without_series(run)?.ledger.seconds;
    }
    Ok((seconds * 1e9) as u64)
}

/// The same for the same plan on the same target, whatever the seed.
fn key_of(plan: &AssessPlan) -> String {
    let mut plain = plan.clone();
    plain.seed = 0;
    plain.patterns.iter_mut().for_each(|pattern| pattern.workload.seed = 0);
    // `.` in another folder is another target.
    let place = Path::new(&plan.target)
        .canonicalize()
        .map_or_else(|_| plan.target.clone(), |path| path.display().to_string());
    format!("{place} {}", serde_json::to_string(&plain).unwrap_or_default())
}

impl Started {
    /// Time that was spent before.
    pub fn spent_ns(&self) -> u64 {
        self.spent_ns
    }

    /// The finished runs of a pattern, in the order they were made.
    pub fn runs_of(&self, store: &Store, pattern: &PatternPlan) -> Result<Vec<RunRecord>, StoreError> {
        let prefix = format!("{}/", pattern.name);
        let mut steps: Vec<&(String, String)> =
            self.finished.iter().filter(|(step, _)| step.starts_with(&prefix)).collect();
        steps.sort();
        steps.into_iter().map(|(_, run)| store.run(run)).collect()
    }
}
