//! Sums, lists and notes, and that no order and no cut of the rows changes them.

use fathom_sizing::fleet_volumes::unjudged;
use proptest::prelude::*;

use super::*;

fn row(name: usize, saves: f64) -> FleetRow {
    FleetRow {
        status: FleetStatus::Sized,
        offer_month: Some(100.0),
        offer_risk: Some(0.25),
        current_month: Some(100.0 + saves),
        current_holds: Some(saves >= 0.0),
        current_headroom: Some(1.0 + saves / 1000.0),
        saves_month: Some(saves),
        ..unjudged(&format!("v{name:05}"), "")
    }
}

#[test]
fn rows_add_up() {
    let saves = |i: usize| (i * 7919 % 1000) as f64 - 200.0;
    let mut tally = Tally::default();
    (0..1000).for_each(|i| tally.put(&row(i, saves(i))));
    let (money, risk) = (tally.money("USD".to_owned()), tally.risk());
    assert_eq!((money.cheaper, money.dearer, money.compared), (799, 200, 1000));
    assert_eq!(money.waste_month, (1..800).map(f64::from).sum::<f64>());
    assert_eq!(money.more_month, (1..=200).map(f64::from).sum::<f64>());
    assert_eq!((money.chosen_month, money.currency.as_str()), (100_000.0, "USD"));
    assert_eq!((risk.chosen_expected, risk.current_failed, risk.current_expected), (Some(250.0), 200, None));
    let listed = tally.top_savings();
    assert_eq!((listed.len(), listed[0].saves_month, listed[19].saves_month), (20, Some(799.0), Some(780.0)));
    assert_eq!((tally.too_small().len(), tally.too_small()[0].saves_month), (20, Some(-200.0)));
    assert_eq!(Tally::default().risk().chosen_expected, None);
}

#[test]
fn notes_are_told_once_with_how_many_volumes_have_them() {
    let mut tally = Tally::default();
    for i in (1..=5).rev() {
        let notes = [format!("{i} rows repeat."), "Odd.".to_owned()];
        tally.put(&FleetRow { notes: notes[..1 + i / 5].to_vec(), ..row(i, 0.0) });
    }
    assert_eq!(tally.notes(), ["5 volumes, as v00001: 1 rows repeat.", "v00005: Odd."]);
    for i in 0..2 * KINDS {
        let own: String = format!("{i:b}").replace('0', "a").replace('1', "b");
        tally.put(&FleetRow { notes: vec![own], ..row(i, 0.0) });
    }
    assert_eq!((tally.notes().len(), tally.kinds.len()), (TOLD + 1, KINDS));
}

#[test]
fn reasons_are_counted_and_bounded() {
    let mut tally = Tally::default();
    for i in 0..5000 {
        let own = format!("x: its own {i}");
        tally.put(&unjudged("v", if i % 2 == 0 { "no I/O was seen" } else { &own }));
        tally.put(&unjudged(&format!("w{i:04}"), &format!("odd {i:04}")));
    }
    let reasons = tally.reasons();
    assert_eq!(reasons.len(), REASONS + 1);
    // Of 5,000 odd ones 999 are told apart beside `no I/O was seen`, and `x` is the last by name.
    let of =
        |wanted: &str| reasons.iter().find(|reason| reason.reason == wanted).map(|reason| reason.volumes);
    assert_eq!(
        (of("no I/O was seen"), of("other reasons"), of("odd 0998")),
        (Some(2500), Some(6501), Some(1))
    );
    assert_eq!((of("odd 0999"), reasons[0].examples.len()), (None, 3));
}

/// Rows of volumes with names of their own, of few reasons and kinds of notes or of more than are told apart.
fn rows() -> impl Strategy<Value = Vec<FleetRow>> {
    let amount =
        prop_oneof![(-9_000_000_000i64..9_000_000_000).prop_map(|micros| micros as f64 / 1e6), Just(0.0)];
    let chance = proptest::option::of((0u32..=1_000_000).prop_map(|millionths| f64::from(millionths) / 1e6));
    let kind = (0u8..4, 0u16..3000, proptest::collection::vec(0u16..3000, 0..3));
    let one = (amount.clone(), amount, chance, kind, any::<bool>(), 0u32..20_000).prop_map(
        |(offer, current, chance, (status, reason, notes), holds, headroom)| {
            let status = match status {
                0 => FleetStatus::NotJudged,
                1 => FleetStatus::Throttled,
                _ => FleetStatus::Sized,
            };
            let letters = |number: u16| {
                char::from(b'a' + (number % 26) as u8).to_string().repeat(usize::from(number) / 26 + 1)
            };
            let judged = status != FleetStatus::NotJudged;
            FleetRow {
                status,
                offer_month: judged.then_some(offer.abs()),
                offer_risk: chance.filter(|_| judged),
                current_month: holds.then_some(current.abs()),
                current_holds: judged.then_some(holds),
                current_headroom: judged.then(|| f64::from(headroom) / 1e3),
                current_risk: chance,
                saves_month: (status == FleetStatus::Sized && holds).then_some(current.abs() - offer.abs()),
                notes: notes.into_iter().map(|note| format!("{note} {}", letters(note))).collect(),
                ..unjudged("", &if judged { String::new() } else { format!("{}: own", letters(reason)) })
            }
        },
    );
    proptest::collection::vec(one, 0..200).prop_map(|mut rows| {
        rows.iter_mut().enumerate().for_each(|(at, row)| row.volume = format!("vol-{:03}", at * 7919 % 1000));
        rows
    })
}

/// Everything that a tally says.
fn said(tally: &Tally) -> String {
    serde_json::to_string(&(
        (tally.volumes, tally.sized, tally.throttled, tally.money("EUR".to_owned()), tally.risk()),
        (tally.reasons(), tally.notes(), tally.top_savings(), tally.too_small()),
    ))
    .unwrap()
}

fn of(rows: &[FleetRow]) -> Tally {
    let mut tally = Tally::default();
    rows.iter().for_each(|row| tally.put(row));
    tally
}

/// More reasons and kinds of notes than are told apart, so that bounds are met.
fn crowd() -> Vec<FleetRow> {
    let letters = |number: usize| format!("{number:b}").replace('0', "a").replace('1', "b");
    (0..2500)
        .map(|at| FleetRow {
            notes: vec![letters(at * 31 % 2500)],
            ..unjudged(&format!("c{:04}", at * 7 % 2500), &letters(at * 17 % 2500))
        })
        .collect()
}

#[test]
fn bounds_cut_the_same_in_any_order() {
    let rows = crowd();
    let whole = said(&of(&rows));
    let mut reversed = rows.clone();
    reversed.reverse();
    assert_eq!(said(&of(&reversed)), whole);
    for parts in [2, 3, 64] {
        let mut merged = Tally::default();
        (0..parts).rev().for_each(|part| {
            let own: Vec<FleetRow> = rows.iter().skip(part).step_by(parts).cloned().collect();
            merged.merge(of(&own));
        });
        assert_eq!(said(&merged), whole, "{parts}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cut_of_any_order_merges_to_one_pass(
        (rows, order, parts) in rows().prop_flat_map(|rows| {
            let order = Just((0..rows.len()).collect::<Vec<usize>>()).prop_shuffle();
            let parts = proptest::collection::vec(0usize..9, rows.len());
            (Just(rows), order, parts)
        })
    ) {
        let whole = said(&of(&rows));
        let shuffled: Vec<FleetRow> = order.iter().map(|at| rows[*at].clone()).collect();
        prop_assert_eq!(&said(&of(&shuffled)), &whole);
        // Each row goes to a partition; their tallies go through text, as from another machine, and merge in any order.
        let mut tallies: Vec<Tally> = (0..9)
            .map(|part| of(&shuffled.iter().zip(&parts).filter(|(_, of)| **of == part).map(|(row, _)| row.clone()).collect::<Vec<_>>()))
            .map(|tally| serde_json::from_str(&serde_json::to_string(&tally).unwrap()).unwrap())
            .collect();
        let rotation = order.first().map_or(0, |first| first % 9);
        tallies.rotate_left(rotation);
        // In a line, and pair by pair.
        let mut line = Tally::default();
        tallies.iter().cloned().for_each(|tally| line.merge(tally));
        prop_assert_eq!(&said(&line), &whole);
        while tallies.len() > 1 {
            let pairs: Vec<Tally> = tallies.chunks(2).map(|pair| {
                let mut first = pair[0].clone();
                pair.get(1).cloned().into_iter().for_each(|second| first.merge(second));
                first
            }).collect();
            tallies = pairs;
        }
        prop_assert_eq!(&said(&tallies[0]), &whole);
    }
}
