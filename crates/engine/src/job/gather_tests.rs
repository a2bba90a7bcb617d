//! Tallies of several jobs, as they come when something is late or ends at an edge.

use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::workload::Length;

use super::*;

const SECOND: u64 = 1_000_000_000;

fn gather(jobs: u32, seconds: u64) -> TallyCollector {
    let length = Length { time_ns: Some(seconds * SECOND), ..Length::default() };
    TallyCollector::new(Timeline::new(0, &length), jobs, false)
}

fn tally(start_s: f64, end_s: f64, operations: u64) -> Tally {
    let mut tally = Tally::default();
    tally.begin((start_s * 1e9) as u64, (end_s * 1e9) as u64, Phase::Measured);
    (0..operations).for_each(|_| tally.directions[0].service.record(1000));
    tally
}

fn ending(job: u32, registered: bool) -> JobEnding {
    let feature = |name: &str, used| EngineFeature::new(name, used, (!used).then(|| "limit".into()));
    let facts = EngineFacts {
        name: "test".to_owned(),
        version: 1,
        features: vec![feature("always", true), feature("never", false), feature("buffers", registered)],
        completes_inline: false,
        returned_stamp: String::new(),
    };
    JobEnding { job, cpu: None, start: None, facts, fatal: None, failures: Vec::new(), verified: None }
}

fn series(measured: &Measurement) -> Vec<(u64, u64, u64)> {
    let parts = measured
        .intervals
        .iter()
        .map(|part| (part.start_ns / SECOND, (part.start_ns + part.duration_ns) / SECOND, part.operations()));
    parts.collect()
}

/// One job could not hand over for two seconds: its three seconds come as one.
#[test]
fn intervals_never_overlap_and_lose_nothing() {
    let mut gather = gather(2, 10);
    let mut observed = Vec::new();
    for second in 0..5 {
        gather.take(0, &tally(f64::from(second), f64::from(second + 1), 10));
        gather.settle(&mut |tally| observed.push(tally.operations()));
    }
    assert!(observed.is_empty());
    for (start, end, operations) in [(0.0, 1.0, 1), (1.0, 4.0, 3), (4.0, 5.0, 1)] {
        gather.take(1, &tally(start, end, operations));
    }
    let measured = gather.conclude(vec![ending(0, true), ending(1, true)], false, &mut |tally| {
        observed.push(tally.operations());
    });
    assert_eq!(series(&measured), [(0, 1, 11), (1, 4, 33), (4, 5, 11)]);
    assert_eq!(observed, [11, 33, 11]);
    assert_eq!(measured.total.operations(), 55);
}

/// The last I/O of a count ends exactly with a second: its tally has no length.
#[test]
fn an_io_at_the_edge_of_the_last_interval_is_in_the_series() {
    let mut gather = gather(1, 10);
    gather.take(0, &tally(0.0, 1.0, 9));
    gather.take(0, &tally(1.0, 1.0, 1));
    let measured = gather.conclude(vec![ending(0, true)], false, &mut |_| {});
    assert_eq!(series(&measured), [(0, 1, 10)]);
    assert_eq!((measured.total.operations(), measured.window_ns), (10, SECOND));
}

#[test]
fn a_feature_that_some_jobs_lack_does_not_count_as_used() {
    let mut gather = gather(2, 1);
    (0..2).for_each(|job| gather.take(job, &tally(0.0, 1.0, 1)));
    let measured = gather.conclude(vec![ending(0, true), ending(1, false)], false, &mut |_| {});
    let [always, never, buffers] = &measured.engine.features[..] else { panic!("three features") };
    assert_eq!((always.used, always.note.as_deref()), (true, None));
    assert_eq!((never.used, never.note.as_deref()), (false, Some("limit")));
    assert_eq!((buffers.used, buffers.note.as_deref()), (false, Some("not in 1 of 2 jobs: limit")));
}
