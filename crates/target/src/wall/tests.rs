//! The wall on this kernel, or that it says that there is none.

use std::fs::{self, File, OpenOptions};
use std::process::Command;

use super::*;

/// Whether the kernel has a wall to try; says so where it has none.
fn has_wall() -> bool {
    if let Some(missing) = &facts().missing {
        fathom_skips::skipped(missing);
    }
    facts().missing.is_none()
}

#[test]
fn facts_are_of_a_wall_or_of_why_there_is_none() {
    let facts = facts();
    assert_eq!(facts.mechanism.is_some(), facts.missing.is_none());
    assert_eq!(facts.abi.is_some(), !facts.leaves_open.is_empty());
    assert_eq!(warning().is_some(), facts.missing.is_some());
}

#[test]
fn what_is_not_in_reach_is_neither_changed_nor_started() {
    if !has_wall() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for name in ["named", "other"] {
        fs::write(path(name), "as it was").unwrap();
    }
    fs::create_dir(path("scratch")).unwrap();
    fs::create_dir(path("empty")).unwrap();
    let reach = Reach { writes: vec![path("named")], below: vec![path("scratch")], ..Reach::default() };
    let wall = Wall::around(&reach).unwrap();
    wall.within(|| {
        assert!(OpenOptions::new().write(true).open(path("other")).is_err());
        assert!(OpenOptions::new().append(true).open(path("other")).is_err());
        assert!(File::create(path("new")).is_err());
        assert!(fs::remove_file(path("other")).is_err());
        assert!(fs::remove_dir(path("empty")).is_err());
        assert!(fs::rename(path("other"), path("scratch/other")).is_err());
        assert!(fs::hard_link(path("other"), path("scratch/other")).is_err());
        assert!(std::os::unix::fs::symlink("x", path("link")).is_err());
        assert!(Command::new("/bin/true").status().is_err());
        assert!(fs::read(path("other")).is_ok());
        fs::write(path("named"), "changed").unwrap();
        fs::write(path("scratch/new"), "made").unwrap();
        fs::remove_file(path("scratch/new")).unwrap();
        // A thread that it starts is behind it too.
        let grandchild = std::thread::spawn({
            let other = path("other");
            move || OpenOptions::new().write(true).open(other).is_err()
        });
        assert!(grandchild.join().unwrap());
    })
    .unwrap();
    assert_eq!(fs::read_to_string(path("other")).unwrap(), "as it was");
    assert_eq!(fs::read_to_string(path("named")).unwrap(), "changed");
    // The rest of the process is as free as before.
    fs::write(path("other"), "by the coordinator").unwrap();
}

#[test]
fn a_file_that_is_open_already_can_be_used_by_its_descriptor_alone() {
    if !has_wall() {
        return;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let wall = Wall::around(&Reach::default()).unwrap();
    wall.within(|| {
        use std::io::Write;
        let mut open = file.as_file();
        open.write_all(b"through the descriptor").unwrap();
        assert!(OpenOptions::new().write(true).open(file.path()).is_err());
    })
    .unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "through the descriptor");
}

#[test]
fn devices_that_are_not_named_are_not_even_read() {
    if !has_wall() {
        return;
    }
    let Some(node) = ["/dev/kmsg", "/dev/loop-control", "/dev/mem", "/dev/cpu_dma_latency"]
        .into_iter()
        .find(|node| File::open(node).is_ok())
    else {
        fathom_skips::skipped("this process can open no device node");
        return;
    };
    let open = move || (File::open(node).is_ok(), File::open("/dev/zero").is_ok());
    assert_eq!(Wall::around(&Reach::default()).unwrap().within(open).unwrap(), (false, true));
    let named = Reach { reads: vec![node.into()], ..Reach::default() };
    assert_eq!(Wall::around(&named).unwrap().within(open).unwrap(), (true, true));
}

#[test]
fn a_program_that_is_named_starts_and_no_other() {
    if !has_wall() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let write = format!("echo x > {}", dir.path().join("new").display());
    let reach = Reach { starts: vec!["/bin/sh".into()], ..Reach::default() };
    let tried = Wall::around(&reach).unwrap().within(|| {
        let told = |script: &str| Command::new("/bin/sh").args(["-c", script]).output().unwrap();
        (told("echo hello"), told("/bin/ls /"), told(&write))
    });
    let (own, other, written) = tried.unwrap();
    assert_eq!(String::from_utf8_lossy(&own.stdout), "hello\n");
    assert!(!other.status.success() && !written.status.success());
}

#[test]
fn a_reach_that_is_not_there_is_an_error() {
    if !has_wall() {
        return;
    }
    let reach = Reach { writes: vec!["/no/such/file".into()], ..Reach::default() };
    assert!(Wall::around(&reach).is_err());
}
