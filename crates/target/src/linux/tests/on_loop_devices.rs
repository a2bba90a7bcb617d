//! The guard on loop and zram devices.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::made::{Loop, SIZE, Zram, open, refusal, run};
use crate::guard::Verdict;
use crate::{OpenRequest, Target, TargetName};

#[test]
fn a_blank_device_is_written_and_then_needs_its_name() {
    let Some(device) = Loop::blank() else { return };
    let target = open(&device.path, true, None).unwrap();
    assert_eq!((target.facts.size_bytes, target.facts.direct), (SIZE, true));
    assert_eq!(target.facts.devices[0].layer, "loop");
    assert!(target.facts.written_share.unwrap() < 0.01);
    target.confirm().unwrap();
    // The descriptor excludes every other user of the device while it is open.
    assert!(refusal(&device.path, None).contains("the kernel says that it is in use"));
    let mut page = crate::Arena::new(1, 4096).unwrap();
    page.slice(0).fill(7);
    target.file.as_ref().unwrap().write_all_at(page.slice(0), 8 << 10).unwrap();
    target.confirm().unwrap();
    drop(target);

    let words = device.size_words();
    let refused = refusal(&device.path, None);
    assert!(refused.contains("data of unknown kind (byte 8192 is not zero)"), "{refused}");
    assert!(refused.ends_with(&format!("--destroy {words}")), "{refused}");
    for wrong in ["loop", "zram0-1", &device.path] {
        assert!(refusal(&device.path, Some(wrong)).contains("does not name"));
    }
    open(&device.path, true, Some(&words)).unwrap();
    // Reading needs no words.
    open(&device.path, false, None).unwrap();
}

#[test]
fn a_file_system_needs_words_and_mounted_none_help() {
    let Some(device) = Loop::blank() else { return };
    if run("mkfs.ext4", &["-q", "-F", &device.path]).is_none() {
        fathom_skips::skipped("no mkfs.ext4");
        return;
    }
    let words = device.size_words();
    assert!(refusal(&device.path, None).contains("holds: ext4 file system"));
    let target = open(&device.path, true, Some(&words)).unwrap();
    drop(target);
    let point = tempfile::tempdir().unwrap();
    if run("mount", &["-o", "ro", &device.path, point.path().to_str().unwrap()]).is_none() {
        fathom_skips::skipped("mounting is not allowed");
        return;
    }
    let refused = open(&device.path, true, Some(&words)).map(|_| ());
    let read = open(&device.path, false, None).map(|_| ());
    assert!(run("umount", &[point.path().to_str().unwrap()]).is_some());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("is mounted at") && refused.contains("sudo umount"), "{refused}");
    assert!(!refused.contains("--destroy"), "{refused}");
    read.unwrap();
    open(&device.path, true, Some(&words)).unwrap();
}

#[test]
fn the_file_behind_a_device_is_not_written_past_it() {
    let Some(device) = Loop::blank() else { return };
    let refused = refusal(device.image.to_str().unwrap(), Some("image"));
    assert!(refused.contains("is built on") && refused.contains("losetup -d"), "{refused}");
}

#[test]
fn a_link_to_a_device_is_the_device() {
    let Some(device) = Loop::blank() else { return };
    File::options().write(true).open(&device.image).unwrap().write_all_at(b"XFSB", 0).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("harmless");
    std::os::unix::fs::symlink(&device.path, &link).unwrap();
    assert!(refusal(link.to_str().unwrap(), None).contains("XFS file system"));
}

#[test]
fn partitions_and_disk_are_checked_both_ways() {
    let Some(device) = Loop::blank() else { return };
    if run("addpart", &[&device.path, "1", "2048", "40960"]).is_none() {
        fathom_skips::skipped("no partitions can be added to a loop device");
        return;
    }
    let partition = format!("{}p1", device.path);
    assert!(refusal(&device.path, None).contains("has partitions: "));
    let words = format!("{}-part1", device.size_words());
    // Empty, its name not needed; the disk's name is not its own.
    drop(open(&partition, true, None).unwrap());
    assert!(refusal(&partition, Some(&device.size_words())).contains("does not name"));
    // A swap signature in the partition counts for both, and a pool's on the disk around it too.
    let image = File::options().write(true).open(&device.image).unwrap();
    image.write_all_at(b"SWAPSPACE2", (1 << 20) + 4086).unwrap();
    assert!(refusal(&partition, None).contains("p1 holds: swap space"));
    assert!(refusal(&device.path, None).contains("p1 holds: swap space"));
    image.write_all_at(&[0; 10], (1 << 20) + 4086).unwrap();
    image.write_all_at(b"LABELONE", 512).unwrap();
    let refused = refusal(&partition, None);
    assert!(refused.contains("holds: LVM physical volume"), "{refused}");
    open(&partition, true, Some(&words)).unwrap();
}

#[test]
fn of_a_device_only_the_part_that_is_used_needs_to_be_written() {
    let Some(device) = Loop::blank() else { return };
    let image = File::options().write(true).open(&device.image).unwrap();
    image.write_all_at(&vec![7; 16 << 20], 0).unwrap();
    image.sync_all().unwrap();
    let share = |size_bytes| {
        let request = OpenRequest { size_bytes, ..OpenRequest::default() };
        let target = Target::open(&TargetName::Path(device.path.clone().into()), &request).unwrap();
        target.facts.written_share.unwrap()
    };
    assert_eq!((share(Some(16 << 20)), share(Some(32 << 20)), share(None)), (1.0, 0.5, 0.25));
}

#[test]
fn a_memory_device_is_named_by_name_and_size_and_says_how_much_it_stores() {
    let Some(zram) = Zram::new() else {
        fathom_skips::skipped("no zram device can be made here");
        return;
    };
    let path = format!("/dev/zram{}", zram.number);
    let target = open(&path, true, None).unwrap();
    assert_eq!(target.facts.written_share, Some(0.0));
    assert_eq!(target.facts.devices[0].layer, "memory");
    let mut pages = crate::Arena::new(1, 1 << 20).unwrap();
    pages.slice(0).iter_mut().enumerate().for_each(|(at, byte)| *byte = ((at * at) >> 3) as u8);
    let file = target.file.clone().unwrap();
    drop(target);
    for chunk in 0..32 {
        file.write_all_at(pages.slice(0), chunk << 20).unwrap();
    }
    drop(file);
    assert_eq!(open(&path, false, None).unwrap().facts.written_share, Some(0.5));
    let words = format!("zram{}-{SIZE}", zram.number);
    assert!(refusal(&path, None).ends_with(&format!("--destroy {words}")));
    let listed = crate::devices().unwrap();
    let listed = listed.iter().find(|device| device.path == path).unwrap();
    assert_eq!(listed.verdict, Verdict::WithPermission { flag: format!("--destroy {words}") });
    assert_eq!(listed.claims.direct_io, Some(true));
    assert!(listed.claims.counters.iter().any(|counter| counter == "stored bytes"));
    open(&path, true, Some(&words)).unwrap();
}
