//! What an attribution starts from: one pattern's cells, what was seen beside them, and what experiments
//! answered.

use fathom_record::campaign::CellResult;
use fathom_record::facts::TargetFacts;
use fathom_record::{KnownCeiling, Workload};

use crate::evidence::Feature;
use crate::experiments::ExperimentConditions;

/// One pattern that was measured at one or more concurrencies.
pub struct MeasuredPattern<'a> {
    /// In words, e.g. "4 KiB random read".
    pub title: &'a str,
    /// The target as it was opened.
    pub target: &'a TargetFacts,
    /// The engine that carried the I/O.
    pub engine: &'a str,
    /// The workload; jobs, depth and length are those of the cells.
    pub workload: &'a Workload,
    /// Every cell that was measured.
    pub cells: &'a [CellResult],
    /// What was seen beside each cell, in the order of `cells`; missing entries were not seen.
    pub telemetry: &'a [CellTelemetry],
    /// The cell that the verdict is about, as an index into `cells`: the peak. Absent: the fastest.
    pub focus: Option<usize>,
    /// Limits that were known before.
    pub known: &'a [KnownCeiling],
    /// What experiments answered.
    pub answers: &'a [ExperimentAnswer],
    /// Memory of the machine, which bounds its page cache.
    pub memory_bytes: Option<u64>,
    /// I/Os that the device holds at once, over all of its queues, where that is known.
    pub queue_tags: Option<f64>,
    /// Whether the target is known to be a drive of the machine's own, on which nobody enforces a rate.
    pub is_drive: bool,
    /// Whether each write waits until it is durable: by how the target was opened, or by the flags of its I/Os.
    pub durable: bool,
    /// What can be done to learn more.
    pub means: &'a ExperimentResources,
    /// Writes the command line that runs a workload with this engine, in this way.
    pub command: &'a dyn Fn(&Workload, &ExperimentConditions) -> String,
}

impl MeasuredPattern<'_> {
    /// Flushes for each write, of which a write that waits until it is durable is one; `None` where nothing is written.
    pub fn flushes_per_write(&self) -> Option<f64> {
        let mix = &self.workload.mix;
        let flushed = if mix.flush_every_writes == 0 { 0.0 } else { 1.0 / mix.flush_every_writes as f64 };
        (mix.write_share() > 0.0).then_some(if self.durable { 1.0 } else { flushed })
    }
}

/// What experiments may use: further targets, files, processors and time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentResources {
    /// Another target of the same kind that may be loaded beside this one.
    pub second_target: Option<String>,
    /// The device below the target's file system, which may be read.
    pub raw_device: Option<String>,
    /// Another file on the path of the target, or a folder in which one is made: it has the file system and all below it in
    /// common with the target.
    pub other_file: Option<String>,
    /// Processors of another NUMA node, where jobs are not on the device's own or nobody knows which that is.
    pub other_node_cpus: Option<Vec<u32>>,
    /// Jobs that the machine has processors for, which a simulated device has without end; 0 where none may be added.
    pub most_jobs: u32,
    /// Whether the target's content may be given up, as trims of all of it do.
    pub may_purge: bool,
    /// Rest that is long enough for credits to come back, in minutes; 0: no rest is possible.
    pub rest_minutes: f64,
    /// Time that is left for experiments, in minutes; absent: as long as they take.
    pub minutes_left: Option<f64>,
}

/// What an experiment gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExperimentAnswer {
    /// Which experiment.
    pub experiment: Feature,
    /// Its rate, in operations per second.
    pub operations_per_s: f64,
    /// Rate of the run that it is compared with.
    pub before_per_s: f64,
    /// Standard error of the ratio of both, relative.
    pub error_share: f64,
    /// What it was inferred from; absent where the experiment was made.
    pub inferred: Option<InferredAnswer>,
}

/// A pattern of another block size, from which the answer about twice or half the block follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InferredAnswer {
    /// Its block size.
    pub block_bytes: u64,
    /// Its rate, in operations per second.
    pub operations_per_s: f64,
    /// Whether the answer is the least that can be, and not the very rate.
    pub is_bound: bool,
}

/// What the kernel said of the TCP connections of a cell's jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Connections {
    /// Least round trip of any of them, in nanoseconds: the network's, without anything that waits.
    pub least_rtt_ns: f64,
    /// Data sent again, or received out of order, over all data.
    pub resent_share: Option<f64>,
    /// Data sent and not acknowledged over the congestion window; absent where next to nothing is sent.
    pub window_share: Option<f64>,
    /// Share of the time in which the peer's receive window held sending back, mean over connections.
    pub receiver_limited_share: Option<f64>,
    /// Share of the time in which this machine's send buffer held sending back, mean over connections.
    pub buffer_limited_share: Option<f64>,
}

/// What the processors of the machine that serves the target did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetCores {
    /// Busy share of the busiest processor, or of the busiest thread that serves, 0 to 1.
    pub busiest_share: f64,
    /// Mean busy share of all processors; absent where it says nothing of the target alone.
    pub mean_share: Option<f64>,
}

/// What was seen beside one cell, over all of its runs. A figure that is absent was not measured; one that
/// is not a number, or negative, is treated as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTelemetry {
    /// Measured time of all its runs, in seconds.
    pub seconds: f64,
    /// Busy share of each processor, 0 to 1, mean over the measured time; all kinds of work but idle and
    /// waiting for I/O. Empty where not known.
    pub core_busy_shares: Vec<f64>,
    /// Share of the time that the generator's threads were not waiting, mean over jobs.
    pub generator_busy_share: Option<f64>,
    /// Share of the generator's processor time that was spent in user mode, 0 to 1.
    pub generator_user_share: Option<f64>,
    /// Coefficient of variation of the 1-s rates inside the runs, warm-up excluded.
    pub rate_variation: Option<f64>,
    /// Rate of the last sixth of a run over that of its first sixth, the run that changed most.
    pub rate_change: Option<f64>,
    /// Bytes that the disks under the target moved, over the bytes of the workload.
    pub device_bytes_share: Option<f64>,
    /// Share of the processors' time that a hypervisor gave to others.
    pub steal_share: Option<f64>,
    /// Share of the time that a control group held this process back from the processors.
    pub quota_share: Option<f64>,
    /// Share of the time above a warning temperature or warned of, or slowed down for heat.
    pub heat_share: Option<f64>,
    /// Share of the time that the volume counted its limit on operations as exceeded.
    pub volume_iops_exceeded_share: Option<f64>,
    /// Share of the time that the volume counted its limit on bytes as exceeded.
    pub volume_throughput_exceeded_share: Option<f64>,
    /// Share of the time that the instance counted a limit of its own as exceeded.
    pub instance_exceeded_share: Option<f64>,
    /// Rate over the rate that the workload asked for; absent for closed loops.
    pub asked_share: Option<f64>,
    /// Connections of the jobs; absent where the target is not behind any that the kernel was asked about.
    pub connections: Option<Connections>,
    /// Processors of the machine that serves the target; absent where nobody looked at them.
    pub target_cores: Option<TargetCores>,
    /// Whether time was simulated: processors then play no part in the rate.
    pub simulated_time: bool,
}
