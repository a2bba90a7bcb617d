//! Devices that hold something where a look at a few places finds nothing, and devices that are known to be empty.

use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_record::run_plan::RunOptions;

use super::made::{Loop, Zram, open, open_with, refusal, run};
use crate::ErrorKind;
use crate::guard::Verdict;
use crate::{Device, OpenRequest, Preparation, devices};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn listed(path: &str) -> Device {
    devices().unwrap().into_iter().find(|device| device.path == path).unwrap()
}

#[test]
fn data_that_lies_only_between_the_places_looked_at_is_found() {
    for (size, length, starts) in [
        (64 * MIB, 964 * KIB, [1, 31, 63]),
        (256 * MIB, 3900 * KIB, [1, 31, 63]),
        (1024 * MIB, 15 * MIB, [1, 31, 63]),
        (64 * MIB, 4 * KIB, [20, 20, 20]),
    ] {
        for gap in starts {
            let Some(device) = Loop::of(size, &[]) else { return };
            // Between the probes, of which 64 are spread between the first and the last MiB.
            let probe = MIB + (size - 2 * MIB) * gap / 65;
            let start = if length == 4 * KIB { gap * MIB } else { probe + 8 * KIB };
            device.behind().write_all_at(&vec![0x5a; length as usize], start).unwrap();
            let refused = refusal(&device.path, None);
            assert!(refused.contains(&format!("byte {start} is not zero")), "{size} {gap}: {refused}");
            assert!(refused.ends_with(&format!("--destroy {}", device.size_words())), "{refused}");
            assert!(!matches!(listed(&device.path).verdict, Verdict::Free));
            open(&device.path, true, Some(&device.size_words())).unwrap();
        }
    }
}

#[test]
fn a_file_system_whose_head_was_wiped_is_still_data() {
    let Some(device) = Loop::of(320 * MIB, &[]) else { return };
    if run("mkfs.xfs", &["-q", &device.path]).is_none() {
        fathom_skips::skipped("no mkfs.xfs");
        return;
    }
    device.behind().write_all_at(&vec![0; MIB as usize], 0).unwrap();
    assert!(refusal(&device.path, None).contains("is not zero"));
}

#[test]
fn a_header_at_an_odd_place_is_data() {
    let Some(device) = Loop::blank() else { return };
    device.behind().write_all_at(&[0x0d, 0xd0, 0x01, 0xc0], 2 * MIB).unwrap();
    assert!(refusal(&device.path, None).contains("byte 2097152 is not zero"));
}

#[test]
fn a_sparse_file_behind_a_loop_device_shows_that_it_is_empty() {
    let Some(device) = Loop::blank() else { return };
    let known = listed(&device.path);
    assert_eq!(known.verdict, Verdict::Free);
    assert!(known.empty.as_ref().unwrap().contains("has no data in it"), "{known:?}");
    let notes = open(&device.path, true, None).unwrap().notes;
    assert!(notes.concat().contains("was known to be empty before the first write"), "{notes:?}");
    // Data before the part that the device shows is not its own, and what it shows is.
    let offset = (16 * MIB).to_string();
    drop(device);
    let Some(device) = Loop::of(64 * MIB, &["--offset", &offset]) else { return };
    device.behind().write_all_at(&[1; 4096], 4 * MIB).unwrap();
    assert_eq!(listed(&device.path).verdict, Verdict::Free);
    device.behind().write_all_at(&[1; 4096], 20 * MIB).unwrap();
    assert!(refusal(&device.path, None).contains("byte 4194304 is not zero"));
}

#[test]
fn zeros_that_were_written_are_read_and_then_known() {
    let Some(device) = Loop::blank() else { return };
    device.behind().write_all_at(&vec![0; 8 * MIB as usize], 4 * MIB).unwrap();
    let possibly = listed(&device.path);
    assert!(matches!(possibly.verdict, Verdict::IfEmpty { .. }), "{possibly:?}");
    assert!(possibly.empty.is_none() && possibly.reading_s.unwrap() > 0.0);
    let notes = open(&device.path, true, None).unwrap().notes;
    assert!(notes.concat().contains("all 64 MiB of it were read"), "{notes:?}");
}

#[test]
fn a_reading_that_takes_long_is_done_only_when_it_is_asked_for() {
    // Holes are read at some GB/s.
    let Some(device) = Loop::of(4 << 40, &[]) else { return };
    let at = (4 << 40) * 2 / 3 + 12 * MIB;
    device.behind().write_all_at(&[1], at).unwrap();
    let refused = refusal(&device.path, None);
    assert!(refused.contains("not known that") && refused.contains("takes about"), "{refused}");
    assert!(refused.contains("add --check-empty; or, if all that is on"), "{refused}");
    assert!(refused.ends_with(&format!("--destroy {}", device.size_words())), "{refused}");
    let possibly = listed(&device.path);
    assert!(matches!(possibly.verdict, Verdict::IfEmpty { .. }) && possibly.reading_s.unwrap() > 10.0);
    assert!(possibly.reasons[0].first.contains("--check-empty"), "{possibly:?}");
    // Asked for, it goes on until it is stopped.
    let stop = AtomicBool::new(false);
    let end = |_: Preparation, _: u64, _: u64| stop.store(true, Ordering::Relaxed);
    let options = RunOptions { check_empty: true, ..RunOptions::default() };
    let request = OpenRequest {
        writes: true,
        options: &options,
        stop: &stop,
        progress: Some(&end),
        ..OpenRequest::default()
    };
    let error = open_with(&device.path, request).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted, "{error}");
    open(&device.path, true, Some(&device.size_words())).unwrap();
}

#[test]
fn what_zram_stores_is_known_and_zeros_that_it_stores_are_read() {
    let Some(zram) = Zram::new() else {
        fathom_skips::skipped("no zram device can be made here");
        return;
    };
    let path = format!("/dev/zram{}", zram.number);
    assert_eq!(listed(&path).empty.as_deref(), Some("zram stores nothing"));
    let device = std::fs::File::options().write(true).open(&path).unwrap();
    device.write_all_at(&vec![0; MIB as usize], 7 * MIB).unwrap();
    drop(device);
    let notes = open(&path, true, None).unwrap().notes;
    assert!(notes.concat().contains("were read, and are zero"), "{notes:?}");
    let device = std::fs::File::options().write(true).open(&path).unwrap();
    device.write_all_at(b"x", 33 * MIB + 77).unwrap();
    drop(device);
    assert!(refusal(&path, None).contains(&format!("byte {} is not zero", 33 * MIB + 77)));
}

#[test]
fn a_partition_is_read_itself() {
    let Some(device) = Loop::blank() else { return };
    if run("addpart", &[&device.path, "1", "2048", "40960"]).is_none() {
        fathom_skips::skipped("no partitions can be added to a loop device");
        return;
    }
    let partition = format!("{}p1", device.path);
    // Data outside of it is not its own.
    device.behind().write_all_at(&[1; 512], 40 * MIB).unwrap();
    let notes = open(&partition, true, None).unwrap().notes;
    assert!(notes.concat().contains("all 20 MiB of it were read"), "{notes:?}");
    device.behind().write_all_at(&[1; 512], 9 * MIB + 512).unwrap();
    assert!(refusal(&partition, None).contains("byte 8389120 is not zero"));
}
