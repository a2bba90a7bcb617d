//! A campaign that is open in the store: begun anew, or taken up where an earlier process was cut off.

use std::collections::BTreeMap;

use fathom_record::RunRecord;
use fathom_store::{Campaign, NewCampaign, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::devices::{Devices, Waiting};
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

/// Why a plan always has a JSON form.
const PLAIN: &str = "a plan holds plain values and names";

/// A plan whose campaign continues when the same is asked for again.
pub trait Resumable: Clone + Serialize + DeserializeOwned {
    /// What it is called, as `sweep`.
    const NOUN: &'static str;
    /// First letter of its ids.
    const LETTER: &'static str;

    /// The plan with the same seed as every other one: what else is the same is the same campaign.
    fn without_seed(&self) -> Self;
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
    /// The unfinished campaign with the same plan in the same folder.
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

    /// Begins one on `target`; `anew` gives up an unfinished one with the same plan.
    pub fn begin(store: &Store, plan: &P, target: &str, anew: bool) -> Result<Self, CampaignError> {
        let key = key_of(plan);
        if anew {
            give_up(store, &key)?;
        }
        let plan_json = serde_json::to_string(plan).expect(PLAIN);
        let new = NewCampaign {
            id: &identity::new_id(P::LETTER),
            key: &key,
            target,
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

/// The same for the same campaign in the same folder, whatever the seed.
fn key_of<P: Resumable>(plan: &P) -> String {
    // A relative target in another folder is another target.
    let place = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{} {place} {}", P::NOUN, serde_json::to_string(&plan.without_seed()).expect(PLAIN))
}
