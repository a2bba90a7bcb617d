//! Repeated evaluations on simulated devices, and repetitions that are cut off.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{Evaluation, NoProgress, Progress, RawRepeat, RepeatOptions, StepNotice, repeat};
use fathom_plan::RawPlan;
use fathom_record::campaign::{
    Conclusion, Operand, Quantity, RepeatPlan, RepeatRecord, RepeatSide, RepeatStep, StatementStanding,
    StepFigure,
};
use fathom_store::{RunFilter, Store};
use serde_json::json;

/// Two sides at two sizes; the second is said to give half of the first.
fn evaluation() -> Evaluation {
    let side = |name: &str| RepeatSide { name: name.to_owned(), devices: 1, ..RepeatSide::default() };
    let step = |name: &str, side: &str, iops: f64| RepeatStep {
        name: name.to_owned(),
        side: side.to_owned(),
        plan: json!({"rw": "randread", "bs": name, "depth": 64}),
        published: vec![StepFigure {
            quantity: Quantity::Iops,
            direction: None,
            value: iops,
            half_width_share: None,
        }],
        ..RepeatStep::default()
    };
    let of = |side: &str| Operand {
        step: Some("4k".to_owned()),
        side: Some(side.to_owned()),
        ..Operand::default()
    };
    let half = Conclusion {
        says: "half as fast".to_owned(),
        figure: Quantity::Iops,
        direction: None,
        of: of("slow"),
        over: Some(of("fast")),
        times: 1.0,
        devices_of: None,
        at_least: Some(0.48),
        at_most: Some(0.52),
        stated: true,
    };
    let steps = vec![
        step("4k", "fast", 8000.0),
        step("4k", "slow", 4000.0),
        step("64k", "fast", 2000.0),
        step("64k", "slow", 1000.0),
    ];
    Evaluation {
        name: "halves.toml".to_owned(),
        targets: vec![None; steps.len()],
        optimum: None,
        plan: RepeatPlan {
            evaluation: "halves.toml".to_owned(),
            title: "Halves".to_owned(),
            source: String::new(),
            sides: vec![side("fast"), side("slow")],
            steps,
            conclusions: vec![half],
            bounds: Vec::new(),
            own_bounds: Vec::new(),
            given: json!(null),
            visits: 1,
            until_share: None,
            as_published: false,
            across_restarts: None,
            optimum: None,
            seed: 0,
        },
    }
}

fn options(targets: [&str; 2]) -> RepeatOptions {
    let flags = RawPlan {
        target: Some(targets.map(str::to_owned).to_vec()),
        time: Some("1s".into()),
        warmup: Some("100ms".into()),
        seed: Some("5".into()),
        ..RawPlan::default()
    };
    let raw = RawRepeat { passes: Some("3".into()), ..RawRepeat::default() };
    raw.resolve(&evaluation(), flags, 1).unwrap()
}

#[test]
fn a_conclusion_comes_out_as_the_devices_make_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
    let standing = |targets: [&str; 2]| {
        let found = repeat(&options(targets), &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
        assert!(!found.interrupted && found.record.cells.iter().all(|cell| cell.result.is_some()));
        assert_eq!(store.campaign(&found.record.id).unwrap(), found.record.clone().into());
        let conclusion = found.record.conclusions.first().unwrap().clone();
        assert_eq!(conclusion.published.standing, StatementStanding::Holds);
        conclusion.own.standing
    };
    assert_eq!(standing(["sim:gp3,iops=8000", "sim:gp3,iops=4000"]), StatementStanding::Holds);
    assert_eq!(standing(["sim:gp3,iops=8000", "sim:gp3,iops=5000"]), StatementStanding::DoesNotHold);
}

/// Stops a repetition after a number of steps, and notes their titles.
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
fn a_repetition_that_was_cut_off_between_sides_goes_on_as_if_it_had_not_been() {
    let whole = |cuts: &[usize]| -> (RepeatRecord, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
        let plan = || options(["sim:nvme", "sim:gp3"]);
        let mut titles = Vec::new();
        for &steps in cuts {
            let stop = AtomicBool::new(false);
            let mut screen = StopAfter { steps, titles: Vec::new(), stop: &stop };
            let cut = repeat(&plan(), &store, &mut screen, &stop).unwrap();
            assert!(cut.interrupted && cut.record.finished_at.is_none());
            titles.extend(screen.titles);
        }
        let stop = AtomicBool::new(false);
        let mut screen = StopAfter { steps: usize::MAX, titles: Vec::new(), stop: &stop };
        let found = repeat(&plan(), &store, &mut screen, &stop).unwrap();
        titles.extend(screen.titles);
        let filter =
            RunFilter { campaign: Some(found.record.id.clone()), limit: Some(100), ..RunFilter::default() };
        assert_eq!(store.runs(&filter).unwrap().len(), titles.len());
        (found.record, titles)
    };
    let (at_once, order) = whole(&[]);
    let (in_pieces, order_in_pieces) = whole(&[3, 2, 1]);
    assert_eq!(order, order_in_pieces);
    let figures = |record: &RepeatRecord| {
        record.cells.iter().map(|cell| cell.figure(Quantity::Iops, None)).collect::<Vec<_>>()
    };
    assert_eq!(figures(&at_once), figures(&in_pieces));
    assert_eq!(at_once.conclusions, in_pieces.conclusions);
}
