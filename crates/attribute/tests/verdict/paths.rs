//! Experiments that change what the workload does not say: another file, durability, a connection, a NUMA node. Each speaks
//! for its causes by one answer and against them by the other.

use crate::scene::Scene;
use fathom_attribute::Connections;
use fathom_attribute::evidence::Feature;
use fathom_record::facts::TargetKind;
use fathom_record::verdict::Limit;

/// A flat rate, that of a lone I/O at one in flight.
fn flat(jobs: f64, depth: f64) -> f64 {
    (jobs * depth / 200e-6).min(9_000.0)
}

fn of(scene: &Scene, limit: Limit) -> f64 {
    let claim = scene.verdict().claims.into_iter().find(|claim| claim.limit == limit);
    claim.and_then(|claim| claim.probability).unwrap_or(0.0)
}

fn written(durable: bool) -> Scene {
    Scene::new(flat, 0.01).with(|scene| {
        scene.target.kind = TargetKind::File;
        scene.workload.mix.read_share = 0.0;
        scene.durable = durable;
    })
}

#[test]
fn a_flush_is_named_where_writes_need_not_wait_and_is_not_where_they_gain_nothing() {
    let slow = written(true).answered(Feature::Unflushed, 4.0);
    assert!(of(&slow, Limit::FlushLatency) > 0.8, "{:#?}", slow.verdict().claims);
    let same = written(true).answered(Feature::Unflushed, 1.0);
    assert!(of(&same, Limit::FlushLatency) < 0.1, "{:#?}", same.verdict().claims);
    // Without flushes in the workload no flush is weighed.
    assert_eq!(of(&written(false), Limit::FlushLatency), 0.0);
}

#[test]
fn writes_that_are_as_fast_durable_were_no_cache_s() {
    let cached = || {
        let scene = written(false).with(|scene| scene.target.direct = false);
        scene.each(|_, seen| seen.device_bytes_share = None)
    };
    let (slow, same) = (cached().answered(Feature::Durable, 0.05), cached().answered(Feature::Durable, 1.0));
    let (slow, same) = (of(&slow, Limit::CacheArtefact), of(&same, Limit::CacheArtefact));
    assert!(slow > 3.0 * same, "{slow} {same}");
}

#[test]
fn a_second_file_that_brings_more_speaks_for_what_a_file_has_of_its_own() {
    let more = written(false).answered(Feature::OtherFile, 1.8);
    let (software, file_system) = (of(&more, Limit::Software), of(&more, Limit::FileSystem));
    assert!(software + file_system > 0.6, "{:#?}", more.verdict().claims);
    let none = written(false).answered(Feature::OtherFile, 1.0);
    let below = of(&none, Limit::Software) + of(&none, Limit::FileSystem);
    assert!(below < 0.35, "{:#?}", none.verdict().claims);
}

#[test]
fn one_connection_more_counts_by_how_many_there_were() {
    let clean = Connections { least_rtt_ns: 50e3, resent_share: Some(0.0), ..Connections::default() };
    let remote = |curve: fn(f64, f64) -> f64, ratio: f64| {
        Scene::new(curve, 0.01)
            .with(|scene| {
                scene.target.kind = TargetKind::FabricNamespace;
                // Four jobs.
                scene.focus = Some(6);
            })
            .each(|_, seen| {
                seen.connections = Some(clean);
                seen.device_bytes_share = None;
            })
            .answered(Feature::OneConnection, ratio)
    };
    // A fifth connection that brings a quarter is as much as twice the connections that bring twice.
    let of_each = |jobs: f64, depth: f64| (jobs * depth / 200e-6).min(2250.0 * jobs);
    let (each, none) = (remote(of_each, 1.25), remote(flat, 1.0));
    assert!(of(&each, Limit::PerConnection) > 0.6, "{:#?}", each.verdict().claims);
    assert!(of(&none, Limit::PerConnection) < 0.1, "{:#?}", none.verdict().claims);
}

#[test]
fn memory_of_another_node_is_named_where_the_other_one_is_faster() {
    let on = |ratio: f64| {
        Scene::new(flat, 0.01)
            .with(|scene| scene.means.other_node_cpus = Some(vec![2, 3]))
            .answered(Feature::OtherNode, ratio)
    };
    let (faster, same) = (on(1.4), on(1.0));
    assert!(of(&faster, Limit::Numa) > 0.6, "{:#?}", faster.verdict().claims);
    assert!(of(&same, Limit::Numa) < 0.1, "{:#?}", same.verdict().claims);
    // On a machine of one node there is none.
    assert_eq!(of(&Scene::new(flat, 0.01), Limit::Numa), 0.0);
}

#[test]
fn what_is_proposed_is_what_can_be_made() {
    let proposed =
        |scene: &Scene| scene.verdict().next_experiment.map(|next| next.command).unwrap_or_default();
    for never in ["on [", "durable", " and "] {
        assert!(!proposed(&written(false)).contains(never), "{}", proposed(&written(false)));
    }
}
