//! Content of writes is made while I/Os are in flight, and costs a few bytes a sector.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_engine::job::JobPlan;
use fathom_engine::job::crew::{CrewPlan, JobConduct};
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::pattern::{DataPattern, Generator, Geometry};
use fathom_engine::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use fathom_measure::{Clock, WallClock};
use fathom_record::facts::EngineFacts;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{Direction, Workload};
use fathom_target::wall::Reach;

use super::run_crew;

/// What an engine saw of its job.
#[derive(Debug, Default)]
struct EngineCounts {
    /// Buffers that were asked for before the first I/O.
    made_before: u64,
    /// Buffers that were asked for with nothing in flight.
    made_idle: u64,
    made_in_flight: u64,
    /// Bytes of writes that differ from what their buffer held at its last write, with all that were written again.
    renewed: (u64, u64),
    sectors: u64,
    unique: HashSet<Vec<u8>>,
}

/// Starts I/Os when it is asked for completions, and ends them when the job waits.
struct Slow {
    facts: EngineFacts,
    arena: Arena,
    kept_back: Vec<Io>,
    in_flight: Vec<(Io, u64)>,
    /// Whether the run has begun.
    begun: bool,
    written: Vec<Vec<u8>>,
    clock: WallClock,
    seen: Arc<Mutex<EngineCounts>>,
}

impl Slow {
    fn note_write(&mut self, io: &Io) {
        let content = self.arena.slice(io.slot)[..io.bytes as usize].to_vec();
        let mut seen = self.seen.lock().unwrap();
        let before = &self.written[io.slot as usize];
        if before.len() == content.len() {
            seen.renewed.0 += before.iter().zip(&content).filter(|(old, new)| old != new).count() as u64;
            seen.renewed.1 += content.len() as u64;
        }
        for sector in content.chunks(512) {
            seen.sectors += 1;
            seen.unique.insert(sector[..16].to_vec());
        }
        self.written[io.slot as usize] = content;
    }
}

impl Engine for Slow {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(self.in_flight.iter().all(|(io, _)| io.slot != slot), "slot {slot} is in flight");
        let mut seen = self.seen.lock().unwrap();
        if !self.begun {
            seen.made_before += 1;
        } else if self.in_flight.is_empty() {
            seen.made_idle += 1;
        } else {
            seen.made_in_flight += 1;
        }
        self.arena.slice(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.begun = true;
        if io.direction == Direction::Write {
            self.note_write(&io);
        } else {
            self.arena.slice(io.slot).fill(0);
            self.written[io.slot as usize].clear();
        }
        self.kept_back.push(io);
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let now_ns = self.clock.now_ns();
        self.in_flight.extend(self.kept_back.drain(..).map(|io| (io, now_ns)));
        if wait == Wait::No || self.in_flight.is_empty() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_micros(50));
        let (io, submitted_ns) = self.in_flight.remove(0);
        let reaped_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns, returned_ns: submitted_ns, reaped_ns };
        done.push(Completion { slot: io.slot, result: io.bytes as i32, stamps });
        Ok(())
    }
}

fn run(depth: u32, bytes: u32, read_share: f64, operations: u64) -> EngineCounts {
    let workload = Workload {
        mix: Mix { read_share, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: bytes.into() }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth,
        length: Length { operations: Some(operations), ..Length::default() },
        seed: 3,
        special: None,
    };
    let geometry = Geometry::of(&workload, 64 << 20).unwrap();
    let job = JobPlan {
        job: 0,
        target: 0,
        depth,
        spares: Spares::of(depth, bytes, read_share > 0.0),
        generator: Generator::new(&workload, &geometry, 0, &Arc::new(AtomicU64::new(0))),
        arrival: None,
        pace: None,
        aside: None,
        data: DataPattern::new(&workload.data, 1, 0),
        operations,
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
    let seen = Arc::new(Mutex::new(EngineCounts::default()));
    let build = |plan: &JobPlan| {
        let slow = Slow {
            facts: EngineFacts {
                name: "slow".to_owned(),
                version: 1,
                features: Vec::new(),
                completes_inline: false,
                returned_stamp: "the start".to_owned(),
            },
            arena: Arena::new(plan.buffers(), u64::from(bytes))?,
            kept_back: Vec::new(),
            in_flight: Vec::new(),
            begun: false,
            written: vec![Vec::new(); plan.buffers() as usize],
            clock,
            seen: Arc::clone(&seen),
        };
        Ok(Box::new(slow) as Box<dyn Engine>)
    };
    let measured = run_crew(plan, clock, &build).unwrap();
    assert_eq!(measured.whole.operations(), operations);
    Arc::into_inner(seen).unwrap().into_inner().unwrap()
}

#[test]
fn content_of_long_writes_is_made_while_others_are_in_flight() {
    for depth in [1, 4] {
        for bytes in [16 << 10, 64 << 10, 1 << 20] {
            let seen = run(depth, bytes, 0.0, 100);
            let buffers = u64::from(depth + Spares::of(depth, bytes, false).count);
            // Each is filled once, and the first write's renewed before anything is in flight.
            assert_eq!(seen.made_before, buffers + 1, "{depth} × {bytes}");
            assert!(seen.made_idle <= u64::from(depth), "{depth} × {bytes}: {}", seen.made_idle);
            assert!(
                seen.made_in_flight >= 100 - u64::from(depth),
                "{depth} × {bytes}: {}",
                seen.made_in_flight
            );
            assert_eq!(seen.unique.len() as u64, seen.sectors, "{depth} × {bytes}: a sector repeats");
            // Eight bytes of each sector, wherever the buffer held a write before.
            let (renewed, all) = seen.renewed;
            assert!(all > 0 && renewed <= all / 64, "{depth} × {bytes}: {renewed} of {all}");
        }
    }
}

#[test]
fn reads_leave_the_buffers_of_writes_alone() {
    for (depth, bytes) in [(1, 4096), (1, 65_536), (8, 65_536), (8, 4096)] {
        let seen = run(depth, bytes, 0.5, 400);
        let made_anew = seen.sectors * 512 - seen.renewed.1;
        // Each of the buffers is made from the start once; after that only renewed.
        let buffers = u64::from(depth + Spares::of(depth, bytes, true).count);
        assert!(made_anew <= buffers * u64::from(bytes), "{depth} × {bytes}: {made_anew}");
        assert!(seen.renewed.0 <= seen.renewed.1 / 64, "{depth} × {bytes}: {:?}", seen.renewed);
        assert_eq!(seen.unique.len() as u64, seen.sectors, "{depth} × {bytes}: a sector repeats");
    }
}
