//! A comparison as a campaign drives it: order, looks, bad input, and reference values.

use fathom_record::comparison::{Decision, MetricComparison, MetricSense, Side, UndecidedReason};
use fathom_stats::paired_comparison::{
    CampaignStep, Comparison, ComparisonEnd, Control, LogRatios, Metric, Pair, QuantilePair, Rules,
    RulesErrorKind, Runs, exchange_p_value, first_side, order_effect, shift_function, unpaired,
};

fn metric(name: &str, better: MetricSense, primary: bool) -> Metric {
    Metric { name: name.to_owned(), unit: "1/s".to_owned(), better, primary, resolution: 0.0 }
}

/// Alternates around a ratio by `spread`, for as many pairs as are asked for.
fn driven(rules: Rules, better: MetricSense, ratio: f64, spread: f64) -> (Comparison, MetricComparison) {
    let mut comparison =
        Comparison::new(vec![metric("x", better, true)], rules, 7).expect("the rules make sense");
    while let CampaignStep::Pair { number, first } = comparison.next() {
        let wobble = 1.0 + spread * [1.0, -0.6, 0.2, -1.1, 0.5, -0.3, 0.8, -0.5][number as usize % 8];
        comparison.observe(Pair { first, a: vec![Some(1000.0)], b: vec![Some(1000.0 * ratio * wobble)] });
    }
    let result = comparison.results().remove(0);
    (comparison, result)
}

#[test]
fn plain_differences_end_with_the_pilot_and_have_the_right_sign() {
    for (better, ratio, decision) in [
        (MetricSense::Higher, 1.3, Decision::Faster),
        (MetricSense::Higher, 0.7, Decision::Slower),
        (MetricSense::Lower, 0.7, Decision::Faster),
        (MetricSense::Lower, 1.3, Decision::Slower),
        (MetricSense::Higher, 1.0, Decision::Equivalent),
    ] {
        let (comparison, result) = driven(Rules::default(), better, ratio, 0.01);
        assert_eq!((result.decision, comparison.pairs().len()), (decision, 5), "{result:?}");
        let interval = result.ratio.unwrap();
        assert_eq!(interval.confidence, 0.99);
        assert_eq!(interval.contains_one(), decision == Decision::Equivalent);
    }
}

#[test]
fn noise_takes_more_pairs_and_what_stays_open_says_how_many_are_missing() {
    let (comparison, result) = driven(Rules::default(), MetricSense::Higher, 1.02, 0.03);
    assert_eq!(result.decision, Decision::Faster, "{result:?}");
    assert!((6..=40).contains(&comparison.pairs().len()));
    assert_eq!(comparison.next(), CampaignStep::Finished(ComparisonEnd::Decided));
    let rules = Rules { max_pairs: 8, ..Rules::default() };
    let (comparison, result) = driven(rules, MetricSense::Higher, 1.02, 0.15);
    assert_eq!(comparison.next(), CampaignStep::Finished(ComparisonEnd::PairsSpent));
    assert_eq!((result.decision, result.reason), (Decision::Inconclusive, Some(UndecidedReason::Undecided)));
    assert!(result.pairs_still_needed.is_some_and(|n| n > 8));
    assert!(result.minimum_detectable.is_some_and(|d| d > 0.05));
}

#[test]
fn a_known_difference_below_the_materiality_is_no_difference() {
    let (_, result) = driven(Rules::default(), MetricSense::Higher, 1.003, 0.001);
    assert_eq!(result.decision, Decision::Equivalent);
    assert!(!result.ratio.unwrap().contains_one());
}

#[test]
fn bad_input_gives_a_reason_and_never_a_number() {
    let run = |a: Option<f64>, b: Option<f64>| {
        let mut comparison =
            Comparison::new(vec![metric("x", MetricSense::Higher, true)], Rules::default(), 1).unwrap();
        for first in [Side::A, Side::B, Side::A, Side::B, Side::A] {
            comparison.observe(Pair { first, a: vec![a], b: vec![b] });
        }
        comparison.results().remove(0)
    };
    let constant = run(Some(5.0), Some(6.0));
    assert_eq!(
        (constant.decision, constant.reason),
        (Decision::Inconclusive, Some(UndecidedReason::NoVariation))
    );
    for (a, b, side) in [(0.0, 5.0, Side::A), (5.0, f64::NAN, Side::B), (5.0, -1.0, Side::B)] {
        let result = run(Some(a), Some(b));
        assert_eq!(result.decision, Decision::NotComparable);
        assert_eq!(
            (result.reason, result.ratio),
            (Some(UndecidedReason::NotPositive { side: Some(side) }), None)
        );
    }
    let missing = run(Some(5.0), None);
    assert_eq!(missing.reason, Some(UndecidedReason::TooFewPairs { have: 0, need: 5, run_s: None }));
    assert_eq!((missing.decision, missing.ratio), (Decision::Inconclusive, None));
    assert_eq!(run(None, None).decision, Decision::Inconclusive);
}

#[test]
fn excluded_metrics_and_failing_sides_end_it_with_their_reason() {
    let metrics = vec![metric("x", MetricSense::Higher, true), metric("latency", MetricSense::Lower, false)];
    let mut comparison = Comparison::new(metrics, Rules::default(), 1).unwrap();
    let reason = UndecidedReason::InFlightDiffers { a: 292.0, b: 458.0 };
    comparison.exclude(1, reason.clone());
    for value in [10.0, 11.0, 10.5, 10.7, 10.2] {
        comparison.observe(Pair { first: Side::A, a: vec![Some(5.0); 2], b: vec![Some(value); 2] });
    }
    let results = comparison.results();
    assert_eq!(results[0].decision, Decision::Faster);
    assert_eq!((results[1].decision, results[1].reason.clone()), (Decision::NotComparable, Some(reason)));
    (0..3).for_each(|_| comparison.failed(Side::B));
    assert_eq!(comparison.next(), CampaignStep::Finished(ComparisonEnd::SideFailed(Side::B)));
    let failed = &comparison.results()[0];
    assert_eq!((failed.decision, failed.ratio), (Decision::NotComparable, None));
    assert_eq!(failed.reason, Some(UndecidedReason::SideFailed { side: Side::B, runs: 3 }));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let metrics = || vec![metric("x", MetricSense::Higher, true)];
    let refused = |rules| Comparison::new(metrics(), rules, 1).err().map(|error| error.kind);
    assert_eq!(
        refused(Rules { margin: 0.005, ..Rules::default() }),
        Some(RulesErrorKind::MarginBelowMateriality)
    );
    let share = Comparison::new(metrics(), Rules { alpha: 1.5, ..Rules::default() }, 1).unwrap_err();
    assert_eq!((share.kind, share.place.as_str()), (RulesErrorKind::NotAShare, "alpha"));
    assert_eq!(refused(Rules { pilot: 2, ..Rules::default() }), Some(RulesErrorKind::TooFewPairs));
    assert_eq!(
        Comparison::new(Vec::new(), Rules::default(), 1).unwrap_err().kind,
        RulesErrorKind::PrimaryMetrics
    );
}

#[test]
fn a_quantile_that_never_leaves_its_bucket_is_known_to_its_width() {
    let quantile = Metric { resolution: 0.004, ..metric("p50", MetricSense::Lower, true) };
    let judged = |b: f64| {
        let mut comparison = Comparison::new(vec![quantile.clone()], Rules::default(), 1).unwrap();
        for _ in 0..5 {
            comparison.observe(Pair { first: Side::A, a: vec![Some(100.0)], b: vec![Some(b)] });
        }
        comparison.results().remove(0)
    };
    assert_eq!(judged(100.0).decision, Decision::Equivalent);
    assert_eq!(judged(120.0).decision, Decision::Slower);
    assert!((judged(100.0).ratio.unwrap().high - 1.004).abs() < 1e-4);
}

/// `scipy.stats.ttest_1samp`, `t.interval` and an enumeration, version 1.17.
#[test]
fn tests_and_intervals_are_the_textbook_ones() {
    let logs: [f64; 6] = [0.012, 0.031, -0.004, 0.022, 0.018, 0.027];
    let pairs: Vec<(f64, f64)> = logs.iter().map(|d| (1.0, d.exp())).collect();
    let ratios = LogRatios::of(&pairs, 0.0, 5).unwrap();
    assert!((ratios.p_value() - 0.01818009115012454).abs() < 1e-9);
    let interval = ratios.ratio(0.95);
    assert!((interval.low.ln() - 0.004514484281625375).abs() < 1e-9);
    assert!((interval.high.ln() - 0.030818849051707953).abs() < 1e-9);
    assert!((ratios.equivalence_p_value(1.03f64.ln()) - 0.033844713881291955).abs() < 1e-9);
    assert_eq!(exchange_p_value(ratios.values(), 1), Some(0.0625));
    assert_eq!(exchange_p_value(&ratios.values()[..5], 1), None);
    let many = [0.01, -0.012].repeat(10);
    assert!((exchange_p_value(&many, 1).unwrap() - 0.68).abs() < 0.1);
}

/// `scipy.stats.ttest_ind(equal_var=False)` of logarithms, version 1.17; degrees rounded down here.
#[test]
fn sessions_without_allowance_are_welch_and_with_it_say_what_it_costs() {
    let (a, b) = ([100.0, 102.0, 101.0, 99.0, 103.0], [104.0, 107.0, 103.0, 106.0, 105.0, 104.5]);
    let judged = |allowance, unit| {
        let (a, b) = (Runs { values: &a, unit: "1/s" }, Runs { values: &b, unit });
        unpaired(&metric("x", MetricSense::Higher, true), a, b, &Rules::default(), allowance)
    };
    let welch = judged(Some(0.0), "1/s");
    assert!((welch.p_value.unwrap() - 0.002714727102208113).abs() < 1e-6, "{welch:?}");
    let interval = welch.ratio.unwrap();
    assert!((interval.low.ln() - 0.017485198372146994).abs() < 2e-4, "{interval:?}");
    let careful = judged(None, "1/s");
    assert_eq!(careful.decision, Decision::Inconclusive);
    let Some(UndecidedReason::NotInterleaved { session_deviation, least_difference }) = careful.reason else {
        panic!("it must say that it was not interleaved")
    };
    assert!(session_deviation == 0.05 && (0.14..0.16).contains(&least_difference));
    let mixed = judged(None, "MB/s");
    assert_eq!((mixed.decision, mixed.ratio), (Decision::NotComparable, None));
}

#[test]
fn controls_show_carry_over() {
    let pairs: Vec<(Side, f64, f64)> = (0..8)
        .map(|i| {
            let first = first_side(3, i);
            let (warm, cold) = (95.0 + f64::from(i % 3), 100.0);
            if first == Side::A { (first, cold, warm) } else { (first, warm, cold) }
        })
        .collect();
    let carried = order_effect(&pairs, 0.0).unwrap();
    assert!(!carried.ratio.contains_one() && carried.ratio.high < 1.0, "{carried:?}");
    let same: Vec<(f64, f64)> = [(1.0, 1.01), (1.01, 1.0), (1.0, 1.005), (1.0, 0.99), (1.0, 1.0)].to_vec();
    assert!(Control::of(&same, 0.0).unwrap().ratio.contains_one());
    assert!(Control::of(&same[..4], 0.0).is_err());
}

#[test]
fn the_order_of_a_pair_is_a_fair_coin_that_replays() {
    let firsts: Vec<Side> = (0..1000).map(|pair| first_side(42, pair)).collect();
    let heads = firsts.iter().filter(|s| **s == Side::A).count();
    assert!((450..550).contains(&heads), "{heads}");
    let changes = firsts.windows(2).filter(|w| w[0] != w[1]).count();
    assert!((450..550).contains(&changes), "{changes}");
}

#[test]
fn a_shift_function_leaves_out_what_a_pair_lacks() {
    let pair = |i: usize| {
        let wobble = 1.0 + 0.01 * [1.0, -0.5, 0.3, -1.0, 0.6][i];
        QuantilePair {
            a: vec![Some(100.0); 3],
            b: vec![Some(110.0 * wobble), (i > 0).then_some(1.0), Some(100.0)],
        }
    };
    let pairs: Vec<QuantilePair> = (0..5).map(pair).collect();
    let shift = shift_function(&[0.5, 0.99, 0.999], &pairs, 0.004, 1).unwrap();
    let orders: Vec<f64> = shift.points.iter().map(|p| p.q).collect();
    assert_eq!(orders, [0.5, 0.999]);
    assert!(shift.points[0].low > 1.0 && shift.points[1].high < 1.005);
    assert!(shift_function(&[0.5], &pairs[..4], 0.0, 1).is_err());
}
