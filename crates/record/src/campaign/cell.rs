//! Runs of one cell, put together.

use serde::{Deserialize, Serialize};

use crate::check::OTHERS_CPU_SHARE;

/// One cell: all runs at the same jobs and depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellResult {
    /// Jobs.
    pub jobs: u32,
    /// Depth of each.
    pub depth: u32,
    /// Its runs, in the order they were made.
    pub runs: Vec<String>,
    /// Mean over runs.
    pub operations_per_s: f64,
    /// Mean over runs.
    pub throughput_bytes_per_s: f64,
    /// Half-width of the 95 % interval of the rate over runs, relative; absent for fewer than three
    /// runs, which say too little of how runs differ.
    pub interval_share: Option<f64>,
    /// Mean in-flight over runs.
    pub in_flight_mean: f64,
    /// Mean service latency over runs.
    pub service_mean_ns: f64,
    /// Median, 99th and 99.9th percentile of service latency, from the runs' merged histograms.
    pub service_p50_ns: u64,
    /// 99th percentile; absent with too few I/Os.
    pub service_p99_ns: Option<u64>,
    /// 99.9th percentile; absent with too few I/Os.
    pub service_p999_ns: Option<u64>,
    /// Generator's processor time per I/O, user and system, where known.
    pub cpu_ns_per_operation: Option<f64>,
    /// Highest share of one processor's time in use, 0 to 1, where known.
    pub busiest_core_share: Option<f64>,
    /// Share of all processors' time that other programs used, 0 to 1, mean over runs; absent where it is not known,
    /// and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_cpu_share: Option<f64>,
    /// Bytes that others moved on the target's devices over the runs' own, mean over the runs that it was worth saying
    /// of; absent where it was of none, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_device_share: Option<f64>,
    /// Runs with a self-check that failed for a moment's disturbance, beside at least as many where none failed: they
    /// are in none of the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed_runs: Vec<String>,
    /// Self-checks that failed in any of the runs, as sentences.
    pub failed_checks: Vec<String>,
}

impl CellResult {
    /// What other programs used of the processors, where that is worth saying.
    pub fn busy_with_others(&self) -> Option<f64> {
        self.others_cpu_share.filter(|share| *share >= OTHERS_CPU_SHARE)
    }
}
