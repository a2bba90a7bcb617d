//! Every engine through the conformance suite.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test panics when it is wrong, and says what it skips"
)]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fathom_conformance::{BUFFER_BYTES, Subject, TARGET_BYTES, Traits, run};
use fathom_engine::delay::{Delay, RunStart};
use fathom_engine::metadata::{Metadata, MetadataCall, NameAct};
use fathom_engine::pattern::{Purpose, random_of};
use fathom_engine::precise_sleep::PreciseSleep;
use fathom_engine::simulated::{Mode, SimEngine};
use fathom_engine::stripe::{Carrier, Layout, Shape, Slots, Stripe};
use fathom_engine::throttle::{Buckets, Throttle};
use fathom_engine::{Engine, EngineError, aio, memory_target, mmap, null, passthrough, sync, uring};
use fathom_measure::{Clock, VirtualClock, WallClock};
use fathom_record::options::IoFlags;
use fathom_record::run_plan::RunOptions;
use fathom_sim::{SimDevice, parse};

const DATA: Traits = Traits { keeps_content: true, knows_its_end: true, writes_only: false };
const CALLS: Traits = Traits { keeps_content: false, knows_its_end: false, writes_only: false };

/// Where files are made: beside the build, or on a machine that it was only brought to, where that one's are.
fn place() -> PathBuf {
    let beside = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if beside.is_dir() { beside.to_owned() } else { std::env::temp_dir() }
}

/// A written file, opened past the page cache where the file system can.
fn file() -> (tempfile::NamedTempFile, Arc<File>) {
    file_of(TARGET_BYTES)
}

fn file_of(bytes: u64) -> (tempfile::NamedTempFile, Arc<File>) {
    let mut named = tempfile::NamedTempFile::new_in(place()).unwrap();
    named.write_all(&vec![0x5a; bytes as usize]).unwrap();
    named.as_file().sync_all().unwrap();
    let open = |flags| OpenOptions::new().read(true).write(true).custom_flags(flags).open(named.path());
    let file = open(libc::O_DIRECT).or_else(|_| open(0)).unwrap();
    (named, Arc::new(file))
}

#[test]
fn null() {
    let (clock, _) = WallClock::start();
    run(&Subject {
        name: "null",
        make: &|depth| null::Null::new(depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: CALLS,
    });
}

#[test]
fn memory() {
    let (clock, _) = WallClock::start();
    let store = memory_target::Store::new(TARGET_BYTES).unwrap();
    run(&Subject {
        name: "memory",
        make: &|depth| memory_target::Memory::new(store.clone(), depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn sync() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    run(&Subject {
        name: "sync",
        make: &|depth| sync::Sync::new(Arc::clone(&file), depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn mmap() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    run(&Subject {
        name: "mmap",
        make: &|depth| {
            let size = (depth, BUFFER_BYTES);
            let addresses = fathom_record::workload::Addresses::RandomCycle;
            mmap::Mmap::new(Arc::clone(&file), 0..TARGET_BYTES, &addresses, size, clock).unwrap()
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn space_and_lengths() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    for act in [MetadataCall::Allocate, MetadataCall::Truncate] {
        run(&Subject {
            name: act.name(),
            make: &|depth| {
                let size = (depth, BUFFER_BYTES);
                Metadata::new(act, Arc::clone(&file), 0..TARGET_BYTES, size, clock).unwrap()
            },
            now_ns: &|| clock.now_ns(),
            advance_to: None,
            traits: Traits { writes_only: act == MetadataCall::Truncate, ..CALLS },
        });
    }
}

#[test]
fn names() {
    let (clock, _) = WallClock::start();
    let folder = tempfile::tempdir_in(place()).unwrap();
    let open = Arc::new(File::open(folder.path()).unwrap());
    // The others make all names for each engine of the suite, which takes minutes; they differ in one call.
    let act = MetadataCall::Name(NameAct::CreateFile);
    run(&Subject {
        name: act.name(),
        make: &|depth| {
            let size = (depth, BUFFER_BYTES);
            Metadata::new(act, Arc::clone(&open), 0..TARGET_BYTES, size, clock).unwrap()
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: Traits { knows_its_end: true, ..CALLS },
    });
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing stays");
}

#[test]
fn aio() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    if let Err(error) = aio::Aio::new(Arc::clone(&file), 1, BUFFER_BYTES, clock) {
        fathom_skips::skipped(error);
        return;
    }
    run(&Subject {
        name: "aio",
        make: &|depth| aio::Aio::new(Arc::clone(&file), depth, BUFFER_BYTES, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn uring() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    let options = uring::Options::default();
    if let Err(error) = uring::Uring::new(Arc::clone(&file), 1, BUFFER_BYTES, options, clock) {
        fathom_skips::skipped(error);
        return;
    }
    run(&Subject {
        name: "uring",
        make: &|depth| uring::Uring::new(Arc::clone(&file), depth, BUFFER_BYTES, options, clock).unwrap(),
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

/// Needs a namespace that may be written over, of at least the suite's target, named by
/// `FATHOM_SCRATCH_NAMESPACE`; `cargo lab passthrough` makes some. Its end is where the namespace's
/// is, so that the suite's "beyond the end" is beyond it only for one of the suite's size.
#[test]
fn passthrough() {
    let Ok(path) = std::env::var("FATHOM_SCRATCH_NAMESPACE") else {
        fathom_skips::skipped("no scratch namespace is named");
        return;
    };
    let (clock, _) = WallClock::start();
    let file = Arc::new(OpenOptions::new().read(true).write(true).open(path).unwrap());
    let namespace = fathom_target::namespace::Namespace::of(&file).unwrap();
    let knows_its_end = namespace.size_bytes <= TARGET_BYTES * 4;
    assert!(knows_its_end && namespace.size_bytes >= TARGET_BYTES, "{namespace:?}");
    for polled in [false, true] {
        if polled && std::env::var_os("FATHOM_SCRATCH_NAMESPACE_POLLS").is_none() {
            fathom_skips::skipped("polling");
            continue;
        }
        let chosen = RunOptions { polled, ..RunOptions::default() };
        let options = uring::Options { run: &chosen, ..uring::Options::default() };
        let make = |depth| {
            passthrough::Passthrough::new(Arc::clone(&file), depth, BUFFER_BYTES, options, clock).unwrap()
        };
        run(&Subject {
            name: "passthrough",
            make: &make,
            now_ns: &|| clock.now_ns(),
            advance_to: None,
            traits: Traits { knows_its_end, ..DATA },
        });
    }
}

/// The suite over stripes of 2 and 3 files, whose chunks cut some of its I/Os or all.
fn over_stripes<E: Carrier>(
    name: &str,
    make: impl Fn(&[Arc<File>], Slots, WallClock) -> Result<E, EngineError>,
) {
    let (clock, _) = WallClock::start();
    for (count, chunk_bytes) in [(2, 4096), (3, 12_288)] {
        // Together they hold the suite's target, and little more.
        let member_bytes = Layout::share_bytes(TARGET_BYTES, count, chunk_bytes);
        let (_named, files): (Vec<_>, Vec<_>) = (0..count).map(|_| file_of(member_bytes)).unzip();
        let layout = Layout::new(&vec![member_bytes; count], chunk_bytes, 4096).unwrap();
        let shape = |depth| Shape::new(&layout, depth, (BUFFER_BYTES as u32, 4096), true).unwrap();
        if let Err(error) = make(&files, shape(1).slots(), clock) {
            fathom_skips::skipped(error);
            return;
        }
        run(&Subject {
            name: &format!("{name} over {count} files in chunks of {chunk_bytes}"),
            make: &|depth| {
                let inner = make(&files, shape(depth).slots(), clock).unwrap();
                Stripe::new(inner, layout, shape(depth), clock)
            },
            now_ns: &|| clock.now_ns(),
            advance_to: None,
            traits: DATA,
        });
    }
}

#[test]
fn uring_striped() {
    let options = uring::Options::default();
    over_stripes("uring", |files, slots, clock| {
        uring::Uring::over(files, slots, BUFFER_BYTES, options, clock)
    });
}

#[test]
fn aio_striped() {
    over_stripes("aio", |files, slots, clock| aio::Aio::over(files, slots, BUFFER_BYTES, clock));
}

#[test]
fn sync_striped() {
    over_stripes("sync", |files, slots, clock| {
        sync::Sync::over(files, (slots, BUFFER_BYTES), IoFlags::default(), clock)
    });
}

fn simulated() -> Arc<Mutex<SimDevice>> {
    let mut parameters = parse("nvme").unwrap();
    parameters.size_bytes = TARGET_BYTES;
    Arc::new(Mutex::new(SimDevice::new(parameters).unwrap()))
}

const NO_CONTENT: Traits = Traits { knows_its_end: true, ..CALLS };

#[test]
fn sim() {
    let (clock, device) = (VirtualClock::new(), simulated());
    run(&Subject {
        name: "sim",
        make: &|depth| {
            SimEngine::new(Arc::clone(&device), depth, BUFFER_BYTES, clock.clone(), Mode::Virtual).unwrap()
        },
        now_ns: &|| clock.now_ns(),
        advance_to: Some(&|ns| clock.advance_to(ns)),
        traits: NO_CONTENT,
    });
}

#[test]
fn sim_in_real_time() {
    let ((clock, _), device) = (WallClock::start(), simulated());
    run(&Subject {
        name: "sim in real time",
        make: &|depth| {
            SimEngine::new(Arc::clone(&device), depth, BUFFER_BYTES, clock, Mode::RealTime).unwrap()
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: NO_CONTENT,
    });
}

/// Any engine behind a delay behind a throttle.
fn decorated<E: Engine, C: Clock + Clone>(engine: E, depth: u32, clock: C) -> impl Engine {
    let throttle = "iops=1M,throughput=4GB/s".parse().unwrap();
    let buckets = Buckets::new(&throttle);
    let delay = "exponential:20us,stall-every=1ms,stall-length=100us".parse().unwrap();
    let random = random_of(1, Purpose::Delay, 0);
    let engine = Throttle::new(engine, &throttle, depth, (clock.clone(), PreciseSleep::default()), buckets);
    Delay::new(engine, &delay, depth, (clock, PreciseSleep::default()), random, RunStart::default())
}

#[test]
fn decorated_memory() {
    let (clock, _) = WallClock::start();
    let store = memory_target::Store::new(TARGET_BYTES).unwrap();
    run(&Subject {
        name: "decorated memory",
        make: &|depth| {
            decorated(
                memory_target::Memory::new(store.clone(), depth, BUFFER_BYTES, clock).unwrap(),
                depth,
                clock,
            )
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn decorated_null_on_a_virtual_clock() {
    let clock = VirtualClock::new();
    run(&Subject {
        name: "decorated null",
        make: &|depth| {
            decorated(null::Null::new(depth, BUFFER_BYTES, clock.clone()).unwrap(), depth, clock.clone())
        },
        now_ns: &|| clock.now_ns(),
        advance_to: Some(&|ns| clock.advance_to(ns)),
        traits: CALLS,
    });
}

#[test]
fn decorated_sync() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    run(&Subject {
        name: "decorated sync",
        make: &|depth| {
            let engine = sync::Sync::new(Arc::clone(&file), depth, BUFFER_BYTES, clock).unwrap();
            decorated(engine, depth, clock)
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn decorated_uring() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file();
    let options = uring::Options::default();
    if let Err(error) = uring::Uring::new(Arc::clone(&file), 1, BUFFER_BYTES, options, clock) {
        fathom_skips::skipped(error);
        return;
    }
    run(&Subject {
        name: "decorated uring",
        make: &|depth| {
            let engine = uring::Uring::new(Arc::clone(&file), depth, BUFFER_BYTES, options, clock).unwrap();
            decorated(engine, depth, clock)
        },
        now_ns: &|| clock.now_ns(),
        advance_to: None,
        traits: DATA,
    });
}

#[test]
fn decorated_sim() {
    let (clock, device) = (VirtualClock::new(), simulated());
    run(&Subject {
        name: "decorated sim",
        make: &|depth| {
            let device = Arc::clone(&device);
            let engine = SimEngine::new(device, depth, BUFFER_BYTES, clock.clone(), Mode::Virtual).unwrap();
            decorated(engine, depth, clock.clone())
        },
        now_ns: &|| clock.now_ns(),
        advance_to: Some(&|ns| clock.advance_to(ns)),
        traits: NO_CONTENT,
    });
}
