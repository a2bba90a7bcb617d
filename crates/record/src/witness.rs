//! What the kernel's block layer saw of a run, set beside what the run itself saw.
//!
//! All of it covers the whole run, warm-up and drain included: the block layer knows of no window.

use serde::{Deserialize, Serialize};

use crate::{Direction, LatencySummary, SparseHistogram};

/// An independent measurement of the same I/Os, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a record has at most one")]
pub enum Witness {
    /// The block layer was traced.
    Seen(BlockTrace),
    /// It was asked for and could not be.
    Absent {
        /// Why, and what would help.
        reason: String,
    },
}

/// The block layer's account of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockTrace {
    /// `bpf` (programs on the kernel's tracepoints) or `tracefs` (their text).
    pub source: String,
    /// Block devices that were watched: those that the target lies on directly.
    pub devices: Vec<String>,
    /// Events that were counted: arrivals, hand-overs to the driver, ends.
    pub events: u64,
    /// I/Os whose end was not seen, and events that could not be kept.
    pub lost: u64,
    /// What `lost` is the sum of.
    #[serde(default)]
    pub losses: Losses,
    /// I/Os that had begun in the block layer and had not ended there when the run was over.
    pub unfinished: u64,
    /// I/Os of this process that are not the run's: metadata of the file system, read-ahead.
    pub strays: u64,
    /// How the witness's clock relates to the run's.
    pub clock: WitnessClock,
    /// What watching cost.
    pub cost: WitnessCost,
    /// By direction, where the run or the block layer finished any.
    pub directions: Vec<WitnessDirection>,
}

/// Why I/Os or events were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Losses {
    /// Events at which the kernel did not run the program, as the same one was running on that processor.
    pub not_run: u64,
    /// I/Os that found no room in the table of those in flight.
    pub no_room: u64,
    /// I/Os whose end was not seen: their memory was used for another one that began. A kernel that runs no
    /// programs in interrupts of certain processes makes these.
    pub unended: u64,
    /// Events of the text that were thrown away by the kernel before they were read, or could not be read.
    pub unread: u64,
}

/// The witness's clock beside the run's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessClock {
    /// What the witness's stamps are read from.
    pub source: String,
    /// Smallest step of its stamps.
    pub resolution_ns: u64,
    /// How well the two clocks are known to each other: half the widest bracket in which both were read,
    /// and how far a reading lies beside the line between its neighbours.
    pub uncertainty_ns: u64,
    /// How far they drifted apart over the run; corrected for.
    pub drift_ns: i64,
}

/// What watching cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessCost {
    /// Processor time of one event, where it was measured.
    pub event_ns: Option<f64>,
    /// Processor time over all events of the run: measured, or the cost of one times their number.
    pub cpu_ns: Option<u64>,
    /// How that is known.
    pub basis: String,
}

/// One direction, as the run and as the block layer saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessDirection {
    /// Which.
    pub direction: Direction,
    /// I/Os that the run finished, those that failed included.
    pub operations: u64,
    /// I/Os (bios) that the block layer finished for it.
    pub ios: u64,
    /// I/Os that shared a request with one before them.
    pub merged: u64,
    /// Further parts that I/Os were cut into.
    pub cuts: u64,
    /// I/Os that ended without being handed to a driver, as on devices without requests.
    pub unissued: u64,
    /// I/Os that waited in a list of the block layer (a scheduler's, or for a free tag).
    pub scheduled: u64,
    /// Mean time in that list.
    pub scheduled_mean_ns: Option<f64>,
    /// The run's own service latency over the whole run.
    pub service: Option<WitnessStage>,
    /// Arrival in the block layer to hand-over to the driver.
    pub queue: Option<WitnessStage>,
    /// Hand-over to the driver to the end of the last part.
    pub device: Option<WitnessStage>,
    /// Arrival in the block layer to the end.
    pub total: Option<WitnessStage>,
    /// The difference in numbers.
    pub explanation: Option<WitnessExplanation>,
    /// What stands in the way of an explanation, or of a part of it.
    pub unexplained: Option<String>,
}

/// One distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessStage {
    /// In a few numbers.
    pub summary: LatencySummary,
    /// Whole.
    pub histogram: SparseHistogram,
}

/// Where the time between submission and reaping went, from I/Os that both sides kept one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WitnessExplanation {
    /// Both sides kept the I/Os at one sector in so many, the same ones.
    pub one_in: u64,
    /// I/Os that were found on both sides.
    pub pairs: u64,
    /// Kept I/Os of the run that the block layer did not have.
    pub run_alone: u64,
    /// Kept I/Os of the block layer that the run did not have.
    pub block_alone: u64,
    /// Kept I/Os of the run that could be more than one of the block layer's: two at one place at once.
    pub ambiguous: u64,
    /// I/Os that should have been kept and found no room, of all directions.
    pub missed: u64,
    /// Pairs whose time in the block layer does not lie within the run's stamps, by more than the clocks
    /// may be off.
    pub contradictions: u64,
    /// Mean parts of all pairs.
    pub mean: LatencyParts,
    /// What the mean of all the run's I/Os has beyond them, as a share of it.
    pub mean_left_over_share: f64,
    /// Quantiles that both distributions resolve.
    pub quantiles: Vec<QuantileDifference>,
}

/// An I/O's time in three parts, as the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LatencyParts {
    /// From the submission stamp to the arrival in the block layer.
    pub before_ns: f64,
    /// In the block layer and the device.
    pub inside_ns: f64,
    /// From the end in the block layer to the stamp at reaping.
    pub after_ns: f64,
}

/// One quantile as both saw it. What is left over is `service` less the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct QuantileDifference {
    /// Order, 0 to 1.
    pub q: f64,
    /// Service latency, of all the run's I/Os.
    pub service_ns: u64,
    /// Block layer and device, of all I/Os there: the quantile of that distribution by itself.
    pub block_ns: u64,
    /// Mean parts of the pairs whose service latency lies around the same order.
    pub parts: LatencyParts,
    /// What is left over, as a share of the service latency.
    pub left_over_share: f64,
    /// Range of the sum of the parts over all places among the pairs that the quantile can have, whatever became
    /// of the I/Os that were not found again. Absent in records made before it was worked out.
    pub parts_range_ns: Option<[u64; 2]>,
}

impl QuantileDifference {
    /// What is left over even if the I/Os that were not found again lay where they explain most, as a share of
    /// the service latency, 0 or more.
    pub fn unexplained_share(&self) -> f64 {
        let Some([low, high]) = self.parts_range_ns else { return self.left_over_share.abs() };
        let beyond = self.service_ns.saturating_sub(high).max(low.saturating_sub(self.service_ns));
        (beyond as f64 / self.service_ns.max(1) as f64).min(self.left_over_share.abs())
    }
}

impl Witness {
    /// The trace, where there is one.
    pub fn seen(&self) -> Option<&BlockTrace> {
        match self {
            Self::Seen(trace) => Some(trace),
            Self::Absent { .. } => None,
        }
    }
}

impl Losses {
    /// All of them.
    pub fn sum(&self) -> u64 {
        self.not_run + self.no_room + self.unended + self.unread
    }
}

impl LatencyParts {
    /// All three.
    pub fn sum_ns(&self) -> f64 {
        self.before_ns + self.inside_ns + self.after_ns
    }
}

impl WitnessExplanation {
    /// The largest share that is left over at any listed quantile, by its size.
    pub fn worst_left_over(&self) -> Option<QuantileDifference> {
        self.quantiles
            .iter()
            .copied()
            .max_by(|a, b| a.left_over_share.abs().total_cmp(&b.left_over_share.abs()))
    }
}
