//! The guard on the machine that runs the test, looked at and never written.

use std::fs::File;
use std::os::unix::fs::FileTypeExt;

use crate::devices;
use crate::guard::{Hold, Verdict, verdict};
use crate::linux::inspect::{self, hold, open_for_looking};
use crate::linux::machine::Machine;

#[test]
fn the_disk_of_the_root_file_system_is_never_written() {
    let machine = Machine::now();
    let under = machine.devices_under(&File::open("/").unwrap());
    if under.is_empty() {
        fathom_skips::skipped("the root file system stands on no block device that this process can see");
        return;
    }
    for number in under {
        let node = machine.node(number).unwrap();
        let path = machine.path(node);
        // Looked at by its use alone where it may not be opened; for reading only in any case.
        let reasons = match open_for_looking(&path) {
            Ok(file) => hold(&machine, &file).unwrap().reasons,
            Err(error) => {
                println!("{} is not opened: {error}", path.display());
                machine.use_of(number)
            }
        };
        let verdict = verdict(&reasons, &machine.identity(node));
        assert!(matches!(verdict, Verdict::Never { .. }), "{}: {reasons:?}", path.display());
        assert!(
            reasons.iter().any(|reason| matches!(reason.hold, Hold::Mounted | Hold::Held)),
            "{reasons:?}"
        );
    }
}

#[test]
fn every_listed_device_says_what_it_is_and_what_would_permit_writing() {
    for device in devices().unwrap() {
        assert!(device.path.starts_with("/dev/"), "{device:?}");
        assert!(!device.facts.layer.is_empty());
        match &device.verdict {
            Verdict::Free => assert!(device.reasons.is_empty()),
            Verdict::WithPermission { flag } | Verdict::IfEmpty { flag } => {
                assert!(flag.contains(&device.identity.words))
            }
            Verdict::Never { .. } => assert!(!device.reasons.is_empty()),
        }
        let meta = std::fs::metadata(&device.path);
        let is_block = meta.is_ok_and(|meta| meta.file_type().is_block_device());
        assert!(is_block || device.unusable.is_some(), "{device:?}");
    }
}

#[test]
fn files_are_held_by_processes_that_write_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("busy");
    std::fs::write(&path, "data").unwrap();
    let file = File::open(&path).unwrap();
    let holds = || {
        let found = hold(&Machine::now(), &file).unwrap();
        assert_eq!(found.identity.words, "busy");
        found.reasons.into_iter().map(|reason| reason.hold).collect::<Vec<_>>()
    };
    assert_eq!(holds(), [Hold::ExistingFile]);
    let other = File::options().append(true).open(&path).unwrap();
    let mut child =
        std::process::Command::new("sleep").arg("30").stdout(other).spawn().expect("sleep is everywhere");
    let seen = holds();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(seen, [Hold::InUse, Hold::ExistingFile]);
    assert_eq!(holds(), [Hold::ExistingFile]);
}

#[test]
fn names_play_no_part_once_a_file_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link, moved) = (dir.path().join("real"), dir.path().join("link"), dir.path().join("moved"));
    std::fs::write(&path, "data").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let file = File::open(&link).unwrap();
    let words = || hold(&Machine::now(), &file).unwrap().identity.words;
    assert_eq!(words(), "real");
    std::fs::rename(&path, &moved).unwrap();
    assert_eq!(words(), "moved");
    assert!(inspect::opened_path(&Machine::now(), &file).ends_with("moved"));
}
