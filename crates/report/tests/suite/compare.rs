//! Comparisons: what a terminal, a page and a Markdown text say of verdicts, and of their absence.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use crate::sample::campaign;
use fathom_record::campaign::{
    CampaignRecord, ComparePlan, CompareRecord, ComparedMetric, ComparedPair, ComparedWorkload,
    ComparisonEnding, ControlResult, SideFacts, SidePlan,
};
use fathom_record::comparison::{
    Decision, MetricComparison, MetricSense, Ratio, ShiftFunction, ShiftPoint, Side, UndecidedReason,
};
use fathom_report::terminal::Style;
use fathom_report::{html, markdown, terminal};

fn metric(
    name: &str,
    unit: &str,
    ratio: Option<f64>,
    decision: Decision,
    reason: Option<UndecidedReason>,
) -> ComparedMetric {
    let comparison = MetricComparison {
        metric: name.to_owned(),
        unit: unit.to_owned(),
        better: if unit == "ns" { MetricSense::Lower } else { MetricSense::Higher },
        primary: name == "operations_per_s",
        pairs: 5,
        ratio: ratio.map(|ratio| Ratio { ratio, low: ratio * 0.996, high: ratio * 1.004, confidence: 0.99 }),
        decision,
        reason,
        deviation: None,
        p_value: None,
        exchange_p_value: None,
        minimum_detectable: None,
        pairs_still_needed: None,
    };
    let a = if unit == "ns" { 1.06e7 } else { 3000.0 };
    ComparedMetric { comparison, a: Some(a), b: ratio.map(|ratio| a * ratio) }
}

/// One workload that is decided, one whose values never vary, and one whose sides had different in-flights.
fn comparison() -> CompareRecord {
    let (assessed, _) = campaign("/data", 2);
    let pattern = &assessed.patterns[0];
    let cell = Some(pattern.cells[3].clone());
    let quiet = Ratio { ratio: 1.001, low: 0.998, high: 1.004, confidence: 0.95 };
    let decided = ComparedWorkload {
        name: "randread-4k-d32".to_owned(),
        title: "4 KiB random read, depth 32".to_owned(),
        workload: assessed.plan.patterns[0].workload.clone(),
        a: cell.clone(),
        b: cell,
        metrics: vec![
            metric("operations_per_s", "1/s", Some(1.03), Decision::Faster, None),
            metric("service_p99_ns", "ns", Some(0.97), Decision::Faster, None),
            metric(
                "service_p999_ns",
                "ns",
                None,
                Decision::Inconclusive,
                Some(UndecidedReason::TooFewPairs { have: 1, need: 5, run_s: None }),
            ),
        ],
        pairs: (0..5)
            .map(|at| ComparedPair {
                first: if at % 2 == 0 { Side::A } else { Side::B },
                a_run: format!("r-a{at}"),
                b_run: format!("r-b{at}"),
                ratio: Some(1.03 + 0.001 * f64::from(at)),
            })
            .collect(),
        shift: Some(ShiftFunction {
            points: [0.1, 0.5, 0.9, 0.99]
                .map(|q| ShiftPoint { q, ratio: 0.97, low: 0.96, high: 0.98 })
                .to_vec(),
            pairs: 5,
            confidence: 0.95,
        }),
        latencies: None,
        control: Some(ControlResult { pairs: 8, ratio: quiet, noise_floor: 0.006 }),
        order: Some(ControlResult { pairs: 5, ratio: quiet, noise_floor: 0.006 }),
        ended: Some(ComparisonEnding::Decided),
    };
    let constant = ComparedWorkload {
        title: "1 MiB sequential read, depth 1".to_owned(),
        metrics: vec![metric(
            "operations_per_s",
            "1/s",
            None,
            Decision::Inconclusive,
            Some(UndecidedReason::NoVariation),
        )],
        shift: None,
        control: None,
        ended: Some(ComparisonEnding::PairsSpent),
        ..decided.clone()
    };
    let differ = UndecidedReason::InFlightDiffers { a: 292.0, b: 458.0 };
    let mut apart = ComparedWorkload {
        title: "64 KiB sequential write, depth 32".to_owned(),
        metrics: vec![
            metric("operations_per_s", "1/s", Some(1.12), Decision::Faster, None),
            metric("service_mean_ns", "ns", None, Decision::NotComparable, Some(differ.clone())),
        ],
        shift: None,
        latencies: Some(differ),
        ..decided.clone()
    };
    // No I/O of B ended: there is no mean latency.
    let b = apart.b.as_mut().unwrap();
    (b.operations_per_s, b.service_mean_ns) = (0.0, 0.0);
    CompareRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: "x-1".to_owned(),
        started_at: assessed.started_at.clone(),
        finished_at: assessed.finished_at.clone(),
        tool: assessed.tool.clone(),
        command: Some("fathom compare --by 1% --seed 7 -- /data /data".to_owned()),
        plan: ComparePlan {
            base: serde_json::json!({ "target": ["/data"], "time": "1s" }),
            a: SidePlan::default(),
            b: SidePlan::default(),
            patterns: vec!["randread-4k".to_owned()],
            depths: vec![32],
            materiality: 0.01,
            max_pairs: 12,
            fixed_pairs: false,
            across_restarts: None,
            seed: 7,
        },
        a: SideFacts { name: "old".to_owned(), target: Some(assessed.target.clone()), engine: None },
        b: SideFacts { name: "new".to_owned(), target: Some(assessed.target.clone()), engine: None },
        environment: Some(assessed.environment.clone()),
        workloads: vec![decided, constant, apart],
        commands: Vec::new(),
        boots: Vec::new(),
        busy_seconds: 30.0,
        notes: Vec::new(),
    }
}

#[test]
fn verdicts_and_their_absence_on_a_terminal() {
    let record = CampaignRecord::from(comparison());
    for width in [40, 80, 200] {
        let shown = terminal::campaign(&record, Style { width, ..Style::default() });
        // What is to be typed is never broken.
        let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > width).collect();
        assert!(wide.is_empty(), "{width}: {wide:?}");
    }
    insta::assert_snapshot!(
        "compare_100",
        terminal::campaign(&record, Style { width: 100, ..Style::default() })
    );
}

#[test]
fn no_number_stands_where_there_is_no_verdict() {
    let record = CampaignRecord::from(comparison());
    let text = markdown::campaign(&record, &[]).unwrap().text;
    let row = |title: &str| text.lines().find(|line| line.starts_with('|') && line.contains(title)).unwrap();
    let constant = row("1 MiB sequential read, depth 1");
    assert!(constant.contains("inconclusive") && constant.contains("same to the last digit"), "{constant}");
    assert!(!constant.contains('%'), "{constant}");
    let law = text.lines().rfind(|line| line.contains("Little's law")).unwrap();
    assert!(law.contains("not measured") && !law.contains("-0"), "{law}");
    assert!(text.contains("Latencies are not comparable: A had 292.0 I/Os in flight, B 458.0"), "{text}");
}

#[test]
fn the_page_has_the_decisions_the_bands_and_the_pairs() {
    let record = CampaignRecord::from(comparison());
    let page = html::campaign(&record, &[]).unwrap();
    for part in ["Decisions", "Difference at each percentile", "Pair by pair", "What was decided", "remarks"]
    {
        assert!(page.contains(part), "{part}");
    }
    let CampaignRecord::Compare(mut plain) = record else { return };
    plain.workloads.truncate(1);
    plain.workloads[0].metrics.truncate(2);
    let page = html::campaign(&CampaignRecord::from(*plain), &[]).unwrap();
    assert!(!page.contains(">remark<"), "a column without any remark");
}

#[test]
fn an_answer_has_the_colour_of_its_news_only_where_colour_is_wanted() {
    let record: CampaignRecord = comparison().into();
    let shown = |color| terminal::campaign(&record, Style { width: 200, color, ..Style::default() });
    let green = "\u{1b}[32m4 KiB random read, depth 32: ";
    assert!(shown(true).contains(green), "{}", shown(true));
    assert!(!shown(false).contains('\u{1b}'));
}
