//! Programs that count what is asked of one device: loaded, attached, timed now and then, and read at the end.
//!
//! The object is compiled from `bpf/demand.bpf.c` by `cargo xtask bpf` and committed. What is read from the
//! maps has the layout of the structures there.
#![allow(unsafe_code)] // maps hold plain structures of integers, and aya asks for a promise that they do

use std::fs;
use std::os::fd::OwnedFd;

use aya::maps::{MapData, MapError, PerCpuArray, PerCpuHashMap};
use aya::programs::BtfTracePoint;
use aya::sys::{Stats, enable_stats};
use aya::{Btf, Ebpf, EbpfLoader, Pod};

use super::bpf::{ProgramStats, descriptors, kernel_types, ran, refusal, unread, unsupported};
use super::device_set::DeviceSet;
use super::monotonic_ns;
use crate::TelemetryError;
use crate::blocktrace::block_demand::{
    BlockDemand, DirectionDemand, Submitter, TracingCost, gap_at, size_at,
};

static OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/demand.bpf.o");

const PROGRAMS: [(&str, &str); 2] = [("on_queue", "block_bio_queue"), ("on_request", "block_rq_issue")];

/// Of so many seconds the programs are timed in one, and at the start in every other: timing costs as much as a
/// program.
const TIMED_EVERY: u64 = 30;
/// See above.
const START: u64 = 8;

const GAPS: usize = 256;
const SIZES: usize = 1024 + 128;
const NAME: usize = 16;

/// `struct counted`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DemandCounts {
    operations: u64,
    bytes: u64,
    sequential: u64,
    gaps: [u64; GAPS],
    gap_sum_ns: u64,
    sizes: [u64; SIZES],
}

/// `struct asker`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Counter {
    operations: [u64; 2],
    bytes: [u64; 2],
    name: [u8; NAME],
}

// As `sizeof` has them in `demand.bpf.c`: a value of another size would be cut or run over.
const _: () = assert!(size_of::<DemandCounts>() == 11_296 && size_of::<Counter>() == 48);

// SAFETY: a structure of integers without padding; every bit pattern is a value.
unsafe impl Pod for DemandCounts {}
// SAFETY: as above.
unsafe impl Pod for Counter {}

/// Programs that run.
pub struct Demand {
    programs: Ebpf,
    told: Vec<String>,
    requests: bool,
    seconds: u64,
    /// What makes the kernel time programs, since when, and what they had used by then.
    timing: Option<(OwnedFd, u64, ProgramStats)>,
    cost: TracingCost,
}

impl Demand {
    /// Loads and attaches.
    pub fn start(device: &str) -> Result<Self, TelemetryError> {
        let watched = DeviceSet::of(&[device.to_owned()])?;
        let number = *watched.arrivals.first().ok_or_else(|| unsupported("no such device"))?;
        let requests = has_requests(device);
        let btf: Btf = kernel_types()?;
        let mut programs = EbpfLoader::new()
            .btf(Some(&btf))
            .override_global("device", &number, true)
            .override_global("requests", &u32::from(requests), true)
            .load(OBJECT)
            .map_err(|error| refusal("loading maps", error))?;
        for (name, tracepoint) in PROGRAMS {
            let program: &mut BtfTracePoint = programs
                .program_mut(name)
                .and_then(|program| program.try_into().ok())
                .ok_or_else(|| unsupported(format!("the object holds no program {name}")))?;
            program.load(tracepoint, &btf).map_err(|error| refusal(tracepoint, error))?;
            program.attach().map_err(|error| refusal(tracepoint, error))?;
        }
        let told = descriptors(&programs, PROGRAMS.map(|(name, _)| name));
        let mut demand =
            Self { programs, told, requests, seconds: 0, timing: None, cost: TracingCost::default() };
        demand.time();
        Ok(demand)
    }

    /// Lets the kernel time the programs from now on, where it can.
    fn time(&mut self) {
        let timing = enable_stats(Stats::RunTime).ok();
        self.timing = timing.map(|descriptor| (descriptor, monotonic_ns(), ran(&self.told)));
    }

    fn stop_timing(&mut self) {
        let Some((descriptor, since_ns, before)) = self.timing.take() else { return };
        let after = ran(&self.told);
        self.cost.timed_ns += monotonic_ns() - since_ns;
        drop(descriptor);
        self.cost.runs += after.times.saturating_sub(before.times);
        self.cost.time_ns += after.time_ns.saturating_sub(before.time_ns);
    }

    /// Another second has passed.
    pub fn second(&mut self) {
        self.stop_timing();
        self.seconds += 1;
        let at_start = self.seconds < START && self.seconds.is_multiple_of(2);
        if at_start || self.seconds.is_multiple_of(TIMED_EVERY) {
            self.time();
        }
    }

    /// Reads what was counted; the programs end with this structure.
    pub fn finish(mut self) -> Result<BlockDemand, TelemetryError> {
        self.stop_timing();
        let missed = ran(&self.told).missed;
        let mut asked = read(&self.programs).map_err(unread)?;
        asked.requests = self.requests;
        asked.seconds = self.seconds;
        asked.missed = missed;
        asked.cost = Some(self.cost).filter(|cost| cost.timed_ns > 0);
        Ok(asked)
    }
}

/// Whether a device, or the disk that a partition is of, has queues of requests.
fn has_requests(device: &str) -> bool {
    let folder = format!("/sys/class/block/{device}");
    let disk = fs::canonicalize(&folder).map_or(folder, |path| path.display().to_string());
    ["/mq", "/../mq"].iter().any(|queues| fs::exists(format!("{disk}{queues}")).unwrap_or(false))
}

fn read(programs: &Ebpf) -> Result<BlockDemand, MapError> {
    let map = |name: &str| programs.map(name).ok_or(MapError::KeyNotFound);
    let counts = PerCpuArray::<&MapData, DemandCounts>::try_from(map("counts")?)?;
    let submitters = PerCpuHashMap::<&MapData, u32, Counter>::try_from(map("askers")?)?;
    let mut asked = BlockDemand::default();
    let mut gaps = [0u64; GAPS];
    for (direction, into) in asked.directions.iter_mut().enumerate() {
        let mut sizes = [0u64; SIZES];
        for part in counts.get(&(direction as u32), 0)?.iter() {
            add(into, part);
            asked.gap_sum_ns += part.gap_sum_ns;
            gaps.iter_mut().zip(&part.gaps).for_each(|(sum, count)| *sum += count);
            sizes.iter_mut().zip(&part.sizes).for_each(|(sum, count)| *sum += count);
        }
        let used = sizes.iter().enumerate().filter(|(_, count)| **count > 0);
        into.sizes = used.map(|(place, count)| (size_at(place), *count)).collect();
    }
    let used = gaps.iter().enumerate().filter(|(_, count)| **count > 0);
    asked.gaps = used.map(|(bucket, count)| (gap_at(bucket).0, gap_at(bucket).1, *count)).collect();
    for entry in submitters.iter() {
        let (process, parts) = entry?;
        let mut submitter = Submitter { process, ..Submitter::default() };
        for part in parts.iter() {
            for direction in 0..2 {
                submitter.operations[direction] += part.operations[direction];
                submitter.bytes[direction] += part.bytes[direction];
            }
            // The processors that it never asked on hold no name.
            if submitter.name.is_empty() {
                let letters = part.name.split(|byte| *byte == 0).next().unwrap_or_default();
                submitter.name = String::from_utf8_lossy(letters).into_owned();
            }
        }
        asked.submitters.push(submitter);
    }
    Ok(asked)
}

fn add(into: &mut DirectionDemand, part: &DemandCounts) {
    into.operations += part.operations;
    into.bytes += part.bytes;
    into.sequential += part.sequential;
}
