//! Devices that fathom wrote to: known again by their mark, on loop devices of the tests' own; skipped where
//! those are not allowed.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use super::made::{Loop, SIZE, run};
use crate::{Arena, Error, ErrorKind};
use crate::{MarkId, OpenRequest, Origin, Permit, Target, TargetName};

const AT: &str = "2026-11-22T23:00:00Z";
const MARK_AT: u64 = SIZE - 4096;

fn open(device: &Loop, origin: Option<&Origin>, words: Option<&str>) -> Result<Target, Error> {
    let permit = words.map(|words| Permit(words.to_owned()));
    let request =
        OpenRequest { writes: true, marks: true, origin, permit: permit.as_ref(), ..OpenRequest::default() };
    Target::open(&TargetName::Path(device.path.as_str().into()), &request)
}

fn refusal(device: &Loop, origin: Option<&Origin>, words: Option<&str>) -> String {
    let error = open(device, origin, words).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused, "{error}");
    error.to_string()
}

/// Begins a campaign on a blank device and writes some of its data; what it remembers.
fn begun(device: &Loop) -> Origin {
    let target = open(device, None, None).unwrap();
    assert_eq!(target.facts.size_bytes, MARK_AT);
    let origin = target.origin().unwrap().clone();
    target.mark(AT, "campaign a-1").unwrap();
    write(&target, 8192);
    origin
}

fn write(target: &Target, at: u64) {
    let mut page = Arena::new(1, 4096).unwrap();
    page.slice(0).fill(7);
    target.file.as_ref().unwrap().write_all_at(page.slice(0), at).unwrap();
}

/// Puts another image behind the same name.
fn swap(device: &Loop, image: &std::path::Path) {
    for _ in 0..100 {
        if device.is_ours() {
            run("losetup", &["--detach", &device.path]);
        }
        if run("losetup", &[&device.path, image.to_str().unwrap()]).is_some() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{} stays attached", device.path);
}

#[test]
fn its_own_data_is_written_again_without_words_and_others_data_is_called_by_name() {
    let Some(device) = Loop::blank() else { return };
    let origin = begun(&device);
    let refused = refusal(&device, None, None);
    let whose = format!("{} holds data that fathom wrote at {AT} (campaign a-1)", device.path);
    assert!(refused.contains(&whose) && !refused.contains("unknown kind"), "{refused}");
    assert!(refused.ends_with(&format!("--destroy {}", device.size_words())), "{refused}");

    for _ in 0..2 {
        let target = open(&device, Some(&origin), None).unwrap();
        assert_eq!((target.origin(), target.facts.size_bytes), (Some(&origin), MARK_AT));
        target.confirm().unwrap();
    }
    // Under another name, after the loop device was taken apart and put together.
    swap(&device, &device.image);
    assert_eq!(open(&device, Some(&origin), None).unwrap().origin().unwrap().mark, origin.mark);

    let another = Origin { mark: Some(MarkId::random()), ..origin.clone() };
    assert!(refusal(&device, Some(&another), None).contains("not the device that the campaign began on"));
    // A file system that left the mark where it is.
    let other = device.image.with_file_name("other");
    File::create(&other).unwrap().set_len(SIZE).unwrap();
    if run("mkfs.ext4", &["-q", "-F", other.to_str().unwrap()]).is_none() {
        fathom_skips::skipped("no mkfs.ext4");
        return;
    }
    let head = fs::read(&other).unwrap()[..8192].to_vec();
    File::options().write(true).open(&device.image).unwrap().write_all_at(&head, 0).unwrap();
    swap(&device, &device.image);
    let refused = refusal(&device, Some(&origin), None);
    assert!(refused.contains("ext4 file system") && !refused.contains("not the device"), "{refused}");
}

#[test]
fn another_device_behind_the_same_name_is_refused_whatever_is_permitted() {
    let Some(device) = Loop::blank() else { return };
    let origin = begun(&device);
    let other = device.image.with_file_name("other");
    fs::write(&other, vec![0x33; SIZE as usize]).unwrap();
    swap(&device, &other);
    for words in [None, Some(device.size_words())] {
        let refused = refusal(&device, Some(&origin), words.as_deref());
        let began = format!("begun on: {}", origin.words());
        assert!(refused.contains(&began) && refused.contains("here now: loop"), "{refused}");
    }
    // Reading is refused too: its results would be those of two devices.
    let reading = OpenRequest { origin: Some(&origin), ..OpenRequest::default() };
    assert!(Target::open(&TargetName::Path(device.path.as_str().into()), &reading).is_err());
    assert!(fs::read(&other).unwrap().iter().all(|byte| *byte == 0x33));
}

#[test]
fn a_torn_mark_is_none() {
    let Some(device) = Loop::blank() else { return };
    let origin = begun(&device);
    let image = File::options().write(true).open(&device.image).unwrap();
    let mut page = Arena::new(1, 4096).unwrap();
    page.slice(0).fill(0);
    image.write_all_at(&page.slice(0)[..256], MARK_AT + 256).unwrap();
    image.sync_all().unwrap();
    swap(&device, &device.image);
    let refused = refusal(&device, None, None);
    assert!(refused.contains("data of unknown kind"), "{refused}");
    assert!(refusal(&device, Some(&origin), None).contains("not the device"));
}

#[test]
fn a_device_that_is_used_to_its_last_byte_is_known_until_it_is_replaced() {
    let Some(device) = Loop::blank() else { return };
    let sized = |origin: Option<&Origin>| {
        let whole = OpenRequest {
            writes: true,
            marks: true,
            size_bytes: Some(SIZE),
            origin,
            ..OpenRequest::default()
        };
        Target::open(&TargetName::Path(device.path.as_str().into()), &whole)
    };
    let target = sized(None).unwrap();
    let origin = target.origin().unwrap().clone();
    assert_eq!((origin.mark, target.facts.size_bytes), (None, SIZE));
    target.mark(AT, "campaign a-1").unwrap();
    write(&target, MARK_AT);
    drop(target);
    assert!(sized(None).is_err());
    drop(sized(Some(&origin)).unwrap());
    swap(&device, &device.image);
    assert!(sized(Some(&origin)).is_err());
}
