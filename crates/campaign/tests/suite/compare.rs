//! Whole comparisons of simulated devices: what is decided is held against what the devices are.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that cannot be set is a failed test")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{
    CampaignError, CompareOptions, CompareResult, NoProgress, Progress, RawCompare, StepNotice, StoredSide,
    compare, compare_stored,
};
use fathom_plan::{RawPlan, Text};
use fathom_record::CampaignRecord;
use fathom_record::campaign::{CompareRecord, ComparedWorkload, ComparisonEnding};
use fathom_record::comparison::{Decision, UndecidedReason};
use fathom_store::{RunFilter, Store};

fn text(value: &str) -> Option<Text> {
    Some(Text(value.to_owned()))
}

fn raw(a: &str, b: &str) -> RawCompare {
    RawCompare {
        a_name: a.to_owned(),
        b_name: Some(b.to_owned()),
        patterns: text("randread-4k"),
        ..RawCompare::default()
    }
}

fn flags(depth: &str) -> RawPlan {
    RawPlan { depth: text(depth), time: text("2s"), warmup: text("0s"), ..RawPlan::default() }
}

fn options(raw: &RawCompare, depth: &str, seed: u64) -> CompareOptions {
    raw.resolve(&flags(depth), seed).unwrap()
}

fn store(folder: &Path) -> Store {
    Store::open(&folder.join("runs.sqlite")).unwrap()
}

fn run(options: &CompareOptions) -> CompareResult {
    let folder = tempfile::tempdir().unwrap();
    compare(options, &store(folder.path()), &mut NoProgress, &AtomicBool::new(false)).unwrap()
}

fn only(record: &CompareRecord) -> &ComparedWorkload {
    let [workload] = &record.workloads[..] else { panic!("one workload: {:#?}", record.workloads) };
    workload
}

/// Two files that hold data, and the plan that writes over both.
fn written(folder: &Path, words: &[&str], b: Option<&str>) -> CompareOptions {
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (a, second) = (file("first.bin"), file("second.bin"));
    let raw =
        RawCompare { patterns: text("randwrite-4k"), pairs: text("5"), ..raw(&a, b.unwrap_or(&second)) };
    let flags = RawPlan {
        depth: text("4"),
        count: text("50"),
        destroy: Some(words.iter().map(|&words| words.to_owned()).collect()),
        ..RawPlan::default()
    };
    raw.resolve(&flags, 3).unwrap()
}

#[test]
fn each_side_is_written_by_the_words_that_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let found = run(&written(folder.path(), &["first.bin", "second.bin"], None));
    assert_eq!(found.runs.len(), 10, "{:?}", found.record.notes);
    let found = run(&written(folder.path(), &["first.bin"], Some("sim:gp3")));
    assert_eq!(found.runs.len(), 10, "{:?}", found.record.notes);
}

#[test]
fn a_side_that_no_words_name_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    for words in [&["first.bin"][..], &["first.bin", "third.bin"]] {
        let options = written(folder.path(), words, None);
        let store = store(folder.path());
        let refused = compare(&options, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap_err();
        assert!(refused.to_string().contains("refused"), "{refused}");
        let kept = std::fs::read(folder.path().join("second.bin")).unwrap();
        assert!(kept.len() == 1 << 20 && kept.iter().all(|byte| *byte == 7), "{words:?}");
    }
}

/// A device whose speed wanders by 3 % a run or so, and one that is faster by a known share.
const NOISY: &str = "sim:noisy,read=1ms";
const NOISY_FASTER: &str = "sim:noisy,read=970us";

#[test]
fn a_difference_of_three_percent_is_found_in_its_direction() {
    for (a, b, truth) in [
        ("sim:gp3", "sim:gp3,iops=3090", Decision::Faster),
        ("sim:gp3,iops=3090", "sim:gp3", Decision::Slower),
    ] {
        let found = run(&options(&raw(a, b), "32", 5));
        let workload = only(&found.record);
        assert_eq!(workload.decision(), truth, "{workload:#?}");
        let ratio = workload.primary().unwrap().comparison.ratio.unwrap();
        assert!((ratio.ratio.ln().abs() - 1.03f64.ln()).abs() < 0.002, "{ratio:?}");
        assert!(workload.shift.is_some() && workload.order.is_some());
    }
}

#[test]
fn the_same_device_twice_is_seldom_called_different() {
    let mut different = 0;
    for seed in 0..30 {
        let limited = RawCompare { max_pairs: text("10"), ..raw(NOISY, NOISY) };
        let found = run(&options(&limited, "16", seed * 977));
        let decision = only(&found.record).decision();
        assert_ne!(decision, Decision::NotComparable);
        different += u32::from(matches!(decision, Decision::Faster | Decision::Slower));
    }
    // 5 % of 30 are 1.5; more than 4 come in one of sixty such series.
    assert!(different <= 4, "{different} of 30");
}

#[test]
fn a_difference_in_the_noise_is_decided_or_asks_for_pairs() {
    for seed in [3, 4, 5] {
        let found = run(&options(&raw(NOISY, NOISY_FASTER), "16", seed));
        let primary = only(&found.record).primary().unwrap().comparison.clone();
        assert!(matches!(primary.decision, Decision::Faster | Decision::Inconclusive), "{primary:#?}");
        assert!(primary.decision != Decision::Inconclusive || primary.pairs >= 5);
    }
}

#[test]
fn every_workload_has_its_part_of_the_error_and_all_are_interleaved() {
    let both =
        RawCompare { patterns: text("randread-4k,randwrite-4k"), pairs: text("6"), ..raw(NOISY, NOISY) };
    let found = run(&options(&both, "1,16", 9));
    assert_eq!(found.record.workloads.len(), 4);
    for workload in &found.record.workloads {
        assert_eq!((workload.pairs.len(), workload.ended.is_some()), (6, true));
        let confidence = workload.primary().unwrap().comparison.ratio.unwrap().confidence;
        assert!((confidence - (1.0 - 0.05 / 4.0)).abs() < 1e-9, "{confidence}");
        assert!(workload.control.is_some());
    }
    let mut runs = found.runs.clone();
    runs.sort_by(|a, b| a.id.cmp(&b.id));
    let first_round: std::collections::BTreeSet<String> = runs[..8]
        .iter()
        .map(|run| run.campaign.as_ref().unwrap().step.split('/').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(first_round.len(), 4, "the first eight runs are one pair of each workload");
}

/// Stops a comparison after a number of steps.
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

/// What a comparison says, without the names of its runs.
fn said(record: &CompareRecord) -> Vec<String> {
    let workload = |workload: &ComparedWorkload| {
        let ratios: Vec<_> = workload.pairs.iter().map(|pair| (pair.first, pair.ratio)).collect();
        format!("{} {:?} {:?} {ratios:?}", workload.name, workload.metrics, workload.ended)
    };
    record.workloads.iter().map(workload).collect()
}

#[test]
fn a_stopped_comparison_continues_to_the_same_decisions() {
    let plan = options(&raw(NOISY, NOISY_FASTER), "1,16", 21);
    let whole = run(&plan);
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut sittings = 0;
    let continued = loop {
        sittings += 1;
        let stop = AtomicBool::new(false);
        // The same command has a new seed each time; the first one holds.
        let again = options(&raw(NOISY, NOISY_FASTER), "1,16", 20 + sittings);
        let sitting = compare(&again, &store, &mut StopAfter { steps: 8, stop: &stop }, &stop).unwrap();
        if !sitting.interrupted {
            break sitting;
        }
        assert!(sitting.record.finished_at.is_none());
    };
    assert!(sittings > 2);
    assert_eq!(said(&continued.record), said(&whole.record));
    assert_eq!(
        continued.runs.len(),
        store.runs(&RunFilter { limit: None, ..RunFilter::default() }).unwrap().len()
    );
    assert_eq!(store.campaign(&continued.record.id).unwrap(), CampaignRecord::from(continued.record));
}

#[test]
fn latencies_at_different_depths_are_not_comparable_and_rates_are() {
    let sides = RawCompare { b_name: None, ..raw("sim:ideal", "") };
    let sides = RawCompare { a: vec!["depth=4".into()], b: vec!["depth=8".into()], ..sides };
    let plain = RawPlan { depth: None, ..flags("1") };
    let found = run(&sides.resolve(&plain, 3).unwrap());
    let workload = only(&found.record);
    assert!(
        matches!(workload.latencies, Some(UndecidedReason::InFlightDiffers { .. })),
        "{:?}",
        workload.latencies
    );
    assert!(workload.shift.is_none());
    for metric in &workload.metrics {
        let is_latency = metric.comparison.metric.ends_with("_ns");
        assert_eq!(metric.comparison.decision == Decision::NotComparable, is_latency, "{metric:#?}");
        assert!(!is_latency || metric.comparison.ratio.is_none());
    }
}

#[test]
fn a_quantile_that_the_runs_are_too_short_for_says_how_long_they_would_have_to_be() {
    let found = run(&options(&raw("sim:gp3", "sim:gp3,iops=3090"), "32", 5));
    let tail = &only(&found.record).metrics;
    let tail = tail.iter().find(|metric| metric.comparison.metric == "service_p999_ns").unwrap();
    let Some(UndecidedReason::TooFewPairs { run_s: Some(seconds), .. }) = tail.comparison.reason else {
        panic!("6000 I/Os leave 6 beyond it: {tail:#?}")
    };
    // 10,000 I/Os at 3000 a second, and a fifth to spare.
    assert!((3.6..4.4).contains(&seconds), "{seconds}");
}

#[test]
fn a_pair_on_two_targets_does_the_same_io_and_its_seconds_are_in_the_store_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        path.display().to_string()
    };
    let (a, b) = (file("a"), file("b"));
    let short = RawPlan {
        time: text("20ms"),
        warmup: text("0s"),
        depth: text("1"),
        engine: text("sync"),
        buffered: Some(true),
        ..RawPlan::default()
    };
    let seeds = |sides: &RawCompare| -> Vec<[u64; 2]> {
        let store = store(folder.path());
        let plan = RawCompare { pairs: text("5"), ..sides.clone() }.resolve(&short, 1).unwrap();
        let found = compare(&plan, &store, &mut NoProgress, &AtomicBool::new(false)).unwrap();
        assert_eq!(found.runs.len(), 10);
        assert!(found.runs.iter().all(|run| run.intervals.is_empty()));
        let whole = store.run(&found.runs[0].id).unwrap();
        assert!(!whole.intervals.is_empty());
        let pairs = &only(&found.record).pairs;
        let seed = |id: &String| store.run_without_series(id).unwrap().workload.seed;
        pairs.iter().map(|pair| [seed(&pair.a_run), seed(&pair.b_run)]).collect()
    };
    let two = seeds(&raw(&a, &b));
    assert!(two.iter().all(|[a, b]| a == b), "{two:?}");
    assert!(two.windows(2).all(|pairs| pairs[0] != pairs[1]), "each pair has its own: {two:?}");
    let one = seeds(&raw(&a, &a));
    assert!(one.iter().all(|[a, b]| a != b), "the second run would find the first one's blocks: {one:?}");
}

fn failing(folder: &Path, a: &str, b: &str) -> (Store, Result<CompareResult, CampaignError>) {
    let commands = RawCompare {
        before_a: text(a),
        before_b: text(b),
        pairs: text("5"),
        ..raw("memory:8MiB", "memory:8MiB")
    };
    let short = RawPlan { time: text("20ms"), warmup: text("0s"), depth: text("1"), ..RawPlan::default() };
    let store = store(folder);
    let found =
        compare(&commands.resolve(&short, 1).unwrap(), &store, &mut NoProgress, &AtomicBool::new(false));
    (store, found)
}

#[test]
fn a_command_runs_before_each_turn_and_its_words_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let say = |side: &str| format!("echo {side} | tee -a '{}'", log.display());
    let (_, found) = failing(folder.path(), &say("a"), &say("b"));
    let record = found.unwrap().record;
    let lines = std::fs::read_to_string(&log).unwrap();
    assert_eq!(lines.lines().count(), record.commands.len());
    assert!(record.commands.len() >= 6, "{}", record.commands.len());
    assert!(lines.lines().zip(lines.lines().skip(1)).all(|(one, next)| one != next), "a turn ran twice");
    assert!(record.commands.iter().all(|said| said.output == "a" || said.output == "b"));
    assert_eq!(only(&record).pairs.len(), 5);
}

#[test]
fn a_command_that_fails_ends_it_with_its_words_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (store, found) = failing(folder.path(), "echo no such driver; exit 3", "exit 3");
    let error = found.unwrap_err().to_string();
    assert!(error.contains("ended with") && error.contains('3'), "{error}");
    assert!(store.runs(&RunFilter::default()).unwrap().is_empty());

    let mark = folder.path().join("mark");
    let fails_later = format!("test -e '{0}' || {{ touch '{0}'; exit 0; }}; exit 4", mark.display());
    let (store, found) = failing(folder.path(), &fails_later, "true");
    assert!(found.is_err());
    let before = store.runs(&RunFilter::default()).unwrap().len();
    assert!(before > 0);
    drop(store);
    std::fs::remove_file(&mark).unwrap();
    let always = format!("touch '{}'", mark.display());
    // Another command is another comparison; the same one would go on.
    let (_, found) = failing(folder.path(), &always, "true");
    assert!(found.is_ok());
}

#[test]
fn a_side_that_is_gone_half_way_leaves_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    let other = folder.path().join("a");
    std::fs::write(&other, vec![1; 1 << 20]).unwrap();
    let count = folder.path().join("count");
    // The file of side B disappears after its second turn.
    let command = format!(
        "echo x >> '{0}'; test $(wc -l < '{0}') -le 2 || rm -f '{1}'",
        count.display(),
        file.display()
    );
    let sides = RawCompare {
        before_b: text(&command),
        pairs: text("6"),
        ..raw(&other.display().to_string(), &file.display().to_string())
    };
    let short = RawPlan {
        time: text("20ms"),
        warmup: text("0s"),
        depth: text("1"),
        engine: text("sync"),
        buffered: Some(true),
        ..RawPlan::default()
    };
    let store = store(folder.path());
    let found = compare(&sides.resolve(&short, 1).unwrap(), &store, &mut NoProgress, &AtomicBool::new(false))
        .unwrap();
    let workload = only(&found.record);
    assert_eq!(workload.ended, Some(ComparisonEnding::SideFailed), "{workload:#?}");
    let primary = &workload.primary().unwrap().comparison;
    assert_eq!((primary.decision, primary.ratio), (Decision::NotComparable, None));
    assert!(matches!(primary.reason, Some(UndecidedReason::SideFailed { .. })));
    assert!(found.record.notes.iter().any(|note| note.contains("side B")), "{:?}", found.record.notes);
}

/// A finished comparison's runs, as two sides that were measured by themselves.
fn halves(found: &CompareResult) -> (StoredSide, StoredSide) {
    let half = |side: &str| StoredSide {
        id: format!("half-{side}"),
        kind: "sweep",
        runs: found
            .runs
            .iter()
            .filter(|run| run.campaign.as_ref().unwrap().step.ends_with(side))
            .cloned()
            .collect(),
    };
    (half("a"), half("b"))
}

#[test]
fn finished_sides_tell_large_differences_alone_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let plan = raw("a", "b");
    let plan = RawCompare { patterns: None, ..plan }.stored(&RawPlan::default(), ("a", "b")).unwrap();
    for (device, truth) in
        [("sim:gp3,iops=3090", Decision::Inconclusive), ("sim:gp3,iops=6000", Decision::Faster)]
    {
        let found = run(&options(&raw("sim:gp3", device), "32", 5));
        let (a, b) = halves(&found);
        let record = compare_stored(&plan, &a, &b, &store).unwrap();
        let primary = only(&record).primary().unwrap().comparison.clone();
        assert_eq!(primary.decision, truth, "{primary:#?}");
        assert!(matches!(primary.reason, Some(UndecidedReason::NotInterleaved { .. })));
        assert_eq!(store.campaign(&record.id).unwrap(), record.into());
    }
}

#[test]
fn finished_sides_that_do_not_answer_one_question_have_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let plan = RawCompare { patterns: None, ..raw("a", "b") };
    let plan = plan.stored(&RawPlan::default(), ("a", "b")).unwrap();
    let (a, _) = halves(&run(&options(&raw("sim:gp3", "sim:gp3"), "32", 5)));
    let (_, b) = halves(&run(&options(&raw("sim:gp3", "sim:gp3"), "8", 6)));
    let record = compare_stored(&plan, &a, &b, &store).unwrap();
    for metric in &only(&record).metrics {
        let reason = Some(UndecidedReason::WorkloadsDiffer { field: "depth".into() });
        assert_eq!((metric.comparison.ratio, &metric.comparison.reason), (None, &reason));
    }
    assert!(compare_stored(&plan, &a, &a, &store).unwrap_err().to_string().contains("both sides"));
    let one = |side: &StoredSide, id: &str| StoredSide {
        id: id.to_owned(),
        kind: "run",
        runs: side.runs[..1].to_vec(),
    };
    let overlap = one(&a, "r");
    assert!(compare_stored(&plan, &a, &overlap, &store).unwrap_err().to_string().contains("both sides hold"));
    let other = one(&b, "r");
    assert!(compare_stored(&plan, &a, &other, &store).unwrap_err().to_string().contains("kind"));
    let record = compare_stored(&plan, &overlap, &one(&b, "s"), &store).unwrap();
    assert!(only(&record).primary().unwrap().comparison.ratio.is_none());
}
