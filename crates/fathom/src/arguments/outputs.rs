//! What can be typed about results: where they go, and when a measurement fails by them.

use std::path::PathBuf;

use clap::Args;

use crate::metrics_endpoint::MetricsAddress;

/// What `--balances` stands for alone: this machine and its volumes.
pub const OWN_BALANCES: &str = "own";

/// Where the result of a measurement goes, and what it may cost.
#[derive(Args, Debug)]
pub struct MeasurementOutputs {
    /// Write the report to this file, as one HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write the record as JSON, with its result in short first: to FILE.json, or to stdout alone when no file is
    /// named.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// With --json: one line, and runs without their seconds.
    #[arg(long, requires = "json")]
    pub compact: bool,
    /// Print a line of JSON for each second while it runs, and the compact record as the last one.
    #[arg(long, conflicts_with = "json")]
    pub json_lines: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Serve the figures of the newest second to Prometheus while it runs, at /metrics of this port of 127.0.0.1, e.g.
    /// 9400; another address has to be typed with its port, and is then open to whoever reaches it. Port 0 is any free
    /// one. A port that is taken is refused before anything is measured.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub metrics: Option<MetricsAddress>,
    /// Write at most this much to the target over all runs of the command, e.g. 100GiB: files that are laid out and
    /// preconditioning count, trims do not. A workload that is known to need more is refused; otherwise the command ends
    /// before the write that would pass it, with status 1, and what was measured is kept. Typed again it begins at 0.
    #[arg(long, value_name = "SIZE")]
    pub wear_limit: Option<String>,
    /// Read EBS burst balances from CloudWatch meanwhile, of this instance and its volumes or of those that are named:
    /// --balances=i-0abc,vol-0def. They stand next to each run's telemetry as far as they were published by its end, and the
    /// newest in its notes. Credentials and region are those of the environment, as for fathom profile --cloudwatch.
    #[arg(long, value_name = "IDS", num_args = 0..=1, require_equals = true, default_missing_value = OWN_BALANCES)]
    pub balances: Option<String>,
}

/// When a measurement fails.
#[derive(Args, Debug)]
pub struct ConditionArguments {
    /// End with status 4 if this is so, e.g. 'p99>2ms', 'read p99.9>10ms', 'iops<50k', 'MB/s<250', 'errors>0', or by
    /// another measurement, 'iops<90% of last'. Repeatable. What was not measured fails too. A latency is that of each
    /// direction, and the response latency with --rate. Of an assessment name a pattern or a point (peak, balanced or
    /// slo): 'randread-4k peak iops<50k'; of a comparison a side, whose own is b: 'iops<95% of a', or 'slower'.
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
}
