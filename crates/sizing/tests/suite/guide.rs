//! The cost tables and sizing examples of a published guide, to the cent, at the prices that it quotes.

use fathom_sizing::catalogue::{Component, Prices};
use fathom_sizing::tick_counts::TickCounts;
use fathom_sizing::{Catalogue, Demand, Flow, Money, Patience, StorageRequirement, cheapest};

/// As the author quotes them for eu-central-1 in March 2026.
const QUOTED: &str = "provider,region,type,component,tier_from,tier_to,price\n\
    AWS,eu-central-1,gp3,capacity,,,0.08\n\
    AWS,eu-central-1,gp3,iops,3001,80000,0.005\n\
    AWS,eu-central-1,gp3,throughput,126,2000,0.06\n";

fn month(prices: &Prices, gb: u64, iops: u64, mib_s: u64) -> Money {
    let of = |component, units| prices.month("eu-central-1", "gp3", component, units);
    of(Component::Capacity, gb) + of(Component::Iops, iops) + of(Component::Throughput, mib_s)
}

#[test]
fn the_cost_tables_hold_to_the_cent() {
    let prices = Prices::read("quoted", QUOTED).unwrap();
    let table = [
        (1000, 3000, 125, "80.00"),
        (1000, 10_000, 500, "137.50"),
        (1000, 16_000, 1000, "197.50"),
        (1000, 80_000, 2000, "577.50"),
        (4000, 3000, 125, "320.00"),
        (4000, 10_000, 500, "377.50"),
        (4000, 16_000, 1000, "437.50"),
        (4000, 80_000, 2000, "817.50"),
    ];
    for (gb, iops, mib_s, total) in table {
        assert_eq!(month(&prices, gb, iops, mib_s).to_string(), total);
    }
}

#[test]
fn the_waste_of_a_cluster_holds_to_the_cent() {
    let prices = Prices::read("quoted", QUOTED).unwrap();
    for (nodes, baseline, maximum, wasted) in
        [(4, "320.00", "2310.00", "1990.00"), (8, "640.00", "4620.00", "3980.00")]
    {
        let (least, most) =
            (month(&prices, 1000, 3000, 125).times(nodes), month(&prices, 1000, 80_000, 2000).times(nodes));
        assert_eq!(
            (least.to_string(), most.to_string(), (most - least).to_string()),
            (baseline.into(), maximum.into(), wasted.into())
        );
    }
}

/// The guide's prices are not the provider's: storage and IOPS are those of us-east-1, throughput is nobody's.
#[test]
fn the_catalogue_shows_what_differs() {
    let catalogue = Catalogue::built_in().unwrap();
    assert_eq!(month(&catalogue.prices, 1000, 10_000, 500).to_string(), "155.05");
    let own = catalogue.prices.after(Prices::read("quoted", QUOTED).unwrap());
    assert_eq!(month(&own, 1000, 10_000, 500).to_string(), "137.50");
}

/// As the guide states its demands: its 640 MiB/s are 5,000 times 128 thousandths, which would be
/// 625 MiB/s at 128 KiB.
#[test]
fn the_sizing_examples_come_out() {
    let mut catalogue = Catalogue::built_in().unwrap();
    catalogue.prices = Prices::read("quoted", QUOTED).unwrap();
    for (rate, wanted_mib_s, iops, mib_s) in [(12_000, 96, 12_000, 125), (5000, 640, 5000, 640)] {
        let bytes = wanted_mib_s << 20;
        let write = Flow { operations: vec![rate; 3600], bytes: vec![bytes; 3600] };
        let read = Flow { operations: vec![0; 3600], bytes: vec![0; 3600] };
        let counted = Some(TickCounts::of_equal_sizes(&read, &write));
        let demand = Demand { tick_s: 1, read, write, gaps: Vec::new(), counted };
        let patience = Patience { ticks: 1, late_millionths: 1000 };
        let need = StorageRequirement { demand: &demand, size_gib: 1000, patience, instance: None };
        let each = cheapest(&catalogue, "eu-central-1", need, 1).unwrap().offer.each;
        assert_eq!((each.iops, each.bytes_per_s >> 20), (iops, mib_s));
    }
}
