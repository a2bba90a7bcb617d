//! Pages that cannot be had under a mapping are failed I/Os, and nobody else's signals are lost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]
#![allow(unsafe_code)] // Installs a signal handler and raises the signal.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::job::crew::JobConduct;
use fathom_engine::launch::{Launch, Medium};
use fathom_engine::mmap::Mmap;
use fathom_engine::pattern::Geometry;
use fathom_engine::{Engine, Io, Submission};
use fathom_measure::WallClock;
use fathom_record::Direction;
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload,
};

const PAGE: u64 = 4096;
const PAGES: u64 = 64;

static SEEN: AtomicU32 = AtomicU32::new(0);
static PRIOR: std::sync::Once = std::sync::Once::new();

extern "C" fn count(_: libc::c_int) {
    SEEN.fetch_add(1, Ordering::Relaxed);
}

/// A handler of somebody else's, there before the first engine.
fn prior_handler() {
    PRIOR.call_once(|| {
        // SAFETY: the handler only adds to an atomic number.
        let before = unsafe { libc::signal(libc::SIGBUS, count as *const () as libc::sighandler_t) };
        assert_ne!(before, libc::SIG_ERR);
    });
}

/// A file of pages that hold their own number.
fn file() -> Arc<File> {
    let mut file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for page in 0..PAGES {
        file.write_all(&[page as u8; PAGE as usize]).unwrap();
    }
    Arc::new(file)
}

fn engine(file: &Arc<File>, first: u64) -> Mmap<WallClock> {
    prior_handler();
    let (clock, _) = WallClock::start();
    let span = first..PAGES * PAGE;
    Mmap::new(Arc::clone(file), span, &Addresses::RandomIndependent, (1, 8 * PAGE), clock).unwrap()
}

/// The result of one I/O of whole pages.
fn carry(engine: &mut Mmap<WallClock>, direction: Direction, page: u64, pages: u64) -> i32 {
    let io = Io { slot: 0, direction, offset: page * PAGE, bytes: (pages * PAGE) as u32 };
    match engine.submit(io) {
        Submission::Done(completion) => completion.result,
        other => panic!("{other:?}"),
    }
}

#[test]
fn io_beyond_the_end_of_a_file_cut_short_fails_and_heals() {
    let file = file();
    let (mut one, mut other) = (engine(&file, 0), engine(&file, 8 * PAGE));
    assert_eq!(carry(&mut one, Direction::Read, 40, 8), 8 * PAGE as i32);
    file.set_len(32 * PAGE).unwrap();
    for engine in [&mut one, &mut other] {
        for direction in [Direction::Read, Direction::Write] {
            assert_eq!(carry(engine, direction, 60, 4), -libc::EIO);
            assert_eq!(carry(engine, direction, 30, 4), -libc::EIO, "its second half is beyond the end");
        }
        assert_eq!(carry(engine, Direction::Read, 31, 1), PAGE as i32);
    }
    file.set_len(PAGES * PAGE).unwrap();
    file.write_all_at(&[7; PAGE as usize], 60 * PAGE).unwrap();
    for engine in [&mut one, &mut other] {
        assert_eq!(carry(engine, Direction::Read, 60, 2), 2 * PAGE as i32);
        let buffer = engine.buffer(0);
        assert!(buffer[..PAGE as usize].iter().all(|&byte| byte == 7), "it is the file's page again");
        assert!(buffer[PAGE as usize..2 * PAGE as usize].iter().all(|&byte| byte == 0));
    }
    one.buffer(0).fill(9);
    assert_eq!(carry(&mut one, Direction::Write, 60, 1), PAGE as i32);
    assert_eq!(carry(&mut one, Direction::Flush, 0, 0), 0);
    let mut byte = [0];
    file.read_exact_at(&mut byte, 60 * PAGE + 100).unwrap();
    assert_eq!(byte, [9], "a healed page is written to the file");
}

#[test]
fn a_span_is_kept_to_and_a_read_only_file_is_not_written() {
    let file = file();
    let mut part = engine(&file, 5 * 512);
    let outside = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 512 };
    assert!(matches!(part.submit(outside), Submission::Done(done) if done.result == -libc::EINVAL));
    let within = Io { offset: 5 * 512, ..outside };
    assert!(matches!(part.submit(within), Submission::Done(done) if done.result == 512));

    let named = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    named.as_file().set_len(PAGES * PAGE).unwrap();
    let mut read_only = engine(&Arc::new(File::open(named.path()).unwrap()), 0);
    assert_eq!(carry(&mut read_only, Direction::Write, 1, 1), -libc::EBADF);
    assert_eq!(carry(&mut read_only, Direction::Read, 1, 1), PAGE as i32);
}

#[test]
fn signals_that_are_not_of_a_copy_go_to_the_handler_before() {
    let _engine = engine(&file(), 0);
    let before = SEEN.load(Ordering::Relaxed);
    // SAFETY: sends the signal to this thread; the handler before counts it.
    unsafe { libc::raise(libc::SIGBUS) };
    assert_eq!(SEEN.load(Ordering::Relaxed), before + 1);
}

fn run(file: &Arc<File>, mix: Mix, verify: Verify, meanwhile: impl FnOnce() + Send) -> Outcome {
    prior_handler();
    let workload = Workload {
        mix,
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: PAGE }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data { verify, ..Data::default() },
        arrival: Arrival::Closed,
        jobs: 2,
        depth: 1,
        length: Length { time_ns: Some(400_000_000), ..Length::default() },
        seed: 1,
        special: None,
    };
    let geometry = Geometry::of(&workload, PAGES * PAGE).unwrap();
    let (clock, _) = WallClock::start();
    let stop = AtomicBool::new(false);
    let launch = Launch {
        workload: &workload,
        geometries: &[geometry],
        medium: &Medium::Files(vec![Arc::clone(file)]),
        engine: EngineKind::named("mmap").unwrap(),
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
    std::thread::scope(|scope| {
        scope.spawn(meanwhile);
        let measured = launch.run(&mut |_| {}).unwrap();
        let counts = &measured.whole.directions;
        Outcome {
            operations: measured.whole.operations(),
            errors: counts.iter().map(|direction| direction.errors).sum(),
            errnos: measured.failures.iter().map(|failure| failure.errno).collect(),
            verified: measured.verified.map(|report| (report.checked > 0, report.corrupt)),
        }
    })
}

/// Half reads, half writes.
fn mix(flush_every_writes: u64) -> Mix {
    Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes }
}

struct Outcome {
    operations: u64,
    errors: u64,
    errnos: Vec<i32>,
    verified: Option<(bool, u64)>,
}

/// Waits until a page of [`file`] no longer holds its own number alone.
fn until_written(file: &File) {
    let mut content = vec![0; (PAGES * PAGE) as usize];
    for _ in 0..10_000 {
        file.read_exact_at(&mut content, 0).unwrap();
        let mut pages = content.chunks(PAGE as usize).enumerate();
        if pages.any(|(page, bytes)| bytes.iter().any(|byte| *byte != page as u8)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nothing was written");
}

#[test]
fn a_file_cut_short_under_a_run_gives_failed_ios() {
    let file = file();
    let cut = || {
        until_written(&file);
        file.set_len(32 * PAGE).unwrap();
    };
    let outcome = run(&file, mix(0), Verify::Off, cut);
    assert!(outcome.operations > 0 && outcome.errors > 0);
    assert!(outcome.errnos.iter().all(|&errno| errno == libc::EIO), "{:?}", outcome.errnos);
}

#[test]
fn what_is_written_is_verified() {
    let file = file();
    let outcome = run(&file, mix(100), Verify::AtEnd, || ());
    assert!(outcome.operations > 100 && outcome.errors == 0);
    assert_eq!(outcome.verified, Some((true, 0)), "blocks were judged, and none was corrupt");
}
