//! A trace's I/Os come out of the engine as they stand in the trace: all of them, in its order, with its
//! addresses, sizes and directions.
#![allow(clippy::unwrap_used, reason = "a scene that cannot be set is a failed test")]

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use fathom_campaign::replay::TraceSurvey;
use fathom_campaign::{ConcurrentRun, IoLog, NoProgress, RunContext, Session, SessionPlan, run_together};
use fathom_plan::{PlanSource, RawPlan, RunPlan};
use fathom_record::{Direction, RunRecord};

/// Microseconds, whether it writes, offset, bytes.
type Io = (u64, bool, u64, u64);

fn trace(ios: &[Io]) -> tempfile::NamedTempFile {
    let mut text = String::new();
    for (at_us, write, offset, bytes) in ios {
        let direction = if *write { "W" } else { "R" };
        writeln!(text, "7,{direction},{offset},{bytes},{}", 1_577_808_000_000_000 + at_us).unwrap();
    }
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

/// Uneven gaps, sizes and places within 8 MiB, from a fixed rule.
fn uneven(count: u64) -> Vec<Io> {
    let mut at_us = 0;
    (0..count)
        .map(|n| {
            let drawn = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
            at_us += drawn % 700;
            let blocks = 1 + drawn / 1000 % 8;
            (at_us, drawn % 10 < 3, drawn / 100_000 % (2048 - 8) * 4096, blocks * 4096)
        })
        .collect()
}

/// The record of a replay, and its I/Os in the order of their submission.
fn replayed(target: &str, ios: &[Io], fill: impl FnOnce(&mut RawPlan)) -> (RunRecord, Vec<(bool, u64, u64)>) {
    let file = trace(ios);
    let mut raw = RawPlan {
        target: Some(vec![target.to_owned()]),
        replay: Some(file.path().to_str().unwrap().into()),
        ..RawPlan::default()
    };
    fill(&mut raw);
    let plan = PlanSource::from_flags(raw).resolve(1).unwrap();
    let survey = TraceSurvey::of(&plan.workload).unwrap().unwrap();
    let stop = AtomicBool::new(false);
    let read = RunPlan { workload: survey.directions(&plan.workload), ..plan.clone() };
    let session = Session::open(&SessionPlan::of(&read), &mut NoProgress, &stop).unwrap();
    let facts = session.target();
    let block_bytes = u64::from(facts.logical_block_bytes);
    let workload = survey.workload(&plan.workload, facts.size_bytes, block_bytes);
    let log = IoLog::default();
    let part = ConcurrentRun {
        session: &session,
        workload: &workload,
        start_after_ns: 0,
        waits_for: Vec::new(),
        ends: Vec::new(),
        context: RunContext { log: Some(&log), ..RunContext::default() },
    };
    let record = run_together(&[part], &mut NoProgress, &stop).unwrap().remove(0);
    let (logged, left_out) = log.finish();
    assert_eq!(left_out, 0);
    let ios = logged.iter().map(|io| (io.direction == Direction::Write, io.offset, u64::from(io.bytes)));
    (record, ios.collect())
}

fn plain(ios: &[Io]) -> Vec<(bool, u64, u64)> {
    ios.iter().map(|&(_, write, offset, bytes)| (write, offset, bytes)).collect()
}

#[test]
fn the_log_of_a_replay_on_a_file_is_the_trace() {
    // On storage more often than the system's temporary folder.
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let path = folder.path().join("scratch");
    let ios = uneven(1500);
    for engine in ["sync", "uring"] {
        let replay = |depth: &str, speed: &str| {
            let (_, log) = replayed(path.to_str().unwrap(), &ios, |raw| {
                raw.size = Some("8MiB".into());
                raw.engine = Some(engine.into());
                raw.depth = Some(depth.into());
                raw.speed = Some(speed.into());
            });
            // It is a new file each time.
            std::fs::remove_file(&path).ok();
            log
        };
        // One at a time they are in the trace's order.
        assert!(replay("1", "1000") == plain(&ios), "{engine}");
        // Several that are submitted in one turn have one stamp.
        let (mut log, mut wanted) = (replay("64", "1"), plain(&ios));
        log.sort_unstable();
        wanted.sort_unstable();
        assert!(log == wanted, "{engine}");
    }
}

#[test]
fn several_jobs_share_a_trace_between_them() {
    let ios = uneven(999);
    let (record, mut log) = replayed("memory:8MiB", &ios, |raw| raw.jobs = Some("3".into()));
    let mut wanted = plain(&ios);
    wanted.sort_unstable();
    log.sort_unstable();
    assert!(log == wanted);
    assert_eq!(record.jobs.len(), 3);
}

#[test]
fn what_lies_beyond_the_target_comes_to_lie_in_it() {
    let ios: Vec<Io> = (0..200).map(|n| (n * 10, false, n * (1 << 30) + n * 512, 4096 + n)).collect();
    for fit in ["wrap", "scale"] {
        let (record, log) = replayed("memory:1MiB", &ios, |raw| raw.replay_fit = Some(fit.into()));
        assert_eq!(log.len(), 200);
        assert!(log.iter().all(|(_, offset, bytes)| offset + bytes <= 1 << 20), "{fit}");
        let notes = record.notes.join(" ");
        assert!(notes.contains("where the target ends") && notes.contains("whole blocks"), "{notes}");
    }
}

#[test]
fn in_simulated_time_each_io_comes_in_its_own_second() {
    let ios = uneven(9000);
    let (record, _) = replayed("sim:nvme", &ios, |raw| raw.speed = Some("0.5".into()));
    let mut wanted = vec![0u64; 16];
    ios.iter().for_each(|io| wanted[(io.0 * 2 / 1_000_000) as usize] += 1);
    wanted.truncate(record.intervals.len());
    let done: Vec<u64> = record.intervals.iter().map(|interval| interval.operations()).collect();
    assert_eq!(done.iter().sum::<u64>(), 9000);
    // An I/O at the edge ends in the next second.
    assert!(
        done.iter().zip(&wanted).all(|(done, wanted)| done.abs_diff(*wanted) <= 3),
        "{done:?} {wanted:?}"
    );
}

#[test]
fn a_run_that_is_too_short_takes_the_trace_as_far_as_it_goes() {
    let ios = uneven(3000);
    let within = ios.iter().filter(|io| io.0 < 500_000).count();
    let (record, _) = replayed("sim:nvme", &ios, |raw| raw.time = Some("500ms".into()));
    let done: u64 = record.intervals.iter().map(|interval| interval.operations()).sum();
    assert_eq!(record.workload.length.operations, Some(within as u64));
    assert!(done.abs_diff(within as u64) <= 2, "{done} of {within}");
}
