//! What can be typed to size.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::MetricsArguments;

pub const SIZE_EXAMPLES: &str = "\
Examples:
  fathom size demand.csv --size 1TiB --region us-east-1
  fathom size iostat.txt --device nvme1n1 --size 500GiB --region eu-central-1 --instance r6id.4xlarge
  fathom size demand.csv --size 1TiB --region us-east-1 --current gp3:iops=80000,throughput=2000 --nodes 8
  fathom size demand.csv --size 1TiB --region eu-central-1 --prices own-prices.csv --json size.json
  fathom size profile.json --size 1TiB --region us-east-1 --prove /mnt/new/file --run --destroy file
  fathom size --fleet volumes.csv --values per-row --region us-east-1 --rows verdicts.csv
  fathom size --fleet lake/ --columns volume=disk,time=ts --values per-second --region us-east-1 --rows verdicts.parquet
  fathom size --fleet lake/ --region us-east-1 --rows verdicts.parquet --by tag:team --report fleet.html
  fathom size --account --region eu-central-1 --aws-profile prod --report account.html
  fathom size --account volumes.json instances.json metrics.json --region eu-central-1

With --fleet the DEMANDs are dumps of Prometheus, or long tables (CSV, Parquet, or folders of them) with the columns volume,time,reads,writes,read_bytes,write_bytes and, where
they are known, size (GiB), current (as gp3:iops=6000,throughput=250) and instance_type; each volume's rows lie together. What
aws ec2 describe-volumes and describe-instances print may be given with them: sizes, types, instances and tags come from there.

With --account every EBS volume of an account is read through the provider's API, read-only and with the credentials that the aws
command takes, or from what the aws command printed. See docs/account.md.

DEMAND is a profile, or anything that `fathom profile` reads. The price file has the columns provider,region,type,component,tier_from,tier_to,price.";

/// Which proof is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProofLength {
    /// Credits are spent first, where that takes less time.
    Short,
    /// Until credits have run out at the demand's own rates.
    Full,
}

/// Arguments of `size`.
#[derive(Args, Debug)]
pub struct SizeArguments {
    /// Metrics over time, a trace, or a profile.
    #[arg(value_name = "DEMAND", required_unless_present_any = ["server", "account"], conflicts_with = "server")]
    pub demand: Vec<PathBuf>,
    /// Bytes to store on each node, e.g. 1TiB; of a fleet, where its table has no column size.
    #[arg(long, value_name = "SIZE", required_unless_present_any = ["fleet", "account"])]
    pub size: Option<String>,
    /// Size every volume of a fleet, each by its own rows of the tables: CSV, Parquet, or folders of them;
    /// of dumps of Prometheus each disk of each machine.
    #[arg(long, group = "many", conflicts_with_all = ["server", "memory", "prove", "nodes", "device", "host"])]
    pub fleet: bool,
    /// Judge every EBS volume of an account: read by the provider's API, or from the JSON that the aws command printed
    /// (describe-volumes, describe-instances, get-metric-data), which the DEMANDs are then.
    #[arg(long, groups = ["many", "timed"],
          conflicts_with_all = ["server", "memory", "prove", "nodes", "device", "host", "size", "current", "instance", "columns", "values", "scratch"])]
    pub account: bool,
    /// With --account: profiles of ~/.aws to read with, one account each, e.g. prod,test.
    #[arg(
        long,
        value_name = "PROFILE,...",
        value_delimiter = ',',
        requires = "account",
        conflicts_with = "demand"
    )]
    pub aws_profile: Vec<String>,
    /// With --account: length of a period of the metrics, e.g. 1m. Shorter ones show more and take longer to read.
    #[arg(long, value_name = "TIME", default_value = "5m", requires = "account", conflicts_with = "demand")]
    pub metric_period: String,
    /// With --account: folder for what was read. A reading that was cut off continues there, and one of the last day is not
    /// repeated. Default: accounts, next to the run store.
    #[arg(long, value_name = "FOLDER", requires = "account", conflicts_with = "demand")]
    pub kept: Option<PathBuf>,
    /// With --account: read again what was read in the last day.
    #[arg(long = "anew", requires = "account", conflicts_with = "demand")]
    pub read_again: bool,
    /// Add volumes up by tag:KEY, instance or type too; of a table by its column of that name.
    #[arg(long = "by", value_name = "tag:KEY|instance|type", requires = "many")]
    pub added_by: Option<String>,
    /// Write a row for each volume of the fleet: FILE.csv, FILE.jsonl (JSON lines) or FILE.parquet.
    #[arg(long, value_name = "FILE", requires = "many")]
    pub rows: Option<PathBuf>,
    /// Replace the file of rows.
    #[arg(long, requires = "rows")]
    pub force: bool,
    /// A volume that fathom itself fails at becomes a row that is not judged, in place of ending all.
    #[arg(long, requires = "many")]
    pub keep_going: bool,
    /// Where rows are gathered volume by volume if those of one lie apart; it takes about a quarter of a text.
    /// Default: $TMPDIR, or /var/tmp.
    #[arg(long, value_name = "FOLDER", requires = "fleet")]
    pub scratch: Option<PathBuf>,
    /// Chance that a volume of the fleet needs more than is bought, e.g. 10%: the margin follows from the
    /// fleet's own history.
    #[arg(long, value_name = "SHARE", default_value = "10%", requires = "many", conflicts_with = "margin")]
    pub risk: String,
    /// Region where it is bought, e.g. eu-central-1; of accounts several, with commas between them.
    #[arg(long, value_name = "REGION")]
    pub region: String,
    /// Which demand is meant.
    #[command(flatten)]
    pub metrics: MetricsArguments,
    /// Instance or machine that the volumes are attached to, e.g. r6id.4xlarge or n2-standard-16.
    #[arg(long, value_name = "TYPE")]
    pub instance: Option<String>,
    /// Memory of each node that may hold the data, e.g. 64GiB. Default: the instance's.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Say how to prove the choice: a benchmark with the demand's rates on this file or device of the new storage.
    #[arg(long, value_name = "TARGET")]
    pub prove: Option<String>,
    /// With --prove: do it now, and say whether it is proved; short spends credits first where that takes less time,
    /// full runs until they have run out at the demand's own rates. Default: short.
    #[arg(long, value_name = "short|full", num_args = 0..=1, require_equals = true, default_missing_value = "short",
          requires = "prove", hide_possible_values = true)]
    pub run: Option<ProofLength>,
    /// With --run: allow destroying all data on the device with this serial number, or in the file of this name.
    #[arg(long, value_name = "SERIAL", requires = "run")]
    pub destroy: Vec<String>,
    /// With --run: read all of a device before the first write, as in fathom run.
    #[arg(long, requires = "run")]
    pub check_empty: bool,
    /// What is in use on each node today, e.g. gp3:iops=16000,throughput=1000 (MiB/s).
    #[arg(long, value_name = "VOLUME")]
    pub current: Option<String>,
    /// Types of volumes to consider, e.g. gp3,io2. Default: all; st1 and sc1 only for I/Os of 1 MiB or, of a trace,
    /// sequential ones.
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Only types whose documented latency is at most this, e.g. 2ms.
    #[arg(long, value_name = "TIME")]
    pub latency: Option<String>,
    /// Only types that a machine can boot from.
    #[arg(long)]
    pub boot: bool,
    /// Your own prices, which come before the catalogue's: a table, or answers of Azure's price interface as JSON.
    #[arg(long, value_name = "FILE.csv")]
    pub prices: Option<PathBuf>,
    /// Nodes with this demand each.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub nodes: u32,
    /// Widest stripe of volumes to consider.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub stripes: u32,
    /// An I/O that waits longer is late; a tick of the metrics at least.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub wait: String,
    /// Share of the I/Os that may be late.
    #[arg(long, value_name = "SHARE", default_value = "0.1%")]
    pub late: String,
    /// Buy this many times what is needed. Default: 1.3; of a fleet, what its history asks for.
    #[arg(long, value_name = "FACTOR")]
    pub margin: Option<f64>,
    /// Write the sizing as one HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write the sizing as JSON: to FILE.json, or to stdout alone when no file is named.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
}
