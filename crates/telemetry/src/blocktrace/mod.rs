//! The block layer as a witness: the same I/Os, measured by the kernel on its own clock, set beside
//! what the run saw of them.
//!
//! Two sources see the block layer's tracepoints: programs in the kernel ([`WitnessSource::Bpf`]), which
//! count into histograms there, and the text of tracefs ([`WitnessSource::Tracefs`]) for kernels that take
//! no programs. Either fills a [`TraceSummary`], and keeps I/Os one by one; the run's own are kept beside them
//! by a [`Probe`] a job. What is on both sides is paired, and [`latency_breakdown`] sets it side by side.

pub mod block_demand;
mod clocks;
pub mod latency_breakdown;
mod pairs;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod platform;
mod probe;
mod sampling;
mod trace_summary;
#[cfg(any(test, target_os = "linux"))]
mod trace_text;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::options::WitnessSource;
use fathom_record::witness::{BlockTrace, Witness as Record, WitnessClock};

pub use latency_breakdown::RunDirection;
pub use pairs::{Pair, Pairing, Span};
pub use probe::{Probe, Stretch};
pub use trace_summary::{Passage, TraceDirection, TraceSummary};

use probe::{Ground, Recorder};
use sampling::Thinning;

use crate::{TelemetryError, TelemetryErrorKind};

/// What is being done where it fails.
const WATCHING: &str = "watching the block layer";

/// That a thread of a witness is not there any more.
fn broke(cause: &str) -> TelemetryError {
    TelemetryError::new(TelemetryErrorKind::System, WATCHING, cause)
}

/// One target: the device that it lies on directly, and where.
#[derive(Clone, Debug, Default)]
pub struct TargetLocation {
    /// The device's kernel name.
    pub device: String,
    /// Ascending stretches; none where the file system does not say.
    pub stretches: Vec<Stretch>,
}

/// What is to be watched.
#[derive(Clone, Debug)]
pub struct WitnessPlan {
    /// The run's targets, in their order.
    pub targets: Vec<TargetLocation>,
    /// Whether the page cache is bypassed: what it reads by itself is then no I/O of the run.
    pub direct: bool,
    /// How.
    pub source: WitnessSource,
}

/// A witness that watches.
pub struct Witness {
    watch: platform::Watch,
    recorder: Recorder,
    thinning: Thinning,
    devices: Vec<String>,
}

impl Witness {
    /// Begins to watch. The clock is the run's.
    ///
    /// # Errors
    /// Why neither source, or not the one asked for, can be used here, and what would help.
    pub fn start(plan: WitnessPlan, clock: impl Clock + Send + 'static) -> Result<Self, TelemetryError> {
        let mut devices: Vec<String> = plan.targets.iter().map(|target| target.device.clone()).collect();
        devices.sort_unstable();
        devices.dedup();
        let watched = platform::DeviceSet::of(&devices)?;
        let ground = |target: TargetLocation| {
            let (disk, first_sector) = watched.ground_of(&target.device).unwrap_or_default();
            Ground { disk, first_sector, stretches: target.stretches }
        };
        let grounds = plan.targets.into_iter().map(ground).collect();
        let thinning = Thinning::default();
        let watch = platform::Watch::start(&watched, plan.direct, plan.source, &thinning)?;
        let recorder = Recorder::start(grounds, thinning.clone(), clock, platform::monotonic_ns)?;
        Ok(Self { watch, recorder, thinning, devices })
    }

    /// Takes the stamps of a job that works on the target of this number.
    pub fn probe(&self, target: usize) -> Probe {
        self.recorder.probe(target)
    }

    /// Ends watching and sets both sides side by side.
    pub fn finish(self, ours: &[RunDirection; 4]) -> Record {
        let (source, resolution_ns) = (self.watch.name(), self.watch.resolution_ns());
        let both = self.watch.finish().and_then(|seen| Ok((seen, self.recorder.finish()?)));
        let (seen, recorded) = match both {
            Ok(both) => both,
            Err(error) => return Record::Absent { reason: error.cause },
        };
        let bits = self.thinning.bits();
        let kept = |spans: Vec<Span>| spans.into_iter().filter(move |s| sampling::keeps(bits, s.place.1));
        let clocks = recorded.clocks;
        let carry = |span: Span| Span {
            from_ns: clocks.run_ns(span.from_ns),
            to_ns: clocks.run_ns(span.to_ns),
            ..span
        };
        let pairings = pairs::pair(kept(recorded.spans).collect(), kept(seen.spans).map(carry).collect());
        let uncertainty_ns = clocks.uncertainty_ns() + resolution_ns / 2;
        let sampled = latency_breakdown::SamplingFacts {
            one_in: bits + 1,
            missed: recorded.missed + seen.missed,
            uncertainty_ns,
        };
        let directions = Direction::ALL.into_iter().filter_map(|direction| {
            let at = direction.index();
            latency_breakdown::direction(direction, &ours[at], &seen.directions[at], &pairings[at], sampled)
        });
        Record::Seen(BlockTrace {
            source: source.to_owned(),
            devices: self.devices,
            events: seen.events,
            lost: seen.losses.sum(),
            losses: seen.losses,
            unfinished: seen.unfinished,
            strays: seen.strays,
            clock: WitnessClock {
                source: "CLOCK_MONOTONIC".to_owned(),
                resolution_ns,
                uncertainty_ns,
                drift_ns: clocks.drift_ns(),
            },
            directions: directions.collect(),
            cost: seen.cost,
        })
    }
}
