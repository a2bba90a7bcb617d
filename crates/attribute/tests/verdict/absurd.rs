//! Whatever the numbers are, the verdict is valid: no panic, no figure that is not one, no empty answer.

use crate::scene::{self, Scene};
use fathom_attribute::{CellTelemetry, Connections};
use fathom_record::facts::TargetKind;
use fathom_record::verdict::Limit;
use fathom_record::workload::{Sizes, SizesByDirection};
use fathom_record::{CeilingRate, KnownCeiling};
use proptest::prelude::*;

/// Numbers of every kind, sane ones among them.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => any::<f64>(),
        1 => Just(0.0),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(-1.0),
        4 => 0.0f64..1.2,
        6 => 1.0f64..1e7,
    ]
}

fn telemetry() -> impl Strategy<Value = CellTelemetry> {
    (number(), prop::collection::vec(number(), 0..4), prop::array::uniform8(prop::option::of(number())))
        .prop_map(|(seconds, core_busy_shares, known)| CellTelemetry {
            seconds,
            core_busy_shares,
            generator_busy_share: known[0],
            generator_user_share: known[1],
            rate_variation: known[2],
            device_bytes_share: known[3],
            steal_share: known[4],
            simulated_time: false,
            connections: known[5].map(|least_rtt_ns| Connections {
                least_rtt_ns,
                resent_share: known[6],
                window_share: known[7],
                receiver_limited_share: known[0],
                buffer_limited_share: known[1],
            }),
            ..CellTelemetry::default()
        })
}

fn kind() -> impl Strategy<Value = TargetKind> {
    prop::sample::select(vec![
        TargetKind::File,
        TargetKind::BlockDevice,
        TargetKind::Simulated,
        TargetKind::Memory,
        TargetKind::Null,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_verdict_is_valid_for_any_numbers(
        cells in prop::collection::vec((any::<(u32, u32)>(), prop::array::uniform7(number()), any::<(u64, Option<u64>)>()), 0..8),
        seen in prop::collection::vec(telemetry(), 0..8),
        declared in prop::collection::vec((any::<bool>(), number()), 0..3),
        (kind, direct, written, read_share, bytes) in (kind(), any::<bool>(), prop::option::of(number()), number(), any::<u64>()),
        focus in prop::option::of(0usize..10),
    ) {
        let scene = Scene::new(|_, _| 1.0, 0.0).with(|s| {
            s.cells = cells
                .into_iter()
                .map(|((jobs, depth), n, (p50, p999))| {
                    let mut cell = scene::cell(jobs, depth, 1.0);
                    cell.operations_per_s = n[0];
                    cell.throughput_bytes_per_s = n[1];
                    cell.interval_share = Some(n[2]);
                    cell.in_flight_mean = n[3];
                    cell.service_mean_ns = n[4];
                    cell.cpu_ns_per_operation = Some(n[5]);
                    cell.busiest_core_share = Some(n[6]);
                    cell.service_p50_ns = p50;
                    cell.service_p999_ns = p999;
                    cell
                })
                .collect();
            s.telemetry = seen;
            s.declared = declared
                .into_iter()
                .map(|(is_rate, limit)| match is_rate {
                    true => KnownCeiling::declared(CeilingRate::Iops { operations_per_s: limit }),
                    false => KnownCeiling::declared(CeilingRate::Throughput { bytes_per_s: limit }),
                })
                .collect();
            s.target.kind = kind;
            s.target.direct = direct;
            s.target.written_share = written;
            s.workload.mix.read_share = read_share;
            s.workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes });
            s.focus = focus;
        });
        let verdict = scene.verdict();
        prop_assert!(!verdict.claims.is_empty());
        for pair in verdict.claims.windows(2) {
            prop_assert!(pair[0].confidence >= pair[1].confidence || [Limit::Unknown, Limit::RateCap].contains(&pair[0].limit));
        }
        for ceiling in &verdict.ceilings {
            prop_assert!(ceiling.operations_per_s.is_finite() && ceiling.operations_per_s > 0.0);
            prop_assert!(ceiling.reached_share.is_finite() && ceiling.reached_share >= 0.0);
        }
        // All shares are of one rate.
        let rates: Vec<f64> =
            verdict.ceilings.iter().map(|c| c.reached_share * c.operations_per_s).collect();
        for rate in &rates {
            prop_assert!((rate / rates[0] - 1.0).abs() < 1e-6, "{rates:?}");
        }
        let texts = verdict.claims.iter().flat_map(|c| c.evidence.iter().map(|e| &e.text).chain([&c.statement]));
        for text in texts {
            prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{}", text);
        }
    }
}

#[test]
fn an_interval_that_no_run_makes_is_left_out() {
    let scene = Scene::new(|_, _| 0.7, 0.0).with(|s| {
        for cell in &mut s.cells {
            cell.interval_share = Some(5.2e306);
            cell.busiest_core_share = Some(0.865);
        }
    });
    for claim in scene.verdict().claims {
        assert!(!claim.statement.contains("inf"), "{}", claim.statement);
    }
}
