//! The witness on this machine: direct reads of a scratch file, counted by the kernel and by the test.
//!
//! A program of its own: the kernel tells I/Os by their process, and what other tests do with files would be among them.
#![cfg(target_os = "linux")]
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says why it cannot run here, and fails"
)]

use std::fs::{self, OpenOptions};
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::{Mutex, PoisonError};

use fathom_measure::{Clock, WallClock};
use fathom_record::options::WitnessSource;
use fathom_record::{Direction, Witness as Record};
use fathom_telemetry::blocktrace::{RunDirection, TargetLocation, Witness, WitnessPlan};

const READS: u64 = 200;
const BYTES: usize = 4096;

/// Both tests read the same kind of file in this process, and each must see its own reads only.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Reads a file directly under a witness. `None` with a word where this machine cannot.
fn witnessed(source: WitnessSource) -> Option<fathom_record::witness::BlockTrace> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    fs::write(&path, vec![7u8; BYTES * READS as usize]).unwrap();
    let flags = libc::O_DIRECT;
    let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(&path) else {
        fathom_skips::skipped(format_args!("no direct I/O in {}", folder.path().display()));
        return None;
    };
    file.sync_all().unwrap();
    let number = file.metadata().unwrap().st_dev();
    let link = format!("/sys/dev/block/{}:{}", libc::major(number), libc::minor(number));
    let Ok(device) = fs::canonicalize(link) else {
        fathom_skips::skipped(format_args!("{} lies on no block device", folder.path().display()));
        return None;
    };
    let device = device.file_name().unwrap().to_str().unwrap().to_owned();
    let (clock, _) = WallClock::start();
    // Where the file lies is not asked for here: I/Os are counted, and not found again one by one.
    let targets = vec![TargetLocation { device, stretches: Vec::new() }];
    let plan = WitnessPlan { targets, direct: true, source };
    let witness = match Witness::start(plan, clock) {
        Ok(witness) => witness,
        Err(error) => {
            fathom_skips::skipped(error.cause);
            return None;
        }
    };
    let mut memory = vec![0u8; 2 * BYTES];
    let aligned = memory.as_ptr().align_offset(BYTES);
    let mut ours: [RunDirection; 4] = Default::default();
    let read = &mut ours[Direction::Read.index()];
    for at in 0..READS {
        let submitted_ns = clock.now_ns();
        file.read_exact_at(&mut memory[aligned..aligned + BYTES], at * BYTES as u64).unwrap();
        read.service.record(clock.now_ns() - submitted_ns);
    }
    match witness.finish(&ours) {
        Record::Seen(trace) => Some(trace),
        Record::Absent { reason } => panic!("it watched and then was absent: {reason}"),
    }
}

fn check(trace: &fathom_record::witness::BlockTrace) {
    let [read] = &trace.directions[..] else { panic!("reads alone: {:?}", trace.directions) };
    assert_eq!(read.operations, READS);
    // Arrivals are this process's own doing and none is missed, so that every end which is, is counted.
    let unseen = trace.losses.no_room + trace.losses.unended + trace.unfinished;
    assert_eq!(read.ios + unseen, READS, "{trace:?}");
    assert_eq!((trace.losses.no_room, trace.losses.unread), (0, 0), "{trace:?}");
    assert!(read.unexplained.as_ref().unwrap().contains("found again"), "{:?}", read.unexplained);
    let (queue, device) = (read.queue.as_ref().unwrap(), read.device.as_ref().unwrap());
    let total = read.total.as_ref().unwrap();
    let parts = queue.summary.mean_ns + device.summary.mean_ns;
    assert!((parts - total.summary.mean_ns).abs() < 2.0, "{parts} against {}", total.summary.mean_ns);
    let service = read.service.as_ref().unwrap();
    assert!(service.summary.min_ns >= device.summary.min_ns, "the device cannot take longer than the whole");
    assert!(trace.cost.event_ns.is_some_and(|ns| ns > 0.0), "{:?}", trace.cost);
    assert!(trace.events >= 3 * read.ios);
}

#[test]
fn programs_see_every_read() {
    if let Some(trace) = witnessed(WitnessSource::Bpf) {
        assert_eq!(trace.source, "bpf");
        check(&trace);
    }
}

#[test]
fn text_sees_every_read() {
    if let Some(trace) = witnessed(WitnessSource::Tracefs) {
        assert_eq!(trace.source, "tracefs");
        assert_eq!((trace.lost, trace.unfinished), (0, 0), "the text has every end: {trace:?}");
        check(&trace);
    }
}

#[test]
fn devices_that_are_not_there_are_no_witness() {
    let (clock, _) = WallClock::start();
    let plan = |devices: Vec<String>| WitnessPlan {
        targets: devices.into_iter().map(|device| TargetLocation { device, stretches: Vec::new() }).collect(),
        direct: true,
        source: WitnessSource::Any,
    };
    assert!(
        Witness::start(plan(Vec::new()), clock).is_err_and(|error| error.cause.contains("no block device"))
    );
    let missing = vec!["no-such-device".to_owned()];
    assert!(Witness::start(plan(missing), clock).is_err_and(|error| error.cause.contains("no-such-device")));
}
