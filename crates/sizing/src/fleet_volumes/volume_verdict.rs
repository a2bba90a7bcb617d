//! One volume's verdict: what it needs, the cheapest that holds it with the margin, and what it has today.

use fathom_record::profile_record::PlateauQuantity;
use fathom_record::sizing_record::Requirement;

use super::class::RequirementClass;
use super::growth_history::History;
use super::headroom::{headroom, risk_of};
use crate::catalogue::Market;
use crate::choice::{OfferChoice, OfferJudge, StorageRequirement, cheapest_in};
use crate::demand::Demand;
use crate::demand_profile::tops_of;
use crate::lateness::Patience;
use crate::offer::{Limits, Offer};
use crate::requirement::{Precision, of_arrivals};

/// A plateau within this of a limit is that limit.
const AT_LIMIT: f64 = 0.02;

/// What is asked of every volume of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct SizingPolicy<'a> {
    /// What is sold.
    pub market: &'a Market,
    /// An I/O that waits longer is late, in seconds; at least a tick of the volume's series.
    pub wait_s: f64,
    /// Share of all I/Os that may be late, in millionths.
    pub late_millionths: u64,
    /// Buy so many thousandths of what is needed.
    pub margin_thousandths: u32,
    /// How requirements of the fleet grew; empty where nobody knows.
    pub history: &'a History,
    /// Widest stripe.
    pub stripes: u32,
}

/// One volume.
#[derive(Clone, Copy, Debug)]
pub struct VolumeFacts<'a> {
    /// What it was asked to do.
    pub demand: &'a Demand,
    /// What it has to store, in GiB.
    pub size_gib: u64,
    /// What it is today, where that is known.
    pub current: Option<&'a Offer>,
    /// What the instance lets through, where it is known.
    pub instance: Option<Limits>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizingOutcome {
    /// There is a choice.
    Sized,
    /// The series stops at the limit of what the volume is today: it shows supply, and nothing cheaper can
    /// rest on it.
    Throttled,
    /// No I/O was seen.
    Idle,
    /// Fewer than half of the ticks were seen.
    TooFewSeen,
    /// Nothing that is sold holds it.
    NothingHolds,
    /// So many ticks ask for more than anything that is sold, which holds all others: rows that are odd, not a
    /// volume that is too small.
    Odd(u32),
}

/// How an offer stands to a volume's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferStatus {
    /// Whether it holds the demand as it was seen, without a margin.
    pub holds: bool,
    /// By how many thousandths the demand may grow, at least.
    pub headroom: u32,
    /// Chance that it grows more, in millionths; absent without a fleet's history.
    pub risk_millionths: Option<u32>,
}

/// The verdict on one volume.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeVerdict {
    /// What came of it.
    pub outcome: SizingOutcome,
    /// The least plain caps that hold what was seen, at most one in 2,000 above the least.
    pub requirement: Requirement,
    /// What the requirement rests on; absent where there is none.
    pub class: Option<RequirementClass>,
    /// The cheapest that holds with the margin.
    pub choice: Option<(OfferChoice, OfferStatus)>,
    /// What there is today.
    pub current: Option<OfferStatus>,
    /// Largest share of ticks that lie at one value with hardly any above, 0 to 1.
    pub plateau_share: Option<f64>,
}

impl SizingPolicy<'_> {
    /// The patience with a series of such ticks: nothing is known inside one.
    pub fn patience(&self, tick_s: u32) -> Patience {
        let ticks = (self.wait_s / f64::from(tick_s.max(1))).ceil().clamp(1.0, 1e6) as usize;
        Patience { ticks, late_millionths: self.late_millionths }
    }
}

/// Judges one volume.
pub fn verdict(asked: &SizingPolicy<'_>, volume: &VolumeFacts<'_>) -> VolumeVerdict {
    let demand = volume.demand;
    let patience = asked.patience(demand.tick_s);
    let mut verdict = VolumeVerdict {
        outcome: SizingOutcome::Idle,
        requirement: Requirement { operations_per_s: 0, operations_least_per_s: None, bytes_per_s: 0 },
        class: None,
        choice: None,
        current: None,
        plateau_share: None,
    };
    if demand.read.is_empty() && demand.write.is_empty() {
        return verdict;
    }
    if demand.ticks_seen() * 2 < demand.ticks() {
        return VolumeVerdict { outcome: SizingOutcome::TooFewSeen, ..verdict };
    }
    let need = StorageRequirement { demand, size_gib: volume.size_gib, patience, instance: volume.instance };
    let mut seen = OfferJudge::new(need);
    // Counted once for all that is asked of them.
    let [operations, bytes] = seen.solid_state();
    verdict.requirement = of_arrivals(demand, [&operations, &bytes], patience, Precision::Margin);
    // The risk is that of volumes whose requirement comes about as this one's does.
    let class = RequirementClass::of_counts(operations.units(), bytes.units());
    verdict.class = Some(class);
    let growths = asked.history.of(class);
    let mut standing = |limits: &Limits, least: u32| {
        // What was chosen to hold a margin has that headroom, whatever the steps of the search for it.
        let headroom = headroom(&mut seen, limits).max(least);
        let risk_millionths = risk_of(&mut seen, limits, growths, headroom);
        OfferStatus { holds: headroom >= 1000, headroom, risk_millionths }
    };
    verdict.current = volume.current.map(|offer| standing(&offer.limits, 0));
    let grown = demand.grown(asked.margin_thousandths);
    let choice = cheapest_in(
        asked.market,
        &mut OfferJudge::new(StorageRequirement { demand: &grown, ..need }),
        asked.stripes,
    );
    verdict.choice = choice.map(|choice| {
        let standing = standing(&choice.offer.limits, asked.margin_thousandths);
        (choice, standing)
    });
    let tops = tops_of(demand, operations.ios_by_tick(), bytes.units());
    verdict.plateau_share = tops.iter().map(|top| top.share).reduce(f64::max);
    let at_limit = |offer: &Offer| {
        tops.iter().any(|top| {
            let shaper = match top.of {
                PlateauQuantity::Operations => offer.limits.operations,
                PlateauQuantity::Bytes => offer.limits.bytes,
            };
            let near = |limit: u64| (top.per_s / limit as f64 - 1.0).abs() <= AT_LIMIT;
            near(shaper.base_per_s) || near(shaper.peak_per_s)
        })
    };
    verdict.outcome = match (&verdict.choice, volume.current) {
        (None, _) => match odd_ticks(asked, need) {
            None => SizingOutcome::NothingHolds,
            Some(ticks) => {
                verdict.current = None;
                SizingOutcome::Odd(ticks)
            }
        },
        (Some((choice, _)), Some(current)) if choice.offer.month < current.month && at_limit(current) => {
            SizingOutcome::Throttled
        }
        _ => SizingOutcome::Sized,
    };
    verdict
}

/// One tick in so many, and one at least, may be odd.
const TICKS_AN_ODD_ONE: usize = 1000;

/// How many of the largest ticks keep anything that is sold from holding a demand; `None` where they are more than
/// may be odd.
fn odd_ticks(asked: &SizingPolicy<'_>, need: StorageRequirement<'_>) -> Option<u32> {
    let mut rest = need.demand.clone();
    rest.counted = None;
    let load = |demand: &Demand| -> Vec<u128> {
        // In units of what an I/O and 16 KiB of throughput cost alike on most volumes.
        let both = demand.operations().into_iter().zip(demand.bytes());
        both.map(|(operations, bytes)| u128::from(operations).max(u128::from(bytes >> 14))).collect()
    };
    let mut order: Vec<(u128, usize)> = load(&rest).into_iter().zip(0..).collect();
    order.sort_unstable_by_key(|(load, _)| std::cmp::Reverse(*load));
    let most = (rest.ticks() / TICKS_AN_ODD_ONE).max(1);
    for (taken, (_, tick)) in (1..).zip(order.into_iter().take(most)) {
        for flow in [&mut rest.read, &mut rest.write] {
            (flow.operations[tick], flow.bytes[tick]) = (0, 0);
        }
        // Only the first and the last are tried: between them more only helps.
        let tried = taken == 1 || taken as usize == most;
        if tried
            && cheapest_in(
                asked.market,
                &mut OfferJudge::new(StorageRequirement { demand: &rest, ..need }),
                asked.stripes,
            )
            .is_some()
        {
            return Some(taken);
        }
    }
    None
}
