//! A verdict as a row of a fleet's sizing.

use fathom_record::fleet_record::{FleetRow, FleetStatus};

use super::volume_verdict::{OfferStatus, SizingOutcome, VolumeFacts, VolumeVerdict};
use crate::money::Money;
use crate::offer::Offer;

/// What is said of a volume whose series shows supply.
const SUPPLY: &str = "its series stops at the limit of what it is today: more may be wanted than is shown, so nothing cheaper rests on it";

/// What is said of a volume of which only a few ticks are beyond anything that is sold.
const ODD: &str = "odd rows ask for more than anything on offer, while an offer meets all others";

/// The row of a volume that could not be judged at all.
pub fn unjudged(volume: &str, reason: &str) -> FleetRow {
    FleetRow {
        volume: volume.to_owned(),
        group: None,
        status: FleetStatus::NotJudged,
        reason: reason.to_owned(),
        tick_s: None,
        ticks: None,
        ticks_seen: None,
        needs_iops: None,
        needs_iops_least: None,
        rests_on: None,
        needs_bytes_per_s: None,
        plateau_share: None,
        offer: None,
        offer_type: None,
        offer_members: None,
        offer_size_gib: None,
        offer_iops: None,
        offer_bytes_per_s: None,
        offer_month: None,
        offer_headroom: None,
        offer_risk: None,
        current: None,
        current_month: None,
        current_holds: None,
        current_headroom: None,
        current_risk: None,
        saves_month: None,
        notes: Vec::new(),
    }
}

/// The row of a volume that was judged.
pub fn row(name: &str, volume: &VolumeFacts<'_>, verdict: &VolumeVerdict) -> FleetRow {
    let demand = volume.demand;
    let odd;
    let (status, reason) = match verdict.outcome {
        SizingOutcome::Sized => (FleetStatus::Sized, ""),
        SizingOutcome::Throttled => (FleetStatus::Throttled, SUPPLY),
        SizingOutcome::Idle => (FleetStatus::NotJudged, "no I/O was seen"),
        SizingOutcome::TooFewSeen => (FleetStatus::NotJudged, "fewer than half of its ticks were seen"),
        SizingOutcome::NothingHolds => (FleetStatus::NotJudged, "no volume type on offer meets its demand"),
        SizingOutcome::Odd(ticks) => {
            odd = format!("{ODD}: {ticks} of {} ticks", demand.ticks());
            (FleetStatus::NotJudged, odd.as_str())
        }
    };
    let judged =
        !matches!(verdict.outcome, SizingOutcome::Idle | SizingOutcome::TooFewSeen | SizingOutcome::Odd(_));
    let mut row = FleetRow {
        status,
        tick_s: Some(u64::from(demand.tick_s)),
        ticks: Some(demand.ticks() as u64),
        ticks_seen: Some(demand.ticks_seen() as u64),
        needs_iops: judged.then_some(verdict.requirement.operations_per_s),
        needs_iops_least: verdict.requirement.operations_least_per_s.filter(|_| judged),
        rests_on: verdict.class.filter(|_| judged).map(|class| class.words().to_owned()),
        needs_bytes_per_s: judged.then_some(verdict.requirement.bytes_per_s),
        plateau_share: verdict.plateau_share,
        ..unjudged(name, reason)
    };
    if let Some((choice, standing)) = &verdict.choice {
        put_offer(&mut row, &choice.offer, standing);
    }
    if let Some(current) = volume.current {
        row.current = Some(current.to_string());
        row.current_month = Some(amount(current.month));
    }
    if let Some(standing) = &verdict.current {
        row.current_holds = Some(standing.holds);
        row.current_headroom = Some(factor(standing.headroom));
        row.current_risk = standing.risk_millionths.map(share);
    }
    if let (SizingOutcome::Sized, Some((choice, _)), Some(current)) =
        (verdict.outcome, &verdict.choice, volume.current)
    {
        row.saves_month = Some(amount(current.month - choice.offer.month));
    }
    row
}

fn put_offer(row: &mut FleetRow, offer: &Offer, standing: &OfferStatus) {
    row.offer = Some(offer.to_string());
    row.offer_type = Some(offer.volume.clone());
    row.offer_members = Some(u64::from(offer.members));
    row.offer_size_gib = Some(offer.each.size_gib);
    row.offer_iops = Some(offer.each.iops);
    row.offer_bytes_per_s = Some(offer.each.bytes_per_s);
    row.offer_month = Some(amount(offer.month));
    row.offer_headroom = Some(factor(standing.headroom));
    row.offer_risk = standing.risk_millionths.map(share);
}

fn amount(money: Money) -> f64 {
    money.micros() as f64 / 1e6
}

fn factor(thousandths: u32) -> f64 {
    f64::from(thousandths) / 1e3
}

fn share(millionths: u32) -> f64 {
    f64::from(millionths) / 1e6
}
