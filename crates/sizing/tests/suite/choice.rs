//! The cheapest offer is the one that trying all of them finds.

use fathom_sizing::catalogue::{Family, Prices};
use fathom_sizing::choice::Judge;
use fathom_sizing::{Catalogue, Choice, Demand, Flow, Limits, Need, Patience, Shaper, cheapest};
use proptest::prelude::*;

/// Few enough offers to try all, at prices of its own.
const PRICES: &str = "provider,region,type,component,tier_from,tier_to,price\n\
    own,here,gp3,capacity,,,0.08\nown,here,gp3,iops,3001,,0.005\nown,here,gp3,throughput,126,,0.04\n\
    own,here,gp2,capacity,,,0.1\nown,here,st1,capacity,,,0.045\n";

fn all(catalogue: &Catalogue, need: Need<'_>, stripes: u32) -> Option<Choice> {
    let mut judge = Judge::new(need);
    let of = need.demand.operations().iter().sum();
    let mut families = catalogue.families("here", need.size_gib, stripes);
    families.sort_by_key(Family::members);
    let mut best: Option<Choice> = None;
    for family in &families {
        for line in family.lines() {
            for at in 0..line.len() {
                let offer = line.offer(at);
                if best.as_ref().is_some_and(|best| best.offer.month <= offer.month) {
                    break;
                }
                if let Some(late) = judge.late(&offer.limits) {
                    best = Some(Choice { offer, late, of });
                }
            }
        }
    }
    best
}

fn demand() -> impl Strategy<Value = Demand> {
    let stretch = (0u64..9000, 4u64..300, 1usize..40);
    (prop::collection::vec(stretch, 1..8), 0u64..100, prop::sample::select(vec![1u32, 10, 60])).prop_map(
        |(stretches, reads, tick_s)| {
            let mut demand = Demand { tick_s, ..Demand::default() };
            for (rate, kib, ticks) in stretches {
                let all = rate * u64::from(tick_s);
                let read = all * reads / 100;
                for (flow, count) in [(&mut demand.read, read), (&mut demand.write, all - read)] {
                    flow.operations.extend(std::iter::repeat_n(count, ticks));
                    flow.bytes.extend(std::iter::repeat_n(count * kib * 1024, ticks));
                }
            }
            demand
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn the_choice_is_the_cheapest_of_all_that_hold(
        demand in demand(), size_gib in 1u64..3000, late in 0u64..20_000, ticks in 1usize..4, shared in prop::option::of(2000u64..20_000),
    ) {
        let mut catalogue = Catalogue::built_in().unwrap();
        catalogue.prices = Prices::read("own.csv", PRICES).unwrap();
        let accounting = fathom_sizing::accounting::Accounting::SOLID_STATE;
        let instance = shared.map(|iops| Limits {
            operations: Shaper { base_per_s: iops / 2, peak_per_s: iops, bucket: iops * 20 },
            bytes: Shaper::cap(iops << 15),
            accounting,
        });
        let patience = Patience { ticks, late_millionths: late };
        let need = Need { demand: &demand, size_gib, patience, instance };
        prop_assert_eq!(cheapest(&catalogue, "here", need, 2), all(&catalogue, need, 2));
    }
}

#[test]
fn a_constant_demand_needs_just_its_rate() {
    let flow = |rate: u64| Flow { operations: vec![rate; 600], bytes: vec![rate * 8192; 600] };
    let demand = Demand { tick_s: 1, read: flow(4000), write: flow(8000), gaps: Vec::new() };
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let need = Need { demand: &demand, size_gib: 1000, patience, instance: None };
    let choice = cheapest(&Catalogue::built_in().unwrap(), "us-east-1", need, 1).unwrap();
    assert_eq!((choice.offer.volume.as_str(), choice.offer.each.iops), ("gp3", 12_000));
    assert_eq!(choice.offer.each.bytes_per_s, 125 << 20);
}

#[test]
fn nothing_is_offered_where_nothing_holds() {
    let flow = || Flow { operations: vec![10_000_000; 10], bytes: vec![10_000_000 << 12; 10] };
    let demand = Demand { tick_s: 1, read: flow(), write: flow(), gaps: Vec::new() };
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let need = Need { demand: &demand, size_gib: 10, patience, instance: None };
    assert_eq!(cheapest(&Catalogue::built_in().unwrap(), "us-east-1", need, 8), None);
}
