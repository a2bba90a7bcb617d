//! Verdicts on series whose kind is plain, the words that they are given with, and a growing series.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use fathom_record::exposure_guard::{ExposureGuard, GuardRow, HiddenState, HiddenStateStanding};
use fathom_record::steadiness::{Steadiness, SteadyVerdict};
use fathom_stats::steady::cusum::{Monitor, WatchEvent};
use fathom_stats::steady::{SteadyRule, judge, steady_sentence};
use fathom_truth::random_process::noise_process::autoregressive;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn noisy(seconds: usize, spread: f64, base: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(77);
    let noise = autoregressive(seconds, 0.3, spread, &mut rng);
    noise.iter().enumerate().map(|(second, noise)| base(second as f64) * (1.0 + noise)).collect()
}

fn row(standing: HiddenStateStanding) -> GuardRow {
    GuardRow { state: HiddenState::VolumeCredits, standing, text: String::new(), source: String::new() }
}

fn guard(exposed_s: f64, standing: HiddenStateStanding) -> ExposureGuard {
    ExposureGuard { exposed_s, rows: vec![row(standing)] }
}

fn free(rates: &[f64]) -> Steadiness {
    judge(rates, &guard(rates.len() as f64, HiddenStateStanding::Absent), &SteadyRule::default())
}

#[test]
fn an_even_series_is_steady_with_its_horizon() {
    let judged = free(&noisy(600, 0.02, |_| 50_000.0));
    assert_eq!(judged.verdict, SteadyVerdict::Steady);
    assert!((judged.mean.unwrap() / 50_000.0 - 1.0).abs() < 0.01);
    assert!(judged.horizon_s.unwrap() >= 600.0);
    assert_eq!(judged.remaining_s, Some(0.0));
    assert!(judged.snia.unwrap().met);
}

#[test]
fn a_constant_series_is_steady_and_claims_a_day_at_most() {
    let judged = free(&[1000.0; 300]);
    assert_eq!((judged.verdict, judged.horizon_s), (SteadyVerdict::Steady, Some(86_400.0)));
}

#[test]
fn a_short_or_noisy_series_is_not_enough_whatever_the_budget() {
    let short = free(&[1000.0; 60]);
    assert_eq!((short.verdict, short.remaining_s), (SteadyVerdict::NotEnoughData, Some(60.0)));
    assert_eq!(free(&[]).verdict, SteadyVerdict::NotEnoughData);
    let noisy = free(&noisy(130, 0.25, |_| 1000.0));
    assert_eq!(noisy.verdict, SteadyVerdict::NotEnoughData, "{}", noisy.reason);
    assert!(noisy.remaining_s.unwrap() > 300.0, "{:?}", noisy.remaining_s);
    assert!(noisy.reason.contains("too noisy"), "{}", noisy.reason);
}

#[test]
fn settling_and_drifting_are_told_apart() {
    let settling = free(&noisy(600, 0.01, |t| 1.0 + 0.8 * (-t / 300.0).exp()));
    assert_eq!(settling.verdict, SteadyVerdict::Transient, "{}", settling.reason);
    let drifting = free(&noisy(1800, 0.01, |t| 1.0 - 0.3 * t / 3600.0));
    assert_eq!(drifting.verdict, SteadyVerdict::Drifting, "{}", drifting.reason);
    assert!(drifting.reason.contains("goes down by"), "{}", drifting.reason);
    assert_eq!((settling.remaining_s, drifting.remaining_s), (None, None));
}

#[test]
fn a_cycle_is_judged_over_whole_periods() {
    let wave = |t: f64| if t % 100.0 < 50.0 { 1.1 } else { 0.9 };
    let early = free(&noisy(400, 0.01, wave));
    assert_eq!(early.verdict, SteadyVerdict::NotEnoughData, "{}", early.reason);
    assert!(early.reason.contains("6 whole periods"), "{}", early.reason);
    assert!(early.remaining_s.unwrap() >= 200.0);
    let whole = free(&noisy(1250, 0.01, wave));
    assert_eq!(whole.verdict, SteadyVerdict::Periodic, "{}", whole.reason);
    assert!((whole.mean.unwrap() - 1.0).abs() < 0.01);
    assert!((whole.period.unwrap().seconds - 100.0).abs() <= 1.0);
}

#[test]
fn a_burst_is_named_as_one_until_what_allows_it_is_used_up() {
    let rates = noisy(600, 0.01, |_| 3000.0);
    let burst = judge(
        &rates,
        &guard(600.0, HiddenStateStanding::NotYet { after_s: Some(1862.0) }),
        &SteadyRule::default(),
    );
    assert_eq!(burst.verdict, SteadyVerdict::RegimeConditional);
    assert!(burst.reason.contains("burst regime") && burst.reason.contains("1862"), "{}", burst.reason);
    assert!(burst.remaining_s.unwrap() >= 1862.0 + 120.0 - 600.0);
    let endless =
        judge(&rates, &guard(600.0, HiddenStateStanding::NotYet { after_s: None }), &SteadyRule::default());
    assert_eq!((endless.verdict, endless.remaining_s), (SteadyVerdict::RegimeConditional, None));
    // What was exposed before the series counts.
    let after = guard(5000.0, HiddenStateStanding::Exhausted { after_s: 1862.0 });
    assert_eq!(judge(&rates, &after, &SteadyRule::default()).verdict, SteadyVerdict::Steady);
    // Used up a moment ago is not yet seen.
    let just = guard(600.0, HiddenStateStanding::Exhausted { after_s: 590.0 });
    assert_eq!(judge(&rates, &just, &SteadyRule::default()).verdict, SteadyVerdict::RegimeConditional);
}

#[test]
fn what_is_not_known_does_not_stop_a_verdict_and_is_said() {
    let rates = noisy(600, 0.01, |_| 3000.0);
    let judged = judge(&rates, &guard(600.0, HiddenStateStanding::Unknown), &SteadyRule::default());
    assert_eq!(judged.verdict, SteadyVerdict::Steady);
    assert_eq!(judged.not_excluded, [HiddenState::VolumeCredits]);
    let text = steady_sentence::explain(&judged).join("\n");
    assert!(text.contains("not excluded") && text.contains("burst credits of the volume"), "{text}");
}

#[test]
fn no_rate_is_unusable() {
    for rates in [vec![0.0; 300], vec![f64::NAN; 300], vec![-1.0; 300]] {
        let judged = free(&rates);
        assert_eq!((judged.verdict, judged.mean), (SteadyVerdict::Unusable, None));
    }
}

#[test]
fn a_growing_series_is_judged_at_its_looks_and_begun_anew_after_a_fall() {
    let mut rates = noisy(900, 0.01, |_| 1000.0);
    rates.extend(noisy(900, 0.01, |_| 400.0));
    let mut monitor = Monitor::new(SteadyRule::default());
    let (mut looks, mut settled, mut revoked) = (0, Vec::new(), Vec::new());
    for (second, rate) in rates.iter().enumerate() {
        match monitor.push(*rate, &guard(second as f64 + 1.0, HiddenStateStanding::Absent)) {
            Some(WatchEvent::Judged(judged)) => {
                looks += 1;
                settled.extend(judged.verdict.is_settled().then_some((second, judged.mean.unwrap())));
            }
            Some(WatchEvent::Revoked(alarm)) => revoked.push(alarm),
            None => {}
        }
    }
    assert!(looks < 10, "{looks}");
    assert_eq!((settled.len(), revoked.len()), (2, 1));
    assert!((settled[0].1 / 1000.0 - 1.0).abs() < 0.01 && (settled[1].1 / 400.0 - 1.0).abs() < 0.01);
    assert!(!revoked[0].rose && revoked[0].changed_at.abs_diff(900) <= 30, "{revoked:?}");
    assert!(monitor.latest().unwrap().verdict.is_settled());
}

#[test]
fn a_stored_verdict_reads_back() {
    let guard = guard(600.0, HiddenStateStanding::Unknown);
    let judged = judge(&noisy(600, 0.02, |_| 5.0), &guard, &SteadyRule::default());
    let text = serde_json::to_string(&judged).unwrap();
    assert_eq!(serde_json::from_str::<Steadiness>(&text).unwrap(), judged);
    let text = serde_json::to_string(&guard).unwrap();
    assert_eq!(serde_json::from_str::<ExposureGuard>(&text).unwrap(), guard);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_series_is_taken(
        rates in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1e9f64, Just(f64::NAN), Just(1e300)], 0..400),
        after_s in prop::option::of(0.0..1e6f64),
    ) {
        let judged = judge(&rates, &guard(rates.len() as f64, HiddenStateStanding::NotYet { after_s }), &SteadyRule::default());
        prop_assert!(!judged.verdict.is_settled());
        prop_assert!(judged.next_check_s > judged.seconds);
        prop_assert!(!steady_sentence::explain(&judged).is_empty());
    }

    #[test]
    fn the_unit_does_not_matter(factor in 1e-3..1e9f64) {
        let rates = noisy(300, 0.02, |_| 1.0);
        let scaled: Vec<f64> = rates.iter().map(|rate| rate * factor).collect();
        let (one, other) = (free(&rates), free(&scaled));
        prop_assert_eq!(one.verdict, other.verdict);
        prop_assert_eq!(one.discarded_s, other.discarded_s);
    }
}
