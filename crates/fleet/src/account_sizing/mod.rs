//! An account's volumes beside each other: what is attached to nothing, what does nothing, what an instance does not let
//! through, and the changes as commands.

mod at_instances;
mod changes;

use std::collections::{BTreeMap, BTreeSet};

use fathom_demand::account_volumes::{EbsVolume, Inventory};
use fathom_order::InOrder;
use fathom_record::account_record::{
    AccountPlace, AccountReading, Gp2Volumes, HeldVolume, HeldVolumes, VolumeChange,
};
use fathom_record::fleet_record::{FleetGrouping, FleetRecord, FleetRow};
use fathom_rows::Interval;
use fathom_sizing::fleet_volumes::{SizingPolicy, unjudged};
use fathom_sizing::offer::Settings;
use fathom_sizing::{Catalogue, Market, Offer};

use self::at_instances::InstancePass;
use self::changes::{change, like_for_like};
use crate::groups::{GroupKey, Groups};
use crate::offers::current;

/// Volumes that a list names.
const LISTED: usize = 20;

/// What an account's rows are held beside.
#[derive(Clone, Copy, Debug)]
pub struct AccountTerms<'a> {
    /// What is known of instances.
    pub catalogue: &'a Catalogue,
    /// What is on offer.
    pub market: &'a Market,
    /// What is asked of every volume.
    pub asked: SizingPolicy<'a>,
    /// Volumes and instances.
    pub inventory: &'a Inventory,
    /// Region, e.g. `eu-central-1`.
    pub region: &'a str,
    /// Profile of the credentials, where one was named.
    pub profile: Option<&'a str>,
}

/// An account's rows as they are found, those of one instance beside each other.
#[derive(Debug)]
pub struct Account<'a> {
    terms: AccountTerms<'a>,
    /// What volumes are today, where it is known.
    offers: BTreeMap<&'a str, Offer>,
    seen: BTreeSet<String>,
    groups: Vec<Groups>,
    bys: Vec<GroupKey>,
    at_instances: InstancePass<'a>,
    unattached: HeldVolumes,
    idle: HeldVolumes,
    gp2: Gp2Volumes,
    shared: u64,
    changes: Vec<VolumeChange>,
}

impl<'a> Account<'a> {
    /// Of no rows yet, to be added up by type, by instance and by whatever else.
    pub fn new(terms: AccountTerms<'a>, by: Option<&GroupKey>) -> Self {
        let mut bys = vec![GroupKey::Type, GroupKey::Instance];
        bys.extend(by.filter(|by| matches!(by, GroupKey::Tag(_))).cloned());
        let offer = |volume: &'a EbsVolume| {
            let offer = current(terms.market, volume.size, &volume.words()).ok()?;
            Some((volume.volume_id.as_str(), offer))
        };
        let offers: BTreeMap<&str, Offer> = terms.inventory.volumes().filter_map(offer).collect();
        Self {
            at_instances: InstancePass::new(terms, &offers),
            terms,
            offers,
            seen: BTreeSet::new(),
            groups: bys.iter().cloned().map(Groups::new).collect(),
            bys,
            unattached: HeldVolumes::default(),
            idle: HeldVolumes::default(),
            gp2: Gp2Volumes::default(),
            shared: 0,
            changes: Vec::new(),
        }
    }

    /// Counts a volume by its row and what it did.
    pub fn put(&mut self, row: &FleetRow, series: &[Interval]) {
        let inventory = self.terms.inventory;
        let Some(volume) = inventory.volume(&row.volume) else { return };
        self.seen.insert(row.volume.clone());
        for (by, groups) in self.bys.iter().zip(&mut self.groups) {
            groups.put(&by.group_of(volume, inventory), row);
        }
        let holder = inventory.holder(&row.volume);
        let attached = volume.attached_to().count();
        self.shared += u64::from(attached > 1);
        if let Some(instance) = holder {
            self.at_instances.put(instance, series);
        }
        let offer = self.offers.get(row.volume.as_str());
        if attached == 0 {
            hold(&mut self.unattached, volume, offer, None);
        } else if series.iter().all(|interval| interval.reads + interval.writes == 0.0) {
            hold(&mut self.idle, volume, offer, holder);
        }
        let equal = offer.filter(|offer| offer.volume == "gp2").and_then(|offer| {
            let equal = equal_gp3(self.terms.market, offer)?;
            self.gp2.volumes += 1;
            self.gp2.month += amount(offer);
            self.gp2.as_gp3_month += amount(&equal);
            self.gp2.cheaper += u64::from(equal.month < offer.month);
            Some((offer, equal))
        });
        let place = (self.terms.region, self.terms.profile);
        let change = change(volume, row, place)
            .or_else(|| equal.and_then(|(offer, equal)| like_for_like(volume, row, (offer, &equal), place)));
        self.changes.extend(change);
    }

    /// Rows of the volumes of which no metrics were found.
    pub fn unseen(&self) -> Vec<FleetRow> {
        let missing = self.terms.inventory.volumes().filter(|volume| !self.seen.contains(&volume.volume_id));
        let row = |volume: &EbsVolume| {
            let reason = match volume.attached_to().next() {
                None => "not attached, and CloudWatch has no metrics of it in that time",
                Some(_) => {
                    "attached, and CloudWatch has no metrics of it in that time, as where its instance is stopped"
                }
            };
            let offer = self.offers.get(volume.volume_id.as_str());
            FleetRow {
                current: offer.map(ToString::to_string),
                current_month: offer.map(amount),
                ..unjudged(&volume.volume_id, reason)
            }
        };
        missing.map(row).collect()
    }

    /// What the rows say of the account.
    pub fn place(
        self,
        fleet: FleetRecord,
        account: Option<String>,
        reading: Option<AccountReading>,
    ) -> AccountPlace {
        let by: Vec<FleetGrouping> = self.groups.iter().map(Groups::record).collect();
        let terms = self.terms;
        let mut changes = self.changes;
        changes.put_in_order_by(|a, b| {
            b.saves_month.total_cmp(&a.saves_month).then_with(|| a.volume.cmp(&b.volume))
        });
        let unpriced = terms.inventory.volumes().count() - self.offers.len();
        let mut notes = Vec::new();
        if terms.inventory.volumes().next().is_none() {
            notes.push(format!("No volumes are in {}.", terms.region));
        }
        if unpriced > 0 {
            notes.push(format!(
                "What {unpriced} volumes cost is not known: no such type, size or settings are on offer in {} today.",
                terms.region
            ));
        }
        if self.shared > 0 {
            notes.push(format!(
                "{} volumes are attached to several instances: they are counted at none of them, and no instance's limits were taken into account for them.",
                self.shared
            ));
        }
        AccountPlace {
            account,
            profile: terms.profile.map(str::to_owned),
            region: terms.region.to_owned(),
            reading,
            volumes: terms.inventory.volumes().count() as u64,
            instances: terms.inventory.instances() as u64,
            fleet: FleetRecord { by, ..fleet },
            unattached: sorted(self.unattached),
            idle: sorted(self.idle),
            gp2: self.gp2,
            at_instances: self.at_instances.finish(),
            shared: self.shared,
            changes,
            notes,
        }
    }
}

/// The gp3 volume that lets through for good at least what a gp2 does; what its credits add is within what every gp3 has.
fn equal_gp3(market: &Market, gp2: &Offer) -> Option<Offer> {
    let iops = gp2.limits.operations.peak_per_s;
    market.configured("gp3", Settings { iops, ..gp2.each })
}

fn amount(offer: &Offer) -> f64 {
    offer.month.micros() as f64 / 1e6
}

fn hold(held: &mut HeldVolumes, volume: &EbsVolume, offer: Option<&Offer>, instance: Option<&str>) {
    held.volumes += 1;
    held.size_gib = held.size_gib.saturating_add(volume.size);
    held.month += offer.map_or(0.0, amount);
    held.listed.push(HeldVolume {
        volume: volume.volume_id.clone(),
        current: offer.map_or_else(|| volume.words(), ToString::to_string),
        month: offer.map(amount),
        instance: instance.map(str::to_owned),
    });
    if held.listed.len() > 2 * LISTED {
        shorten(held);
    }
}

fn sorted(mut held: HeldVolumes) -> HeldVolumes {
    shorten(&mut held);
    held
}

fn shorten(held: &mut HeldVolumes) {
    let month = |volume: &HeldVolume| volume.month.unwrap_or(0.0);
    held.listed.sort_by(|a, b| month(b).total_cmp(&month(a)).then_with(|| a.volume.cmp(&b.volume)));
    held.listed.truncate(LISTED);
}

#[cfg(test)]
mod tests;
