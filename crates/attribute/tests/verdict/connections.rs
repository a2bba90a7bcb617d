//! What the kernel says of TCP connections names the network where it binds, and does not where it does not.

use crate::scene::Scene;
use fathom_attribute::{Connections, TargetCores};
use fathom_record::facts::TargetKind;
use fathom_record::verdict::Limit;

/// A network of 0.5 ms on which nothing is lost and nothing waits.
const CLEAN: Connections = Connections {
    least_rtt_ns: 500e3,
    resent_share: Some(0.0),
    window_share: None,
    receiver_limited_share: Some(0.0),
    buffer_limited_share: Some(0.0),
};

/// A remote namespace behind such connections, whose rates by jobs and depth these are.
fn remote(curve: impl Fn(f64, f64) -> f64, variation: f64, connections: Connections) -> Scene {
    Scene::new(curve, variation)
        .with(|scene| {
            scene.target.kind = TargetKind::FabricNamespace;
            scene.workload.mix.read_share = 0.0;
        })
        .each(|_, seen| {
            seen.connections = Some(connections);
            seen.device_bytes_share = None;
        })
}

/// The first claim, with what the verdict says for it.
fn first(scene: &Scene) -> (Limit, String) {
    let verdict = scene.verdict();
    let claim = &verdict.claims[0];
    let told = claim.evidence.iter().filter(|it| it.supports).map(|it| it.text.as_str());
    (claim.limit, told.collect::<Vec<_>>().join(" "))
}

#[test]
fn a_long_way_is_told_from_a_slow_device() {
    // 560 us each, at any concurrency that was measured.
    let grows = |jobs: f64, depth: f64| jobs * depth / 560e-6;
    let (limit, told) = first(&remote(grows, 0.01, CLEAN).with(|scene| scene.focus = Some(3)));
    assert_eq!(limit, Limit::RoundTrip, "{told}");
    assert!(told.contains("round trip is 500 us, 89 % of the mean latency of a lone I/O"), "{told}");
    // The same latency, of which the network has a twentieth.
    let near = Connections { least_rtt_ns: 25e3, ..CLEAN };
    let (limit, told) = first(&remote(grows, 0.01, near).with(|scene| scene.focus = Some(3)));
    assert_eq!(limit, Limit::Concurrency, "{told}");
}

#[test]
fn loss_is_named_by_what_was_sent_again() {
    let flat = |jobs: f64, depth: f64| (jobs * depth / 600e-6).min(9_000.0);
    let lossy = Connections { resent_share: Some(0.012), window_share: Some(0.8), ..CLEAN };
    let scene = |connections| {
        remote(flat, 0.14, connections).each(|cell, _| {
            cell.service_p999_ns = Some(cell.service_p50_ns * 40);
        })
    };
    let (limit, told) = first(&scene(lossy));
    assert_eq!(limit, Limit::NetworkLoss, "{told}");
    assert!(told.contains("1.2 % of the data was sent again"), "{told}");
    let (limit, _) = first(&scene(CLEAN));
    assert_ne!(limit, Limit::NetworkLoss);
}

#[test]
fn whoever_holds_sending_back_is_named() {
    let flat = |jobs: f64, depth: f64| (jobs * depth / 600e-6).min(9_000.0);
    let held = |connections| first(&remote(flat, 0.01, connections)).0;
    assert_eq!(held(Connections { receiver_limited_share: Some(0.6), ..CLEAN }), Limit::SlowReceiver);
    assert_eq!(held(Connections { buffer_limited_share: Some(0.6), ..CLEAN }), Limit::SendBuffer);
    let full = remote(flat, 0.01, Connections { window_share: Some(0.98), ..CLEAN });
    assert_eq!(first(&full).0, Limit::CongestionWindow, "{:#?}", full.verdict().claims);
    let nobody = held(CLEAN);
    assert!(
        ![Limit::SlowReceiver, Limit::SendBuffer, Limit::CongestionWindow].contains(&nobody),
        "{nobody:?}"
    );
}

#[test]
fn without_connections_the_network_s_causes_are_not_weighed() {
    let flat = |jobs: f64, depth: f64| (jobs * depth / 600e-6).min(9_000.0);
    let verdict = Scene::new(flat, 0.01).verdict();
    let of_the_network = [
        Limit::RoundTrip,
        Limit::NetworkLoss,
        Limit::CongestionWindow,
        Limit::SlowReceiver,
        Limit::SendBuffer,
    ];
    assert!(verdict.claims.iter().all(|claim| !of_the_network.contains(&claim.limit)));
}

#[test]
fn a_busy_core_of_the_target_is_told_from_one_of_the_client() {
    let flat = |jobs: f64, depth: f64| (jobs * depth / 560e-6).min(20_000.0);
    let scene = |client: f64, target: f64| {
        remote(flat, 0.02, Connections { least_rtt_ns: 25e3, ..CLEAN }).each(|_, seen| {
            seen.core_busy_shares[3] = client;
            seen.target_cores = Some(TargetCores { busiest_share: target, mean_share: Some(target / 2.0) });
        })
    };
    let (limit, told) = first(&scene(0.4, 0.98));
    assert_eq!(limit, Limit::TargetCore, "{told}");
    assert!(told.contains("target's machine was busy 98 % of the time"), "{told}");
    let (limit, told) = first(&scene(0.98, 0.4));
    assert_eq!(limit, Limit::OneCore, "{told}");
    // Where nobody looked at the target, nothing is said of its cores.
    let unseen = scene(0.4, 0.98).each(|_, seen| seen.target_cores = None);
    assert!(unseen.verdict().claims.iter().all(|claim| claim.limit != Limit::TargetCore));
}
