//! Terminal summaries: what they say, and that they keep their width.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use crate::sample::{Device, Shape, campaign, run};
use fathom_record::check::{CheckName, CheckOutcome};
use fathom_record::{Check, RunRecord};
use fathom_report::terminal::{self, RunRow, Style};
use fathom_report::{html, markdown};

const GP3: Device = Device { unloaded_ns: 520e3, most_per_s: 3000.0, sharpness: 10.0 };

fn one_run(read_share: f64, seconds: u64) -> RunRecord {
    let shape = Shape {
        read_share,
        bytes: 4096,
        jobs: 2,
        depth: 32,
        seconds,
        warmup_seconds: 0,
        seed: 7,
        random: true,
    };
    run("r-20261120-161500-01", "/data/with a long name/scratch.fathom", &GP3, &shape)
}

fn plain(width: usize) -> Style {
    Style { width, ..Style::default() }
}

#[test]
fn a_run_with_a_failed_check() {
    let mut record = one_run(0.7, 20);
    let found = "3.1 of 64 I/Os were in flight; the generator could not hold the depth.";
    record.checks.push(Check::plain(CheckName::InFlight, CheckOutcome::Fail, found));
    insta::assert_snapshot!("run_100", terminal::run(&record, plain(100)));
    insta::assert_snapshot!("run_50", terminal::run(&record, plain(50)));
}

#[test]
fn a_campaign() {
    let (mut record, _) = campaign("/data", 2);
    record.patterns.truncate(3);
    record.patterns[2].incomplete = Some("the budget ended after 12 of 14 cells".to_owned());
    record.patterns[2].verdict = None;
    insta::assert_snapshot!("campaign_100", terminal::campaign(&record.clone().into(), plain(100)));
    insta::assert_snapshot!("campaign_60", terminal::campaign(&record.clone().into(), plain(60)));
}

#[test]
fn a_busy_machine_is_named_before_the_numbers_and_beside_the_verdict() {
    let (mut record, runs) = campaign("/data", 2);
    let quiet = terminal::campaign(&record.clone().into(), plain(100));
    assert!(!quiet.contains("other programs") && !quiet.contains("Busy"), "{quiet}");
    for cell in record.patterns.iter_mut().flat_map(|pattern| &mut pattern.cells) {
        cell.others_cpu_share = Some(0.62);
    }
    let busy = terminal::campaign(&record.clone().into(), plain(100));
    let at = |text: &str| busy.lines().position(|line| line.contains(text)).unwrap();
    assert!(at("other programs used up to 62 % of the CPU") < 8 && at("62 %") < at("limited by"), "{busy}");
    assert!(busy.contains("Note: other programs used 62 % of the CPU."), "{busy}");
    let page = html::campaign(&record.clone().into(), &runs).unwrap();
    let markdown = markdown::campaign(&record.into(), &runs).unwrap().text;
    for text in [page, markdown] {
        let at = |words: &str| text.find(words).unwrap();
        assert!(at("Busy machine") < at("IOPS") && text.contains("other programs used 62 %"), "{text}");
    }
    let mut run = one_run(0.7, 2);
    let found = "Other programs used 62 % of the CPU: what was measured is a busy machine.";
    run.checks.push(Check::plain(CheckName::OtherPrograms, CheckOutcome::Caution, found));
    let text = terminal::run(&run, plain(100));
    let place = text.lines().position(|line| line.contains("62 % of the CPU")).unwrap();
    assert!(place < 8 && text.matches("62 % of the CPU").count() == 1, "{text}");
}

#[test]
fn a_list_of_runs() {
    let mut interrupted = one_run(0.0, 2);
    interrupted.ending = fathom_record::run_record::RunEnding::Interrupted;
    let rows = [RunRow::of(&one_run(1.0, 2)), RunRow::of(&interrupted)];
    insta::assert_snapshot!("runs_100", terminal::runs(&rows, plain(100)));
    insta::assert_snapshot!("runs_none", terminal::runs(&[], plain(60)));
}

#[test]
fn no_line_is_wider_than_asked() {
    let record = one_run(0.7, 2);
    let (assessed, _) =
        campaign("/a/very/long/path/that/goes/on/and/on/for/ever/and/ever/and/ever/in/one/word", 2);
    let rows = [RunRow::of(&record)];
    for width in 20..=140 {
        for text in [
            terminal::run(&record, plain(width)),
            terminal::campaign(&assessed.clone().into(), plain(width)),
            terminal::runs(&rows, plain(width)),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

/// What is to be typed is whole and on one line, however narrow the terminal.
#[test]
fn a_command_is_never_cut_or_wrapped() {
    let command = "fathom run --like profile.json --scale 1.3 --target '/mnt/a new file' --time 1800s --jobs 4 --depth 64";
    let (assessed, _) = campaign("/data", 2);
    let pattern = &assessed.patterns[0];
    let mut verdict = pattern.verdict.clone().unwrap();
    verdict.next_experiment = Some(fathom_record::verdict::Experiment {
        question: "Does more concurrency still give more?".to_owned(),
        command: command.to_owned(),
        reading: "About 20 k IOPS: too few I/Os in flight.".to_owned(),
    });
    let record: fathom_record::campaign::ExplainRecord = serde_json::from_value(serde_json::json!({
        "format": "fathom.campaign", "version": 3, "id": "x-1", "started_at": assessed.started_at,
        "finished_at": null, "tool": assessed.tool, "busy_seconds": 0.0, "notes": [],
        "plan": { "base": null, "subject": "last", "max_experiments": 0, "budget_ns": 0, "may_purge": false,
                  "ceilings": [], "seed": 0 },
        "patterns": [{ "title": pattern.title, "target": assessed.target, "engine": "uring", "cells": pattern.cells,
                       "focus": 0, "verdict": verdict, "experiments": [], "symptoms": [] }],
    }))
    .unwrap();
    for width in [20, 40, 80, 200] {
        let shown = terminal::campaign(&record.clone().into(), plain(width));
        assert!(shown.lines().any(|line| line.trim() == command), "{width}: {shown}");
    }
}

/// Columns come with the terminal's width, and sentences stay readable.
#[test]
fn a_wide_terminal_shows_every_column_and_no_wide_sentence() {
    let (record, _) = campaign("/data", 2);
    let shown = terminal::campaign(&record.into(), plain(usize::MAX));
    assert!(!shown.contains("hidden columns"), "{shown}");
    assert!(shown.contains("CPU per I/O") && shown.contains("95 % interval"), "{shown}");
    let rows = [RunRow { workload: "a workload of many words ".repeat(6), ..RunRow::of(&one_run(1.0, 2)) }];
    let shown = terminal::runs(&rows, plain(100));
    for column in ["run", "target", "workload", "jobs × depth", "IOPS", "p99", "outcome"] {
        assert!(shown.lines().next().unwrap().contains(column), "{column}: {shown}");
    }
    assert!(terminal::runs(&rows, plain(usize::MAX)).contains("2026-11-20 16:15 UTC"));
}

#[test]
fn one_test_point_is_no_peak_and_a_missed_objective_comes_first() {
    let (mut record, _) = campaign("/data", 2);
    record.patterns.truncate(1);
    let pattern = &mut record.patterns[0];
    pattern.cells.truncate(1);
    pattern.operating_points.clear();
    let shown = terminal::campaign(&record.into(), plain(200));
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the only test point: neither a peak nor a balanced point is known"), "{shown}");
    assert!(shown.contains("only test point  ") && !shown.contains("not measured  "), "{shown}");
    let objective = "4 KiB random read: the objective p99 ≤ 500 us is not met at any test point.";
    assert!(shown.find(objective).unwrap() < shown.find("operating points").unwrap(), "{shown}");
}

#[test]
fn colour_is_written_only_when_asked_and_changes_no_word() {
    let record = one_run(0.7, 2);
    let plain_text = terminal::run(&record, plain(80));
    let coloured = terminal::run(&record, Style { width: 80, color: true, ..Style::default() });
    assert!(!plain_text.contains('\u{1b}'));
    assert!(coloured.contains('\u{1b}'));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(trimmed(&bare), trimmed(&plain_text));
}

#[test]
fn a_name_cannot_command_the_terminal() {
    let mut record = one_run(1.0, 2);
    record.target.name = "/data/\u{1b}]0;owned\u{7}\u{1b}[2J".to_owned();
    record.notes = vec!["\u{1b}[31m".to_owned()];
    let text = terminal::run(&record, plain(100));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn an_assessment_says_what_was_written_before_and_how_far_its_points_are_known() {
    let (mut record, _) = campaign("/data", 2);
    record.patterns.truncate(1);
    record.preconditioning = Some(
        serde_json::from_value(serde_json::json!({
            "span_bytes": 4u64 << 30, "capacity_bytes": 64u64 << 30, "not_purged": "it was not asked for",
            "steadiness": null, "ended": "bytes_spent",
            "stages": [
                { "kind": "fill", "bytes": 8u64 << 30, "over_span": 2.0, "seconds": 12.5, "runs": ["r-1"] },
                { "kind": "overwrite", "bytes": 8u64 << 30, "over_span": 2.0, "seconds": 340.0, "runs": ["r-2", "r-3"] },
            ],
        }))
        .unwrap(),
    );
    record.points = serde_json::from_value(serde_json::json!([{
        "pattern": record.patterns[0].name, "jobs": 1, "depth": 32, "target_met": true,
        "precision": null, "rounds": [3000.0, 3010.0, 2990.0, 3005.0, 2995.0],
        "snia": { "met": true, "round_s": 60.0, "excursion_share": 0.007, "slope_share": 0.001 },
        "steadiness": null, "guard": null, "bucket": null,
    }]))
    .unwrap();
    let record = record.into();
    insta::assert_snapshot!("preconditioned_100", terminal::campaign(&record, plain(100)));
    let page = html::campaign(&record, &[]).unwrap();
    assert!(page.contains("Written before") && page.contains("random overwrite"));
}

#[test]
fn a_test_point_that_failed_fails_no_point_that_passed() {
    let (mut record, _) = campaign("/dev/x", 20);
    let failed = "Only 0.95 of 1 requested I/Os were in flight on average.";
    record.patterns[0].cells[1].failed_checks.push(failed.to_owned());
    assert!(record.patterns[0].holds(), "it is no point to run at");
    let shown = terminal::campaign(&record.clone().into(), plain(100));
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("1 of 12 test points failed a self-check"), "{shown}");
    let chosen = record.patterns[0].operating_points[0].cell;
    record.patterns[0].cells[chosen].failed_checks.push(failed.to_owned());
    assert!(!record.patterns[0].holds());
    record.patterns[0].operating_points.clear();
    assert!(!record.patterns[0].holds(), "there is nothing to run at");
}

#[test]
fn an_assessment_without_a_point_shows_no_empty_table() {
    let (mut record, _) = campaign("/data", 2);
    record.patterns.clear();
    let shown = terminal::campaign(&record.into(), plain(100));
    assert!(shown.contains("0 patterns") && shown.contains("no operating points"), "{shown}");
    assert!(!shown.contains("95 % interval"), "{shown}");
}
