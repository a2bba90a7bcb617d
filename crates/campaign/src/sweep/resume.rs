//! Begins a sweep, or takes an unfinished one up again.

use std::collections::BTreeMap;

use fathom_record::campaign::SweepPlan;
use fathom_store::{Campaign, NewCampaign, Store};

use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

/// Why a plan always has a JSON form.
const PLAIN: &str = "a plan holds plain values and names";

/// A sweep that is open in the store, with what is known of it.
pub struct Started {
    /// The plan that it was begun with.
    pub plan: SweepPlan,
    /// Its place in the store.
    pub campaign: Campaign,
    /// Run of each finished step.
    finished: BTreeMap<String, String>,
}

impl Started {
    /// The run of a finished step.
    pub fn run_of(&self, step: &str) -> Option<&str> {
        self.finished.get(step).map(String::as_str)
    }
}

/// The unfinished sweep with the same plan.
pub fn find(
    store: &Store,
    plan: &SweepPlan,
    progress: &mut dyn Progress,
) -> Result<Option<Started>, CampaignError> {
    if let Some(campaign) = store.open_campaign(&key_of(plan))?
        && let Ok(plan) = serde_json::from_str::<SweepPlan>(campaign.plan_json())
    {
        let finished: BTreeMap<String, String> =
            store.finished_steps(&campaign)?.into_iter().map(|step| (step.step, step.run_id)).collect();
        progress.note(&format!("Continuing sweep {}: {} runs are done.", campaign.id(), finished.len()));
        return Ok(Some(Started { plan, campaign, finished }));
    }
    Ok(None)
}

/// Begins a sweep.
pub fn begin(store: &Store, plan: &SweepPlan) -> Result<Started, CampaignError> {
    let plan_json = serde_json::to_string(plan).expect(PLAIN);
    let new = NewCampaign {
        id: &identity::new_id("s"),
        key: &key_of(plan),
        target: &targets_of(plan),
        started_at: &identity::now(),
        plan_json: &plan_json,
    };
    let campaign = store.begin_campaign(&new)?;
    Ok(Started { plan: plan.clone(), campaign, finished: BTreeMap::new() })
}

/// The targets as the user named them.
fn targets_of(plan: &SweepPlan) -> String {
    let axis = plan.axes.iter().find(|axis| axis.key == "target");
    let names: Vec<String> = match (axis, plan.base.get("target")) {
        (Some(axis), _) => axis.values.clone(),
        (None, Some(serde_json::Value::Array(names))) => {
            names.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
        }
        (None, Some(serde_json::Value::String(name))) => vec![name.clone()],
        (None, _) => Vec::new(),
    };
    names.join(" + ")
}

/// The same for the same sweep in the same folder, whatever the seed.
fn key_of(plan: &SweepPlan) -> String {
    let plain = SweepPlan { seed: 0, ..plan.clone() };
    // A relative target in another folder is another target.
    let place = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    format!("sweep {place} {}", serde_json::to_string(&plain).expect(PLAIN))
}
