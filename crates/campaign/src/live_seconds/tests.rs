//! A ring from both sides: whole lines alone, in their order, from folders that are memory and one's own.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fathom_measure::Histogram;
use fathom_record::facts::{TargetFacts, TargetKind};

use super::line_ring::{LINES_MAX, RingItem, RingReader, RingWriter};
use super::live_lines::{FORMAT, HeatLine, LiveEvent, RingHead, SecondLine, VERSION};
use super::{MeasurementStatus, MeasurementUpdate, Publisher, candidates, look};
use crate::progress::{Progress, Second, StepNotice};

fn head() -> RingHead {
    RingHead { format: FORMAT.to_owned(), version: VERSION, command: "run".to_owned(), ..RingHead::default() }
}

fn line(number: u64) -> LiveEvent {
    LiveEvent::Second(SecondLine { until_ns: number, iops: 1234.5, ..SecondLine::default() })
}

/// A ring in an empty file that is open twice, and a reader of it.
fn ring([ours, theirs]: [File; 2]) -> (RingWriter, RingReader) {
    let writer = RingWriter::begin(ours, &head()).expect("a ring");
    (writer, RingReader::of(theirs).expect("a reader"))
}

#[test]
fn lines_come_in_their_order_and_a_reader_that_is_overtaken_hears_of_a_gap() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut writer, mut reader) = ring([(); 2].map(|()| file.reopen().unwrap()));
    assert_eq!(reader.find(), RingItem::Nothing);
    (0..3).for_each(|number| writer.put(&line(number)).unwrap());
    (0..3).for_each(|number| assert_eq!(reader.find(), RingItem::Line(number, line(number))));
    assert_eq!(reader.find(), RingItem::Nothing);
    // All around, and over what was not read.
    (3..3 + LINES_MAX + 10).for_each(|number| writer.put(&line(number)).unwrap());
    assert_eq!(reader.find(), RingItem::Gap);
    let mut read = Vec::new();
    while let RingItem::Line(number, event) = reader.find() {
        assert_eq!(event, line(number));
        read.push(number);
    }
    let last = 3 + LINES_MAX + 10 - 1;
    assert!(read.windows(2).all(|pair| pair[1] == pair[0] + 1) && read.last() == Some(&last), "{read:?}");
    assert!(read.len() as u64 >= LINES_MAX - 2, "{}", read.len());
}

#[test]
fn a_reader_goes_on_where_it_was_and_elsewhere_with_the_oldest() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut writer, mut reader) = ring([(); 2].map(|()| file.reopen().unwrap()));
    assert!(reader.go_to(0) && !reader.go_to(7));
    (0..LINES_MAX + 5).for_each(|number| writer.put(&line(number)).unwrap());
    assert!(reader.go_to(100) && reader.find() == RingItem::Line(100, line(100)));
    assert!(reader.go_to(LINES_MAX + 5) && reader.find() == RingItem::Nothing, "the next one");
    for gone in [0, 4, LINES_MAX + 6, u64::MAX] {
        assert!(!reader.go_to(gone), "{gone}");
        assert_eq!(reader.find(), RingItem::Line(5, line(5)));
    }
}

#[test]
fn a_line_that_is_half_written_is_not_there_yet() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut writer, mut reader) = ring([(); 2].map(|()| file.reopen().unwrap()));
    writer.put(&line(0)).unwrap();
    writer.put(&line(1)).unwrap();
    let mut bytes = std::fs::read(file.path()).unwrap();
    let second = 8192 + 1024;
    let whole = bytes[second..second + 1024].to_vec();
    // A byte of it after the other arrives.
    let mut torn = file.reopen().unwrap();
    let length = String::from_utf8_lossy(&whole).trim_end().len();
    bytes[second..second + 1024].fill(0);
    for end in [0, 1, 20, 39, 60, length - 1] {
        torn.seek(SeekFrom::Start(second as u64)).unwrap();
        torn.write_all(&[&whole[..end], &vec![0; 1024 - end]].concat()).unwrap();
        assert!(reader.go_to(0));
        assert_eq!(reader.find(), RingItem::Line(0, line(0)));
        assert_eq!(reader.find(), RingItem::Nothing, "{end} bytes");
    }
    torn.seek(SeekFrom::Start(second as u64)).unwrap();
    torn.write_all(&whole).unwrap();
    assert_eq!(reader.find(), RingItem::Line(1, line(1)));
    // Damaged for good: the next one is there, and it is passed over.
    (2..4).for_each(|number| writer.put(&line(number)).unwrap());
    torn.seek(SeekFrom::Start(second as u64 + 1024 + 50)).unwrap();
    torn.write_all(b"\xff\x00").unwrap();
    assert_eq!((reader.find(), reader.find()), (RingItem::Gap, RingItem::Line(3, line(3))));
}

#[test]
fn what_is_no_ring_is_none_and_a_head_of_another_version_neither() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for bytes in [&b""[..], b"x", &[0xff; 9000]] {
        std::fs::write(file.path(), bytes).unwrap();
        assert!(RingReader::of(file.reopen().unwrap()).is_err());
    }
    let length = 8192 + LINES_MAX as usize * 1024;
    for byte in [0, b' ', b'0', 0xff] {
        std::fs::write(file.path(), vec![byte; length]).unwrap();
        let mut reader = RingReader::of(file.reopen().unwrap()).unwrap();
        assert_eq!((reader.head(), reader.find()), (None, RingItem::Nothing));
    }
    let later = RingHead { version: VERSION + 1, ..head() };
    RingWriter::begin(file.reopen().unwrap(), &later).unwrap();
    assert_eq!(RingReader::of(file.reopen().unwrap()).unwrap().head(), None);
}

#[test]
fn an_event_of_a_later_version_is_passed_over() {
    let known: LiveEvent = serde_json::from_str(r#"{"event":"saved","run":"r-1","more":1}"#).unwrap();
    assert_eq!(known, LiveEvent::Saved { run: "r-1".to_owned() });
    assert_eq!(
        serde_json::from_str::<LiveEvent>(r#"{"event":"weather","x":1}"#).unwrap(),
        LiveEvent::Unknown
    );
}

#[test]
fn numbers_that_contradict_each_other_end_somewhere() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut writer, mut reader) = ring([(); 2].map(|()| file.reopen().unwrap()));
    (0..LINES_MAX).for_each(|number| writer.put(&line(number)).unwrap());
    let bytes = std::fs::read(file.path()).unwrap();
    let place = |at: usize| 8192 + at * 1024..8192 + (at + 1) * 1024;
    let mut odd = file.reopen().unwrap();
    let mut put = |at: usize, of: &[u8]| {
        odd.seek(SeekFrom::Start(place(at).start as u64)).unwrap();
        odd.write_all(of).unwrap();
    };
    // A line at another's place, and one of a later round among those of an earlier one.
    put(7, &bytes[place(9)]);
    let later = tempfile::NamedTempFile::new().unwrap();
    let mut other = RingWriter::begin(later.reopen().unwrap(), &head()).unwrap();
    (0..LINES_MAX + 21).for_each(|number| other.put(&line(number)).unwrap());
    put(20, &std::fs::read(later.path()).unwrap()[place(20)]);
    let found =
        (0..LINES_MAX + 100).map(|_| reader.find()).filter(|found| *found != RingItem::Nothing).count();
    assert_eq!(found as u64, LINES_MAX, "each is read or passed over once");
}

#[test]
fn heat_keeps_every_count_and_has_bounds() {
    let mut latencies = Histogram::new();
    assert_eq!(HeatLine::of(&latencies, 1), None);
    (0..1000u64).for_each(|at| latencies.record(80_000 + at * 97));
    let heat = HeatLine::of(&latencies, 5).unwrap();
    assert_eq!((heat.rows_per_octave, heat.counts.iter().sum::<u64>()), (8, 1000));
    let bounds = heat.bounds_ns().unwrap();
    assert!(bounds[0] <= 80_000 && bounds.is_sorted() && bounds.len() == heat.counts.len() + 1, "{bounds:?}");
    // As wide as they can be.
    [1, u64::MAX / 2].iter().for_each(|value| latencies.record(*value));
    let wide = HeatLine::of(&latencies, 5).unwrap();
    assert!(wide.rows_per_octave < 8 && wide.counts.len() <= 90, "{wide:?}");
    assert_eq!(wide.counts.iter().sum::<u64>(), 1002);
    for bad in [
        HeatLine { rows_per_octave: 0, ..heat.clone() },
        HeatLine { rows_per_octave: 3, ..heat.clone() },
        HeatLine { low: usize::MAX, ..heat.clone() },
        HeatLine { counts: Vec::new(), ..heat },
    ] {
        assert_eq!(bad.bounds_ns(), None, "{bad:?}");
    }
}

#[test]
fn no_bytes_break_a_reader() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut writer, mut reader) = ring([(); 2].map(|()| file.reopen().unwrap()));
    (0..LINES_MAX + 40).for_each(|number| writer.put(&line(number)).unwrap());
    let mut odd = file.reopen().unwrap();
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..2000 {
        let byte = (random() >> 8) as u8;
        let at = random() % (8192 + LINES_MAX * 1024);
        odd.seek(SeekFrom::Start(at)).unwrap();
        odd.write_all(&[byte, b' ', byte]).unwrap_or_default();
        let _ = (reader.head(), reader.find());
        if byte < 16 {
            reader.go_to(random() % (2 * LINES_MAX));
        }
    }
}

/// A folder in memory for rings, apart from those of this machine's user; `None` where there is none.
fn memory() -> Option<tempfile::TempDir> {
    let made = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").ok();
    if made.is_none() {
        fathom_skips::skipped("no /dev/shm that is writable");
    }
    made
}

fn target(name: &str) -> TargetFacts {
    TargetFacts::named(name, TargetKind::File)
}

#[test]
fn what_is_told_is_read_by_who_looks_and_goes_with_the_measurement() {
    let Some(folder) = memory() else { return };
    let places = [folder.path().join("fathom")];
    let standing = Arc::new(Mutex::new(MeasurementStatus::default()));
    let mut publisher = Publisher::new("assess", places.to_vec(), Some(Arc::clone(&standing)));
    assert!(look(&places).running.is_empty(), "not before the target is known");
    publisher.opened(&target("/no/such/\u{1b}[31mfile"));
    publisher.campaign("a-20261126-070000000-0001");
    let step = StepNotice {
        title: "4 KiB random read".to_owned(),
        pattern: (1, 2),
        cell: (1, 32),
        purpose: "climb".to_owned(),
        run_ns: 5_000_000_000,
        left_ns: None,
    };
    publisher.step(&step);
    let second = Second { until_ns: 1_000_000_000, operations_per_s: 500.0, ..Second::default() };
    publisher.second(&second);
    publisher.saved("r-1");
    let mut running = look(&places).running.remove(0);
    assert_eq!(running.head().target, "/no/such/\u{fffd}[31mfile");
    assert_eq!(running.head().step.as_ref().map(|step| step.depth), Some(32));
    for name in [&std::process::id().to_string(), "a-20261126", running.key()] {
        assert!(running.is_named(name), "{name}");
    }
    assert!(!running.is_named("a-") && !running.is_named("a-2025"));
    let news = running.news();
    let [
        MeasurementUpdate::Line(0, LiveEvent::Step(_)),
        MeasurementUpdate::Line(1, LiveEvent::Second(read)),
        MeasurementUpdate::Line(2, LiveEvent::Saved { .. }),
    ] = news.as_slice()
    else {
        panic!("{news:?}")
    };
    assert!(read.iops == 500.0 && read.at_s > 1_700_000_000, "{read:?}");
    assert!(!running.has_ended());
    let told = standing.lock().unwrap().clone();
    assert_eq!((told.operations, told.runs, told.head.command.as_str()), (500.0, 1, "assess"));
    drop(publisher);
    assert_eq!(running.news(), [MeasurementUpdate::Line(3, LiveEvent::Ended)]);
    assert!(running.has_ended() && look(&places).running.is_empty());
}

#[test]
fn nothing_lies_where_it_is_no_memory_or_on_the_target() {
    let Some(folder) = memory() else { return };
    // A file system of the kernel's, which is none for files.
    let disk = PathBuf::from("/proc/fathom-live-test");
    let told = |places: &[PathBuf], target: &TargetFacts| {
        let mut publisher = Publisher::new("run", places.to_vec(), None);
        publisher.opened(target);
        publisher.second(&Second::default());
        look(places)
    };
    let looked = told(std::slice::from_ref(&disk), &target("/no/such/file"));
    assert!(looked.running.is_empty() && !disk.exists(), "{looked:?}");
    assert!(looked.unusable[0].contains("not in memory"), "{looked:?}");

    let places = [folder.path().join("fathom")];
    let on_it = folder.path().join("data.bin");
    std::fs::write(&on_it, b"x").unwrap();
    let looked = told(&places, &target(on_it.to_str().unwrap()));
    assert!(looked.running.is_empty(), "{looked:?}");
    let mut striped = target("/no/such/file");
    striped.members = vec![target("/no/such/other"), target(on_it.to_str().unwrap())];
    assert!(told(&places, &striped).running.is_empty());
    assert_eq!(told(&places, &target("/no/such/file")).running.len(), 1);

    // A later target of the same campaign may lie there.
    let mut publisher = Publisher::new("sweep", places.to_vec(), None);
    publisher.opened(&target("/no/such/file"));
    assert_eq!(look(&places).running.len(), 1);
    publisher.opened(&target(on_it.to_str().unwrap()));
    assert!(look(&places).running.is_empty());
}

#[test]
fn a_folder_of_others_or_a_link_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let Some(folder) = memory() else { return };
    let place = folder.path().join("fathom");
    let unusable = |path: &Path| {
        let mut publisher = Publisher::new("run", vec![path.to_owned()], None);
        publisher.opened(&target("/no/such/file"));
        let looked = look(&[path.to_owned()]);
        assert!(looked.running.is_empty(), "{looked:?}");
        looked.unusable.concat()
    };
    std::fs::create_dir(&place).unwrap();
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(unusable(&place).contains("open to others"));
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o700)).unwrap();
    let link = folder.path().join("link");
    symlink(&place, &link).unwrap();
    assert!(!unusable(&link).is_empty());
    assert!(!unusable(&folder.path().join("no/such")).is_empty());
    // What is no ring of this user is passed over.
    std::fs::write(place.join("1-1.ring"), b"x").unwrap();
    symlink("/etc/passwd", place.join("2-2.ring")).unwrap();
    let looked = look(std::slice::from_ref(&place));
    assert!(looked.running.is_empty() && looked.unusable.is_empty(), "{looked:?}");
}

#[test]
fn what_a_dead_process_left_is_swept_and_what_a_live_one_holds_is_not() {
    use std::os::unix::fs::OpenOptionsExt;

    let Some(folder) = memory() else { return };
    let places = [folder.path().join("fathom")];
    let mut publisher = Publisher::new("run", places.to_vec(), None);
    publisher.opened(&target("/no/such/file"));
    let live = look(&places).running.remove(0);
    // The number of this process with another start: one that has ended, of which the number came again.
    let dead = places[0].join(format!("{}-1.ring", std::process::id()));
    let left = || {
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(&dead).unwrap();
        RingWriter::begin(file.try_clone().unwrap(), &head()).unwrap().put(&line(0)).unwrap();
        file
    };
    let held = left();
    held.try_lock().unwrap();
    let mut seen = look(&places).running;
    assert_eq!(seen.len(), 2, "somebody holds it, whatever number it has");
    let mut other = seen.remove(seen.iter().position(|running| running.key() != live.key()).unwrap());
    assert!(other.news().len() == 1 && !other.has_ended());
    drop(held);
    assert!(other.news().is_empty() && other.has_ended(), "it ended without a word");
    let seen = look(&places).running;
    assert_eq!((seen.len(), seen[0].key(), dead.exists()), (1, live.key(), false));
    // A new measurement sweeps as well.
    drop(left());
    publisher.opened(&target("/no/such/file"));
    drop(publisher);
    let mut next = Publisher::new("run", places.to_vec(), None);
    next.opened(&target("/no/such/file"));
    assert!(!dead.exists());
}

#[test]
fn folders_to_look_at_are_whole_paths() {
    assert!(candidates().iter().all(|path| path.is_absolute()));
}
