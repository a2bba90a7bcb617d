//! Files as Windows opens them, and the engine that carries I/O to them. Wine does for all of it but the device.
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_conformance::{BUFFER_BYTES, Subject, TARGET_BYTES, Traits, run};
use fathom_engine::engine_kinds::{self, EngineKind};
use fathom_engine::iocp::Iocp;
use fathom_engine::job::Measurement;
use fathom_engine::job::crew::JobConduct;
use fathom_engine::launch::{Launch, Medium};
use fathom_engine::pattern::Geometry;
use fathom_engine::{EngineError, ErrorKind, sync};
use fathom_measure::{Clock, WallClock};
use fathom_record::facts::TargetKind;
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload,
};
use fathom_skips::skipped;
use fathom_target::{Handle, OpenRequest, Permit, Target, TargetName, admit_all};

/// A file of so many bytes in a folder.
fn file(folder: &Path, bytes: u64) -> TargetName {
    let path = folder.join("there.bin");
    File::create(&path).unwrap().write_all(&vec![0x5a; bytes as usize]).unwrap();
    TargetName::Path(path)
}

fn path(name: &TargetName) -> &Path {
    let TargetName::Path(path) = name else { unreachable!("tests name files") };
    path
}

fn writing(permit: Option<&Permit>) -> OpenRequest<'_> {
    OpenRequest { writes: true, permit, ..OpenRequest::default() }
}

fn named(words: &str) -> Permit {
    Permit(words.to_owned())
}

fn handle(target: &Target) -> Arc<Handle> {
    Arc::clone(target.file.as_ref().unwrap())
}

fn launch(target: &Target, engine: &str, shape: (u32, u32), mix: Mix) -> Result<Measurement, EngineError> {
    launch_verifying(target, engine, shape, (mix, Verify::OnRead))
}

fn launch_verifying(
    target: &Target,
    engine: &str,
    (jobs, depth): (u32, u32),
    (mix, verify): (Mix, Verify),
) -> Result<Measurement, EngineError> {
    let workload = Workload {
        mix,
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data { verify, ..Data::default() },
        arrival: Arrival::Closed,
        jobs,
        depth,
        length: Length { operations: Some(400), ..Length::default() },
        seed: 1,
        special: None,
    };
    let geometry = Geometry::of(&workload, target.facts.size_bytes).unwrap();
    let (clock, _) = WallClock::start();
    let stop = AtomicBool::new(false);
    let launch = Launch {
        workload: &workload,
        geometries: &[geometry],
        medium: &Medium::Files(vec![handle(target)]),
        engine: EngineKind::named(engine).unwrap(),
        options: &RunOptions::default(),
        share: None,
        wear: None,
        priorities: None,
        scripts: None,
        listeners: None,
        clock,
        tag: 1,
        conduct: JobConduct::until(&stop),
    };
    launch.run(&mut |_| {})
}

/// Those that carry I/O to files here.
const ENGINES: [&str; 2] = ["iocp", "sync"];
const HALF: Mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 16 };

#[test]
fn iocp_keeps_what_an_engine_promises() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), TARGET_BYTES);
    let permit = named("there.bin");
    let target = Target::open(&name, &writing(Some(&permit))).unwrap();
    let (clock, _) = WallClock::start();
    run(&Subject {
        name: "iocp",
        make: &|depth| Iocp::new(&handle(&target), depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: Traits { keeps_content: true, knows_its_end: true, writes_only: false },
    });
}

#[test]
fn sync_keeps_what_an_engine_promises() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), TARGET_BYTES);
    let permit = named("there.bin");
    let target = Target::open(&name, &writing(Some(&permit))).unwrap();
    let (clock, _) = WallClock::start();
    run(&Subject {
        name: "sync",
        make: &|depth| sync::Sync::new(handle(&target), depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: Traits { keeps_content: true, knows_its_end: true, writes_only: false },
    });
}

#[test]
fn a_scratch_file_is_written_in_full_carries_a_run_and_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let name = TargetName::Path(folder.path().to_owned());
    let size_bytes = Some(4 << 20);
    let request = OpenRequest { size_bytes, ..writing(None) };
    let target = Target::open(&name, &request).unwrap();
    assert_eq!((target.facts.size_bytes, target.facts.kind), (4 << 20, TargetKind::File));
    assert!(target.facts.scratch && target.facts.direct && target.facts.written_share == Some(1.0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    for (engine, shape) in ENGINES.into_iter().flat_map(|engine| [(engine, (1, 1)), (engine, (2, 4))]) {
        target.confirm().unwrap();
        let measured = launch(&target, engine, shape, HALF).unwrap();
        let told = measured.engine.features.iter().find(|feature| feature.name == "ended_inside_call");
        let note = told.and_then(|feature| feature.note.clone()).unwrap_or_default();
        assert_eq!(note.contains(" I/Os, warm-up included; "), engine == "iocp", "{note}");
        let counts = &measured.whole.directions;
        assert!(counts.iter().all(|direction| direction.errors == 0), "{:?}", measured.failures);
        let checked = measured.verified.unwrap();
        assert!(measured.whole.operations() >= 400 && checked.checked > 0 && checked.corrupt == 0);
    }
    drop(target);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_there_is_written_only_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), 1 << 20);
    let target = Target::open(&name, &OpenRequest::default()).unwrap();
    assert!(target.facts.written_share.is_none() && target.notes.iter().any(|note| note.contains("written")));
    drop(target);
    let error = Target::open(&name, &writing(None)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.remedy.ends_with("--destroy there.bin"), "{error}");
    let other = named("other.bin");
    assert_eq!(Target::open(&name, &writing(Some(&other))).unwrap_err().kind, ErrorKind::Refused);
    assert!(fs::read(path(&name)).unwrap().iter().all(|byte| *byte == 0x5a));

    let right = named("there.bin");
    let target = Target::open(&name, &writing(Some(&right))).unwrap();
    let measured = launch(&target, "iocp", (1, 2), HALF).unwrap();
    assert_eq!(measured.failures, []);
    drop(target);
    assert!(fs::read(path(&name)).unwrap().iter().any(|byte| *byte != 0x5a));
}

#[test]
fn what_somebody_has_open_is_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), 1 << 20);
    let permit = named("there.bin");
    let held = File::open(path(&name)).unwrap();
    let error = Target::open(&name, &writing(Some(&permit))).unwrap_err();
    assert!(error.kind == ErrorKind::Refused && error.cause.contains("has it open"), "{error}");
    drop(held);
    let target = Target::open(&name, &writing(Some(&permit))).unwrap();
    target.confirm().unwrap();
    let held = File::open(path(&name)).unwrap();
    assert_eq!(target.confirm().unwrap_err().kind, ErrorKind::Refused);
    drop(held);
    target.confirm().unwrap();
}

#[test]
fn a_file_of_two_names_and_a_read_only_one_are_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), 1 << 20);
    let permit = named("there.bin");
    let second = folder.path().join("second.bin");
    fs::hard_link(path(&name), &second).unwrap();
    let error = Target::open(&name, &writing(Some(&permit))).unwrap_err();
    assert!(error.cause.contains("has 2 names"), "{error}");
    let both = [name.clone(), TargetName::Path(second.clone())];
    assert!(admit_all(&both, true, &[], |_| None).unwrap_err().cause.contains("share bytes"));
    fs::remove_file(&second).unwrap();

    let mut rights = fs::metadata(path(&name)).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(path(&name), rights).unwrap();
    let error = Target::open(&name, &writing(Some(&permit))).unwrap_err();
    assert!(error.cause.contains("read-only"), "{error}");
}

#[test]
fn devices_streams_and_what_is_not_here_are_refused_before_anything_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(folder.path(), 1 << 20);
    let names = [
        r"\\.\PhysicalDrive",
        r"\\.\PhysicalDrive01",
        r"\\.\C:\",
        r"\\.\CdRom0",
        "nul.bin",
        "C:",
        r".\there.bin:stream",
        r".\a.",
    ];
    for text in names {
        let refused =
            text.parse::<TargetName>().and_then(|name| Target::open(&name, &OpenRequest::default()));
        assert!(refused.is_err(), "{text}");
    }
    let options = RunOptions { direct: false, ..RunOptions::default() };
    let buffered = OpenRequest { options: &options, ..OpenRequest::default() };
    assert_eq!(Target::open(&name, &buffered).unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(engine_kinds::choose(None, TargetKind::File).unwrap().name(), "iocp");
    let error = engine_kinds::choose(Some("uring"), TargetKind::File).unwrap_err();
    assert!(error.remedy.contains("iocp, sync"), "{error}");
}

/// What an emulator gives a file of the machine under a letter, which is opened as a volume is.
fn volume() -> Option<TargetName> {
    match std::env::var("FATHOM_RAW_VOLUME") {
        Ok(name) => Some(name.parse().unwrap()),
        Err(_) => {
            skipped("a volume that is read past its file system: FATHOM_RAW_VOLUME names none");
            None
        }
    }
}

#[test]
fn a_volume_is_read_past_its_file_system_and_never_written() {
    let Some(name) = volume() else { return };
    let reading = OpenRequest { size_bytes: Some(4 << 20), ..OpenRequest::default() };
    let target = Target::open(&name, &reading).unwrap();
    assert_eq!((target.facts.kind, target.facts.size_bytes), (TargetKind::BlockDevice, 4 << 20));
    assert!(target.facts.direct && !target.facts.scratch && target.origin().is_some());
    let reads = Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 };
    for (engine, shape) in ENGINES.into_iter().flat_map(|engine| [(engine, (1, 1)), (engine, (2, 4))]) {
        target.confirm().unwrap();
        let measured = launch_verifying(&target, engine, shape, (reads, Verify::Off)).unwrap();
        assert_eq!(measured.failures, [], "{engine:?}");
        assert!(measured.whole.operations() >= 400);
    }
    drop(target);
    for permit in [None, Some(named("Y")), Some(named(r"\\.\Y:"))] {
        let error = Target::open(&name, &writing(permit.as_ref())).unwrap_err();
        assert!(error.kind == ErrorKind::Refused && error.cause.contains("fathom locks none"), "{error}");
    }
}

#[test]
fn what_a_volume_says_of_itself_is_what_it_is_read_by() {
    let Some(name) = volume() else { return };
    let reading = OpenRequest { size_bytes: Some(1 << 20), ..OpenRequest::default() };
    let target = Target::open(&name, &reading).unwrap();
    assert!(target.facts.logical_block_bytes.is_power_of_two() && target.facts.logical_block_bytes >= 512);
    // One name is one volume: its bytes are its own alone.
    let folder = tempfile::tempdir().unwrap();
    let both = [name.clone(), name.clone()];
    assert_eq!(admit_all(&both, false, &[], |_| None).unwrap().notes.len(), 1);
    let apart = [name, file(folder.path(), 1 << 20)];
    assert!(admit_all(&apart, true, &[], |_| None).is_err());
}

#[test]
fn a_drive_whose_answers_are_invented_is_never_written() {
    for number in 0..3 {
        let name = format!(r"\\.\PhysicalDrive{number}").parse().unwrap();
        for words in ["PhysicalDrive0", "", "S4EWNX0R"] {
            let permit = named(words);
            match Target::open(&name, &writing(Some(&permit))) {
                Ok(_) => unreachable!("drive {number} of an emulator was opened for writing"),
                Err(error) => {
                    let known = [ErrorKind::Refused, ErrorKind::NoSuchTarget, ErrorKind::Permission];
                    assert!(known.contains(&error.kind), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_drive_is_no_scheme() {
    assert_eq!(r"D:\test".parse::<TargetName>().unwrap(), TargetName::Path(r"D:\test".into()));
    assert!("sim:nvme".parse::<TargetName>().is_ok_and(|name| matches!(name, TargetName::Sim(_))));
}
