//! Finished runs read again: what their seconds say is held against the devices that they ran on.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that cannot be set is a failed test")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fathom_campaign::{AnalysisSubject, NoProgress, RawSweep, analyse, sweep};
use fathom_plan::{PlanSource, RawPlan, Text};
use fathom_record::analysis_record::Analysis;
use fathom_record::distribution::ModeAttribute;
use fathom_record::steadiness::SteadyVerdict;
use fathom_store::Store;

fn text(value: &str) -> Option<Text> {
    Some(Text(value.to_owned()))
}

/// Sweeps a simulated device and analyses what was saved, on so many threads.
fn analysed(folder: &Path, target: &str, plan: RawPlan, passes: u32, threads: usize) -> (String, Analysis) {
    let path = folder.join("runs.sqlite");
    let store = Store::open(&path).unwrap();
    let flags = RawPlan { target: Some(vec![target.to_owned()]), warmup: text("0s"), ..plan };
    let grid = RawSweep {
        over: vec![Text::from("depth=4,8")],
        passes: text(&passes.to_string()),
        ..RawSweep::default()
    };
    let options = grid.resolve(&PlanSource::from_flags(flags), 2, 5).unwrap();
    let found = sweep(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
    let open = || Store::open_read_only(&path);
    let analysis = analyse(&open, AnalysisSubject::Campaign(&found.record.id), threads).unwrap();
    (found.record.id, analysis)
}

#[test]
fn every_run_is_read_and_the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = RawPlan { time: text("400s"), ..RawPlan::default() };
    let (id, one) = analysed(folder.path(), "sim:noisy,read=20ms", plan, 8, 1);
    let open = || Store::open_read_only(&folder.path().join("runs.sqlite"));
    let three = analyse(&open, AnalysisSubject::Campaign(&id), 3).unwrap();
    assert_eq!(one, three);
    assert_eq!((one.runs.len(), one.workloads.len(), one.unreadable.len()), (16, 2, 0));
    for (at, workload) in one.workloads.iter().enumerate() {
        assert_eq!(workload.runs, 8);
        let own: Vec<f64> = one
            .runs
            .iter()
            .filter(|run| run.workload as usize == at)
            .filter_map(|run| run.rate_per_s)
            .collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((workload.rate_per_s.unwrap() / mean - 1.0).abs() < 1e-9);
        assert!(workload.rate_half_width_share.is_some());
        let median = workload.quantiles.iter().find(|found| found.q == 0.5).unwrap();
        assert!((15e6..30e6).contains(&median.value_ns), "{median:?}");
    }
    for run in &one.runs {
        assert_eq!(run.seconds, 400);
        let p99 = run.quantiles.iter().find(|found| found.q == 0.99).unwrap();
        assert!(p99.low_ns > 0 && p99.design_effect > 0.0 && p99.resolves_every_s > 30.0);
    }
}

#[test]
fn a_level_that_falls_is_found_where_it_falls() {
    let folder = tempfile::tempdir().unwrap();
    let plan = RawPlan { time: text("400s"), ..RawPlan::default() };
    let (_, analysis) = analysed(folder.path(), "sim:gp2,iops-balance=200000", plan, 1, 2);
    let run = &analysis.runs[0];
    let [burst, .., base] = &run.levels[..] else { panic!("two levels or more: {:?}", run.levels) };
    // 200,000 credits are spent at 3000 less 300 a second.
    assert!(burst.to_s.abs_diff(74) <= 10, "{:?}", run.levels);
    assert!((base.rate_per_s / 300.0 - 1.0).abs() < 0.05 && burst.rate_per_s > 1000.0, "{:?}", run.levels);
    assert!(run.levels.windows(2).all(|pair| pair[0].to_s == pair[1].from_s) && base.to_s == 400);
    assert!(!run.steadiness.verdict.is_settled(), "{:?}", run.steadiness);
}

#[test]
fn slow_writes_are_the_explanation_of_a_second_mode() {
    let folder = tempfile::tempdir().unwrap();
    let plan =
        RawPlan { time: text("60s"), rw: text("randrw"), read_share: text("80%"), ..RawPlan::default() };
    let (_, analysis) = analysed(folder.path(), "sim:ideal,read=200us,write=5ms", plan, 1, 2);
    let run = &analysis.runs[0];
    assert_eq!(run.modes.len(), 2, "{:?}", run.modes);
    let by = |attribute| run.explanations.iter().find(|found| found.by == attribute).unwrap();
    assert!(by(ModeAttribute::Direction).explains, "{:?}", run.explanations);
    assert!(!by(ModeAttribute::Time).explains, "{:?}", run.explanations);
}

#[test]
fn what_is_not_there_is_an_error_and_a_short_run_claims_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = RawPlan { time: text("2s"), ..RawPlan::default() };
    let (_, analysis) = analysed(folder.path(), "sim:ideal", plan, 1, 4);
    let run = &analysis.runs[0];
    assert_eq!(run.steadiness.verdict, SteadyVerdict::NotEnoughData);
    assert!(run.quantiles.is_empty() && run.within_half_width_share.is_none());
    assert!(analysis.workloads[0].quantiles.is_empty());
    let open = || Store::open_read_only(&folder.path().join("runs.sqlite"));
    assert_eq!(analyse(&open, AnalysisSubject::Run("r-0"), 2).unwrap().unreadable.len(), 1);
    assert!(
        analyse(&|| Store::open_read_only(&folder.path().join("none")), AnalysisSubject::Run("r"), 2)
            .is_err()
    );
}
