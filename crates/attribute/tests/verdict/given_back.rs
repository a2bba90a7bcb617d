//! What a rest brings back tells credits, and what drained, from limits that nothing is saved up for.

use fathom_attribute::evidence::Feature;
use fathom_record::verdict::Limit;

use super::scene::Scene;

/// A limit of 3000 whose seconds are as even as a limit's, after a rest as long as a run.
fn after_rest(ratio: f64) -> Vec<(Limit, f64)> {
    let scene = Scene::new(|_, _| 3000.0, 0.002).with(|scene| {
        scene.workload.length.time_ns = Some(60_000_000_000);
        scene.means.rest_minutes = 1.0;
    });
    let verdict = scene.answered(Feature::Idle, ratio).verdict();
    verdict.claims.iter().map(|claim| (claim.limit, claim.probability.unwrap_or(0.0))).collect()
}

fn credits(claims: &[(Limit, f64)]) -> f64 {
    claims.iter().find(|(limit, _)| *limit == Limit::BurstCredits).map_or(0.0, |(_, p)| *p)
}

#[test]
fn what_was_left_undone_and_is_done_to_the_last_operation_was_saved_up() {
    let given_back = after_rest(2.0);
    assert_eq!(given_back[0].0, Limit::BurstCredits, "{given_back:?}");
    assert!(given_back[0].1 > 0.9, "{given_back:?}");
}

#[test]
fn what_comes_back_as_it_was_saved_nothing() {
    let nothing = after_rest(1.0);
    assert!(credits(&nothing) < 0.03, "{nothing:?}");
}

#[test]
fn a_rest_that_brings_a_little_more_than_a_declared_limit_shows_credits_that_something_else_stops() {
    let scene = Scene::new(|_, _| 3000.0, 0.002).declare_iops(3000.0).with(|scene| {
        scene.workload.length.time_ns = Some(60_000_000_000);
        scene.means.rest_minutes = 1.0;
    });
    let verdict = scene.answered(Feature::Idle, 1.1).verdict();
    let volume = verdict.claims.iter().find(|claim| claim.limit == Limit::VolumeIops);
    assert!(volume.is_none_or(|claim| claim.probability.unwrap() <= 0.1), "{:?}", verdict.claims);
    assert_eq!(verdict.claims[0].limit, Limit::BurstCredits, "{:?}", verdict.claims);
}
