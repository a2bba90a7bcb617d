//! Assessments that repeat their points to a stated error, precondition, or make rounds, on simulated
//! devices whose answer is known.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that cannot be set is a failed test")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{AssessOptions, Assessment, NoProgress, Progress, RawAssess, StepNotice, assess};
use fathom_plan::Text;
use fathom_record::campaign::{PreconditionEnd, PreconditionKind, RepeatEnd};
use fathom_record::steadiness::SteadyVerdict;
use fathom_store::{RunFilter, Store};

struct Scenario<'a> {
    target: &'a str,
    patterns: &'a str,
    budget: &'a str,
    until: Option<&'a str>,
    precondition: Option<&'a str>,
    thorough: bool,
    seed: u64,
}

impl Default for Scenario<'_> {
    fn default() -> Self {
        Self {
            target: "sim:ideal",
            patterns: "randread-4k",
            budget: "15m",
            until: None,
            precondition: None,
            thorough: false,
            seed: 11,
        }
    }
}

fn options(asked: &Scenario<'_>) -> AssessOptions {
    let text = |value: &str| Some(Text(value.to_owned()));
    RawAssess {
        target: asked.target.to_owned(),
        patterns: text(asked.patterns),
        budget: text(asked.budget),
        until: asked.until.and_then(text),
        precondition: asked.precondition.and_then(text),
        thorough: asked.thorough,
        ..RawAssess::default()
    }
    .resolve(asked.seed)
    .unwrap()
}

fn store(folder: &Path) -> Store {
    Store::open(&folder.join("runs.sqlite")).unwrap()
}

fn run(asked: &Scenario<'_>) -> Assessment {
    let folder = tempfile::tempdir().unwrap();
    assess(&options(asked), &store(folder.path()), &mut NoProgress, &AtomicBool::new(false)).unwrap()
}

/// A slow device of two servers, so that hours of it are computed in a second.
const SLOW: &str = "sim:ideal,servers=4,read=20ms,write=20ms,read-shape=lognormal:0.3,size=1GiB";

#[test]
fn the_stated_error_is_reached_and_holds_the_truth() {
    let (mut points, mut covered) = (0, 0);
    for seed in 0..8 {
        let target = format!("{SLOW},noise=2%,noise-time=10s");
        let found =
            run(&Scenario { target: &target, seed: 100 * seed, budget: "25m", ..Scenario::default() });
        let repeats = found.record.repeats.as_ref().unwrap();
        assert_eq!(repeats.ended, RepeatEnd::Met, "{:?}", found.record.notes);
        assert!(found.record.busy_seconds <= 1500.0);
        for point in &found.record.points {
            let precision = point.precision.as_ref().unwrap();
            assert_eq!(point.target_met, Some(true));
            assert!(precision.half_width_share.unwrap() <= 0.02 && precision.runs >= 8, "{precision:?}");
            // Four servers of 20 ms: as many I/Os in flight as are served at once.
            let truth = 50.0 * f64::from((point.jobs * point.depth).min(4));
            let distance = (precision.mean.unwrap() - truth).abs();
            points += 1;
            covered += u32::from(distance <= precision.half_width.unwrap());
            assert!(distance <= 0.03 * truth, "{point:?}");
            let cells = &found.record.patterns[0].cells;
            let cell = cells.iter().find(|c| (c.jobs, c.depth) == (point.jobs, point.depth)).unwrap();
            assert_eq!(cell.runs.len(), precision.runs as usize, "only windows are published");
            assert_eq!(cell.interval_share, precision.half_width_share);
        }
    }
    // Nominal 95 %; of 8 to 16 points eight tenths hold in all but a few of a hundred such suites.
    assert!(covered * 10 >= points * 8, "{covered} of {points}");
}

#[test]
fn a_burst_is_labelled_and_the_bucket_is_read_once_it_ran_out() {
    // 100 I/Os a second, 600 while credits last: 200 s of burst.
    let limited = |credits: &str| {
        format!("sim:gp2,size=33GiB,iops=100,iops-peak=600,iops-bucket={credits},iops-balance={credits}")
    };
    let burst = run(&Scenario { target: &limited("5M"), ..Scenario::default() });
    let point = burst.record.points.last().unwrap();
    let steadiness = point.steadiness.as_ref().unwrap();
    assert_eq!(steadiness.verdict, SteadyVerdict::RegimeConditional, "{steadiness:?}");
    assert_eq!(point.bucket, None);

    let spent = run(&Scenario { target: &limited("200k"), budget: "30m", ..Scenario::default() });
    let bucket = spent.record.points.iter().find_map(|point| point.bucket).expect("a bucket that ran out");
    let close = |got: f64, expected: f64| {
        assert!((got / expected - 1.0).abs() < 0.03, "{got} against {expected}: {bucket:?}");
    };
    close(bucket.burst_per_s, 600.0);
    close(bucket.base_per_s, 100.0);
    close(bucket.tokens, 200_000.0);
    for steadiness in spent.record.points.iter().filter_map(|point| point.steadiness.as_ref()) {
        let lasting = steadiness.mean.unwrap() < 103.0;
        assert!(
            lasting || !steadiness.verdict.is_settled(),
            "the burst is not the lasting rate: {steadiness:?}"
        );
    }
}

/// Writes end in a cache of 64 MiB until it is full; the medium takes 4 MB/s behind it.
const CLIFF: &str = "sim:ideal,servers=4,size=256MiB,write=200us,cache=64MiB,drain=4MB/s";

#[test]
fn preconditioning_ends_behind_the_cliff() {
    let sustained = 4e6 / 4096.0;
    let asked = Scenario { target: CLIFF, patterns: "randwrite-4k", budget: "2m", ..Scenario::default() };
    let fresh = run(&asked);
    let first = fresh.runs[0].summary.operations_per_s();
    assert!(first > 2.0 * sustained, "{first}: a fresh device writes into its cache");

    let written = run(&Scenario { precondition: Some("full"), ..asked });
    let ledger = written.record.preconditioning.as_ref().unwrap();
    let kinds: Vec<PreconditionKind> = ledger.stages.iter().map(|stage| stage.kind).collect();
    use PreconditionKind::{Fill, Overwrite, Purge};
    assert_eq!(kinds, [Purge, Fill, Overwrite]);
    assert!((ledger.stages[1].over_span - 2.0).abs() < 0.01, "{ledger:?}");
    assert!(ledger.stages[2].over_span <= 2.01, "{ledger:?}");
    // 512 MiB at 4 MB/s pass in 130 s, too few for a claim about the next ten minutes or enough.
    assert!(matches!(ledger.ended, PreconditionEnd::Steady | PreconditionEnd::BytesSpent), "{ledger:?}");
    let measured = written.runs.iter().filter(|run| ledger.stages.iter().all(|s| !s.runs.contains(&run.id)));
    for run in measured {
        let rate = run.summary.operations_per_s();
        assert!((rate / sustained - 1.0).abs() < 0.03, "{rate} against {sustained}");
    }
}

#[test]
fn random_overwrite_ends_when_the_rate_is_steady() {
    let target = "sim:ideal,servers=4,size=1GiB,write=200us,cache=64MiB,drain=2MB/s";
    let asked = Scenario { target, patterns: "randwrite-4k", budget: "1m", ..Scenario::default() };
    let found = run(&Scenario { precondition: Some("auto"), ..asked });
    let ledger = found.record.preconditioning.unwrap();
    assert_eq!(ledger.ended, PreconditionEnd::Steady, "{ledger:?}");
    assert!(ledger.stages[1].over_span < 1.9, "by its rate and not by its bytes: {ledger:?}");
    assert_eq!(ledger.not_purged.as_deref(), Some("it was not asked for"));
}

#[test]
fn parts_of_a_slow_overwrite_stay_short() {
    // As on a hard disk the fill is two hundred times as fast as the overwrite.
    let target = "sim:ideal,servers=1,size=512MiB,write=1ms,positioning=10ms";
    let asked = Scenario { target, patterns: "randwrite-4k", budget: "1m", ..Scenario::default() };
    let found = run(&Scenario { precondition: Some("auto"), ..asked });
    let ledger = found.record.preconditioning.unwrap();
    assert_eq!(ledger.ended, PreconditionEnd::Steady, "{ledger:?}");
    let overwrite = ledger.stages.last().unwrap();
    assert!(overwrite.kind == PreconditionKind::Overwrite && overwrite.over_span < 1.0, "{ledger:?}");
    let of_it = found.runs.iter().filter(|run| overwrite.runs.contains(&run.id));
    let seconds: Vec<f64> = of_it.map(|run| run.ledger.seconds).collect();
    // The first one goes by the I/Os of the fill, those after it by their own rate.
    assert!(seconds[0] < 250.0, "{seconds:?}");
    assert!(seconds[1..].iter().all(|part| (19.0..65.0).contains(part)), "{seconds:?}");
}

#[test]
fn thorough_makes_rounds_until_five_keep_the_rule() {
    let target = "sim:ideal,servers=4,size=256MiB,read=2ms,write=2ms,cache=64MiB,drain=4MB/s";
    let patterns = "randread-4k,randwrite-4k";
    let found = run(&Scenario { target, patterns, thorough: true, budget: "1h", ..Scenario::default() });
    let repeats = found.record.repeats.as_ref().unwrap();
    assert_eq!((repeats.ended, repeats.passes), (RepeatEnd::Met, 5), "{:?}", found.record.notes);
    assert!(found.record.preconditioning.is_some());
    for point in &found.record.points {
        assert_eq!(point.rounds.len(), 5);
        assert!(point.snia.unwrap().met && point.precision.is_none());
    }
    assert!(found.record.notes.iter().any(|note| note.contains("not a claim of compliance")));
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
fn a_stopped_assessment_makes_the_steps_that_it_would_have_made() {
    let target = format!("{SLOW},noise=2%,cache=256MiB,drain=100kB/s");
    let asked = Scenario {
        target: &target,
        patterns: "randread-4k,randwrite-4k",
        budget: "11m",
        precondition: Some("auto"),
        ..Scenario::default()
    };
    let whole = run(&asked);
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut sittings = 0;
    let continued = loop {
        sittings += 1;
        let stop = AtomicBool::new(false);
        let before = store.runs(&RunFilter::default()).unwrap().len();
        let sitting =
            assess(&options(&asked), &store, &mut StopAfter { steps: 12, stop: &stop }, &stop).unwrap();
        if !sitting.interrupted {
            break sitting;
        }
        assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), before + 11);
    };
    assert!(sittings > 3, "{sittings}");
    let steps = |found: &Assessment| -> Vec<(String, u64)> {
        let mut steps: Vec<_> = found
            .runs
            .iter()
            .map(|run| (run.campaign.clone().unwrap().step, run.summary.operations_per_s() as u64))
            .collect();
        steps.sort();
        steps
    };
    assert_eq!(steps(&continued), steps(&whole));
    let (mut once, mut again) = (whole.record.repeats.unwrap(), continued.record.repeats.unwrap());
    assert_eq!(once.window_ns, again.window_ns);
    // What was left of the budget is told to the second.
    (once.window_reason, again.window_reason) = (String::new(), String::new());
    assert_eq!(once, again);
}
