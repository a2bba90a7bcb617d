//! The cheapest offer is the one that trying all of them finds.

use fathom_sizing::accounting::Accounting;
use fathom_sizing::catalogue::{Family, OfferRequirements, Prices};
use fathom_sizing::choice::OfferJudge;
use fathom_sizing::offer::Settings;
use fathom_sizing::requirement::{Precision, requirement};
use fathom_sizing::tick_counts::TickCounts;
use fathom_sizing::{
    Catalogue, Demand, Flow, Limits, Market, OfferChoice, Patience, Shaper, StorageRequirement, Trace,
    TracedIo, cheapest, cheapest_in,
};
use proptest::prelude::*;

/// Few enough offers to try all, at prices of its own.
const PRICES: &str = "provider,region,type,component,tier_from,tier_to,price\n\
    own,here,gp3,capacity,,,0.08\nown,here,gp3,iops,3001,,0.005\nown,here,gp3,throughput,126,,0.04\n\
    own,here,gp2,capacity,,,0.1\nown,here,st1,capacity,,,0.045\n";

/// Made-up prices of Azure's, in the form of a list of one's own.
const AZURE: &str = "provider,region,type,component,tier_from,tier_to,price\n\
    Azure,there,Premium SSD v2,capacity,,,0.08\nAzure,there,Premium SSD v2,iops,3001,,0.0047\n\
    Azure,there,Premium SSD v2,throughput,126,,0.04\n\
    Azure,there,Premium SSD P10,disk,,,19.71\nAzure,there,Premium SSD P20,disk,,,73.22\n\
    Azure,there,Premium SSD P30,disk,,,135.17\nAzure,there,Premium SSD P50,disk,,,495.57\n";

fn azure() -> Catalogue {
    let mut catalogue = Catalogue::built_in().expect("a catalogue");
    catalogue.prices = catalogue.prices.after(Prices::read("azure.csv", AZURE).expect("prices"));
    catalogue
}

/// Made-up prices of Google's but for Persistent Disk, whose are those that its price page reckons with.
const GOOGLE: &str = "provider,region,type,component,tier_from,tier_to,price\n\
    GCP,there,hyperdisk-extreme,capacity,,,0.125\n\
    GCP,there,hyperdisk-extreme,iops,,,0.032\nGCP,there,hyperdisk-throughput,capacity,,,0.006\n\
    GCP,there,hyperdisk-throughput,throughput,,,0.285\nGCP,there,pd-balanced,capacity,,,0.1\n\
    GCP,there,pd-ssd,capacity,,,0.17\nGCP,there,pd-standard,capacity,,,0.04\n";

/// The type with most offers: too many to try all.
const BALANCED: &str = "GCP,there,hyperdisk-balanced,capacity,,,0.08\nGCP,there,hyperdisk-balanced,iops,3001,,0.005\n\
    GCP,there,hyperdisk-balanced,throughput,141,,0.04\n";

fn google(more: &str) -> Catalogue {
    let mut catalogue = Catalogue::built_in().expect("a catalogue");
    let list = format!("{GOOGLE}{more}");
    catalogue.prices = catalogue.prices.after(Prices::read("google.csv", &list).expect("prices"));
    catalogue
}

fn all(
    catalogue: &Catalogue,
    region: &str,
    need: StorageRequirement<'_>,
    stripes: u32,
) -> Option<OfferChoice> {
    let mut judge = OfferJudge::new(need);
    let of = need.demand.operations().iter().sum();
    let mut families =
        Market::of(catalogue, region).families(need.size_gib, stripes, need.demand.is_sequential());
    families.sort_by_key(Family::members);
    let mut best: Option<OfferChoice> = None;
    for family in &families {
        for line in family.lines() {
            for at in 0..line.len() {
                let offer = line.offer(at);
                if best.as_ref().is_some_and(|best| best.offer.month <= offer.month) {
                    break;
                }
                if let Some(late) = judge.late(&offer.limits) {
                    best = Some(OfferChoice { offer, late, of });
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
        let accounting = Accounting::SOLID_STATE;
        let instance = shared.map(|iops| Limits {
            operations: Shaper { base_per_s: iops / 2, peak_per_s: iops, bucket: iops * 20 },
            bytes: Shaper::cap(iops << 15),
            accounting,
        });
        let patience = Patience { ticks, late_millionths: late };
        let need = StorageRequirement { demand: &demand, size_gib, patience, instance };
        prop_assert_eq!(cheapest(&catalogue, "here", need, 2), all(&catalogue, "here", need, 2));
        prop_assert_eq!(cheapest(&azure(), "there", need, 2), all(&azure(), "there", need, 2));
        prop_assert_eq!(cheapest(&google(""), "there", need, 1), all(&google(""), "there", need, 1));
    }
}

#[test]
fn a_constant_demand_needs_just_its_rate() {
    let flow = |rate: u64| Flow { operations: vec![rate; 600], bytes: vec![rate * 8192; 600] };
    let counted = Some(TickCounts::of_equal_sizes(&flow(4000), &flow(8000)));
    let demand = Demand { tick_s: 1, read: flow(4000), write: flow(8000), gaps: Vec::new(), counted };
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let need = StorageRequirement { demand: &demand, size_gib: 1000, patience, instance: None };
    let choice = cheapest(&Catalogue::built_in().unwrap(), "us-east-1", need, 1).unwrap();
    assert_eq!((choice.offer.volume.as_str(), choice.offer.each.iops), ("gp3", 12_000));
    assert_eq!(choice.offer.each.bytes_per_s, 125 << 20);
}

#[test]
fn nothing_is_offered_where_nothing_holds() {
    let flow = || Flow { operations: vec![10_000_000; 10], bytes: vec![10_000_000 << 12; 10] };
    let demand = Demand { tick_s: 1, read: flow(), write: flow(), gaps: Vec::new(), counted: None };
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let need = StorageRequirement { demand: &demand, size_gib: 10, patience, instance: None };
    assert_eq!(cheapest(&Catalogue::built_in().unwrap(), "us-east-1", need, 8), None);
}

/// Limits as Microsoft's pages of 2026-08-11 and 2025-01-14 state them.
#[test]
fn disks_of_azure_are_offered_where_somebody_prices_them() {
    let catalogue = azure();
    assert!(
        catalogue.regions().contains(&"there")
            && !Catalogue::built_in().unwrap().regions().contains(&"there")
    );
    let market = Market::of(&catalogue, "there");
    let settings = |size_gib, iops, bytes_per_s| Settings { size_gib, iops, bytes_per_s };
    let p20 = market.configured("Premium SSD P20", settings(0, 0, 0)).unwrap();
    assert_eq!(p20.to_string(), "Premium SSD P20, 512 GiB, 2300 IOPS, 150 MB/s");
    let burst = Shaper { base_per_s: 2300, peak_per_s: 3500, bucket: 1200 * 1800 };
    assert_eq!((p20.limits.operations, p20.month.to_string().as_str()), (burst, "73.22"));
    let rates = p20.limits.bytes;
    assert_eq!(
        (rates.base_per_s, rates.peak_per_s, rates.bucket),
        (150_000_000, 170_000_000, 36_000_000_000)
    );
    // The smallest that is priced and holds the data; from P30 on bursts cost extra.
    let sized = market.configured("Premium SSD", settings(2000, 0, 0)).unwrap();
    assert_eq!((sized.volume.as_str(), sized.limits.operations), ("Premium SSD P50", Shaper::cap(7500)));
    assert_eq!(market.configured("Premium SSD", settings(4097, 0, 0)), None);
    let v2 = market.configured("Premium SSD v2", settings(512, 40_000, 200_000_000)).unwrap();
    assert_eq!(v2.to_string(), "Premium SSD v2, 512 GiB, 40000 IOPS, 200 MB/s");
    // 512 x 0.08 + 37,000 x 0.0047 + 75 x 0.04.
    assert_eq!((v2.month.to_string().as_str(), v2.provider.as_str()), ("217.86", "Azure"));
    assert_eq!((market.megabyte("Premium SSD v2"), market.megabyte("gp3")), (1_000_000, 1 << 20));
    let boots = market.only(&catalogue, OfferRequirements { boots: true, ..OfferRequirements::default() });
    let left: Vec<&str> = boots.left_out(true).iter().map(|left| left.volume).collect();
    assert_eq!(left, ["Premium SSD v2"]);
}

/// An hour of reads of one size each, at one rate: long enough that the second for which an I/O may wait is nothing.
fn steady(rate: u64, bytes: u64) -> Demand {
    let read = Flow { operations: vec![rate; 4000], bytes: vec![rate * bytes; 4000] };
    let write = Flow { operations: vec![0; 4000], bytes: vec![0; 4000] };
    let counted = Some(TickCounts::of_equal_sizes(&read, &write));
    Demand { tick_s: 1, read, write, gaps: Vec::new(), counted }
}

/// The cheapest of a market, as one would order it.
fn ordered(market: &Market, demand: &Demand, size_gib: u64, stripes: u32) -> Option<String> {
    let patience = Patience { ticks: 1, late_millionths: 0 };
    let need = StorageRequirement { demand, size_gib, patience, instance: None };
    cheapest_in(market, &mut OfferJudge::new(need), stripes).map(|choice| choice.offer.to_string())
}

/// Where a size is named that the highest rates need, by the pages of AWS and of Azure, from demands of just those rates.
#[test]
fn disks_of_aws_and_azure_are_those_of_their_pages() {
    let (aws, azure) = (Catalogue::built_in().unwrap(), azure());
    let order = |catalogue: &Catalogue, region: &str, volume: &str, rate, bytes| {
        let wanted = OfferRequirements { types: vec![volume.to_owned()], ..OfferRequirements::default() };
        let market = Market::of(catalogue, region).only(catalogue, wanted);
        ordered(&market, &steady(rate, bytes), 100, 1)
    };
    for (volume, rate, bytes, told) in [
        ("gp3", 80_000, 4096, "gp3, 160 GiB, 80000 IOPS, 315 MiB/s"),
        ("gp3", 8000, 256 << 10, "gp3, 100 GiB, 8000 IOPS, 2000 MiB/s"),
        ("io2", 256_000, 16 << 10, "io2, 256 GiB, 256000 IOPS, 4000 MiB/s"),
        ("io1", 64_000, 16 << 10, "io1, 1280 GiB, 64000 IOPS, 1000 MiB/s"),
    ] {
        assert_eq!(order(&aws, "us-east-1", volume, rate, bytes).as_deref(), Some(told));
    }
    for (volume, rate, bytes, told) in [
        ("Premium SSD v2", 80_000, 4096, "Premium SSD v2, 160 GiB, 80000 IOPS, 330 MB/s"),
        ("Premium SSD v2", 8000, 488 << 9, "Premium SSD v2, 100 GiB, 8000 IOPS, 2000 MB/s"),
        ("Premium SSD", 2300, 4096, "Premium SSD P20, 512 GiB, 2300 IOPS, 150 MB/s"),
    ] {
        assert_eq!(order(&azure, "there", volume, rate, bytes).as_deref(), Some(told));
    }
}

/// The sizes and rates that Google's pages give as examples, from demands of just those rates.
#[test]
fn disks_of_google_are_those_of_its_examples() {
    let catalogue = google(BALANCED);
    let only = |volume: &str| {
        let wanted = OfferRequirements { types: vec![volume.to_owned()], ..OfferRequirements::default() };
        Market::of(&catalogue, "there").only(&catalogue, wanted)
    };
    let order = |volume: &str, rate, bytes, gib| ordered(&only(volume), &steady(rate, bytes), gib, 1);
    let (small, large) = (4096, 256 << 10);
    // 2,400 MiB/s need 9,600 IOPS; 160,000 IOPS need 320 GiB, and at least a 256th of them in MiB/s.
    for (rate, bytes, told) in [
        (9600, large, "hyperdisk-balanced, 100 GiB, 9600 IOPS, 2400 MiB/s"),
        (160_000, small, "hyperdisk-balanced, 320 GiB, 160000 IOPS, 625 MiB/s"),
        (160_000, 512, "hyperdisk-balanced, 320 GiB, 160000 IOPS, 625 MiB/s"),
    ] {
        assert_eq!(order("hyperdisk-balanced", rate, bytes, 100).as_deref(), Some(told));
    }
    // 5 TiB can have 450 MiB/s, 27 TiB all 2,400; each MiB/s brings 4 IOPS.
    let throughput = order("hyperdisk-throughput", 1800, large, 100);
    assert_eq!(throughput.as_deref(), Some("hyperdisk-throughput, 5120 GiB, 1800 IOPS, 450 MiB/s"));
    let most = order("hyperdisk-throughput", 9600, large, 27 << 10);
    assert_eq!(most.as_deref(), Some("hyperdisk-throughput, 27648 GiB, 9600 IOPS, 2400 MiB/s"));
    // 1,000 IOPS carry 250 MiB/s.
    let extreme = order("hyperdisk-extreme", 10_000, large, 100);
    assert_eq!(extreme.as_deref(), Some("hyperdisk-extreme, 100 GiB, 10000 IOPS, 2500 MiB/s"));
    assert_eq!(order("hyperdisk-extreme", 351_000, small, 100), None);
    // 3,000 IOPS and 6 for each GiB; 6,000 and 30; 140 MiB/s and 0.28, 240 and 0.48. A stripe has no more.
    for (volume, rate, told) in [
        ("pd-balanced", 9000, "pd-balanced, 1000 GiB, 9000 IOPS, 420 MiB/s"),
        ("pd-ssd", 36_000, "pd-ssd, 1000 GiB, 36000 IOPS, 720 MiB/s"),
        ("pd-standard", 750, "pd-standard, 1000 GiB, 750 IOPS, 120 MiB/s"),
    ] {
        assert_eq!(ordered(&only(volume), &steady(rate, small), 100, 4).as_deref(), Some(told));
    }
    // The price page's own bills: 200 GB for 8 and 34 dollars.
    for (volume, month) in [("pd-standard", "8.00"), ("pd-ssd", "34.00")] {
        let settings = Settings { size_gib: 200, iops: 0, bytes_per_s: 0 };
        let disk = Market::of(&catalogue, "there").configured(volume, settings).unwrap();
        assert_eq!((disk.month.to_string().as_str(), disk.provider.as_str()), (month, "GCP"));
    }
}

#[test]
fn a_machine_of_google_limits_each_type_by_itself() {
    let catalogue = google(BALANCED);
    let market = Market::of(&catalogue, "there");
    assert!(market.behind("r6id.4xlarge").is_none() && market.machine().is_none());
    assert!(Market::of(&catalogue, "us-east-1").behind("n2-standard-16").is_none());
    let n2 = market.behind("n2-standard-16").unwrap();
    assert_eq!(n2.machine(), Some(("n2-standard-16", "gcp-diagnosis")));
    let settings = Settings { size_gib: 2000, iops: 0, bytes_per_s: 0 };
    let disk = n2.configured("pd-ssd", settings).unwrap();
    assert_eq!((disk.each.iops, disk.limits.operations), (66_000, Shaper::cap(25_000)));
    let reasons: Vec<String> = n2.left_out(true).into_iter().map(|left| left.reason).collect();
    assert_eq!(reasons, ["what n2-standard-16 lets through to it is not known"; 3]);
    // 24,000 IOPS are had behind it, 26,000 are not.
    let order = |rate| ordered(&n2, &steady(rate, 4096), 100, 4);
    assert_eq!(order(24_000).as_deref(), Some("pd-ssd, 600 GiB, 24000 IOPS, 528 MiB/s"));
    assert_eq!(order(26_000), None);
    let c4d = market.behind("c4d-standard-2").unwrap();
    let balanced = Settings { size_gib: 1000, iops: 50_000, bytes_per_s: 1000 << 20 };
    let disk = c4d.configured("hyperdisk-balanced", balanced).unwrap();
    assert_eq!(disk.limits.operations, Shaper::cap(22_500));
    assert_eq!(disk.limits.bytes, Shaper::cap(400 << 20));
}

/// A market that offers only some types.
fn market(catalogue: &Catalogue, types: &[&str], latency_ns: Option<u64>, boots: bool) -> Market {
    let types = types.iter().map(ToString::to_string).collect();
    Market::of(catalogue, "us-east-1").only(catalogue, OfferRequirements { types, latency_ns, boots })
}

#[test]
fn disks_with_seek_times_are_offered_for_what_suits_them_or_by_name() {
    let catalogue = Catalogue::built_in().unwrap();
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let bought = |market: &Market, demand: &Demand| {
        let need = StorageRequirement { demand, size_gib: 500, patience, instance: None };
        cheapest_in(market, &mut OfferJudge::new(need), 1).map(|choice| choice.offer.volume)
    };
    let flow = |count: u64, bytes: u64| Flow { operations: vec![count; 60], bytes: vec![bytes; 60] };
    let of = |count: u64, size: u64, counted| {
        let (read, write) = (flow(count * 60, count * 60 * size), flow(0, 0));
        Demand { tick_s: 60, read, write, gaps: Vec::new(), counted }
    };
    let any = market(&catalogue, &[], None, false);
    let random = of(9, 4096, None);
    assert_eq!(bought(&any, &random).as_deref(), Some("gp3"));
    assert_eq!(bought(&market(&catalogue, &["sc1"], None, false), &random).as_deref(), Some("sc1"));
    assert_eq!(bought(&any, &of(1, 1 << 20, None)).as_deref(), Some("sc1"), "whole units");
    let joined = TickCounts { solid_state: vec![540; 60], disk: vec![3; 60], seeks: 5 };
    assert_eq!(bought(&any, &of(9, 4096, Some(joined))).as_deref(), Some("sc1"), "a trace of a stream");
    let quick = market(&catalogue, &[], Some(2_000_000), false);
    assert_eq!(bought(&quick, &random).as_deref(), Some("io2"));
    let reasons: Vec<String> =
        quick.left_out(true).iter().map(|left| format!("{}: {}", left.volume, left.reason)).collect();
    assert!(reasons.contains(&"gp3: documented latency: single-digit ms".to_owned()), "{reasons:?}");
    assert!(reasons.contains(&"st1: no latency of it is documented".to_owned()), "{reasons:?}");
    let boots = market(&catalogue, &["sc1", "gp2"], None, true);
    assert_eq!(bought(&boots, &random).as_deref(), Some("gp2"));
    assert_eq!(any.left_out(false).len(), 2);
    assert_eq!(any.left_out(true), []);
}

/// 4,000 reads of 384 KiB a second count twice each, and need twice the IOPS.
#[test]
fn ios_above_the_unit_count_once_per_unit() {
    let trace = |sizes: &[u64]| {
        let io = |i: u64| TracedIo {
            at_ns: i * 250_000,
            offset: (i.wrapping_mul(0x9e37_79b9) % 9973) << 21,
            bytes: sizes[i as usize % sizes.len()],
            write: false,
        };
        Trace { ios: (0..40_000).map(io).collect() }.demand().unwrap()
    };
    let ssd = Accounting::SOLID_STATE;
    let bounds = |demand: &Demand| (ssd.least_operations(demand)[3], ssd.operations(demand)[3]);
    let large = trace(&[384 << 10]);
    assert_eq!(bounds(&large), (8000, 8000));
    assert_eq!(bounds(&trace(&[4096, 4096, 4096, 4096, 1 << 20])), (6400, 6400));
    let means = Demand { counted: None, ..large.clone() };
    assert_eq!(bounds(&means), (6000, 9992), "bounds by the mean alone");
    let patience = Patience { ticks: 1, late_millionths: 1000 };
    let bought = |demand: &Demand| {
        let need = StorageRequirement { demand, size_gib: 1000, patience, instance: None };
        cheapest(&Catalogue::built_in().unwrap(), "us-east-1", need, 1).unwrap().offer.each.iops
    };
    // Ten seconds may take eleven.
    assert_eq!((bought(&large), bought(&means)), (7300, 9100), "the upper bound decides");
    let needed = requirement(&means, patience, Precision::Exact);
    assert!(needed.operations_least_per_s.unwrap() < 5500 && needed.operations_per_s > 9000, "{needed:?}");
}
