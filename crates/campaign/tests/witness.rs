//! A run compared with the block layer, on this machine's own storage, where the kernel lets this process look.
//!
//! A program of its own: the kernel tells I/Os by their process, and what other tests do with files would be among them.
#![cfg(target_os = "linux")]
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says why it cannot run here, and fails"
)]

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fathom_campaign::{NoProgress, run_once};
use fathom_plan::PlanSource;
use fathom_record::Direction;
use fathom_record::witness::{BlockTrace, Witness};

/// A witness sees all of this process's I/Os on the device, so that each test must be alone on it.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs on a scratch file under a witness; `None` with a word where this machine cannot.
fn witnessed(source: &str, keys: &str) -> Option<BlockTrace> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let target = folder.path().to_str().unwrap();
    let text =
        format!("target = {target:?}\nsize = \"16m\"\nwarmup = \"0s\"\nwitness = {source:?}\n{keys}\n");
    let plan = PlanSource::from_toml(&text, "plan.toml").unwrap().resolve(1).unwrap();
    let record = match run_once(&plan, &mut NoProgress, &AtomicBool::new(false)) {
        Ok(record) => record,
        Err(error) => {
            fathom_skips::skipped(error);
            return None;
        }
    };
    match record.witness.unwrap() {
        Witness::Seen(trace) => Some(trace),
        Witness::Absent { reason } => {
            fathom_skips::skipped(reason);
            None
        }
    }
}

/// Where the file system says where the file lies, the I/Os that the kernel saw were found again.
fn check(trace: &BlockTrace, which: Direction) {
    let direction = trace.directions.iter().find(|direction| direction.direction == which).unwrap();
    let Some(found) = &direction.explanation else {
        fathom_skips::skipped(format_args!("not compared: {:?}", direction.unexplained));
        return;
    };
    assert_eq!((found.block_alone, found.missed), (0, 0), "{found:?}");
    // An end that the programs were not run for is counted, and nothing else is missing.
    assert!(found.run_alone <= trace.losses.unended + trace.unfinished, "{found:?} {:?}", trace.losses);
    assert_eq!((trace.losses.no_room, trace.losses.unread), (0, 0), "{:?}", trace.losses);
    assert_eq!(found.pairs + found.ambiguous + found.run_alone, direction.operations, "{found:?}");
    assert!(found.pairs > 9 * found.ambiguous, "{found:?}");
    assert_eq!(found.contradictions, 0, "{found:?}");
    // An end that was not seen may be a long one's, and the means are not those of the same I/Os then; the median holds.
    let median =
        found.quantiles.iter().find(|quantile| quantile.q == 0.5).map(|median| median.left_over_share);
    let left_over = if found.run_alone == 0 {
        found.mean_left_over_share
    } else {
        median.unwrap_or(found.mean_left_over_share)
    };
    assert!(left_over.abs() < 0.05, "{found:?}");
}

#[test]
fn every_io_is_found_again_by_programs() {
    for engine in ["uring", "sync"] {
        let keys = format!("engine = {engine:?}\ndepth = 8\ncount = 2000\nrw = \"randrw\"");
        let Some(trace) = witnessed("bpf", &keys) else { return };
        for direction in [Direction::Read, Direction::Write] {
            check(&trace, direction);
        }
    }
}

#[test]
fn ios_that_the_kernel_joins_or_cuts_are_found_again() {
    for keys in
        ["rw = \"read\"\ndepth = 32\ncount = 2000", "rw = \"read\"\nbs = \"4m\"\ndepth = 2\ncount = 8"]
    {
        let Some(trace) = witnessed("bpf", keys) else { return };
        check(&trace, Direction::Read);
        let read = &trace.directions[0];
        assert!(read.explanation.as_ref().is_none_or(|found| found.pairs > 0), "{read:?}");
    }
}

#[test]
fn every_io_is_found_again_in_the_text() {
    let Some(trace) = witnessed("tracefs", "depth = 4\ncount = 500") else { return };
    check(&trace, Direction::Read);
}
