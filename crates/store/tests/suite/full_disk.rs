//! A full disk: the run that does not fit is refused whole, and those before it stay.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]
#![cfg(target_os = "linux")]

use crate::sample;
use std::path::Path;
use std::process::Command;

use fathom_store::{RunFilter, Store, StoreErrorKind};

const FOLDER: &str = "FATHOM_TEST_FULL_FOLDER";

/// Fills the small file system that [`a_full_disk_loses_nothing_that_was_saved`] mounts.
#[test]
fn on_a_small_file_system() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let path = Path::new(&folder).join("runs.sqlite");
    let store = Store::open(&path).unwrap();
    let mut saved = 0;
    let error = loop {
        match store.put_run(&sample::run(saved, 60, 300)) {
            Ok(()) => saved += 1,
            Err(error) => break error,
        }
        assert!(saved < 1000, "the file system is not small");
    };
    assert!(saved > 3, "{saved}");
    assert_eq!(error.kind, StoreErrorKind::Full, "{error}");
    assert!(error.remedy.contains("free some space") && error.remedy.contains("--store"), "{error}");
    let check = |store: &Store| {
        assert_eq!(store.runs(&RunFilter::default()).unwrap().len() as u64, saved);
        for number in 0..saved {
            assert_eq!(store.run(&sample::id(number)).unwrap(), sample::run(number, 60, 300));
        }
    };
    check(&store);
    drop(store);
    check(&Store::open_read_only(&path).unwrap());

    // No room for a new store either; nothing is left of the attempt.
    std::fs::write(Path::new(&folder).join("filler"), vec![0; 8 << 20]).unwrap_err();
    let error = Store::open(&Path::new(&folder).join("second.sqlite")).map(drop).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Full, "{error}");
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("second")), "{names:?}");
}

#[test]
fn a_full_disk_loses_nothing_that_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = |then: &str| {
        // In a mount namespace of its own, which ends with it.
        Command::new("unshare")
            .args(["--mount", "--map-root-user", "sh", "-c"])
            .arg(format!("mount -t tmpfs -o size=3m tmpfs \"${FOLDER}\" && {then}"))
            .arg(std::env::current_exe().unwrap())
            .env(FOLDER, folder.path())
            .output()
    };
    if !mounted("true").is_ok_and(|output| output.status.success()) {
        fathom_skips::skipped("this system does not let one mount a small file system");
        return;
    }
    let output = mounted("exec \"$0\" --exact full_disk::on_a_small_file_system --nocapture").unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the mount leaked");
}
