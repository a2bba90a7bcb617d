//! The run's own side of each I/O: stamps out of the jobs' loops, kept where they lie on the device.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_measure::Clock;
use fathom_record::Direction;

use super::clocks::{Bracket, Clocks};
use super::pairs::Span;
use super::sampling::{SpanSample, Thinning};
use super::{WATCHING, broke};
use crate::TelemetryError;
use crate::error::of_system;

/// Stamps that one job may be ahead of the recorder: a tenth of a second of the fastest devices.
const AHEAD: usize = 1 << 16;

/// How long the recorder rests between two rounds.
const REST: Duration = Duration::from_millis(5);

/// Time between two readings of both clocks.
const READING_NS: u64 = 1_000_000_000;

/// A stretch of a target that lies on its device in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First byte in the target.
    pub first_byte: u64,
    /// Length.
    pub bytes: u64,
    /// First byte on the device.
    pub device_byte: u64,
}

/// Where a target's bytes lie on its disk.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The disk's number.
    pub disk: u32,
    /// First sector of the device on its disk.
    pub first_sector: u64,
    /// Ascending, not overlapping.
    pub stretches: Vec<Stretch>,
}

impl Ground {
    /// Sector on the disk of an I/O; `None` where it lies in several pieces, or nobody knows.
    fn sector_of(&self, offset: u64, bytes: u32) -> Option<u64> {
        let next = self.stretches.partition_point(|stretch| stretch.first_byte <= offset);
        let stretch = self.stretches.get(next.checked_sub(1)?)?;
        let inside = offset - stretch.first_byte;
        let ends = inside.checked_add(u64::from(bytes))?;
        (ends <= stretch.bytes).then(|| self.first_sector + (stretch.device_byte + inside) / 512)
    }
}

#[derive(Clone, Copy, Debug)]
struct Note {
    offset: u64,
    submitted_ns: u64,
    reaped_ns: u64,
    bytes: u32,
    direction: Direction,
}

/// One job's end: takes its stamps without waiting for anybody.
#[derive(Debug)]
pub struct Probe {
    out: rtrb::Producer<Note>,
    missed: Arc<AtomicU64>,
}

impl Probe {
    /// Notes an I/O that ended well. Stamps are of the run's clock, in nanoseconds.
    #[inline]
    pub fn note(&mut self, direction: Direction, (offset, bytes): (u64, u32), stamps_ns: (u64, u64)) {
        let (submitted_ns, reaped_ns) = stamps_ns;
        if self.out.push(Note { offset, submitted_ns, reaped_ns, bytes, direction }).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

type Sources = Arc<Mutex<Vec<(usize, rtrb::Consumer<Note>)>>>;

/// Collects what probes note, and reads both clocks once a second.
#[derive(Debug)]
pub struct Recorder {
    sources: Sources,
    missed: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<(SpanSample<Span>, Clocks)>>,
}

/// What was recorded.
pub struct ProbeRecord {
    /// The run's I/Os that were kept.
    pub spans: Vec<Span>,
    /// Chosen ones that could not be.
    pub missed: u64,
    /// How the clocks ran.
    pub clocks: Clocks,
}

impl Recorder {
    /// Begins to record; `grounds` has one entry a target. `witness` reads the witness's clock.
    pub fn start(
        grounds: Vec<Ground>,
        thinning: Thinning,
        clock: impl Clock + Send + 'static,
        witness: fn() -> u64,
    ) -> Result<Self, TelemetryError> {
        let (sources, stop) = (Sources::default(), Arc::new(AtomicBool::new(false)));
        let (theirs, told) = (Arc::clone(&sources), Arc::clone(&stop));
        let first = Bracket::take(&clock, witness);
        let work = move || {
            let mut kept = SpanSample::new(thinning);
            let mut clocks = Clocks::new(first);
            let mut read_ns = first.run_ns;
            loop {
                let last = told.load(Ordering::Acquire);
                drain(&theirs, &grounds, &mut kept);
                if last || clock.now_ns().saturating_sub(read_ns) >= READING_NS {
                    let bracket = Bracket::take(&clock, witness);
                    read_ns = bracket.run_ns;
                    clocks.push(bracket);
                }
                if last {
                    return (kept, clocks);
                }
                std::thread::sleep(REST);
            }
        };
        let thread =
            std::thread::Builder::new().name("witness-run".to_owned()).spawn(work).map_err(|error| {
                let cause = format!("the thread that keeps the run's stamps cannot be started: {error}");
                of_system(WATCHING, cause, error)
            })?;
        Ok(Self { sources, missed: Arc::default(), stop, thread: Some(thread) })
    }

    /// A probe for a job that works on this target.
    pub fn probe(&self, target: usize) -> Probe {
        let (out, source) = rtrb::RingBuffer::new(AHEAD);
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push((target, source));
        Probe { out, missed: Arc::clone(&self.missed) }
    }

    /// Ends recording; all probes have noted their last.
    pub fn finish(mut self) -> Result<ProbeRecord, TelemetryError> {
        self.stop.store(true, Ordering::Release);
        let thread = self.thread.take().ok_or_else(|| broke("the recorder has ended already"))?;
        let (kept, clocks) = thread.join().map_err(|_| broke("the recorder broke"))?;
        let missed = self.missed.load(Ordering::Relaxed) + kept.missed();
        Ok(ProbeRecord { spans: kept.finish(), missed, clocks })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn drain(sources: &Sources, grounds: &[Ground], kept: &mut SpanSample<Span>) {
    let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
    for (target, source) in sources.iter_mut() {
        let Some(ground) = grounds.get(*target) else { continue };
        while let Ok(note) = source.pop() {
            if let Some(sector) = ground.sector_of(note.offset, note.bytes)
                && note.bytes > 0
            {
                kept.push(Span {
                    place: (ground.disk, sector, note.bytes),
                    direction: note.direction,
                    from_ns: note.submitted_ns,
                    to_ns: note.reaped_ns,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_lies_where_its_stretch_lies() {
        let stretch = |first_byte, bytes, device_byte| Stretch { first_byte, bytes, device_byte };
        let stretches = vec![stretch(0, 8192, 1 << 20), stretch(16384, 4096, 0)];
        let ground = Ground { disk: 7, first_sector: 2048, stretches };
        assert_eq!(ground.sector_of(0, 8192), Some(2048 + 2048));
        assert_eq!(ground.sector_of(4096, 4096), Some(2048 + 2048 + 8));
        assert_eq!(ground.sector_of(4096, 8192), None, "in two pieces");
        assert_eq!(ground.sector_of(8192, 4096), None, "in a hole");
        assert_eq!(ground.sector_of(16384, 512), Some(2048));
        assert_eq!(ground.sector_of(u64::MAX, 512), None);
    }
}
