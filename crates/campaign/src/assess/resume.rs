//! Begins an assessment, or takes an unfinished one up again.

use fathom_record::RunRecord;
use fathom_record::campaign::AssessPlan;
use fathom_store::{Campaign, NewCampaign, Store, StoreError};

use super::precondition;
use crate::cells::without_histograms;
use crate::devices::{Devices, Waiting};
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;
use crate::started::{PLAIN, campaign_key, give_up};

/// A campaign that is open in the store, with what is known of it.
pub struct Started {
    /// Its plan: the one it was begun with.
    pub plan: AssessPlan,
    pub campaign: Campaign,
    /// Step keys and run ids of finished steps.
    finished: Vec<(String, String)>,
    spent: (u64, usize),
    /// The devices that it began on.
    pub devices: Devices,
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
        let spent = spent(store, &finished)?;
        progress.note(&format!("Continuing assessment {}: {} runs are done.", campaign.id(), finished.len()));
        let devices = Devices::of(store, &campaign)?;
        return Ok(Some(Started { plan, campaign, finished, spent, devices }));
    }
    Ok(None)
}

/// Begins an assessment; `anew` gives up an unfinished one of the same target with the same plan.
pub fn begin(store: &Store, plan: &AssessPlan, anew: bool) -> Result<Started, CampaignError> {
    let key = key_of(plan);
    if anew {
        give_up(store, &key)?;
    }
    let id = identity::new_id("a");
    let plan_json = serde_json::to_string(plan).expect(PLAIN);
    let new = NewCampaign {
        id: &id,
        key: &key,
        target: &plan.target,
        started_at: &identity::now(),
        plan_json: &plan_json,
    };
    let campaign = store.begin_campaign(&new)?;
    let devices = Devices::default();
    Ok(Started { plan: plan.clone(), campaign, finished: Vec::new(), spent: (0, 0), devices })
}

/// Time under load of the runs that were made before, and their number; what preconditions is outside the
/// budget.
fn spent(store: &Store, finished: &[(String, String)]) -> Result<(u64, usize), StoreError> {
    let (mut spent_ns, mut runs) = (0, 0);
    for (_, run) in finished.iter().filter(|(step, _)| !step.starts_with(precondition::PREFIX)) {
        spent_ns += (store.run_without_series(run)?.ledger.seconds * 1e9) as u64;
        runs += 1;
    }
    Ok((spent_ns, runs))
}

/// The same for the same plan on the same target, whatever the seed.
fn key_of(plan: &AssessPlan) -> String {
    let mut plain = plan.clone();
    plain.seed = 0;
    plain.patterns.iter_mut().for_each(|pattern| pattern.workload.seed = 0);
    campaign_key("assessment", std::slice::from_ref(&plan.target), &plain)
}

impl Started {
    /// Time that was spent before, and the runs that were made in it.
    pub fn spent(&self) -> (u64, usize) {
        self.spent
    }

    /// How a refusal names it.
    pub fn waiting(&self) -> Waiting<'_> {
        Waiting { noun: "assessment", campaign: &self.campaign, runs: self.finished.len() }
    }

    /// The run that was finished last.
    pub fn last_run(&self, store: &Store) -> Result<Option<RunRecord>, StoreError> {
        self.finished.last().map(|(_, run)| store.run(run)).transpose()
    }

    /// Whether any step of another kind was finished.
    pub fn goes_beyond(&self, prefix: &str) -> bool {
        self.finished.iter().any(|(step, _)| !step.starts_with(prefix))
    }

    /// Whether any step of this kind was finished.
    pub fn has(&self, prefix: &str) -> bool {
        self.finished.iter().any(|(step, _)| step.starts_with(prefix))
    }

    /// The finished runs of steps of a kind, in the order they were made: a pattern's name and a slash, or
    /// the prefix of another kind. Without the histograms of their seconds.
    pub fn runs_of(&self, store: &Store, prefix: &str) -> Result<Vec<RunRecord>, StoreError> {
        let mut steps: Vec<&(String, String)> =
            self.finished.iter().filter(|(step, _)| step.starts_with(prefix)).collect();
        steps.sort();
        steps.into_iter().map(|(_, run)| store.run(run).map(without_histograms)).collect()
    }
}
