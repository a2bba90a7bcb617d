//! A volume's verdict is what the same questions by themselves answer.

use fathom_sizing::choice::OfferJudge;
use fathom_sizing::fleet_volumes::{
    Growth, History, RequirementClass, SizingOutcome, SizingPolicy, VolumeFacts, row, verdict,
};
use fathom_sizing::offer::Settings;
use fathom_sizing::requirement::{Precision, requirement};
use fathom_sizing::{Catalogue, Demand, Flow, Market, Offer, StorageRequirement, cheapest};

/// Two days of minutes that vary by a half, up to a limit.
fn demand(iops: u64, limit: u64) -> Demand {
    let rate = |tick: u64| {
        let noise = tick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        (iops * (1024 + noise) / 1536).min(limit) * 60
    };
    let operations: Vec<u64> = (0..2880).map(rate).collect();
    let write = Flow { bytes: operations.iter().map(|o| o * 8192).collect(), operations };
    let read = Flow { operations: vec![0; 2880], bytes: vec![0; 2880] };
    Demand { tick_s: 60, read, write, gaps: Vec::new(), counted: None }
}

fn asked<'a>(market: &'a Market, history: &'a History) -> SizingPolicy<'a> {
    SizingPolicy { market, wait_s: 1.0, late_millionths: 1000, margin_thousandths: 1250, history, stripes: 2 }
}

fn bought(market: &Market, iops: u64) -> Option<Offer> {
    market.configured("gp3", Settings { size_gib: 500, iops, bytes_per_s: 250 << 20 })
}

#[test]
fn a_verdict_is_the_cheapest_offer_with_the_margin() {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let growth = |i: u32| Growth { thousandths: 900 + 10 * i, class: RequirementClass::Even };
    let history = History::new((0..99).map(growth));
    let asked = asked(&market, &history);
    let patience = asked.patience(60);
    assert_eq!(patience.ticks, 1);
    for iops in [200, 4000, 9000, 70_000] {
        let demand = demand(iops, u64::MAX / 60);
        let current = bought(&market, 12_000).unwrap();
        let volume = VolumeFacts { demand: &demand, size_gib: 500, current: Some(&current), instance: None };
        let found = verdict(&asked, &volume);
        let grown = demand.grown(1250);
        let need = StorageRequirement { demand: &grown, size_gib: 500, patience, instance: None };
        let alone = cheapest(&catalogue, "us-east-1", need, 2).unwrap();
        let (choice, standing) = found.choice.clone().unwrap();
        assert_eq!((found.outcome, &choice), (SizingOutcome::Sized, &alone));
        assert!(standing.holds && standing.headroom >= 1250 && standing.risk_millionths <= Some(650_000));
        let exact = requirement(&demand, patience, Precision::Exact);
        let near = |found: u64, exact: u64| found >= exact && found <= exact + exact / 1000 + 1;
        assert!(near(found.requirement.operations_per_s, exact.operations_per_s), "{found:?} {exact:?}");
        let holds =
            OfferJudge::new(StorageRequirement { demand: &demand, ..need }).late(&current.limits).is_some();
        assert_eq!(found.current.unwrap().holds, holds);
        let row = row("v", &volume, &found);
        let saves = (current.month - choice.offer.month).micros() as f64 / 1e6;
        assert_eq!(row.saves_month, Some(saves));
    }
}

#[test]
fn a_throttled_volume_is_not_made_smaller() {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let history = History::default();
    let asked = SizingPolicy { margin_thousandths: 1000, ..asked(&market, &history) };
    let outcome = |limit: u64, iops: u64| {
        // The largest that is sold, so that what holds the series is cheaper.
        let current = market.configured("io2", Settings { size_gib: 500, iops, bytes_per_s: 0 }).unwrap();
        let demand = demand(9000, limit);
        let volume = VolumeFacts { demand: &demand, size_gib: 500, current: Some(&current), instance: None };
        let found = verdict(&asked, &volume);
        let row = row("v", &volume, &found);
        (found.outcome, row.saves_month.is_some())
    };
    assert_eq!(outcome(8000, 8000), (SizingOutcome::Throttled, false));
    assert_eq!(outcome(8000, 20_000), (SizingOutcome::Sized, true), "its own limit is elsewhere");
    assert_eq!(outcome(u64::MAX / 60, 8000), (SizingOutcome::Sized, true), "its series has no plateau");
}

#[test]
fn what_carries_no_verdict_has_none() {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let history = History::default();
    let asked = asked(&market, &history);
    let outcome = |demand: &Demand| {
        let volume = VolumeFacts { demand, size_gib: 500, current: None, instance: None };
        let found = verdict(&asked, &volume);
        assert_eq!(found.choice.is_none(), found.outcome != SizingOutcome::Sized);
        found.outcome
    };
    let mut gappy = demand(1000, 1 << 40);
    gappy.gaps.push(100..2000);
    assert_eq!(outcome(&gappy), SizingOutcome::TooFewSeen);
    assert_eq!(outcome(&demand(0, 0)), SizingOutcome::Idle);
    assert_eq!(outcome(&demand(100_000_000, 1 << 40)), SizingOutcome::NothingHolds);
    assert_eq!(outcome(&demand(1000, 1 << 40)), SizingOutcome::Sized);
}

#[test]
fn one_absurd_row_is_odd_and_the_volume_is_not_too_small() {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let history = History::default();
    let asked = asked(&market, &history);
    let mut absurd = demand(1000, 1 << 40);
    absurd.write.operations[77] = 6_000_000_000;
    let current = bought(&market, 3000).unwrap();
    let volume = VolumeFacts { demand: &absurd, size_gib: 500, current: Some(&current), instance: None };
    let found = verdict(&asked, &volume);
    assert_eq!((found.outcome, found.current), (SizingOutcome::Odd(1), None));
    let row = row("v", &volume, &found);
    assert!(row.reason.starts_with("odd rows") && row.reason.ends_with("1 of 2880 ticks"), "{}", row.reason);
    assert_eq!((row.current_holds, row.needs_iops), (None, None));
}

/// The risk of a row is that of volumes whose need comes about as its own does.
#[test]
fn risks_are_those_of_volumes_alike() {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let even = (0..60).map(|_| Growth { thousandths: 1000, class: RequirementClass::Even });
    let few = (0..60).map(|i| Growth { thousandths: 1000 + 100 * i, class: RequirementClass::FewBursts });
    let history = History::new(even.chain(few));
    let asked = asked(&market, &history);
    let risk = |demand: &Demand| {
        let volume = VolumeFacts { demand, size_gib: 500, current: None, instance: None };
        let found = verdict(&asked, &volume);
        (row("v", &volume, &found).rests_on.unwrap(), found.choice.unwrap().1.risk_millionths.unwrap())
    };
    let level = demand(9000, u64::MAX / 60);
    let mut bursts = level.clone();
    for minute in 1000..1020 {
        bursts.write.operations[minute] *= 5;
    }
    assert_eq!(risk(&level), ("usual level".to_owned(), 1_000_000 / 61));
    let (rests_on, stated) = risk(&bursts);
    assert!(rests_on == "few bursts" && stated > 500_000, "{rests_on} {stated}");
}
