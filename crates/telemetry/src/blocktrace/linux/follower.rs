//! The thread that takes I/Os one by one out of the programs' ring, and says how many they hand on.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use aya::maps::{Array, MapData, RingBuf};
use fathom_record::Direction;
use rustix::time::{ClockId, clock_gettime};

use super::bpf::{ProgramStats, ran};
use super::device_set::DeviceSet;
use super::monotonic_ns;
use crate::TelemetryError;
use crate::blocktrace::pairs::Span;
use crate::blocktrace::sampling::{SpanSample, Thinning};
use crate::blocktrace::{WATCHING, broke};
use crate::error::of_system;

/// How long it rests between two rounds; the ring holds a tenth of a second of the fastest devices.
const REST: Duration = Duration::from_millis(5);

/// Time over which what is handed on is counted, and how many I/Os may be handed on in it: more would
/// cost the run more than they tell.
const BEAT_NS: u64 = 100_000_000;
const IN_A_BEAT: u64 = 5_000;

/// How long the kernel times programs: timing each costs more than the program.
const TIMED_NS: u64 = 1_000_000_000;

/// `struct sighting`: arrival, end, sector, device and bytes, direction. `witness.bpf.c` asserts the same size.
const SIGHTING_BYTES: usize = 40;

/// A descriptor that makes the kernel time programs while it is open, and where it tells of them.
pub type ProgramTiming = (OwnedFd, Vec<String>);

/// The thread.
pub struct Follower {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<FollowedSpans>>,
}

/// What it took in.
pub struct FollowedSpans {
    /// I/Os that were kept.
    pub spans: Vec<Span>,
    /// Those that found no room.
    pub missed: u64,
    /// What the kernel timed in the first second.
    pub timed: ProgramStats,
    /// The thread's processor time.
    pub cpu_ns: u64,
}

impl Follower {
    /// Begins to take I/Os in.
    pub fn start(
        ring: RingBuf<MapData>,
        bits: Array<MapData, u64>,
        thinning: Thinning,
        watched: DeviceSet,
        timing: Option<ProgramTiming>,
    ) -> Result<Self, TelemetryError> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || follow(ring, bits, &thinning, &watched, timing, &told);
        let thread = std::thread::Builder::new().name("witness".to_owned()).spawn(work).map_err(|error| {
            let cause = format!("the thread that reads the ring cannot be started: {error}");
            of_system(WATCHING, cause, error)
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Takes in what is left; the programs are still loaded.
    pub fn finish(&mut self) -> Result<FollowedSpans, TelemetryError> {
        self.stop.store(true, Ordering::Release);
        let thread = self.thread.take().ok_or_else(|| broke("the reader of the ring has ended already"))?;
        thread.join().map_err(|_| broke("the reader of the ring broke"))
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn follow(
    mut ring: RingBuf<MapData>,
    mut bits: Array<MapData, u64>,
    thinning: &Thinning,
    watched: &DeviceSet,
    mut timing: Option<ProgramTiming>,
    stop: &AtomicBool,
) -> FollowedSpans {
    let mut kept = SpanSample::new(thinning.clone());
    let mut timed = ProgramStats::default();
    let started_ns = monotonic_ns();
    let (mut beat_ns, mut in_beat, mut told_bits) = (started_ns, 0u64, 0u64);
    loop {
        let last = stop.load(Ordering::Acquire);
        while let Some(item) = ring.next() {
            in_beat += 1;
            if let Some(span) = span_of(&item, watched) {
                kept.push(span);
            }
        }
        let now_ns = monotonic_ns();
        if now_ns - beat_ns >= BEAT_NS {
            // A late beat may hold more.
            if in_beat * BEAT_NS > IN_A_BEAT * (now_ns - beat_ns) {
                thinning.tighten(thinning.bits());
            }
            (beat_ns, in_beat) = (now_ns, 0);
        }
        if thinning.bits() != told_bits {
            told_bits = thinning.bits();
            // Where the programs are not told, they hand on more than is kept.
            let _ = bits.set(0, told_bits, 0);
        }
        if (last || now_ns - started_ns >= TIMED_NS)
            && let Some((_, descriptors)) = timing.take()
        {
            timed = ran(&descriptors);
        }
        if last {
            break;
        }
        std::thread::sleep(REST);
    }
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let cpu_ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    FollowedSpans { missed: kept.missed(), spans: kept.finish(), timed, cpu_ns }
}

/// Reads `struct sighting`, as the committed object writes it: the least significant byte first.
fn span_of(bytes: &[u8], watched: &DeviceSet) -> Option<Span> {
    let bytes: &[u8; SIGHTING_BYTES] = bytes.get(..SIGHTING_BYTES)?.try_into().ok()?;
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (from_ns, to_ns, sector) = (long(0)?, long(8)?, long(16)?);
    let (disk, length, direction) = (watched.disk_of(word(24)?)?, word(28)?, word(32)?);
    let direction = *Direction::ALL.get(direction as usize)?;
    Some(Span { place: (disk, sector, length), direction, from_ns, to_ns })
}
