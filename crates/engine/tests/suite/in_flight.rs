//! A closed loop keeps a device of 2 GB/s busy with writes: no content is made between two I/Os of a lone slot where making
//! it would take as long as a second call. Verification computes its checksums there: that is printed and not judged.
//!
//! `cargo test -p fathom-engine --test suite in_flight -- --nocapture` prints the shares of time in flight, which are the
//! machine's as much as the loop's: they are not judged.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test panics when it is wrong, and prints what it measured"
)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use fathom_engine::job::JobPlan;
use fathom_engine::job::crew::{self, CrewPlan, JobConduct};
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::pattern::{DataPattern, Generator, Geometry};
use fathom_engine::verify::{Verify, VerifyTable};
use fathom_engine::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use fathom_measure::{Clock, Histogram, WallClock};
use fathom_record::Workload;
use fathom_record::facts::EngineFacts;
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify as Checked,
};
use fathom_target::wall::Reach;

/// 2 GB/s.
const BYTES_PER_NS: u64 = 2;
/// Time for which each size is written.
const TIME_NS: u64 = 100_000_000;

/// Writes one I/O after the other, each in the time that its bytes take.
struct Stream {
    facts: EngineFacts,
    arena: Arena,
    kept_back: Vec<u32>,
    sizes: Vec<u32>,
    /// Slot, submission and end of what is in flight, in order.
    in_flight: Vec<(u32, u64, u64)>,
    /// When the last one was seen to end; 0 before the first.
    ended_ns: u64,
    /// Buffers that were asked for while nothing was in flight, from the first end on.
    asked_between: Arc<AtomicU64>,
    /// Times from the end of an I/O to the submission of the next.
    gaps: Arc<Mutex<Histogram>>,
    clock: WallClock,
}

impl Engine for Stream {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        if self.ended_ns > 0 && self.in_flight.is_empty() && self.kept_back.is_empty() {
            self.asked_between.fetch_add(1, Ordering::Relaxed);
        }
        self.arena.slice(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.sizes[io.slot as usize] = io.bytes;
        self.kept_back.push(io.slot);
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        for slot in self.kept_back.drain(..) {
            let now_ns = self.clock.now_ns();
            if self.ended_ns > 0 {
                self.gaps.lock().unwrap().record(now_ns - self.ended_ns);
            }
            let free_ns = self.in_flight.last().map_or(now_ns, |last| last.2.max(now_ns));
            let end_ns = free_ns + u64::from(self.sizes[slot as usize]) / BYTES_PER_NS;
            self.in_flight.push((slot, now_ns, end_ns));
        }
        loop {
            let Some(&(slot, submitted_ns, end_ns)) = self.in_flight.first() else { return Ok(()) };
            let now_ns = self.clock.now_ns();
            if now_ns >= end_ns {
                self.in_flight.remove(0);
                self.ended_ns = now_ns;
                let stamps = Stamps { submitted_ns, returned_ns: submitted_ns, reaped_ns: now_ns };
                done.push(Completion { slot, result: self.sizes[slot as usize] as i32, stamps });
                return Ok(());
            }
            match wait {
                Wait::Until(deadline_ns) if now_ns < deadline_ns => std::hint::spin_loop(),
                _ => return Ok(()),
            }
        }
    }
}

/// What lay between the writes of one job at depth 1.
struct Between {
    /// Time between two that a quarter of them stay below, in nanoseconds: a machine that does something else now and
    /// then changes the mean, and hardly this.
    quartile_ns: u64,
    /// Buffers that were asked for in those times, and the times.
    asked: u64,
    gaps: u64,
}

fn between(bytes: u32, verify: bool) -> Between {
    let workload = Workload {
        special: None,
        mix: Mix { read_share: 0.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: bytes.into() }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data { verify: if verify { Checked::OnRead } else { Checked::Off }, ..Data::default() },
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length { time_ns: Some(TIME_NS), ..Length::default() },
        seed: 3,
    };
    let geometry = Geometry::of(&workload, 256 << 20).unwrap();
    let job = JobPlan {
        aside: None,
        job: 0,
        target: 0,
        depth: 1,
        spares: Spares::of(1, bytes, false),
        generator: Generator::new(&workload, &geometry, 0, &Arc::new(AtomicU64::new(0))),
        arrival: None,
        pace: None,
        data: DataPattern::new(&workload.data, 1, 0),
        operations: u64::MAX,
        bytes: u64::MAX,
        counts_process: true,
    };
    let stop = AtomicBool::new(false);
    let plan = CrewPlan {
        jobs: vec![job],
        length: &workload.length,
        open: false,
        punctual: false,
        reach: Reach::default(),
        conduct: JobConduct::until(&stop),
    };
    let (clock, _) = WallClock::start();
    let gaps = Arc::new(Mutex::new(Histogram::new()));
    let asked = Arc::new(AtomicU64::new(0));
    let stream = |plan: &JobPlan| {
        let buffers = plan.buffers();
        Ok(Stream {
            facts: EngineFacts {
                name: "stream".to_owned(),
                version: 1,
                features: Vec::new(),
                completes_inline: false,
                returned_stamp: "the start".to_owned(),
            },
            arena: Arena::new(buffers, u64::from(bytes))?,
            kept_back: Vec::with_capacity(1),
            sizes: vec![0; buffers as usize],
            in_flight: Vec::with_capacity(1),
            ended_ns: 0,
            asked_between: Arc::clone(&asked),
            gaps: Arc::clone(&gaps),
            clock,
        })
    };
    if verify {
        let table = Arc::new(VerifyTable::of(&workload, &geometry, 7).unwrap());
        let build = |plan: &JobPlan| Verify::new(stream(plan)?, Arc::clone(&table), plan.buffers(), bytes);
        crew::run(plan, clock, build, |_| None, &mut |_| {}).unwrap();
    } else {
        crew::run(plan, clock, stream, |_| None, &mut |_| {}).unwrap();
    }
    let gaps = gaps.lock().unwrap();
    assert!(gaps.count() > 10, "{} gaps at {bytes} B", gaps.count());
    Between {
        quartile_ns: gaps.quantile(0.25).unwrap(),
        asked: asked.load(Ordering::Relaxed),
        gaps: gaps.count(),
    }
}

#[test]
fn content_of_writes_of_every_size_is_made_while_one_is_in_flight() {
    for verify in [false, true] {
        for bytes in (12..=20).map(|power| 1u32 << power) {
            let Between { quartile_ns, asked, gaps } = between(bytes, verify);
            let io_ns = u64::from(bytes) / BYTES_PER_NS;
            let share = io_ns as f64 / (io_ns + quartile_ns) as f64;
            let kib = bytes >> 10;
            println!(
                "{kib:>5} KiB, verify {verify:<5}: {share:.4} in flight, {quartile_ns} ns between two; \
                 {asked} buffers in {gaps} gaps"
            );
            // Below 16 KiB the loop takes the order of its steps that is faster on this machine at this moment, and one of
            // them makes content there; both are tried again and again. From then on only a job that lost its processor
            // for the whole of an I/O has to.
            let most = if bytes < 16 << 10 { gaps - 1 } else { gaps / 4 };
            assert!(
                verify || asked <= most,
                "content of {asked} of {gaps} writes of {kib} KiB was made between two"
            );
            // The counter itself works: checksums ask for each buffer there.
            assert!(!verify || asked >= gaps, "{asked} buffers in {gaps} gaps with checksums");
        }
    }
}
