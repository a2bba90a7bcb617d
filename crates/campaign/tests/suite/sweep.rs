//! Sweeps of simulated devices, whose truth is known, and sweeps that are cut off.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{NoProgress, Progress, RawSweep, StepNotice, SweepOptions, sweep};
use fathom_plan::{PlanSource, RawPlan, Text};
use fathom_record::campaign::{SweepCell, SweepRecord};
use fathom_store::{RunFilter, Store};

fn options(target: &str, over: &[&str], change: impl FnOnce(&mut RawSweep, &mut RawPlan)) -> SweepOptions {
    let mut plan = RawPlan {
        target: Some(vec![target.to_owned()]),
        time: Some("1s".into()),
        warmup: Some("100ms".into()),
        ..RawPlan::default()
    };
    let mut raw =
        RawSweep { over: over.iter().map(|text| Text::from(*text)).collect(), ..RawSweep::default() };
    change(&mut raw, &mut plan);
    raw.resolve(&PlanSource::from_flags(plan), 4, 11).unwrap()
}

fn rate(cell: &SweepCell) -> f64 {
    cell.result.as_ref().unwrap().operations_per_s
}

#[test]
fn every_cell_measures_what_its_device_does_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
    let options = options("sim:gp3", &["bs=4k,64k", "depth=1,8"], |raw, _| raw.passes = Some("3".into()));
    let found = sweep(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
    assert!(!found.interrupted && found.record.finished_at.is_some());
    assert_eq!(found.runs.len(), 12);
    let cells = &found.record.cells;
    assert_eq!(
        cells.iter().map(|cell| cell.place.clone()).collect::<Vec<_>>(),
        [[0, 0], [0, 1], [1, 0], [1, 1]]
    );
    // 3000 IOPS and 125 MiB/s are the device's caps.
    assert!((rate(&cells[1]) - 3000.0).abs() < 30.0, "{}", rate(&cells[1]));
    assert!((rate(&cells[3]) - 2000.0).abs() < 20.0, "{}", rate(&cells[3]));
    assert!(
        rate(&cells[0]) < 2000.0 && cells.iter().all(|cell| cell.result.as_ref().unwrap().runs.len() == 3)
    );
    // Repeats differ: each has its own seed.
    let mut seeds: Vec<u64> = found.runs.iter().map(|run| run.workload.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 12);
    assert_eq!(store.campaign(&found.record.id).unwrap(), found.record.into());
}

#[test]
fn an_adaptive_sweep_leaves_out_the_plateau() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
    let options = options("sim:gp3", &["depth=1..4096"], |raw, _| {
        raw.adaptive = true;
        raw.passes = Some("2".into());
    });
    let found = sweep(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
    let measured: Vec<bool> = found.record.cells.iter().map(|cell| cell.result.is_some()).collect();
    assert!(measured[..4].iter().all(|is| *is), "the rise is measured: {measured:?}");
    assert!(measured.iter().filter(|is| **is).count() < 9, "the plateau is not: {measured:?}");
    assert!(found.record.cells.iter().all(|cell| cell.result.is_some() != cell.missing.is_some()));
}

#[test]
fn a_cell_that_cannot_be_run_does_not_keep_the_others_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
    let options = options("sim:gp3,size=1MiB", &["bs=4k,4m"], |raw, _| raw.passes = Some("1".into()));
    let found = sweep(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
    assert!(found.record.cells[0].result.is_some());
    assert!(
        found.record.cells[1].missing.as_ref().unwrap().contains("4194304"),
        "{:?}",
        found.record.cells[1]
    );
}

/// Stops a sweep after a number of steps, and notes their titles.
struct StopAfter<'a> {
    steps: usize,
    titles: Vec<String>,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn step(&mut self, notice: &StepNotice) {
        self.titles.push(notice.title.clone());
        if self.titles.len() > self.steps {
            self.titles.pop();
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_sweep_that_was_cut_off_goes_on_as_if_it_had_not_been() {
    let whole = |cuts: &[usize]| -> (SweepRecord, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
        let plan = || options("sim:nvme", &["depth=1,4,16,64"], |raw, _| raw.passes = Some("3".into()));
        let mut titles = Vec::new();
        for &steps in cuts {
            let stop = AtomicBool::new(false);
            let mut screen = StopAfter { steps, titles: Vec::new(), stop: &stop };
            assert!(sweep(&plan(), &store, &mut screen, &stop).unwrap().interrupted);
            titles.extend(screen.titles);
        }
        let stop = AtomicBool::new(false);
        let mut screen = StopAfter { steps: usize::MAX, titles: Vec::new(), stop: &stop };
        let found = sweep(&plan(), &store, &mut screen, &stop).unwrap();
        titles.extend(screen.titles);
        let filter =
            RunFilter { campaign: Some(found.record.id.clone()), limit: Some(100), ..RunFilter::default() };
        assert_eq!(store.runs(&filter).unwrap().len(), 12);
        (found.record, titles)
    };
    let (at_once, order) = whole(&[]);
    let (in_pieces, order_in_pieces) = whole(&[3, 2, 1]);
    assert_eq!(order, order_in_pieces);
    let rates = |record: &SweepRecord| record.cells.iter().map(rate).collect::<Vec<_>>();
    assert_eq!(rates(&at_once), rates(&in_pieces));
}

#[test]
fn a_tool_is_swept_over_as_an_engine_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
    let swept = |engine: &str| {
        let target = folder.path().display().to_string();
        let options = options(&target, &["depth=1,4"], |raw, plan| {
            raw.passes = Some("1".into());
            plan.engine = Some(engine.into());
            plan.size = Some("8MiB".into());
        });
        sweep(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap()
    };
    // Each cell says that there is no such tool.
    let missing = swept("fio:/nowhere/fio");
    assert!(missing.record.cells.iter().all(|cell| cell.result.is_none() && cell.missing.is_some()));
    if std::process::Command::new("fio").arg("--version").output().is_err() {
        fathom_skips::skipped("no fio");
        return;
    }
    let found = swept("fio");
    assert_eq!(found.runs.len(), 2);
    for (run, depth) in found.runs.iter().zip([1, 4]) {
        assert!(run.engine.name.starts_with("fio "), "{}", run.engine.name);
        assert_eq!(run.workload.depth, depth);
        assert_eq!(run.campaign.as_ref().map(|link| link.id.as_str()), Some(found.record.id.as_str()));
        assert!(run.summary.operations_per_s() > 0.0);
    }
}
