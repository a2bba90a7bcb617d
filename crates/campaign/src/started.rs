//! A campaign that is open in the store: begun anew, or taken up where an earlier process was cut off.

use std::collections::BTreeMap;

use fathom_record::RunRecord;
use fathom_store::{Campaign, NewCampaign, Store, StoreError};
use fathom_target::TargetName;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::devices::{Devices, Waiting};
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

/// Why a plan always has a JSON form.
pub const PLAIN: &str = "a plan holds plain values and names";

/// A plan whose campaign continues when the same is asked for again.
pub trait Resumable: Clone + Serialize + DeserializeOwned {
    /// What it is called, as `sweep`.
    const NOUN: &'static str;
    /// First letter of its ids.
    const LETTER: &'static str;

    /// The plan with the same seed as every other one: what else is the same is the same campaign.
    fn without_seed(&self) -> Self;

    /// The targets as the user named them, each once.
    fn targets(&self) -> Vec<String>;
}

/// A campaign under way, with what is known of it.
pub struct Started<P> {
    /// The plan that it was begun with.
    pub plan: P,
    /// Its place in the store.
    pub campaign: Campaign,
    /// Run of each finished step, in the order in which they were made.
    finished: Vec<(String, String)>,
    by_step: BTreeMap<String, String>,
    /// The devices that it began on.
    pub devices: Devices,
}

impl<P: Resumable> Started<P> {
    /// The unfinished campaign of the same targets with the same plan.
    pub fn find(store: &Store, plan: &P, progress: &mut dyn Progress) -> Result<Option<Self>, CampaignError> {
        let Some(campaign) = store.open_campaign(&key_of(plan))? else { return Ok(None) };
        let Ok(plan) = serde_json::from_str::<P>(campaign.plan_json()) else { return Ok(None) };
        let steps = store.finished_steps(&campaign)?;
        let finished: Vec<_> = steps.into_iter().map(|step| (step.step, step.run_id)).collect();
        progress.note(&format!(
            "Continuing {} {}: {} runs are done.",
            P::NOUN,
            campaign.id(),
            finished.len()
        ));
        let devices = Devices::of(store, &campaign)?;
        Ok(Some(Self { plan, campaign, by_step: finished.iter().cloned().collect(), finished, devices }))
    }

    /// Begins one; `anew` gives up an unfinished one with the same plan.
    pub fn begin(store: &Store, plan: &P, anew: bool) -> Result<Self, CampaignError> {
        let key = key_of(plan);
        if anew {
            give_up(store, &key)?;
        }
        let plan_json = serde_json::to_string(plan).expect(PLAIN);
        let new = NewCampaign {
            id: &identity::new_id(P::LETTER),
            key: &key,
            target: &plan.targets().join(" + "),
            started_at: &identity::now(),
            plan_json: &plan_json,
        };
        let campaign = store.begin_campaign(&new)?;
        Ok(Self {
            plan: plan.clone(),
            campaign,
            finished: Vec::new(),
            by_step: BTreeMap::new(),
            devices: Devices::default(),
        })
    }

    /// How a refusal names it.
    pub fn waiting(&self) -> Waiting<'_> {
        Waiting { noun: P::NOUN, campaign: &self.campaign, runs: self.finished.len() }
    }

    /// The run of a finished step.
    pub fn run_of(&self, step: &str) -> Option<&str> {
        self.by_step.get(step).map(String::as_str)
    }

    /// The last run that an earlier process made; `None` where none did.
    pub fn last_run(&self, store: &Store) -> Result<Option<RunRecord>, CampaignError> {
        self.finished.last().map(|(_, run)| store.run(run)).transpose().map_err(CampaignError::from)
    }
}

/// The targets that the base of a plan names.
pub fn base_targets(base: &serde_json::Value) -> Vec<String> {
    match base.get("target") {
        Some(serde_json::Value::Array(names)) => {
            names.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
        }
        Some(serde_json::Value::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// Gives up the unfinished campaign with this key; its runs stay in the store.
///
/// # Errors
/// When another process runs it, or the store cannot keep that.
pub fn give_up(store: &Store, key: &str) -> Result<(), StoreError> {
    match store.open_campaign(key)? {
        Some(campaign) => store.give_up_campaign(campaign, &identity::now()),
        None => Ok(()),
    }
}

fn key_of<P: Resumable>(plan: &P) -> String {
    campaign_key(P::NOUN, &plan.targets(), &plan.without_seed())
}

/// The same for the same campaign of the same targets, wherever it is asked for again: a relative name in another folder
/// is another target, and a device is the same one everywhere. `plan` is without its seed.
pub fn campaign_key<P: Serialize>(noun: &str, targets: &[String], plan: &P) -> String {
    let place = |name: &String| match name.parse() {
        Ok(TargetName::Path(path)) => std::path::absolute(&path).unwrap_or(path).display().to_string(),
        _ => name.clone(),
    };
    let places: Vec<String> = targets.iter().map(place).collect();
    format!("{noun} {} {}", places.join(" + "), serde_json::to_string(plan).expect(PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_is_known_by_its_targets_and_a_device_is_the_same_in_every_folder() {
        let key = |name: &str| campaign_key("sweep", &[name.to_owned()], &1);
        assert_eq!(key("/dev/nvme1n1"), "sweep /dev/nvme1n1 1");
        assert_eq!(key("sim:gp3"), "sweep sim:gp3 1");
        let here = std::env::current_dir().expect("a folder").join("data.bin");
        assert_eq!(key("data.bin"), format!("sweep {} 1", here.display()));
    }
}
