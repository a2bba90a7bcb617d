//! Whole assessments of simulated devices: what is concluded is held against what the devices are.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that cannot be set is a failed test")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{AssessOptions, Assessment, NoProgress, Progress, RawAssess, StepNotice, assess};
use fathom_plan::{RawKnownLimits, Text};
use fathom_record::campaign::{OperatingPointKind, PatternResult};
use fathom_record::verdict::{Confidence, Limit};
use fathom_store::{RunFilter, Store};

fn options(target: &str, patterns: &str, budget: &str, ceilings: &[&str]) -> AssessOptions {
    let text = |value: &str| Some(Text(value.to_owned()));
    let ceilings = ceilings.iter().map(|ceiling| Text((*ceiling).to_owned())).collect();
    RawAssess {
        target: target.to_owned(),
        patterns: text(patterns),
        budget: text(budget),
        known: RawKnownLimits { ceilings, ..RawKnownLimits::default() },
        ..RawAssess::default()
    }
    .resolve(11)
    .unwrap()
}

fn store(folder: &Path) -> Store {
    Store::open(&folder.join("runs.sqlite")).unwrap()
}

fn run(options: &AssessOptions) -> Assessment {
    let folder = tempfile::tempdir().unwrap();
    assess(options, &store(folder.path()), &mut NoProgress, &AtomicBool::new(false)).unwrap()
}

fn first_claim(pattern: &PatternResult) -> (Limit, Confidence) {
    let claim = &pattern.verdict.as_ref().unwrap().claims[0];
    (claim.limit, claim.confidence)
}

fn rate_at(pattern: &PatternResult, kind: OperatingPointKind) -> f64 {
    let point = pattern.operating_points.iter().find(|point| point.kind == kind).unwrap();
    pattern.cells[point.cell].operations_per_s
}

#[test]
fn the_cap_of_a_volume_is_found_and_named() {
    let found = run(&options("sim:gp3", "randread-4k,read-1m", "10m", &[]));
    let [small, large] = &found.record.patterns[..] else { panic!("two patterns") };
    assert!((rate_at(small, OperatingPointKind::Peak) - 3000.0).abs() < 30.0);
    // 125 MiB/s in I/Os of 1 MiB.
    assert!((rate_at(large, OperatingPointKind::Peak) - 125.0).abs() < 1.5);
    for pattern in [small, large] {
        let (limit, confidence) = first_claim(pattern);
        assert_eq!(limit, Limit::RateCap, "{:#?}", pattern.verdict);
        assert!(confidence >= Confidence::Possible, "{:#?}", pattern.verdict);
    }
    let declared = run(&options("sim:gp3", "randread-4k", "10m", &["iops=3000"]));
    let (limit, confidence) = first_claim(&declared.record.patterns[0]);
    assert_eq!(limit, Limit::VolumeIops);
    assert!(confidence >= Confidence::Likely);
}

#[test]
fn a_budget_is_kept_and_every_run_is_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for (target, budget, limit_s) in [("sim:nvme", "20s", 22.0), ("sim:hdd", "3m", 198.0)] {
        let plan = options(target, "randread-4k,randwrite-4k,read-1m", budget, &[]);
        let found = assess(&plan, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
        assert!(!found.interrupted && found.record.finished_at.is_some());
        assert!(found.record.busy_seconds <= limit_s, "{target}: {} s", found.record.busy_seconds);
        assert!(found.record.patterns.iter().all(|pattern| pattern.incomplete.is_none()));
        let filter = RunFilter { campaign: Some(found.record.id.clone()), ..RunFilter::default() };
        assert_eq!(store.runs(&filter).unwrap().len(), found.runs.len());
        assert_eq!(store.campaign(&found.record.id).unwrap(), found.record.into());
    }
}

/// Stops an assessment after a number of steps.
struct StopAfter<'a> {
    steps: usize,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn step(&mut self, _: &StepNotice) {
        self.steps -= 1;
        if self.steps == 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stopped_assessment_continues_where_it_was() {
    let plan = options("sim:gp3", "randread-4k,randwrite-4k", "2m", &[]);
    let whole = run(&plan);
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut sittings = 0;
    let continued = loop {
        sittings += 1;
        let stop = AtomicBool::new(false);
        let before = store.runs(&RunFilter::default()).unwrap().len();
        let sitting = assess(&plan, &store, &mut StopAfter { steps: 4, stop: &stop }, &stop).unwrap();
        let after = store.runs(&RunFilter::default()).unwrap().len();
        assert!(after >= before, "a finished run was lost");
        if !sitting.interrupted {
            break sitting;
        }
        assert_eq!(after, before + 3, "three steps end in a sitting that is stopped in its fourth");
    };
    assert!(sittings > 3);
    let cells = |found: &Assessment| -> Vec<(u32, u32)> {
        found.runs.iter().map(|run| (run.workload.jobs, run.workload.depth)).collect()
    };
    assert_eq!(continued.runs.len(), store.runs(&RunFilter::default()).unwrap().len());
    // What long assessments would fill the memory with is in the store alone.
    for run in &continued.runs {
        let kept = run.intervals.iter().flat_map(|interval| &interval.directions);
        assert!(kept.clone().all(|d| d.service.buckets.is_empty() && d.response.is_none()));
        let saved = store.run(&run.id).unwrap();
        let whole = saved.intervals.iter().flat_map(|interval| &interval.directions);
        assert!(whole.clone().any(|d| !d.service.buckets.is_empty()));
        assert!(kept.map(|d| d.operations).eq(whole.map(|d| d.operations)));
    }
    // The same search on the same device: the same cells, but for what a shorter rest of the budget cut off.
    let common = cells(&continued).len().min(cells(&whole).len()).min(6);
    assert_eq!(cells(&continued)[..common], cells(&whole)[..common]);
}
