//! What can be typed to see how results went over time.

use clap::{Args, ValueEnum};
use fathom_measure::Share;

use super::Switch;

/// Arguments of `trend`.
#[derive(Args, Debug)]
pub struct TrendArguments {
    /// The target, as it was named in the runs.
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Only this workload, e.g. randread-4k. Default: each that was measured on the target.
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<String>,
    /// Only runs with this number of jobs.
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<u32>,
    /// Only runs of this depth.
    #[arg(long, value_name = "NUMBER")]
    pub depth: Option<u32>,
    /// What is followed.
    #[arg(long, value_enum, default_value = "iops")]
    pub metric: FollowedMetric,
    /// Least difference that matters; smaller ones are not reported.
    #[arg(long, value_name = "SHARE", default_value = "2%")]
    pub least: Share,
    /// Only since then: a date or time, e.g. 2026-11-20 or 2026-11-20T08:00:00Z, or how long ago, e.g. 90d.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Take the change of level that begins with this run as it is: --fail-if passes over it from now on.
    #[arg(long, value_name = "RUN", requires = "because")]
    pub acknowledge: Option<String>,
    /// With --acknowledge: why, in a few words.
    #[arg(long, value_name = "TEXT", requires = "acknowledge")]
    pub because: Option<String>,
    /// End with status 4 if the newest level of a workload is slower than the one before it, or if there are too few
    /// runs to judge.
    #[arg(long, value_enum, value_name = "CONDITION")]
    pub fail_if: Option<TrendCondition>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

/// What is followed over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FollowedMetric {
    /// I/Os per second.
    Iops,
    /// Median latency: the response latency of runs with a rate, the service latency of others.
    P50,
    /// 99th percentile of the same.
    P99,
}

/// When a trend fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrendCondition {
    /// The newest change is for the worse.
    Slower,
}

pub const TREND_EXAMPLES: &str = "\
Examples:
  fathom trend /dev/nvme1n1
  fathom trend /dev/nvme1n1 --pattern randread-4k --metric p99 --since 90d
  fathom trend /mnt/data --fail-if slower          exit status 4 where the last change is for the worse
  fathom trend /mnt/data --acknowledge r-20261120-155300123-7f3a --because \"encrypted since then\"

A run is one value, several of one campaign are their mean, and runs with a failed self-check are left out. A change is
reported where it is beyond chance and at least as large as --least; from 8 runs on.";
