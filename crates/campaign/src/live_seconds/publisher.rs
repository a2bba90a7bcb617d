//! Tells of a measurement: into its ring, and to who asks in this process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fathom_engine::job::tally::Tally;
use fathom_engine::job::timeline::Phase;
use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::facts::TargetFacts;
use fathom_telemetry::Latest;

use super::line_ring::RingWriter;
use super::live_lines::{self, HeatLine, LiveEvent, RingHead, SecondLine, StepLine};
use super::ring_folder::{Place, started_ticks};
use super::running_measurements::{COMMANDS, name_of, sweep};
use crate::progress::{Progress, Second, StepNotice};
use crate::record_ids;

/// Seconds whose latencies are added up in one line.
const HEAT_SECONDS: u32 = 5;
/// Devices that are named.
const DEVICES_MAX: usize = 16;

/// How a measurement stands, for who asks in the same process.
#[derive(Clone, Debug, Default)]
pub struct MeasurementStatus {
    /// What is measured.
    pub head: RingHead,
    /// The newest second.
    pub second: Option<SecondLine>,
    /// I/Os that ended well in all seconds so far.
    pub operations: f64,
    /// Bytes that were moved in them.
    pub bytes: f64,
    /// I/Os that failed in them.
    pub errors: u64,
    /// Runs that were saved.
    pub runs: u64,
    /// The newest sample of the machine.
    pub machine: Option<Arc<Latest>>,
}

/// A ring that is being written.
#[derive(Debug)]
struct Ring {
    writer: RingWriter,
    place: Place,
    name: String,
}

/// Hears what a measurement tells, on the thread that adds its seconds up.
#[derive(Debug)]
pub struct Publisher {
    head: RingHead,
    candidates: Vec<PathBuf>,
    ring: Option<Ring>,
    standing: Option<Arc<Mutex<MeasurementStatus>>>,
    machine: Option<Arc<Latest>>,
    latencies: Histogram,
    seconds: u32,
    /// End of the newest second of the run.
    until_ns: u64,
}

impl Publisher {
    /// For a command, e.g. `run`. Its ring is made in one of the folders when the target is known, so that it never
    /// lies on what is measured.
    pub fn new(
        command: &str,
        candidates: Vec<PathBuf>,
        standing: Option<Arc<Mutex<MeasurementStatus>>>,
    ) -> Self {
        debug_assert!(COMMANDS.contains(&command), "who looks on knows no `{command}`");
        let pid = std::process::id();
        let head = RingHead {
            format: live_lines::FORMAT.to_owned(),
            version: live_lines::VERSION,
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            pid,
            started_ticks: started_ticks(pid).unwrap_or(0),
            command: command.to_owned(),
            started_at: record_ids::now(),
            ..RingHead::default()
        };
        let latencies = Histogram::new();
        Self { head, candidates, ring: None, standing, machine: None, latencies, seconds: 0, until_ns: 0 }
    }

    /// A ring in the first folder that is fit for it and not on the target.
    fn begin(&mut self, target: &TargetFacts) {
        self.ring = self.candidates.iter().find_map(|path| {
            let place = Place::of(path, true).ok().flatten().filter(|place| !lies_on(target, place))?;
            sweep(&place);
            let name = name_of(&self.head);
            // Left by a process of the same number and start, which is this one.
            place.remove(&name);
            let file = place.make(&name).ok()?;
            // It is held as long as this process lives, whatever numbers processes have where it is looked at. Who looks
            // at this moment may have it.
            let _ = file.try_lock();
            let writer = RingWriter::begin(file, &self.head).ok();
            if writer.is_none() {
                place.remove(&name);
            }
            Some(Ring { writer: writer?, place, name })
        });
    }

    /// Writes into the ring; one that takes no more ends, and the measurement goes on.
    fn write(&mut self, write: impl FnOnce(&mut RingWriter, &RingHead) -> std::io::Result<()>) {
        if let Some(ring) = &mut self.ring
            && write(&mut ring.writer, &self.head).is_err()
        {
            self.ring = None;
        }
    }

    fn put(&mut self, event: &LiveEvent) {
        self.write(|writer, _| writer.put(event));
    }

    /// Writes the head anew.
    fn tell_head(&mut self) {
        self.write(RingWriter::head);
        let head = &self.head;
        self.stand(|standing| standing.head = head.clone());
    }

    fn stand(&self, change: impl FnOnce(&mut MeasurementStatus)) {
        if let Some(standing) = &self.standing {
            change(&mut standing.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn tell_heat(&mut self, until_ns: u64) {
        self.seconds += 1;
        if self.seconds < HEAT_SECONDS {
            return;
        }
        self.seconds = 0;
        if let Some(heat) = HeatLine::of(&self.latencies, until_ns) {
            self.put(&LiveEvent::Heat(heat));
        }
        self.latencies.clear();
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // Who has it open reads on, and finds the end.
        let _ = self.writer.put(&LiveEvent::Ended);
        self.place.remove(&self.name);
    }
}

/// Whether a target is a file of the same file system.
fn lies_on(target: &TargetFacts, place: &Place) -> bool {
    let mounted = target.file_system.as_ref().map(|system| Path::new(&system.mount_point));
    let paths = mounted.into_iter().chain([Path::new(&target.name)]);
    paths.into_iter().any(|path| place.holds(path))
        || target.members.iter().any(|member| lies_on(member, place))
}

impl Progress for Publisher {
    fn opened(&mut self, target: &TargetFacts) {
        self.head.target = live_lines::target_name(&target.name);
        let names = target.devices.iter().map(|device| live_lines::device_name(&device.name));
        self.head.devices = names.take(DEVICES_MAX).collect();
        self.ring = self.ring.take().filter(|ring| !lies_on(target, &ring.place));
        if self.ring.is_none() {
            self.begin(target);
        }
        self.tell_head();
    }

    fn campaign(&mut self, id: &str) {
        self.head.campaign = Some(id.to_owned());
        self.tell_head();
    }

    fn run(&mut self, id: &str) {
        self.head.run = Some(id.to_owned());
        // What the one before was measured with says nothing of this one.
        self.machine = None;
        self.until_ns = 0;
        self.tell_head();
    }

    fn saved(&mut self, id: &str) {
        self.put(&LiveEvent::Saved { run: id.to_owned() });
        self.stand(|standing| standing.runs += 1);
    }

    fn step(&mut self, notice: &StepNotice) {
        let step = StepLine::from(notice);
        self.head.step = Some(step.clone());
        self.tell_head();
        self.put(&LiveEvent::Step(step));
    }

    fn second(&mut self, second: &Second) {
        let at_s = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
        let mut line = SecondLine::of(second, at_s, self.machine.as_deref(), &self.head.devices);
        // Of a simulated clock's second the machine's own time says nothing.
        line.cpus = line.cpus.filter(|_| !self.head.simulated);
        self.put(&LiveEvent::Second(line.clone()));
        let length_s = second.until_ns.checked_sub(self.until_ns).unwrap_or(second.until_ns) as f64 / 1e9;
        self.until_ns = second.until_ns;
        self.stand(|standing| {
            standing.operations += second.operations_per_s * length_s;
            standing.bytes += second.throughput_bytes_per_s * length_s;
            standing.errors = standing.errors.saturating_add(second.errors);
            standing.second = Some(line);
        });
        self.tell_heat(second.until_ns);
    }

    fn machine(&mut self, latest: &Arc<Latest>) {
        self.machine = Some(Arc::clone(latest));
        self.stand(|standing| standing.machine = Some(Arc::clone(latest)));
    }

    fn counted(&mut self, tally: &Tally) {
        if tally.phase == Phase::Drain || self.ring.is_none() {
            return;
        }
        let flows = Direction::ALL.into_iter().filter(|direction| *direction != Direction::Flush);
        flows.for_each(|direction| self.latencies.merge(&tally.directions[direction.index()].service));
    }

    fn simulated_time(&mut self, is_simulated: bool) {
        self.head.simulated = is_simulated;
    }
}
