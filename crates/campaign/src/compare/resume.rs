//! Begins a comparison, or takes an unfinished one up again.

use std::collections::{BTreeMap, BTreeSet};

use fathom_record::CampaignRecord;
use fathom_record::campaign::{CommandOutcome, ComparePlan, SidePlan};
use fathom_store::{Campaign, NewCampaign, StepState, Store};

use crate::devices::{Devices, Waiting};
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;
use crate::started::{PLAIN, base_targets, campaign_key, give_up};

/// A comparison that is open in the store, with what is known of it.
pub struct Started {
    /// The seed that it was begun with.
    pub seed: u64,
    /// Its place in the store.
    pub campaign: Campaign,
    /// What commands said in earlier sittings.
    pub commands: Vec<CommandOutcome>,
    /// Run of each finished step.
    finished: BTreeMap<String, String>,
    /// Steps that gave no run.
    failed: BTreeSet<String>,
    /// The devices that it began on.
    pub devices: Devices,
}

impl Started {
    /// The run of a finished step.
    pub fn run_of(&self, step: &str) -> Option<&str> {
        self.finished.get(step).map(String::as_str)
    }

    /// How a refusal names it.
    pub fn waiting(&self) -> Waiting<'_> {
        Waiting { noun: "comparison", campaign: &self.campaign, runs: self.finished.len() }
    }

    /// Whether a step gave no run.
    pub fn has_failed(&self, step: &str) -> bool {
        self.failed.contains(step)
    }
}

/// The unfinished comparison with the same plan.
pub fn find(
    store: &Store,
    plan: &ComparePlan,
    progress: &mut dyn Progress,
) -> Result<Option<Started>, CampaignError> {
    let Some(campaign) = store.open_campaign(&key_of(plan))? else { return Ok(None) };
    let Ok(begun) = serde_json::from_str::<ComparePlan>(campaign.plan_json()) else { return Ok(None) };
    let finished: BTreeMap<String, String> =
        store.finished_steps(&campaign)?.into_iter().map(|step| (step.step, step.run_id)).collect();
    let mut failed = BTreeSet::new();
    for entry in store.journal_entries(campaign.id())? {
        match entry.state {
            StepState::Failed { .. } => failed.insert(entry.step),
            StepState::Started | StepState::Done { .. } => failed.remove(&entry.step),
        };
    }
    let commands = match campaign.progress() {
        Some(CampaignRecord::Compare(record)) => record.commands.clone(),
        _ => Vec::new(),
    };
    progress.note(&format!("Continuing comparison {}: {} runs are done.", campaign.id(), finished.len()));
    let devices = Devices::of(store, &campaign)?;
    Ok(Some(Started { seed: begun.seed, campaign, commands, finished, failed, devices }))
}

/// Begins a comparison; `anew` gives up an unfinished one with the same plan.
pub fn begin(store: &Store, plan: &ComparePlan, anew: bool) -> Result<Started, CampaignError> {
    let key = key_of(plan);
    if anew {
        give_up(store, &key)?;
    }
    let plan_json = serde_json::to_string(plan).expect(PLAIN);
    let new = NewCampaign {
        id: &identity::new_id("x"),
        key: &key,
        target: &own_targets(plan).join(" | "),
        started_at: &identity::now(),
        plan_json: &plan_json,
    };
    let campaign = store.begin_campaign(&new)?;
    let (commands, finished, failed) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
    let devices = Devices::default();
    Ok(Started { seed: plan.seed, campaign, commands, finished, failed, devices })
}

/// Both targets as the user named them, or the one that both sides share.
fn own_targets(plan: &ComparePlan) -> Vec<String> {
    let own = |side: &SidePlan| {
        let target = side.settings.iter().find(|setting| setting.key == "target");
        target.map(|setting| setting.value.clone()).or_else(|| side.stored.clone())
    };
    match (own(&plan.a), own(&plan.b)) {
        (Some(a), Some(b)) => vec![a, b],
        _ => base_targets(&plan.base),
    }
}

/// The same for the same comparison of the same targets, whatever the seed.
fn key_of(plan: &ComparePlan) -> String {
    let plain = ComparePlan { seed: 0, ..plan.clone() };
    campaign_key("comparison", &own_targets(plan), &plain)
}
