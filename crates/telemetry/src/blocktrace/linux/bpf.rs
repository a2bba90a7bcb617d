//! Programs on the kernel's block tracepoints: loaded, attached, and their maps read at the end.
//!
//! The object is compiled from `bpf/witness.bpf.c` by `cargo xtask bpf` and committed. What is read
//! from the maps has the layout of the structures there.
#![allow(unsafe_code)] // maps hold plain structures of integers, and aya asks for a promise that they do

use std::error::Error as StdError;
use std::fs;
use std::os::fd::{AsFd, AsRawFd};

use aya::maps::{Array, MapData, MapError, PerCpuArray, RingBuf};
use aya::programs::BtfTracePoint;
use aya::sys::{Stats, enable_stats};
use aya::{Btf, Ebpf, EbpfLoader, Pod};
use fathom_measure::Histogram;
use fathom_measure::histogram::BUCKETS;
use fathom_record::witness::WitnessCost;

use super::device_set::DeviceSet;
use super::follower::Follower;
use crate::blocktrace::sampling::Thinning;
use crate::blocktrace::{TraceDirection, TraceSummary, WATCHING};
use crate::{TelemetryError, TelemetryErrorKind};

static OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/witness.bpf.o");

/// Programs and their tracepoints.
const PROGRAMS: [(&str, &str); 6] = [
    ("on_bio_queue", "block_bio_queue"),
    ("on_split", "block_split"),
    ("on_insert", "block_rq_insert"),
    ("on_issue", "block_rq_issue"),
    ("on_complete", "block_rq_complete"),
    ("on_bio_complete", "block_bio_complete"),
];

/// The programs' names.
const NAMES: [&str; 6] =
    ["on_bio_queue", "on_split", "on_insert", "on_issue", "on_complete", "on_bio_complete"];

const DIRECTIONS: usize = 4;
const CHUNK: usize = 1024;
const CHUNKS: usize = 8;
/// As many devices as the programs look for.
const DEVICES: usize = 8;

/// `struct chunk`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Chunk([u64; CHUNK]);

/// `struct stage`.
#[derive(Clone, Copy)]
#[repr(C)]
struct StageSums {
    count: u64,
    sum_ns: u64,
    max_ns: u64,
    unmin_ns: u64,
}

/// `struct tally`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Tally {
    started: u64,
    finished: u64,
    unkept: u64,
    renewed: u64,
    dropped: u64,
    turned_away: u64,
    unissued: u64,
    inserted: u64,
    inserted_sum_ns: u64,
    merged: u64,
    cuts: u64,
    strays: u64,
}

// As `sizeof` has them in `witness.bpf.c`: a value of another size would be cut or run over.
const _: () = assert!(size_of::<Chunk>() == 8192 && size_of::<StageSums>() == 32 && size_of::<Tally>() == 96);

// SAFETY: a structure of integers without padding; every bit pattern is a value.
unsafe impl Pod for Chunk {}
// SAFETY: as above.
unsafe impl Pod for StageSums {}
// SAFETY: as above.
unsafe impl Pod for Tally {}

/// Programs that run.
pub struct Bpf {
    programs: Ebpf,
    follower: Follower,
}

/// What the kernel counted of programs.
#[derive(Clone, Copy, Default)]
pub struct ProgramStats {
    /// Time in them.
    pub time_ns: u64,
    /// How often they ran.
    pub times: u64,
    /// How often they did not run, because one was running there.
    pub missed: u64,
}

impl Bpf {
    /// Loads and attaches.
    pub fn start(watched: &DeviceSet, direct: bool, thinning: Thinning) -> Result<Self, TelemetryError> {
        if watched.arrivals.len() > DEVICES {
            return Err(unsupported(format!("programs watch {DEVICES} devices at most")));
        }
        let btf = kernel_types()?;
        let mut devices = [0u32; DEVICES];
        devices[..watched.arrivals.len()].copy_from_slice(&watched.arrivals);
        let (process, used, direct) = (std::process::id(), watched.arrivals.len() as u32, u32::from(direct));
        let mut programs = EbpfLoader::new()
            .btf(Some(&btf))
            .override_global("process", &process, true)
            .override_global("devices", &devices, true)
            .override_global("devices_used", &used, true)
            .override_global("direct", &direct, true)
            .load(OBJECT)
            .map_err(|error| refusal("loading maps", error))?;
        for (name, tracepoint) in PROGRAMS {
            let program: &mut BtfTracePoint = programs
                .program_mut(name)
                .and_then(|program| program.try_into().ok())
                .ok_or_else(|| unsupported(format!("the object holds no program {name}")))?;
            program.load(tracepoint, &btf).map_err(|error| refusal(tracepoint, error))?;
        }
        let timing = enable_stats(Stats::RunTime).ok();
        // The beginning of an I/O last, so that none is known that could have begun unseen.
        for (name, tracepoint) in PROGRAMS.into_iter().rev() {
            let program: Option<&mut BtfTracePoint> =
                programs.program_mut(name).and_then(|program| program.try_into().ok());
            if let Some(program) = program {
                program.attach().map_err(|error| refusal(tracepoint, error))?;
            }
        }
        let told = descriptors(&programs, NAMES);
        let ring = programs.take_map("sightings").ok_or_else(|| unsupported("the object holds no ring"))?;
        let ring = RingBuf::try_from(ring).map_err(|error| refusal("mapping the ring", error))?;
        let bits =
            programs.take_map("thinning").ok_or_else(|| unsupported("the object holds no choice of I/Os"))?;
        let bits = Array::try_from(bits).map_err(|error| refusal("mapping the choice of I/Os", error))?;
        let timing = timing.map(|timing| (timing, told));
        let follower = Follower::start(ring, bits, thinning, watched.clone(), timing)?;
        Ok(Self { programs, follower })
    }

    /// Detaches the programs and reads what they counted.
    pub fn finish(mut self) -> Result<TraceSummary, TelemetryError> {
        // All of the run's I/Os have ended, and what the kernel timed is told only of loaded programs.
        let followed = self.follower.finish()?;
        let missed = ran(&descriptors(&self.programs, NAMES)).missed;
        for (name, _) in PROGRAMS {
            if let Some(program) = self.programs.program_mut(name) {
                let program: Result<&mut BtfTracePoint, _> = program.try_into();
                if let Ok(program) = program {
                    // A program that cannot be unloaded ends with this structure all the same.
                    let _ = program.unload();
                }
            }
        }
        let mut seen = read(&self.programs).map_err(unread)?;
        seen.losses.not_run += missed;
        seen.missed += followed.missed;
        seen.spans = followed.spans;
        seen.cost = cost(followed.timed, followed.cpu_ns, seen.events);
        Ok(seen)
    }
}

/// The running kernel's types, by which programs find their fields.
pub fn kernel_types() -> Result<Btf, TelemetryError> {
    Btf::from_sys_fs().map_err(|error| {
        let cause = format!(
            "the kernel's types (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF) cannot be read: {error}"
        );
        unsupported(cause).with_source(error)
    })
}

/// Where this process's list of descriptors tells of each program.
pub fn descriptors<const COUNT: usize>(programs: &Ebpf, names: [&str; COUNT]) -> Vec<String> {
    let path = |name: &str| {
        let program: &BtfTracePoint = programs.program(name)?.try_into().ok()?;
        Some(format!("/proc/self/fdinfo/{}", program.fd().ok()?.as_fd().as_raw_fd()))
    };
    names.into_iter().filter_map(path).collect()
}

/// What the kernel says of the programs there.
pub fn ran(descriptors: &[String]) -> ProgramStats {
    let mut sum = ProgramStats::default();
    for path in descriptors {
        let text = fs::read_to_string(path).unwrap_or_default();
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        sum.time_ns += value("run_time_ns:");
        sum.times += value("run_cnt:");
        sum.missed += value("recursion_misses:");
    }
    sum
}

fn cost(timed: ProgramStats, reader_ns: u64, events: u64) -> WitnessCost {
    let event_ns = (timed.times > 0).then(|| timed.time_ns as f64 / timed.times as f64);
    let basis = match event_ns {
        Some(_) => format!(
            "the kernel's own timing of {} program runs in the first second, the reading of its clock included, times the run's events; {:.0} ms more for the thread that takes them in",
            timed.times,
            reader_ns as f64 / 1e6
        ),
        None => "not known: the kernel does not time programs (Linux 5.8 does)".to_owned(),
    };
    let cpu_ns = event_ns.map(|ns| (ns * events as f64) as u64 + reader_ns);
    WitnessCost { event_ns, cpu_ns, basis }
}

fn read(programs: &Ebpf) -> Result<TraceSummary, MapError> {
    let map = |name: &str| programs.map(name).ok_or(MapError::KeyNotFound);
    let tallies = PerCpuArray::<&MapData, Tally>::try_from(map("tallies")?)?;
    let stages = PerCpuArray::<&MapData, StageSums>::try_from(map("stages")?)?;
    let buckets = PerCpuArray::<&MapData, Chunk>::try_from(map("buckets")?)?;
    let mut seen = TraceSummary::default();
    let (mut arrivals, mut ends) = (0u64, 0u64);
    for direction in 0..DIRECTIONS {
        let mut tally = Tally::default();
        for part in tallies.get(&(direction as u32), 0)?.iter() {
            tally.add(part);
        }
        seen.events += 3 * tally.finished - tally.unissued + tally.inserted + tally.strays + tally.cuts;
        seen.strays += tally.strays;
        arrivals += tally.started;
        ends += tally.finished + tally.turned_away + tally.unkept + tally.renewed;
        seen.losses.no_room += tally.unkept;
        seen.losses.unended += tally.renewed;
        seen.missed += tally.dropped;
        let stage = |stage: usize| histogram(&stages, &buckets, stage * DIRECTIONS + direction);
        seen.directions[direction] = TraceDirection {
            queue: stage(0)?,
            device: stage(1)?,
            total: stage(2)?,
            merged: tally.merged,
            cuts: tally.cuts,
            unissued: tally.unissued,
            scheduled: tally.inserted,
            scheduled_sum_ns: tally.inserted_sum_ns,
        };
    }
    seen.unfinished = arrivals.saturating_sub(ends);
    Ok(seen)
}

/// One stage of one direction, over all processors. Parts that contradict each other, as after an event
/// that ran into the middle of another, give a histogram without the exact sums.
fn histogram(
    stages: &PerCpuArray<&MapData, StageSums>,
    buckets: &PerCpuArray<&MapData, Chunk>,
    place: usize,
) -> Result<Histogram, MapError> {
    let sums = stages.get(&(place as u32), 0)?;
    let count: u64 = sums.iter().map(|part| part.count).sum();
    if count == 0 {
        return Ok(Histogram::new());
    }
    let mut counts = vec![0u64; BUCKETS];
    for piece in 0..CHUNKS {
        for part in buckets.get(&((place * CHUNKS + piece) as u32), 0)?.iter() {
            let from = piece * CHUNK;
            counts.iter_mut().skip(from).zip(&part.0).for_each(|(sum, count)| *sum += count);
        }
    }
    let sum: u128 = sums.iter().map(|part| u128::from(part.sum_ns)).sum();
    let max = sums.iter().map(|part| part.max_ns).max().unwrap_or(0);
    let min = !sums.iter().map(|part| part.unmin_ns).max().unwrap_or(u64::MAX);
    let used = || counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
    Ok(Histogram::from_parts(used(), sum, min, max).unwrap_or_default())
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.started += other.started;
        self.finished += other.finished;
        self.unkept += other.unkept;
        self.renewed += other.renewed;
        self.dropped += other.dropped;
        self.turned_away += other.turned_away;
        self.unissued += other.unissued;
        self.inserted += other.inserted;
        self.inserted_sum_ns += other.inserted_sum_ns;
        self.merged += other.merged;
        self.cuts += other.cuts;
        self.strays += other.strays;
    }
}

/// The kernel's refusal, with what would help.
pub fn refusal(what: &str, error: impl StdError + Send + Sync + 'static) -> TelemetryError {
    let mut text = error.to_string();
    let mut cause = error.source();
    let mut denied = false;
    while let Some(inner) = cause {
        denied |= inner
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES)));
        text = inner.to_string();
        cause = inner.source();
    }
    let text = text.lines().next().unwrap_or_default();
    let (kind, cause) = match denied {
        true => (
            TelemetryErrorKind::Permission,
            format!(
                "the kernel does not let this process load programs ({what}: {text}): run it as root, or give it the rights with `setcap cap_bpf,cap_perfmon+ep` on the fathom binary"
            ),
        ),
        false => (
            TelemetryErrorKind::Unsupported,
            format!(
                "programs cannot be loaded into this kernel ({what}: {text}); Linux 5.11 or newer takes them"
            ),
        ),
    };
    TelemetryError::new(kind, WATCHING, cause).with_source(error)
}

/// That this kernel, or what this build brings for it, does not do.
pub fn unsupported(cause: impl Into<String>) -> TelemetryError {
    TelemetryError::new(TelemetryErrorKind::Unsupported, WATCHING, cause)
}

/// That the maps of programs that ran cannot be read.
pub fn unread(error: MapError) -> TelemetryError {
    let cause = format!("reading the programs' maps: {error}");
    TelemetryError::new(TelemetryErrorKind::System, WATCHING, cause).with_source(error)
}
