//! The run record itself.

use serde::{Deserialize, Serialize};

use crate::breaches::EngineBreaches;
use crate::ceiling::KnownCeiling;
use crate::check::{Check, CheckOutcome};
use crate::client_facts::ClientsFacts;
use crate::environment_facts::Environment;
use crate::expectation::Expectation;
use crate::facts::{ClockRecord, EngineFacts, TargetFacts};
use crate::provenance::RecordOrigin;
use crate::standstill::Standstill;
use crate::telemetry::Telemetry;
use crate::wall_facts::WallFacts;
use crate::witness::Witness;
use crate::{Direction, Interval, LatencySummary, SparseHistogram, Workload};

/// Everything one run exposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// Always `fathom.run`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// Unique, and sorts by time.
    pub id: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// What made the numbers.
    pub tool: Tool,
    /// Where they were read from; absent for fathom's own runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<RecordOrigin>,
    /// The campaign that this run belongs to.
    pub campaign: Option<CampaignLink>,
    /// What was asked for.
    pub workload: Workload,
    /// Of what.
    pub target: TargetFacts,
    /// Carried by what.
    pub engine: EngineFacts,
    /// Stamped by what; absent where another tool measured and did not tell.
    pub clock: Option<ClockRecord>,
    /// Self-checks; those that failed come first.
    pub checks: Vec<Check>,
    /// How the run ended.
    pub ending: RunEnding,
    /// Numbers of the measured window, warm-up excluded.
    pub summary: Summary,
    /// Each job's share.
    pub jobs: Vec<JobSummary>,
    /// Each target's share, where jobs were spread over several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetSummary>,
    /// What the target was exposed to, warm-up included.
    pub ledger: Ledger,
    /// Second by second, warm-up included.
    pub intervals: Vec<Interval>,
    /// Beside the run.
    pub telemetry: Telemetry,
    /// Around the run.
    pub environment: Environment,
    /// Upper bounds that were known before and hold for this run: declared, from the catalogue, or set by
    /// the system.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ceilings: Vec<KnownCeiling>,
    /// The same I/Os as the block layer saw them, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// What came of each priority, where single I/Os had one of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<PrioritySummary>,
    /// The wall around what did the I/O; absent where nothing was opened, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Box<WallFacts>>,
    /// When the process, or the machine under it, stood still; empty where it never did, in simulated time, and in
    /// older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standstills: Vec<Standstill>,
    /// What was read back and checked when the measurement was over; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<Box<ReadBack>>,
    /// The clients whose sum this is; absent where one process measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Box<ClientsFacts>>,
    /// What it was expected to reach by another run; absent where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectation: Option<Box<Expectation>>,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data. Absent where no
    /// line says all of it, where another tool measured, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Remarks for people: fallbacks, dropped features.
    pub notes: Vec<String>,
}

/// The program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// `fathom`, or the foreign tool that the numbers come from.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Reads of what a run wrote, after its measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadBack {
    /// Reads that ended well.
    pub operations: u64,
    /// Bytes they gave.
    pub bytes: u64,
    /// How long all of it took.
    pub duration_ns: u64,
    /// Their service latencies.
    pub service_histogram: SparseHistogram,
}

/// Place in a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CampaignLink {
    /// The campaign's id.
    pub id: String,
    /// The step's key in the campaign's journal.
    pub step: String,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum RunEnding {
    /// A limit of the workload was reached.
    Complete,
    /// The user stopped it; the numbers cover what was measured until then.
    Interrupted,
    /// The target failed; the numbers cover what was measured until then.
    Failed {
        /// What happened.
        error: String,
    },
}

/// Numbers over the measured window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Length of the window.
    pub duration_ns: u64,
    /// One entry for each direction that finished any I/O.
    pub directions: Vec<DirectionSummary>,
    /// Mean I/Os in flight, from the time integral.
    pub in_flight_mean: Option<f64>,
    /// I/Os asked to be in flight; absent for open arrivals.
    pub in_flight_requested: Option<f64>,
    /// Submission after the intended start; absent for a closed loop.
    pub generator_lag: Option<LatencySummary>,
    /// Open arrivals that found the in-flight cap reached and had to wait.
    pub delayed_arrivals: Option<u64>,
    /// Rate offered by an open arrival process over the window, per second.
    pub offered_per_s: Option<f64>,
    /// Time that completions had been waiting when they were seen, where the engine can know.
    pub reap_lag: Option<LatencySummary>,
    /// Share of the time that the generator's threads were not waiting, mean over jobs.
    pub generator_busy_share: Option<f64>,
    /// Processor time of the whole process in user mode, the kernel's threads on its behalf included.
    pub cpu_user_ns: Option<u64>,
    /// Processor time of the whole process in the kernel.
    pub cpu_system_ns: Option<u64>,
    /// What the engine did against its contract; absent in older records and where another tool measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaches: Option<Box<EngineBreaches>>,
}

/// Which I/Os a summary is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IoGroup {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// Flushes.
    Flush,
    /// Reads and writes that another tool did not tell apart; never beside either of them.
    Mixed,
}

impl IoGroup {
    /// The word for it in text and screens.
    pub const fn name(self) -> &'static str {
        match self.direction() {
            Some(direction) => direction.name(),
            None => "mixed",
        }
    }

    /// The one direction that it is, if it is one.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            IoGroup::Read => Some(Direction::Read),
            IoGroup::Write => Some(Direction::Write),
            IoGroup::Trim => Some(Direction::Trim),
            IoGroup::Flush => Some(Direction::Flush),
            IoGroup::Mixed => None,
        }
    }
}

impl From<Direction> for IoGroup {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Read => IoGroup::Read,
            Direction::Write => IoGroup::Write,
            Direction::Trim => IoGroup::Trim,
            Direction::Flush => IoGroup::Flush,
        }
    }
}

impl PartialEq<Direction> for IoGroup {
    fn eq(&self, other: &Direction) -> bool {
        self.direction() == Some(*other)
    }
}

/// One direction over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionSummary {
    /// Which.
    pub direction: IoGroup,
    /// I/Os that ended well.
    pub operations: Option<u64>,
    /// Bytes they moved.
    pub bytes: Option<u64>,
    /// I/Os that ended in an error.
    pub errors: Option<u64>,
    /// Rate over the window.
    pub operations_per_s: f64,
    /// Throughput over the window.
    pub throughput_bytes_per_s: f64,
    /// Submission to reaping.
    pub service: Option<LatencySummary>,
    /// Intended start to reaping; absent in a closed loop, where it equals the service latency.
    pub response: Option<LatencySummary>,
    /// Submission call alone.
    pub submit: Option<LatencySummary>,
    /// Whole distribution of service latencies.
    pub service_histogram: Option<SparseHistogram>,
    /// Whole distribution of response latencies, for open arrivals.
    pub response_histogram: Option<SparseHistogram>,
    /// From the end of the submitting call to the completion, as fio's `clat`; in imported records only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<LatencySummary>,
    /// Whole distribution of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_histogram: Option<SparseHistogram>,
}

/// One job's totals over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobSummary {
    /// Number, from 0.
    pub job: u32,
    /// Which of the target's members it worked on, from 0; absent where there is one target or one stripe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
    /// Processor that it was bound to, if it was.
    pub cpu: Option<u32>,
    /// Why it was bound there, as `queue 1 of nvme0n1, node 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<String>,
    /// When it began; absent where time is simulated, and of other tools' results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<JobStart>,
    /// I/Os that ended well.
    pub operations: Option<u64>,
    /// Bytes they moved.
    pub bytes: Option<u64>,
    /// I/Os that ended in an error.
    pub errors: Option<u64>,
    /// I/Os that ended well, per second of the window.
    #[serde(default)]
    pub operations_per_s: Option<f64>,
    /// Mean I/Os in flight.
    pub in_flight_mean: Option<f64>,
    /// Share of the time that its thread was not waiting.
    pub busy_share: Option<f64>,
    /// One entry for each direction that it finished any I/O in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directions: Vec<JobDirection>,
}

/// Between which moments a job, or jobs, began: a processor may be taken away before, between and after any two looks at
/// the clock, so that only such a span is sure. Nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobStart {
    /// A look at the clock before the first turn of its loop; of several jobs the earliest.
    pub from_ns: u64,
    /// A look at it when that turn had handed over the I/Os that were due; of several jobs the latest.
    pub to_ns: u64,
}

impl JobStart {
    /// The span that holds both.
    pub fn and(self, other: Self) -> Self {
        Self { from_ns: self.from_ns.min(other.from_ns), to_ns: self.to_ns.max(other.to_ns) }
    }

    /// How far two of the starts that it holds are apart at most, in nanoseconds.
    pub fn spread_ns(self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

/// One direction of one job over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobDirection {
    /// Which.
    pub direction: Direction,
    /// I/Os that ended well.
    pub operations: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that ended in an error.
    pub errors: Option<u64>,
    /// Smallest service latency.
    pub service_min_ns: Option<u64>,
    /// Mean service latency.
    pub service_mean_ns: Option<f64>,
    /// Largest service latency.
    pub service_max_ns: Option<u64>,
}

/// The I/Os of one direction and one priority, over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrioritySummary {
    /// Reads or writes.
    pub direction: Direction,
    /// The kernel's class: 0 none of their own, 1 real time, 2 best effort, 3 idle.
    pub class: u8,
    /// 0 to 7, the highest first.
    pub level: u8,
    /// What the device was told beside; 0 for nothing.
    #[serde(default)]
    pub hint: u16,
    /// I/Os that ended well.
    pub operations: u64,
    /// Submission to reaping.
    pub service: Option<LatencySummary>,
    /// Whole distribution of these.
    pub service_histogram: SparseHistogram,
}

/// One target of several over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetSummary {
    /// Which of the target's members, from 0.
    pub target: u32,
    /// As the user named it.
    pub name: String,
    /// Jobs that worked on it.
    pub jobs: u32,
    /// One entry for each direction that finished any I/O on it.
    pub directions: Vec<DirectionSummary>,
    /// Mean I/Os in flight on it.
    pub in_flight_mean: Option<f64>,
}

/// What was exposed, and so what may be claimed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ledger {
    /// Time under load.
    pub seconds: f64,
    /// Bytes read.
    pub bytes_read: Option<u64>,
    /// Bytes written.
    pub bytes_written: Option<u64>,
    /// Bytes of the target that the workload could reach.
    pub span_bytes: Option<u64>,
    /// Bytes written divided by the target's size.
    pub written_over_capacity: Option<f64>,
    /// Share of the span that was touched at least once, 0 to 1.
    pub span_touched_share: Option<f64>,
    /// How that share is known: `exact` or `expected` (computed from the pattern's distribution).
    pub span_touched_basis: Option<String>,
    /// Events rarer than this cannot have been seen reliably: 3 over the time, per second.
    pub resolves_events_per_s: f64,
}

impl RunRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.run";
    /// The version that this build writes.
    pub const VERSION: u32 = 9;

    /// What is known of a run before it ends: who measures, what was asked for, of what and by which engine. It has no
    /// numbers, checks or environment, and an ending as if it were interrupted now.
    pub fn begun(tool: Tool, workload: Workload, target: TargetFacts, engine: &str) -> Self {
        Self {
            format: Self::FORMAT.to_owned(),
            version: Self::VERSION,
            id: String::new(),
            started_at: String::new(),
            tool,
            origin: None,
            campaign: None,
            workload,
            target,
            engine: EngineFacts {
                name: engine.to_owned(),
                version: 0,
                features: Vec::new(),
                completes_inline: false,
                returned_stamp: String::new(),
            },
            clock: None,
            checks: Vec::new(),
            ending: RunEnding::Interrupted,
            summary: Summary::default(),
            jobs: Vec::new(),
            targets: Vec::new(),
            ledger: Ledger::default(),
            intervals: Vec::new(),
            telemetry: Telemetry::default(),
            environment: Environment::default(),
            ceilings: Vec::new(),
            witness: None,
            priorities: Vec::new(),
            wall: None,
            standstills: Vec::new(),
            read_back: None,
            clients: None,
            expectation: None,
            command: None,
            notes: Vec::new(),
        }
    }

    /// Whether no self-check failed and the run came to its end.
    pub fn is_valid(&self) -> bool {
        self.ending == RunEnding::Complete
            && self.checks.iter().all(|check| check.outcome != CheckOutcome::Fail)
    }

    /// Bytes moved a second; 0 where I/Os name bytes and move none.
    pub fn throughput_bytes_per_s(&self) -> f64 {
        if self.engine.moves_data() { self.summary.throughput_bytes_per_s() } else { 0.0 }
    }

    /// Whether time was simulated.
    pub fn is_virtual(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.source == "virtual")
    }

    /// Whether another tool measured it.
    pub fn is_imported(&self) -> bool {
        self.origin.is_some()
    }

    /// Checks that failed.
    pub fn failed_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.outcome == CheckOutcome::Fail)
    }
}

impl Summary {
    /// One direction's numbers.
    pub fn direction(&self, direction: Direction) -> Option<&DirectionSummary> {
        self.directions.iter().find(|d| d.direction == direction)
    }

    /// Operations per second over all directions.
    pub fn operations_per_s(&self) -> f64 {
        // A sum of nothing is -0.
        self.directions.iter().fold(0.0, |sum, d| sum + d.operations_per_s)
    }

    /// Bytes per second over all directions.
    pub fn throughput_bytes_per_s(&self) -> f64 {
        self.directions.iter().fold(0.0, |sum, d| sum + d.throughput_bytes_per_s)
    }

    /// Mean I/Os in flight: measured, or else by Little's law, rate times mean service latency, where every
    /// direction has both.
    pub fn in_flight(&self) -> Option<f64> {
        let derived = || {
            let known = self.directions.iter().all(|d| d.service.is_some());
            known.then(|| Some(self.operations_per_s() * self.service_mean_ns()? / 1e9)).flatten()
        };
        self.in_flight_mean.or_else(derived)
    }

    /// I/Os that ended well over all directions; absent where one direction's are not known.
    pub fn operations(&self) -> Option<u64> {
        self.directions.iter().map(|d| d.operations).sum()
    }

    /// Mean service latency over all directions, weighted by their operations; absent without any.
    pub fn service_mean_ns(&self) -> Option<f64> {
        let known = || self.directions.iter().filter_map(|d| Some((d.service.as_ref()?, d.operations_per_s)));
        // Over one window rates weigh like counts, which not every tool reports.
        let counted = known().all(|(service, _)| service.count.is_some());
        let weighed = || {
            known().map(|(service, rate)| {
                (service.mean_ns, if counted { service.count.unwrap_or(0) as f64 } else { rate })
            })
        };
        let weights: f64 = weighed().map(|(_, weight)| weight).sum();
        (weights > 0.0).then(|| weighed().map(|(mean_ns, weight)| mean_ns * weight).sum::<f64>() / weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_of_several_jobs_lie_between_the_earliest_and_the_latest_look() {
        let (early, late) = (JobStart { from_ns: 10, to_ns: 400 }, JobStart { from_ns: 30, to_ns: 90 });
        let both = JobStart { from_ns: 10, to_ns: 400 };
        assert_eq!((early.and(late), late.and(early), both.spread_ns()), (both, both, 390));
        let apart = early.and(JobStart { from_ns: 900, to_ns: 901 });
        assert_eq!(apart, JobStart { from_ns: 10, to_ns: 901 });
    }
}
