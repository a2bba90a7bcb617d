//! Sweeps: what a page, a Markdown text and a terminal say of a grid.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use crate::sample::campaign;
use fathom_record::RunRecord;
use fathom_record::campaign::{CampaignRecord, SweepAxis, SweepCell, SweepPlan, SweepRecord};
use fathom_report::terminal::Style;
use fathom_report::{html, markdown, terminal};

/// A sweep over `key` whose cells are the first of a sample's, and one that was not measured.
fn sweep(key: &str, values: &[&str]) -> (SweepRecord, Vec<RunRecord>) {
    let (assessed, runs) = campaign("/data/x", 2);
    let results = assessed.patterns[0].cells.iter().take(values.len() - 1).cloned().map(Some).chain([None]);
    let cell = |(at, result): (usize, Option<_>)| SweepCell {
        place: vec![at],
        missing: result.is_none().then(|| "the target failed: gone".to_owned()),
        result,
    };
    let record = SweepRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: "s-1".to_owned(),
        started_at: assessed.started_at.clone(),
        finished_at: assessed.finished_at.clone(),
        tool: assessed.tool.clone(),
        targets: vec![assessed.target.clone(), assessed.target.clone()],
        environment: assessed.environment.clone(),
        command: Some("fathom sweep --over depth=1,2 --target=/data/x --seed 7".to_owned()),
        plan: SweepPlan {
            base: serde_json::json!({ "target": ["/data/x"], "time": "1s" }),
            axes: vec![SweepAxis {
                key: key.to_owned(),
                values: values.iter().map(|value| (*value).to_owned()).collect(),
            }],
            passes: 3,
            until_share: None,
            adaptive: false,
            seed: 7,
        },
        cells: results.enumerate().map(cell).collect(),
        busy_seconds: 9.0,
        notes: Vec::new(),
    };
    (record, runs)
}

#[test]
fn a_missing_cell_stands_before_the_numbers() {
    let (record, runs) = sweep("depth", &["1", "2", "4"]);
    let command = record.command.clone().unwrap();
    let record = CampaignRecord::from(record);
    let shown = terminal::campaign(&record, Style { width: 100, ..Style::default() });
    let (failure, table) =
        (shown.find("depth 4: the target failed: gone").unwrap(), shown.find("p99").unwrap());
    assert!(failure < table, "{shown}");
    let page = html::campaign(&record, &runs).unwrap();
    assert!(page.contains("Rate over depth") && page.contains(&command));
    assert_eq!(page.matches("<dt>usable size</dt>").count(), 1, "a target that cells share is told once");
    assert!(markdown::campaign(&record, &runs).unwrap().pictures.len() == 2);
}

#[test]
fn names_are_not_joined_by_a_line() {
    let (record, runs) = sweep("engine", &["uring", "aio", "sync"]);
    let record = CampaignRecord::from(record);
    let page = html::campaign(&record, &runs).unwrap();
    assert!(!page.contains("Rate over engine") && page.contains("engine uring"));
}

#[test]
fn jobs_scale_against_the_fewest() {
    let (mut record, _) = sweep("jobs", &["1", "2", "4"]);
    for (cell, (jobs, rate)) in record.cells.iter_mut().zip([(1, 100.0), (2, 150.0)]) {
        let result = cell.result.as_mut().unwrap();
        (result.jobs, result.operations_per_s) = (jobs, rate);
    }
    let shown = terminal::campaign(&record.into(), Style { width: 100, ..Style::default() });
    let row = shown.lines().rfind(|line| line.starts_with("jobs 2")).unwrap();
    assert!(row.contains("1.50") && row.contains("75 %"), "{row}");
}

#[test]
fn what_failed_or_moved_nothing_is_best_at_nothing() {
    let (mut record, _) = sweep("depth", &["1", "2", "4", "8"]);
    for (cell, rate) in record.cells.iter_mut().zip([100.0, 900.0, 0.0]) {
        let result = cell.result.as_mut().unwrap();
        (result.operations_per_s, result.failed_checks) = (rate, Vec::new());
        result.service_mean_ns = if rate > 0.0 { 1e6 } else { 0.0 };
    }
    record.cells[1].result.as_mut().unwrap().failed_checks.push("too few in flight".to_owned());
    let shown = terminal::campaign(&record.into(), Style { width: 120, ..Style::default() });
    assert!(shown.contains("Highest rate: 100 IOPS") && shown.contains("1.00 ms at depth 1."), "{shown}");
    let idle = shown.lines().find(|line| line.starts_with("depth 4 ")).unwrap();
    assert!(!idle.contains("0 ns"), "{idle}");
}
