//! Files, folders and virtual targets through [`Target::open`].

use std::cell::Cell;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_record::facts::TargetKind;
use fathom_record::run_plan::RunOptions;
use tempfile::TempDir;

use super::guard::Permit;
use super::{OpenRequest, Stretch, Target, TargetName, stretches, written_share};
use crate::{Error, ErrorKind};

const MIB: u64 = 1 << 20;

/// A folder beside the test program: on storage more often than the system's temporary folder.
fn folder() -> TempDir {
    let program = std::env::current_exe().unwrap();
    tempfile::tempdir_in(program.parent().unwrap()).unwrap()
}

fn open(path: &Path, request: OpenRequest<'_>) -> Result<Target, Error> {
    Target::open(&TargetName::Path(path.to_owned()), &request)
}

fn small<'a>() -> OpenRequest<'a> {
    OpenRequest { size_bytes: Some(8 * MIB), ..OpenRequest::default() }
}

/// Of a run whose file stays.
fn keeping() -> RunOptions {
    RunOptions { keep: true, ..RunOptions::default() }
}

/// Of a run that goes through the page cache.
fn buffered() -> RunOptions {
    RunOptions { direct: false, ..RunOptions::default() }
}

fn entries(dir: &TempDir) -> usize {
    fs::read_dir(dir.path()).unwrap().count()
}

/// Waits until a file that is changed now has a later time than one that was changed before: file systems keep times no
/// finer than their clock's tick.
fn until_times_differ(changed: &Path) {
    let of = |path: &Path| fs::metadata(path).map(|known| (known.ctime(), known.ctime_nsec())).unwrap();
    let (before, later) = (of(changed), changed.with_extension("later"));
    fs::write(&later, "x").unwrap();
    while of(&later) <= before {
        std::thread::yield_now();
        fs::write(&later, "x").unwrap();
    }
    fs::remove_file(&later).unwrap();
}

#[test]
fn a_folder_gets_a_written_file_without_a_name() {
    let dir = folder();
    let seen = Cell::new((0, 0));
    let note = |_, done, total| {
        assert!(done > seen.get().0 && done <= total, "progress only grows");
        seen.set((done, total));
    };
    let target = open(dir.path(), OpenRequest { progress: Some(&note), writes: true, ..small() }).unwrap();
    assert_eq!(seen.get(), (8 * MIB, 8 * MIB));
    assert_eq!(entries(&dir), 0, "nothing is left, however the process ends");
    let facts = &target.facts;
    assert!(facts.scratch && facts.direct);
    assert_eq!((facts.kind, facts.size_bytes), (TargetKind::File, 8 * MIB));
    assert!(facts.written_share.is_none_or(|share| share == 1.0), "{facts:?}");
    assert!(facts.file_system.as_ref().unwrap().free_bytes.unwrap() > 0);
    let file = target.file.as_ref().unwrap();
    let meta = file.metadata().unwrap();
    assert_eq!((meta.nlink(), meta.permissions().mode() & 0o777), (0, 0o600));
    assert!(target.cached_share(0..8 * MIB).unwrap().unwrap() < 0.1, "laid out past the page cache");
    target.confirm().unwrap();
}

#[test]
fn what_is_laid_out_does_not_compress_and_depends_on_the_seed() {
    let dir = folder();
    let bytes = |seed| {
        let target = open(dir.path(), OpenRequest { seed, ..small() }).unwrap();
        let mut arena = crate::Arena::new(1, 8 * MIB).unwrap();
        target.file.as_ref().unwrap().read_exact_at(arena.slice(0), 0).unwrap();
        arena.slice(0).to_vec()
    };
    let first = bytes(1);
    let mut counts = [0u32; 256];
    first.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let expected = first.len() as f64 / 256.0;
    assert!(counts.iter().all(|count| (f64::from(*count) / expected - 1.0).abs() < 0.05));
    let mut blocks: Vec<_> = first.chunks(4096).collect();
    blocks.sort();
    blocks.dedup();
    assert_eq!(blocks.len() as u64, 8 * MIB / 4096, "no two blocks are alike");
    assert_eq!(first, bytes(1));
    assert_ne!(first, bytes(2));
}

#[test]
fn a_new_file_has_a_name_only_if_it_is_to_be_kept() {
    let dir = folder();
    let path = dir.path().join("new.bin");
    let target = open(&path, small()).unwrap();
    // Without a name from the start, so that a process that is killed leaves nothing either.
    assert!(target.facts.scratch && !path.exists());
    drop(target);
    assert!(!path.exists());
    drop(open(&path, OpenRequest { options: &keeping(), ..small() }).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().len(), 8 * MIB);
    // Now it is an existing file: read freely, written only when named.
    let target = open(&path, OpenRequest::default()).unwrap();
    assert!(!target.facts.scratch);
    assert_eq!(target.facts.size_bytes, 8 * MIB);
    drop(target);
    assert!(path.exists());
}

#[test]
fn a_file_that_took_the_place_of_ours_is_not_removed() {
    let dir = folder();
    let path = dir.path().join("new.bin");
    let stop = AtomicBool::new(false);
    let replace = |_, _, _| {
        if !stop.swap(true, Ordering::Relaxed) {
            fs::remove_file(&path).unwrap();
            fs::write(&path, "somebody else's").unwrap();
        }
    };
    let options = keeping();
    let request = OpenRequest { options: &options, stop: &stop, progress: Some(&replace), ..small() };
    assert_eq!(open(&path, request).unwrap_err().kind, ErrorKind::Interrupted);
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody else's");
}

/// Asks again while a program that another test starts holds this process's open files, until it is its own.
fn patiently<T>(ask: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    let is_starting = |error: &Error| error.cause.contains("open for writing");
    for _ in 0..5000 {
        match ask() {
            Err(error) if is_starting(&error) => std::thread::sleep(std::time::Duration::from_millis(1)),
            other => return other,
        }
    }
    ask()
}

#[test]
fn a_file_that_fathom_made_is_written_again_until_somebody_changes_it() {
    // Beside the sources: many a /tmp has no extended attributes of users.
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = dir.path().join("made");
    drop(open(&path, OpenRequest { options: &keeping(), ..small() }).unwrap());
    let writing = || open(&path, OpenRequest { writes: true, ..OpenRequest::default() });
    let mut name = [0; 256];
    if rustix::fs::getxattr(&path, "user.fathom.made", &mut name[..]).is_err() {
        fathom_skips::skipped("no extended attributes here");
        return;
    }
    for byte in 0..3 {
        let target = patiently(writing).unwrap();
        let mut page = crate::Arena::new(1, 4096).unwrap();
        page.slice(0).fill(byte);
        target.file.as_ref().unwrap().write_all_at(page.slice(0), 4096).unwrap();
        patiently(|| target.confirm()).expect("its own writes do not stand against it");
    }
    let copy = dir.path().join("copy");
    assert!(std::process::Command::new("cp").arg("-a").args([&path, &copy]).status().unwrap().success());
    let refused = open(&copy, OpenRequest { writes: true, ..OpenRequest::default() }).unwrap_err();
    assert!(refused.cause.contains("was there before the run"), "{refused}");

    until_times_differ(&path);
    File::options().write(true).open(&path).unwrap().write_all_at(b"x", 77).unwrap();
    let refused = patiently(writing).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(refused.remedy.ends_with("--destroy made"), "{refused}");
    let permit = Permit("made".to_owned());
    let permitted = OpenRequest { writes: true, permit: Some(&permit), ..OpenRequest::default() };
    drop(patiently(|| open(&path, permitted)).unwrap());
    assert!(writing().is_err(), "what was permitted once is no file of fathom's");
}

#[test]
fn an_existing_file_is_written_only_when_named_and_stays() {
    let dir = folder();
    let path = dir.path().join("data.bin");
    fs::write(&path, vec![5; MIB as usize]).unwrap();
    let writing = |words: Option<&str>| {
        let permit = words.map(|words| Permit(words.to_owned()));
        open(&path, OpenRequest { writes: true, permit: permit.as_ref(), ..OpenRequest::default() })
    };
    for words in [None, Some("data"), Some("yes")] {
        let error = writing(words).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.remedy.ends_with("--destroy data.bin"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), vec![5; MIB as usize], "untouched by refusals");
    let target = patiently(|| writing(Some("data.bin"))).unwrap();
    target.confirm().unwrap();
    let second = writing(Some("data.bin")).unwrap_err();
    assert!(second.cause.contains("holds a lock"), "{second}");
    drop(target);
    assert_eq!(fs::metadata(&path).unwrap().len(), MIB);
    // A link leads to the file itself, whose name counts.
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let error = open(&link, OpenRequest { writes: true, ..OpenRequest::default() }).unwrap_err();
    assert!(error.remedy.ends_with("--destroy data.bin"), "{error}");
}

#[test]
fn unwritten_extents_are_known_refused_for_reading_and_filled_when_permitted() {
    let dir = folder();
    let path = dir.path().join("sparse.bin");
    let file = File::create_new(&path).unwrap();
    file.set_len(8 * MIB).unwrap();
    file.write_all_at(&vec![1; MIB as usize], 2 * MIB).unwrap();
    let share = |range| written_share(&File::open(&path).unwrap(), range).unwrap();
    assert_eq!(share(0..8 * MIB), Some(0.125));
    assert_eq!((share(2 * MIB..3 * MIB), share(0..2 * MIB)), (Some(1.0), Some(0.0)));
    assert_eq!(share(MIB * 5 / 2..MIB * 7 / 2), Some(0.5));
    // Allocated is not written.
    if rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 8 * MIB).is_ok() {
        assert_eq!(share(0..8 * MIB), Some(0.125));
    }
    drop(file);
    let error = open(&path, OpenRequest::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.cause.contains("only 12.5 %"), "{error}");
    let permit = Permit("sparse.bin".to_owned());
    let writes = OpenRequest { writes: true, permit: Some(&permit), ..OpenRequest::default() };
    // Reads of what is written in full are fine, and so are writes alone.
    assert_eq!(open(&path, OpenRequest { reads: false, ..writes }).unwrap().facts.written_share, Some(0.125));
    assert_eq!(open(&path, writes).unwrap().facts.written_share, Some(1.0));
    assert_eq!(open(&path, OpenRequest::default()).unwrap().facts.written_share, Some(1.0));
}

#[test]
fn a_file_lies_in_stretches_that_hold_its_data_alone() {
    let dir = folder();
    let path = dir.path().join("two.bin");
    let file = File::create_new(&path).unwrap();
    file.set_len(8 * MIB).unwrap();
    file.write_all_at(&vec![1; MIB as usize], 2 * MIB).unwrap();
    file.write_all_at(&vec![1; MIB as usize], 6 * MIB).unwrap();
    let Ok(found) = stretches(&file, &(0..8 * MIB)) else {
        fathom_skips::skipped("this file system has no map of where files lie");
        return;
    };
    let covered = |from: u64, to: u64| {
        let overlap = |s: &Stretch| (s.first_byte + s.bytes).min(to).saturating_sub(s.first_byte.max(from));
        found.iter().map(overlap).sum::<u64>()
    };
    assert_eq!((covered(2 * MIB, 3 * MIB), covered(6 * MIB, 7 * MIB)), (MIB, MIB), "{found:?}");
    assert_eq!((covered(0, 2 * MIB), covered(3 * MIB, 6 * MIB)), (0, 0), "{found:?}");
    for pair in found.windows(2) {
        let end = pair[0].first_byte + pair[0].bytes;
        let adjoining =
            end == pair[1].first_byte && pair[0].device_byte + pair[0].bytes == pair[1].device_byte;
        assert!(end <= pair[1].first_byte && !adjoining, "{pair:?}");
    }
}

#[test]
fn stopping_while_laying_out_leaves_nothing() {
    let dir = folder();
    let stop = AtomicBool::new(false);
    let reached = Cell::new(0);
    let note = |_, done, _| {
        reached.set(done);
        stop.store(true, Ordering::Relaxed);
    };
    let options = keeping();
    let request = OpenRequest {
        size_bytes: Some(256 * MIB),
        stop: &stop,
        progress: Some(&note),
        options: &options,
        ..OpenRequest::default()
    };
    let error = open(&dir.path().join("new.bin"), request).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert!(reached.get() < 64 * MIB, "stopped soon: {}", reached.get());
    assert_eq!(entries(&dir), 0);
}

#[test]
fn a_file_that_would_fill_the_disk_is_not_begun() {
    let dir = folder();
    let request = OpenRequest { size_bytes: Some(1 << 60), ..OpenRequest::default() };
    let error = open(dir.path(), request).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.cause.contains("does not fit"), "{error}");
    assert_eq!(entries(&dir), 0);
}

#[test]
fn what_cannot_be_opened_is_told_what_to_type() {
    let dir = folder();
    fs::write(dir.path().join("empty"), "").unwrap();
    fs::write(dir.path().join("small"), [1; 8192]).unwrap();
    let sized = |size| OpenRequest { size_bytes: Some(size), ..OpenRequest::default() };
    let options = keeping();
    let keep = OpenRequest { options: &options, ..small() };
    for (path, request, kind, words) in [
        ("absent.bin", OpenRequest::default(), ErrorKind::NoSuchTarget, "--size 1GiB"),
        ("absent/x", small(), ErrorKind::NoSuchTarget, "a folder that exists"),
        ("absent/", small(), ErrorKind::NoSuchTarget, "a folder that exists"),
        ("small/x", small(), ErrorKind::System, "fathom devices"),
        ("empty", OpenRequest::default(), ErrorKind::Refused, "another target"),
        ("small", sized(16384), ErrorKind::Plan, "--size 8192"),
        ("small", sized(0), ErrorKind::Plan, "--size 1GiB"),
        ("small", keep, ErrorKind::Plan, "leave --keep out"),
        ("", keep, ErrorKind::Plan, "leave --keep out"),
        ("/dev/null", OpenRequest::default(), ErrorKind::NoSuchTarget, "a file, a block device"),
        ("/dev/fathom-absent", small(), ErrorKind::NoSuchTarget, "fathom devices"),
        ("/proc/version", OpenRequest::default(), ErrorKind::NoSuchTarget, "a file on a disk"),
    ] {
        let error = open(&dir.path().join(path), request).unwrap_err();
        assert_eq!(error.kind, kind, "{path}: {error}");
        assert!(error.remedy.contains(words), "{path}: {error}");
    }
    assert_eq!(entries(&dir), 2, "no refusal makes a file");
    assert!(!Path::new("/dev/fathom-absent").exists());
}

#[test]
fn a_device_named_without_its_folder_is_not_made_as_a_file() {
    let device = fs::read_dir("/sys/block").unwrap().flatten().next();
    let Some(name) = device.and_then(|entry| entry.file_name().into_string().ok()) else {
        fathom_skips::skipped("no block device");
        return;
    };
    let error = open(Path::new(&name), small()).unwrap_err();
    assert!(error.remedy.contains(&format!("did you mean /dev/{name}?")), "{error}");
}

#[test]
fn memory_file_systems_are_measured_only_knowingly() {
    let shm = Path::new("/dev/shm");
    let Ok(dir) = tempfile::tempdir_in(shm) else {
        fathom_skips::skipped("no /dev/shm");
        return;
    };
    let error = open(dir.path(), small()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.remedy.contains("--buffered"), "{error}");
    let target = open(dir.path(), OpenRequest { options: &buffered(), ..small() }).unwrap();
    assert!(!target.facts.direct);
    assert_eq!(target.facts.file_system.as_ref().unwrap().kind, "tmpfs");
}

#[test]
fn buffered_targets_begin_out_of_the_page_cache() {
    let dir = folder();
    let target = open(dir.path(), OpenRequest { options: &buffered(), ..small() }).unwrap();
    assert!(!target.facts.direct);
    assert!(target.cached_share(0..8 * MIB).unwrap().unwrap() < 0.1);
    let mut buffer = vec![0; MIB as usize];
    target.file.as_ref().unwrap().read_exact_at(&mut buffer, 0).unwrap();
    assert!(target.cached_share(0..MIB).unwrap().unwrap() > 0.9);
    target.drop_cached(0..8 * MIB).unwrap();
    assert!(target.cached_share(0..8 * MIB).unwrap().unwrap() < 0.1);
}

#[test]
fn virtual_targets_have_facts_and_no_file() {
    for (name, kind, size) in [
        ("null:", TargetKind::Null, 1 << 40),
        ("memory:1GiB", TargetKind::Memory, 1 << 30),
        ("sim:nvme", TargetKind::Simulated, 1 << 40),
    ] {
        let name: TargetName = name.parse().unwrap();
        let target = Target::open(&name, &OpenRequest::default()).unwrap();
        assert_eq!((target.facts.kind, target.facts.size_bytes), (kind, size));
        assert_eq!(target.facts.name, name.to_string());
        assert!(target.file.is_none() && target.cached_share(0..1).unwrap().is_none());
        let sized = OpenRequest { size_bytes: Some(MIB + 1), ..OpenRequest::default() };
        assert_eq!(Target::open(&name, &sized).unwrap().facts.size_bytes, MIB);
    }
}
