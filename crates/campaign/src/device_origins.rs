//! The block devices that a campaign began on: kept in the store, so that it continues on no others, and knows its
//! own data on them.

use std::collections::BTreeMap;

use fathom_engine::ErrorKind;
use fathom_store::{Campaign, CampaignDevice, Store, StoreError};
use fathom_target::{Origin, TargetName};

use crate::error::CampaignError;
use crate::single_run::Session;

/// What each of a campaign's targets was when it began on it, by the target's name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Devices(BTreeMap<String, Origin>);

impl Devices {
    /// Those of an unfinished campaign.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn of(store: &Store, campaign: &Campaign) -> Result<Self, StoreError> {
        let known = store.campaign_devices(campaign)?.into_iter();
        // What another build kept in a form of its own is not known here.
        let known = known.filter_map(|CampaignDevice { target, json }| {
            Some((target, fathom_json::read::<Origin>(&json).ok()?))
        });
        Ok(Self(known.collect()))
    }

    /// What a target was.
    pub(crate) fn origin(&self, name: &TargetName) -> Option<&Origin> {
        self.0.get(&name.to_string())
    }

    /// Remembers the devices of a session: to be called between opening it and its first run.
    ///
    /// # Errors
    /// When the store cannot keep them.
    pub(crate) fn remember(
        &mut self,
        store: &Store,
        campaign: &Campaign,
        session: &Session,
    ) -> Result<(), StoreError> {
        for (target, origin) in session.origins() {
            let target = target.to_string();
            let known = self.0.get(&target);
            // What only reads knows no mark.
            if known.is_some_and(|known| known == origin || known.writes && !origin.writes) {
                continue;
            }
            let json = fathom_json::text(origin).expect("plain values and names have a JSON form");
            store.remember_device(campaign, &CampaignDevice { target: target.clone(), json })?;
            self.0.insert(target, origin.clone());
        }
        Ok(())
    }
}

/// A campaign that the same command would continue, as a refusal names it.
#[derive(Clone, Copy, Debug)]
pub struct ResumableCampaign<'a> {
    /// What it is called, as `sweep`.
    pub noun: &'a str,
    /// Its place in the store.
    pub campaign: &'a Campaign,
    /// Runs that it finished.
    pub runs: usize,
}

/// The refusal of a target, with what waits because of it.
pub fn refused(
    error: CampaignError,
    ResumableCampaign { noun, campaign, runs }: ResumableCampaign<'_>,
) -> CampaignError {
    let CampaignError::Engine(mut refusal) = error else { return error };
    if !matches!(refusal.kind, ErrorKind::Refused | ErrorKind::NoSuchTarget) {
        return refusal.into();
    }
    let runs = fathom_measure::counted(runs as u64, "finished run");
    refusal.cause += &format!(
        "\n  - waiting to be continued: {noun} {} of {} ({runs})",
        campaign.id(),
        campaign.started_at()
    );
    let first = if refusal.remedy.is_empty() {
        "to continue it, attach the device it began on, and type the same command".to_owned()
    } else {
        format!("{}\n  once the target is admitted, the same command continues the {noun}", refusal.remedy)
    };
    refusal.remedy =
        format!("{first}\n  to give it up and begin anew, add --anew: its finished runs stay in the store");
    refusal.into()
}
