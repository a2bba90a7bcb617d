//! Begins an explanation, or takes an unfinished one up again.

use std::collections::BTreeMap;

use fathom_record::campaign::ExplainPlan;
use fathom_store::{Campaign, NewCampaign, Store};

use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

/// Why a plan always has a JSON form.
const PLAIN: &str = "a plan holds plain values and names";

/// An explanation that is open in the store, with what is known of it.
pub struct Started {
    /// The plan that it was begun with.
    pub plan: ExplainPlan,
    /// Its place in the store.
    pub campaign: Campaign,
    finished: BTreeMap<String, String>,
}

impl Started {
    /// The run of a finished step.
    pub fn run_of(&self, step: &str) -> Option<&str> {
        self.finished.get(step).map(String::as_str)
    }
}

/// The unfinished explanation with the same plan.
pub fn find(
    store: &Store,
    plan: &ExplainPlan,
    progress: &mut dyn Progress,
) -> Result<Option<Started>, CampaignError> {
    if let Some(campaign) = store.open_campaign(&key_of(plan))?
        && let Ok(plan) = serde_json::from_str::<ExplainPlan>(campaign.plan_json())
    {
        let finished: BTreeMap<String, String> =
            store.finished_steps(&campaign)?.into_iter().map(|step| (step.step, step.run_id)).collect();
        progress.note(&format!(
            "Continuing explanation {}: {} runs are done.",
            campaign.id(),
            finished.len()
        ));
        return Ok(Some(Started { plan, campaign, finished }));
    }
    Ok(None)
}

/// Begins an explanation of `target`.
pub fn begin(store: &Store, plan: &ExplainPlan, target: &str) -> Result<Started, CampaignError> {
    let plan_json = serde_json::to_string(plan).expect(PLAIN);
    let new = NewCampaign {
        id: &identity::new_id("x"),
        key: &key_of(plan),
        target,
        started_at: &identity::now(),
        plan_json: &plan_json,
    };
    let campaign = store.begin_campaign(&new)?;
    Ok(Started { plan: plan.clone(), campaign, finished: BTreeMap::new() })
}

/// The same for the same explanation in the same folder, whatever the seed.
fn key_of(plan: &ExplainPlan) -> String {
    let plain = ExplainPlan { seed: 0, ..plan.clone() };
    // A relative target in another folder is another target.
    let place = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    format!("explain {place} {}", serde_json::to_string(&plain).expect(PLAIN))
}
