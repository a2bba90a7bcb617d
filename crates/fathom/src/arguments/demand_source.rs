//! What can be typed about metrics: where a demand is read from, for the commands that read one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What a table's values are.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ValuesName {
    /// Rates.
    PerSecond,
    /// Counts since the row before.
    PerRow,
}

/// Which demand in the files is meant.
#[derive(Args, Debug)]
pub struct MetricsArguments {
    /// The disk of the metrics, where they hold several; of CloudWatch the volume's or instance's id, of a Parquet
    /// table the volume.
    #[arg(long, value_name = "DISK")]
    pub device: Option<String>,
    /// The machine, where they hold several: the host of a trace's disk, or Prometheus' label instance, e.g. db1:9100.
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Which columns of a table are meant, e.g. time=when,reads=r,writes=w,read_bytes=rb,write_bytes=wb; of a
    /// trace, e.g. time=when,op=rw,offset=at,bytes=len,device=disk.
    #[arg(long, value_name = "NAMES", default_value = "")]
    pub columns: String,
    /// What a table's values are, where the names of its columns do not say.
    #[arg(long, value_name = "per-second|per-row", hide_possible_values = true)]
    pub values: Option<ValuesName>,
    /// Read node_exporter's disk counters from this Prometheus server, e.g. http://localhost:9090 or https://metrics:9090.
    #[arg(long, value_name = "URL", groups = ["server", "timed"], conflicts_with_all = ["columns", "values"])]
    pub prometheus: Option<String>,
    /// Read the sums of this EBS volume (vol-...) or EC2 instance (i-...) from CloudWatch, with the credentials that the
    /// aws command takes: the environment, ~/.aws (AWS_PROFILE), the container's, this instance's.
    #[arg(long, value_name = "ID", groups = ["server", "timed"], conflicts_with_all = ["columns", "values", "device", "host"])]
    pub cloudwatch: Option<String>,
    /// Where CloudWatch has the metrics. Default: AWS_REGION, the profile's, this instance's.
    #[arg(long, value_name = "REGION", requires = "cloudwatch")]
    pub aws_region: Option<String>,
    /// CloudWatch's address, where it is not the provider's own. Default: AWS_ENDPOINT_URL.
    #[arg(long, value_name = "URL", requires = "cloudwatch")]
    pub aws_endpoint: Option<String>,
    /// Further matchers of the series, e.g. 'job="node",cluster="a"'.
    #[arg(long, value_name = "MATCHERS", default_value = "", requires = "prometheus")]
    pub query: String,
    /// From when on: a time as 2026-11-01T00:00:00Z, or how long ago, e.g. 7d. Default: 1d; of an account 7d.
    #[arg(long, value_name = "TIME", requires = "timed")]
    pub from: Option<String>,
    /// Until when, in the same forms. Default: now.
    #[arg(long, value_name = "TIME", requires = "timed")]
    pub to: Option<String>,
}

impl MetricsArguments {
    /// From when on one disk is asked for.
    pub fn from(&self) -> &str {
        self.from.as_deref().unwrap_or("1d")
    }
}

pub const PROFILE_EXAMPLES: &str = "\
Examples:
  fathom profile iostat.txt --device nvme1n1
  fathom profile --prometheus http://localhost:9090 --host db1:9100 --device nvme1n1 --from 14d
  fathom profile --cloudwatch vol-0123456789abcdef0 --aws-region eu-central-1 --from 14d
  fathom profile --live /dev/nvme1n1 --time 1h --json profile.json
  fathom profile trace.blkparse
  fathom profile reads.json writes.json read-bytes.json write-bytes.json     CloudWatch, a metric a file
  fathom profile demand.csv --columns time=ts,reads=r,writes=w,read_bytes=rb,write_bytes=wb --values per-second
  fathom profile msr.csv --json profile.json && fathom size profile.json --size 1TiB --region us-east-1

A SOURCE is what iostat, sar, sadf or blkparse printed, a table (CSV, Parquet) of counts or rates or of single I/Os
(the published MSR, Alibaba, Tencent, SPC and Systor traces are known by their shape), an answer of
Prometheus with node_exporter's disk counters, CloudWatch metrics as the aws command prints them, answers of Azure
Monitor, Google Cloud Monitoring or Datadog, or a profile. Several sources are parts of one demand.";

/// Arguments of `profile`.
#[derive(Args, Debug)]
pub struct ProfileArguments {
    /// Metrics over time, or a trace.
    #[arg(value_name = "SOURCE", required_unless_present_any = ["live", "server"], conflicts_with = "server")]
    pub sources: Vec<PathBuf>,
    /// Count this device's own I/O for a while, once a second.
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["sources", "device", "host", "columns", "values", "server"])]
    pub live: Option<PathBuf>,
    /// With --live: read the kernel's counters alone. Otherwise programs in the kernel count sizes, sequential shares,
    /// gaps between arrivals and the shares of processes too, where the kernel lets them (root, Linux 5.11).
    #[arg(long, requires = "live")]
    pub counters_only: bool,
    /// How long to count, e.g. 60s or 24h.
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "live")]
    pub time: String,
    /// Which demand is meant.
    #[command(flatten)]
    pub metrics: MetricsArguments,
    /// Instance that the volume is attached to, e.g. r6id.4xlarge, to know its limits in the demand.
    #[arg(long, value_name = "TYPE")]
    pub instance: Option<String>,
    /// Write the profile as one HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write the profile as JSON: to FILE.json, or to stdout alone when no file is named.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
}
