//! How much a demand may grow until an offer no longer holds it, and how often demands grew more.

use crate::choice::OfferJudge;
use crate::offer::Limits;

/// Growths that are tried, in thousandths; an offer that holds the last is ample.
const STEPS: [u32; 24] = [
    100, 250, 500, 700, 800, 900, 950, 1000, 1050, 1100, 1150, 1200, 1300, 1400, 1500, 1700, 2000, 2500,
    3000, 4000, 6000, 8000, 12_000, 16_000,
];

/// The largest of some growths under which the limits still hold the demand, in thousandths; 0 where they
/// hold it under none.
pub fn headroom(judge: &mut OfferJudge<'_>, limits: &Limits) -> u32 {
    let held = STEPS.partition_point(|step| judge.holds_grown(limits, *step));
    held.checked_sub(1).map_or(0, |last| STEPS[last])
}

/// The chance that a demand outgrows limits with a headroom, in millionths: how often those of a fleet grew
/// more than they hold, and one for the volume itself. `growths` ascend; absent where there are none.
pub fn risk_of(judge: &mut OfferJudge<'_>, limits: &Limits, growths: &[u32], headroom: u32) -> Option<u32> {
    // Growths up to the headroom are held and those from the next step on are not: only those between are tried.
    let next = STEPS.iter().copied().find(|step| *step > headroom).unwrap_or(u32::MAX);
    let below = |thousandths: u32| growths.partition_point(|growth| *growth < thousandths);
    let between = below(headroom.saturating_add(1))..below(next);
    let held = between.start + growths[between].partition_point(|growth| judge.holds_grown(limits, *growth));
    let above = (growths.len() - held) as u64;
    let of = growths.len() as u64 + 1;
    (!growths.is_empty()).then(|| ((above + 1) * 1_000_000 / of) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::Accounting;
    use crate::choice::StorageRequirement;
    use crate::demand::{Demand, Flow};
    use crate::lateness::Patience;
    use crate::margin;
    use crate::shaper::Shaper;
    use crate::tick_counts::TickCounts;

    #[test]
    fn a_steady_demand_may_grow_up_to_the_cap() {
        let flow = |rate: u64| Flow { operations: vec![rate; 6000], bytes: vec![rate * 4096; 6000] };
        let counted = Some(TickCounts::of_equal_sizes(&flow(0), &flow(1000)));
        let demand = Demand { tick_s: 1, read: flow(0), write: flow(1000), gaps: Vec::new(), counted };
        let patience = Patience { ticks: 1, late_millionths: 0 };
        let mut judge =
            OfferJudge::new(StorageRequirement { demand: &demand, size_gib: 1, patience, instance: None });
        assert_eq!(headroom(&mut judge, &limits_of(1300)), 1300);
        assert_eq!(headroom(&mut judge, &limits_of(1299)), 1200);
        assert_eq!(headroom(&mut judge, &limits_of(1_000_000)), 16_000);
        assert_eq!(headroom(&mut judge, &limits_of(1)), 0);
    }

    #[test]
    fn the_risk_is_that_of_the_growths_that_are_not_held() {
        let flow = |rate: u64| Flow { operations: vec![rate; 6000], bytes: vec![rate * 4096; 6000] };
        let counted = Some(TickCounts::of_equal_sizes(&flow(0), &flow(1000)));
        let demand = Demand { tick_s: 1, read: flow(0), write: flow(1000), gaps: Vec::new(), counted };
        let patience = Patience { ticks: 1, late_millionths: 0 };
        let mut judge =
            OfferJudge::new(StorageRequirement { demand: &demand, size_gib: 1, patience, instance: None });
        let growths: Vec<u32> = (1..=99).map(|i| 1000 + i).collect();
        for iops in [500, 1000, 1017, 1050, 1098, 1099, 5000, 100_000] {
            let limits = limits_of(iops);
            let headroom = headroom(&mut judge, &limits);
            let found = risk_of(&mut judge, &limits, &growths, headroom);
            assert_eq!(found, margin::risk(&growths, iops as u32), "{iops}");
        }
        assert_eq!(risk_of(&mut judge, &limits_of(1), &[], 1000), None);
    }

    fn limits_of(iops: u64) -> Limits {
        let (operations, bytes) = (Shaper::cap(iops), Shaper::cap(1 << 40));
        Limits { operations, bytes, accounting: Accounting::SOLID_STATE }
    }
}
