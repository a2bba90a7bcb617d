//! What can be typed: commands, flags and their help.
// Length: the list of all commands in the order in which help shows them.

mod about_arguments;
mod annotation_arguments;
pub mod client_arguments;
mod command_words;
mod demand_source;
mod discover;
mod list_arguments;
#[cfg(test)]
mod named_flags;
mod nvmet;
mod outputs;
mod repeat;
mod screens;
mod serve;
mod share;
mod size;
mod tools;
mod trend;
mod watch;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fathom_campaign::{RawAssess, RawCompare, RawExplain, RawSweep};
use fathom_plan::RawPlan;

use crate::commands::{LinkRate, RunExpectation};
use crate::config::Config;
use crate::failure::Failure;
use crate::output;
pub use about_arguments::{
    CompletionsArguments, DoctorArguments, HelpArguments, ManArguments, SampleArguments,
};
pub use annotation_arguments::{
    BaselineArguments, DeleteArguments, MarkArguments, NoteArguments, TagArguments,
};
pub use demand_source::{MetricsArguments, ProfileArguments, ValuesName};
pub use discover::DiscoverArguments;
pub use list_arguments::{DevicesArguments, RunsArguments};
#[cfg(target_os = "linux")]
pub use nvmet::DigestChoice;
pub use nvmet::NvmetArguments;
pub use outputs::{ConditionArguments, MeasurementOutputs, OWN_BALANCES};
pub use repeat::RepeatArguments;
pub use screens::{parsed, program};
pub use serve::ServeArguments;
pub use share::{RedactedPart, ShareArguments};
pub use size::{ProofLength, SizeArguments};
pub use tools::{DiskspdArguments, FioArguments};
pub use trend::{FollowedMetric, TrendArguments, TrendCondition};
pub use watch::WatchArguments;

/// A build whose guard admits everything must not pass for one that is meant for use.
const VERSION: &str = if cfg!(feature = "judgement-off") {
    concat!(env!("CARGO_PKG_VERSION"), " (test build: judgement off)")
} else {
    env!("CARGO_PKG_VERSION")
};

const EXAMPLES: &str = "\
Examples:
  fathom assess .                       what the disk under this folder can do, in two minutes
  fathom devices                        what is here, and what is safe to write to
  fathom run --target sim:nvme --time 5s
  fathom report last --html report.html

Exit status: 0 done; 1 a measurement is invalid, misses its --slo, was stopped or not saved, or the
system failed; 2 wrong usage; 3 the target refused or is absent; 4 --fail-if met or not measured.";

/// What storage can really do, what limits it, and how sure that is.
#[derive(Debug, Parser)]
#[command(name = "fathom", version = VERSION, after_help = EXAMPLES, max_term_width = 100, arg_required_else_help = false,
          subcommand_required = true, disable_help_subcommand = true)]
pub struct CommandLine {
    /// Run store to use. Default: FATHOM_STORE, the config file's, or the user's own, ~/.local/share/fathom/runs.sqlite.
    #[arg(long, value_name = "FILE", global = true, display_order = 900)]
    pub store: Vec<PathBuf>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// The line that asks for the same, for records: what was typed, and the config file's defaults with it.
    #[arg(skip)]
    pub line: String,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure what a target can do over many jobs and depths, and what limits it.
    #[command(after_help = ASSESS_EXAMPLES)]
    Assess(Box<AssessArguments>),
    /// Run one workload on one target.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArguments>),
    /// Repeat what was saved: a run or a whole campaign, seed included, on its target, as its record says.
    #[command(after_help = RERUN_EXAMPLES)]
    Rerun(RerunArguments),
    /// Run a plan over a grid of values: any keys of the plan, e.g. depth or bs.
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(Box<SweepArguments>),
    /// Compare two targets, engines or settings in pairs of runs, or two finished runs or campaigns.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArguments>),
    /// Repeat a published evaluation on your own storage: its method, its figures next to yours, its conclusions checked.
    #[command(after_help = repeat::REPEAT_EXAMPLES)]
    Repeat(Box<RepeatArguments>),
    /// Watch what is being measured on this machine: rate, percentiles, CPU and devices over the last minutes.
    #[command(after_help = watch::WATCH_EXAMPLES)]
    Watch(WatchArguments),
    /// Profile a volume's demand from metrics, a trace or this machine's counters: how much, how bursty, how large.
    #[command(after_help = demand_source::PROFILE_EXAMPLES)]
    Profile(Box<ProfileArguments>),
    /// Say what limits a finished result or, by experiments, a workload.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Box<ExplainArguments>),
    /// Find the cheapest storage that meets a demand, by simulating what is on offer.
    #[command(after_help = size::SIZE_EXAMPLES)]
    Size(Box<SizeArguments>),
    /// List the block devices here: what they are, what holds them, whether they may be written.
    #[command(after_help = list_arguments::DEVICES_EXAMPLES)]
    Devices(DevicesArguments),
    /// List what was measured, newest first.
    #[command(after_help = list_arguments::RUNS_EXAMPLES)]
    Runs(RunsArguments),
    /// Show how a target's results went over its runs, and where a level changed.
    #[command(after_help = trend::TREND_EXAMPLES)]
    Trend(TrendArguments),
    /// Serve saved runs as a page in a browser: all of them, one down to its seconds, and trends over weeks.
    #[command(after_help = serve::SERVE_EXAMPLES)]
    Serve(ServeArguments),
    /// Write runs and campaigns as one file with the screens of fathom serve, which opens without network.
    #[command(after_help = share::SHARE_EXAMPLES)]
    Share(ShareArguments),
    /// Put tags on a run or a campaign, by which it is found again.
    #[command(after_help = annotation_arguments::TAG_EXAMPLES)]
    Tag(TagArguments),
    /// Write a note about a run or a campaign.
    #[command(after_help = annotation_arguments::NOTE_EXAMPLES)]
    Note(NoteArguments),
    /// Make a run the one that others of its workload on its target are compared with.
    #[command(after_help = annotation_arguments::BASELINE_EXAMPLES)]
    Baseline(BaselineArguments),
    /// Mark a moment or a stretch of time on every trend: a deploy, an update, a move.
    #[command(after_help = annotation_arguments::MARK_EXAMPLES)]
    Mark(MarkArguments),
    /// Delete runs and campaigns for good: by name, age or tag.
    #[command(after_help = annotation_arguments::DELETE_EXAMPLES)]
    Delete(DeleteArguments),
    /// Show a run or an assessment.
    #[command(
        after_help = "Examples:\n  fathom show last\n  fathom show last-1 --json\n  fathom show last --json --compact | jq .result"
    )]
    Show(ShowArguments),
    /// Read the seconds of a run, or of all runs of a campaign, again: are they steady, where do levels change,
    /// which quantiles do they carry; and combine the runs of each workload.
    #[command(visible_alias = "analyze", after_help = ANALYSE_EXAMPLES)]
    Analyse(AnalyseArguments),
    /// Read results of other tools into the run store.
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArguments),
    /// Check any tool's results for consistency: units, Little's law, totals, percentiles.
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(AuditArguments),
    /// Write a run or an assessment as a page or as Markdown.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Export a run or a campaign as CSV, Parquet, OpenMetrics or fio's JSON.
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Print the JSON Schema of a record (run, campaign, profile, sizing) or of a plan file.
    #[command(after_help = "Examples:\n  fathom schema run\n  fathom schema plan > plan.schema.json")]
    Schema(SchemaArguments),
    /// List the engines that carry I/O, and the simulated devices.
    #[command(
        after_help = "Examples:\n  fathom engines\n  fathom run --target sim:gp3,size=1TiB --rw randread"
    )]
    Engines(Switch),
    /// List what an NVMe over TCP target has: subsystems, namespaces, and what to type for each.
    #[command(after_help = discover::DISCOVER_EXAMPLES)]
    Discover(DiscoverArguments),
    /// Serve files, devices, memory or simulated devices to NVMe over TCP hosts, until Ctrl-C.
    #[command(after_help = nvmet::NVMET_EXAMPLES)]
    Nvmet(Box<NvmetArguments>),
    /// Run a command line of diskspd with the engines here, and print the result as diskspd does.
    #[command(alias = "diskspd.exe", disable_help_flag = true, after_help = tools::DISKSPD_EXAMPLES)]
    Diskspd(Box<DiskspdArguments>),
    /// Run fio's job files and command lines, with results in fio's forms.
    #[command(after_help = tools::FIO_EXAMPLES)]
    Fio(FioArguments),
    /// Measure for `fathom run --client`, which starts it and speaks with it on stdin and stdout.
    #[command(after_help = client_arguments::AGENT_EXAMPLES)]
    Agent,
    /// Print what makes machines for clients: a manifest of pods in which `fathom run --client` starts agents.
    #[command(after_help = client_arguments::AGENTS_EXAMPLES)]
    Agents(client_arguments::AgentsArguments),
    /// Check what this machine lets fathom do: rights, io_uring, limits, the kernel's wall, and what will be missing.
    #[command(after_help = about_arguments::DOCTOR_EXAMPLES)]
    Doctor(DoctorArguments),
    /// Write sample data: a week of one volume, a fleet and a trace.
    #[command(after_help = about_arguments::SAMPLE_EXAMPLES)]
    Sample(SampleArguments),
    /// Show the settings that hold where nothing is typed: the config file and the environment.
    #[command(after_help = about_arguments::CONFIG_EXAMPLES)]
    Config(Switch),
    /// Print completions for a shell.
    #[command(after_help = about_arguments::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArguments),
    /// Print a manual page.
    #[command(after_help = about_arguments::MAN_EXAMPLES)]
    Man(ManArguments),
    /// Print the help of a command.
    #[command(after_help = about_arguments::HELP_EXAMPLES)]
    Help(HelpArguments),
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  fathom import results.json               fio, diskspd, bdevperf, iostat, ...: known by its content
  fathom import results/                   everything in the folder, and in those below it
  fathom import run_clat.1.log --as fio-log-us
  fathom import iostat.txt --beside last   telemetry for an existing run

Files that were imported already are skipped: run it again to resume one that was stopped.";

const AUDIT_EXAMPLES: &str = "\
Examples:
  fathom audit results.json
  fathom audit last
  fathom audit evaluations/windows-native-nvme.toml

Exit status 1 if anything contradicts itself.";

const ASSESS_EXAMPLES: &str = "\
Examples:
  fathom assess .                                  on a scratch file in this folder
  fathom assess /dev/nvme1n1 --patterns randread-4k,read-1m --budget 5m
  fathom assess . --slo p99=2ms --report report.html --json result.json
  fathom assess . --fail-if 'randread-4k iops<20k' --fail-if 'p99>120% of last'
  fathom assess . --until 2% --budget 30m          until each rate is known to 2 %
  fathom assess /dev/nvme1n1 --precondition full --destroy SERIAL --budget 1h
  fathom assess /dev/nvme1n1 --thorough --destroy SERIAL
  fathom assess /dev/nvme1n1 --instance m5.xlarge --volume gp3:iops=6000,throughput=250
  fathom assess sim:gp3 --ceiling iops=3000

Each run is saved as it ends: after Ctrl-C or a crash the same command continues where it stopped.";

const RUN_EXAMPLES: &str = "\
Examples:
  fathom run --target data.bin --rw randread --bs 4k --jobs 2 --depth 32 --time 30s
  fathom run --target /dev/nvme1n1 --rw randread --rate 50k --arrival poisson
  fathom run --target sim:gp3 --rw randrw --read-share 70%
  fathom run --target null: --delay lognormal:100us/0.5           against a known latency
  fathom run --target data.bin --rw randread --depth 16 --engine fio        the same with the installed fio
  fathom run plan.toml --depth 8 --json result.json
  fathom run --target data.bin --fail-if 'read p99>2ms' --fail-if 'iops<90% of last'     exit status 4 if so
  fathom run --target data.bin --time 60s --json-lines | jq .iops                         a line a second
  fathom run --target data.bin --time 10m --metrics 9400         for Prometheus at 127.0.0.1:9400/metrics
  fathom run --like profile.json --target /dev/nvme1n1 --time 30m --destroy SERIAL
  fathom run --replay trace.csv --target /dev/nvme1n1 --speed 2 --destroy SERIAL
  fathom run --target /mnt/shared/data.bin --client ssh:c1 --client ssh:c2       one run from two machines

A plan file has the flags as keys; a flag overrides its key.";

const RERUN_EXAMPLES: &str = "\
Examples:
  fathom rerun last
  fathom rerun last --print                                 what would be typed, and nothing is done
  fathom rerun last --fail-if 'iops<95% of last'            whether it is as fast as it was
  fathom rerun r-20261120-155300123-7f3a --destroy SERIAL   a run that writes to a device
  fathom rerun s-20261120-155300123-7f3a                    a sweep, an assessment, a comparison

The target is found by the name that the record has, and is judged as in fathom run: what holds data is written only
with --destroy, which no record keeps. A campaign begins anew with the plan of its record; after Ctrl-C the same command
continues it. Results that were imported are not repeated, since another tool made them.";

const SWEEP_EXAMPLES: &str = "\
Examples:
  fathom sweep --target data.bin --over depth=1..256
  fathom sweep --target /dev/nvme1n1 --over jobs=1..all --passes 8       scaling from 1 to all CPUs
  fathom sweep --target sim:gp3 --over bs=4k..1m --over depth=1,8,64 --until 2% --report sweep.html
  fathom sweep plan.toml --over target=/mnt/a,/mnt/b --over engine=uring,aio

Test points are visited in random order, pass after pass, and each run is saved as it ends: after Ctrl-C or
a crash the same command continues where it stopped.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  fathom compare /mnt/a /mnt/b                                 two disks
  fathom compare data.bin --a engine=uring --b engine=aio      two engines on one file
  fathom compare /dev/nvme1n1 /dev/nvme2n1 --patterns randread-4k --depth 1,32 --by 2% --budget 30m
  fathom compare /dev/sdb --patterns randread-4k --before-a 'echo none > /sys/block/sdb/queue/scheduler' \\
                          --before-b 'echo bfq > /sys/block/sdb/queue/scheduler'
  fathom compare r-20261120-155300123-7f3a r-20261121-0902     two finished runs, with what that costs
  fathom compare sim:gp3 sim:gp3,iops=3090 --patterns randread-4k --report compare.html
  fathom compare ssh:c1:/mnt/x ssh:c2:/mnt/x                   two machines: what differs between them is shown
  fathom compare nvme+tcp://10.0.0.5/NQN /dev/nvme5n1 --clients clients.toml   two stacks from several machines
  fathom compare /mnt/a /mnt/b --fail-if slower --fail-if 'p99>110% of a'      exit status 4 if so

--depth takes a list here. Runs are saved as they end: after Ctrl-C, a crash or a restart of the machine
the same command continues where it stopped.";

const ANALYSE_EXAMPLES: &str = "\
Examples:
  fathom analyse last
  fathom analyse s-20261120-155300123-7f3a --html analysis.html
  fathom analyse last --json";

const REPORT_EXAMPLES: &str = "\
Examples:
  fathom report last --html report.html
  fathom report last --md report.md              with its pictures next to it";

const EXPORT_EXAMPLES: &str = "\
Examples:
  fathom export last --as csv > run.csv
  fathom export last --as parquet --output runs.parquet      all runs of a campaign in one table
  fathom export last --as openmetrics --output run.om        promtool tsdb create-blocks-from openmetrics run.om
  fathom export last --as fio-json | fio_jsonplus_clat2csv /dev/stdin latencies.csv

CSV and Parquet are one table: a row for each direction of the summary and of each second, and for each
value of the telemetry. docs/interop.md lists its columns. An empty cell was not measured.";

/// Arguments of `assess`.
#[derive(Args, Debug)]
pub struct AssessArguments {
    /// What to assess, and how.
    #[command(flatten)]
    pub plan: RawAssess,
    /// From where.
    #[command(flatten)]
    pub clients: client_arguments::ClientsFile,
    /// When it fails.
    #[command(flatten)]
    pub conditions: ConditionArguments,
    /// Where the result goes.
    #[command(flatten)]
    pub outputs: MeasurementOutputs,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// A plan file; every flag can stand in it as a key.
    #[arg(value_name = "PLAN.toml")]
    pub plan: Option<PathBuf>,
    /// The plan, flag by flag.
    #[command(flatten)]
    pub flags: RawPlan,
    /// Generate load that follows this profile, as fathom profile writes it: its rates second by second, sizes, directions, and
    /// addresses where they are known; of its busiest half hour, or the busiest --time. Flags override it.
    #[arg(long, value_name = "PROFILE.json", conflicts_with_all = ["plan", "rate", "rates", "replay"])]
    pub like: Option<PathBuf>,
    /// With --like: times the profile's rates, e.g. 1.3.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "like")]
    pub scale: f64,
    /// From where.
    #[command(flatten)]
    pub clients: client_arguments::ClientsFile,
    /// Check the result against N times an earlier run, up to what the links carry; e.g. 'r-2026...*8' for eight
    /// drives of which one was measured alone.
    #[arg(long, value_name = "RUN*N")]
    pub expect: Option<RunExpectation>,
    /// With --expect: what the links to the target carry together, e.g. 47GB/s; without it what the interfaces of all
    /// clients report, and no bound where they report nothing.
    #[arg(long, value_name = "RATE", requires = "expect")]
    pub expect_link: Option<LinkRate>,
    /// When it fails.
    #[command(flatten)]
    pub conditions: ConditionArguments,
    /// Where the result goes.
    #[command(flatten)]
    pub outputs: MeasurementOutputs,
}

/// Arguments of `rerun`.
#[derive(Args, Debug)]
pub struct RerunArguments {
    /// A run or a campaign: its id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// Print its command, and do nothing.
    #[arg(long, conflicts_with_all = ["report", "json", "json_lines", "compact", "quiet", "metrics", "fail_if"])]
    pub print: bool,
    /// Allow destroying all data on the device with this serial number. Repeatable.
    #[arg(long, value_name = "SERIAL")]
    pub destroy: Vec<String>,
    /// Read all of a device before the first write where only that can show whether it is empty, however long it
    /// takes. Default: only where that takes 10 s or less; otherwise the device needs --destroy.
    #[arg(long)]
    pub check_empty: bool,
    /// When it fails.
    #[command(flatten)]
    pub conditions: ConditionArguments,
    /// Where the result goes.
    #[command(flatten)]
    pub outputs: MeasurementOutputs,
}

/// Arguments of `sweep`.
#[derive(Args, Debug)]
pub struct SweepArguments {
    /// A plan file; every flag of the plan can stand in it as a key.
    #[arg(value_name = "PLAN.toml")]
    pub plan: Option<PathBuf>,
    /// What varies, and how often each test point is visited.
    #[command(flatten)]
    pub sweep: RawSweep,
    /// The plan, flag by flag.
    #[command(flatten, next_help_heading = "Options of the plan, the same for all test points")]
    pub flags: RawPlan,
    /// From where.
    #[command(flatten)]
    pub clients: client_arguments::ClientsFile,
    /// Where the result goes.
    #[command(flatten, next_help_heading = "Results")]
    pub outputs: MeasurementOutputs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  fathom explain last                                      what limited the newest result
  fathom explain results.json --ceiling iops=3000          another tool's, with a limit that is known
  fathom explain rows.csv                                  published rows: docs/published.md
  fathom explain --experiments /dev/nvme1n1 --bs 16k       measure, and make the experiments that decide
  fathom explain --experiments data.bin --size 10GiB --budget 10m --second other.bin

Without --experiments nothing is measured. With them only what --rw says is done to the target; reads are the
default, and writes need the same permission as in fathom run.";

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArguments {
    /// A run, a campaign or a file with results; with --experiments the target.
    #[arg(value_name = "WHAT")]
    pub subject: Option<String>,
    /// How it is explained.
    #[command(flatten)]
    pub explain: RawExplain,
    /// The workload, flag by flag.
    #[command(flatten, next_help_heading = "Options of the workload that experiments start from")]
    pub flags: RawPlan,
    /// Where the result goes.
    #[command(flatten, next_help_heading = "Results")]
    pub outputs: MeasurementOutputs,
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArguments {
    /// The sides, and how much is measured.
    #[command(flatten)]
    pub compare: RawCompare,
    /// The plan, flag by flag.
    #[command(flatten, next_help_heading = "Options of the plan, the same for both sides")]
    pub flags: RawPlan,
    /// From where.
    #[command(flatten)]
    pub clients: client_arguments::ClientsFile,
    /// When it fails.
    #[command(flatten, next_help_heading = "Results")]
    pub conditions: ConditionArguments,
    /// Where the result goes.
    #[command(flatten, next_help_heading = "Results")]
    pub outputs: MeasurementOutputs,
}

/// Arguments of a command that only prints.
#[derive(Args, Clone, Copy, Debug)]
pub struct Switch {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct ShowArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
    /// With --json: one line, and a run without its seconds.
    #[arg(long, requires = "json")]
    pub compact: bool,
}

/// Arguments of `analyse`.
#[derive(Args, Debug)]
pub struct AnalyseArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// Write one HTML page, with a row for every run.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Write Markdown, with a row for every run.
    #[arg(long, value_name = "FILE.md")]
    pub md: Option<PathBuf>,
    /// Print the analysis as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import`.
#[derive(Args, Debug)]
pub struct ImportArguments {
    /// Files, and folders with files.
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Format of the files, instead of telling it from their content: fio-json, fio-log, ...
    #[arg(long = "as", value_name = "FORMAT")]
    pub format: Option<String>,
    /// A run in the store that telemetry is attached to.
    #[arg(long, value_name = "RUN")]
    pub beside: Option<String>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

/// Arguments of `audit`.
#[derive(Args, Debug)]
pub struct AuditArguments {
    /// Files of other tools, tables of published results, or names of runs in the store.
    #[arg(value_name = "FILE|RUN", required = true)]
    pub subjects: Vec<String>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
#[group(skip)]
pub struct ReportArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// Write one HTML page that opens without network.
    #[arg(long, value_name = "FILE.html", required_unless_present = "md")]
    pub html: Option<PathBuf>,
    /// Write Markdown, with its pictures next to it.
    #[arg(long, value_name = "FILE.md")]
    pub md: Option<PathBuf>,
    /// Print the names of the files as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// Form to write: csv, parquet, openmetrics or fio-json.
    #[arg(long = "as", value_name = "FORM", hide_possible_values = true)]
    pub form: ExportForm,
    /// Write to this file. Default: stdout.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportForm {
    /// One table as text.
    Csv,
    /// The same table by columns.
    Parquet,
    /// Time series for Prometheus.
    #[value(name = "openmetrics")]
    OpenMetrics,
    /// fio's JSON+ output.
    FioJson,
}

/// Arguments of `schema`.
#[derive(Args, Debug)]
pub struct SchemaArguments {
    /// Which schema.
    #[arg(value_name = "run|campaign|plan|profile|sizing|fleet|account", hide_possible_values = true)]
    pub of: SchemaName,
    /// Also report errors as JSON; the schema itself always is.
    #[arg(long)]
    pub json: bool,
}

/// What there is a schema of.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaName {
    /// A run record.
    Run,
    /// A campaign record.
    Campaign,
    /// A plan file.
    Plan,
    /// What `fathom profile` makes.
    Profile,
    /// What `fathom size` makes.
    Sizing,
    /// What `fathom size --fleet` makes.
    Fleet,
    /// What `fathom size --account` makes.
    Account,
}

/// Reads the arguments, the program's name first; `None` when they asked for help or the version,
/// which is printed then.
///
/// # Errors
/// What makes no sense, with what to type.
pub fn read(typed: &[OsString]) -> Result<Option<CommandLine>, Failure> {
    fathom_plan::check_arguments(own(typed))?;
    let words = tied(typed);
    let command = command_of(typed);
    let defaults = match command.as_deref() {
        // They say how to put a config file right.
        None | Some("help" | "man" | "completions") => Vec::new(),
        command => Config::read()?.defaults(command, &words),
    };
    match parsed(with_defaults(words, &defaults)) {
        Ok(asked) => {
            let line = command_words::line(&with_defaults(typed.to_vec(), &defaults));
            Ok(Some(CommandLine { line, ..asked }))
        }
        Err(error) if error.kind() == ErrorKind::ArgumentConflict && !defaults.is_empty() => {
            let mut failure = Failure::from(error);
            failure.remedy += "\ndefaults of the config file are among the flags: fathom config";
            Err(failure)
        }
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            output::result(&error.render().to_string())?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The words with defaults behind the command's.
fn with_defaults(mut words: Vec<OsString>, defaults: &[OsString]) -> Vec<OsString> {
    if let Some(at) = command_at(&words) {
        words.splice(at + 1..at + 1, defaults.iter().cloned());
    }
    words
}

/// Commands behind which words of another tool stand.
const OF_OTHER_TOOLS: [&str; 2] = ["diskspd", "fio"];

/// The arguments that are fathom's own: those of another tool have other rules.
fn own(typed: &[OsString]) -> &[OsString] {
    let is_foreign = command_of(typed).is_some_and(|name| OF_OTHER_TOOLS.contains(&name.as_str()));
    let end = command_at(typed).filter(|_| is_foreign).unwrap_or(typed.len());
    typed.get(1..end).unwrap_or_default()
}

/// Place of the command's word: the first that is neither a flag nor the value of one.
fn command_at(typed: &[OsString]) -> Option<usize> {
    let is_flag = |at: usize| typed[at].as_encoded_bytes().starts_with(b"-");
    (1..typed.len()).find(|&at| !is_flag(at) && (at == 1 || typed[at - 1] != "--store"))
}

/// The command that was typed, where there is one of that name.
pub fn command_of(typed: &[OsString]) -> Option<String> {
    use clap::CommandFactory;
    let name = typed.get(command_at(typed)?)?.to_str()?;
    if Command::has_subcommand(name) {
        return Some(name.to_owned());
    }
    // Another name of one.
    CommandLine::command().find_subcommand(name).map(|command| command.get_name().to_owned())
}

/// Whether the command's `--json` may name a file.
pub fn takes_json_file(typed: &[OsString]) -> bool {
    const NAMES: [&str; 10] =
        ["run", "rerun", "repeat", "assess", "sweep", "compare", "explain", "diskspd", "size", "profile"];
    command_of(typed).is_some_and(|name| NAMES.contains(&name.as_str()))
}

/// The arguments with `--json FILE.json` as one word. The value is optional, so that only a name that
/// ends in `.json` can be meant by the next word: anything else is the target.
pub fn tied(typed: &[OsString]) -> Vec<OsString> {
    let takes_file = takes_json_file(typed);
    let is_file = |word: &OsStr| {
        Path::new(word).extension() == Some(OsStr::new("json")) && !word.as_encoded_bytes().starts_with(b"-")
    };
    let mut words: Vec<OsString> = Vec::with_capacity(typed.len());
    let mut only_values = false;
    for word in typed {
        only_values |= word == "--";
        match words.last_mut() {
            Some(last) if takes_file && !only_values && last == "--json" && is_file(word) => {
                last.push("=");
                last.push(word);
            }
            _ => words.push(word.clone()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn tie(typed: &[&str]) -> Vec<OsString> {
        tied(&typed.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_commands_are_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn no_flag_of_a_command_is_taken_for_another_tool_s() {
        for command in CommandLine::command().get_subcommands() {
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert_eq!(fathom_plan::foreign(flag), None, "{} --{flag}", command.get_name());
            }
        }
    }

    #[test]
    fn every_command_shows_examples() {
        let command = CommandLine::command();
        for command in command.get_subcommands() {
            let help = command.get_after_help().expect("examples").to_string();
            assert!(help.contains(&format!("fathom {}", command.get_name())), "{help}");
        }
    }

    #[test]
    fn the_commands_whose_json_is_a_file_are_those_of_the_list() {
        for command in CommandLine::command().get_subcommands() {
            let takes_file = command.get_arguments().any(|flag| {
                flag.get_long() == Some("json") && flag.get_num_args().is_some_and(|n| n.takes_values())
            });
            let typed: Vec<OsString> =
                ["fathom", "--store", "x", command.get_name()].map(OsString::from).into();
            assert_eq!(takes_json_file(&typed), takes_file, "{}", command.get_name());
        }
    }

    #[test]
    fn the_commands_of_other_tools_are_those_of_the_list() {
        for command in CommandLine::command().get_subcommands() {
            let has_words_of_others = command.get_arguments().any(clap::Arg::is_trailing_var_arg_set);
            assert_eq!(OF_OTHER_TOOLS.contains(&command.get_name()), has_words_of_others, "{command}");
        }
    }

    #[test]
    fn an_engine_s_name_ends_no_check_and_a_foreign_command_does() {
        let own = |typed: &[&str]| own(&typed.iter().map(OsString::from).collect::<Vec<_>>()).len();
        assert_eq!(own(&["fathom", "run", "--engine", "fio", "–rw", "read"]), 5);
        assert_eq!(own(&["fathom", "--store", "fio", "fio", "–rw"]), 2);
        assert_eq!(own(&["fathom", "diskspd", "–b4k"]), 0);
        assert_eq!(own(&["fathom", "diskspd.exe", "–b4k"]), 0);
        let command = |typed: &[&str]| command_of(&typed.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            command(&["fathom", "--store", "run", "export", "--as", "json"]).as_deref(),
            Some("export")
        );
        assert_eq!(command(&["fathom", "analyze", "last"]).as_deref(), Some("analyse"));
        assert_eq!(command(&["fathom", "nonsense"]), None);
    }

    #[test]
    fn only_a_json_file_is_taken_for_the_value_of_json() {
        assert_eq!(tie(&["f", "assess", ".", "--json", "o.json"]), ["f", "assess", ".", "--json=o.json"]);
        assert_eq!(tie(&["f", "assess", "--json", "."]), ["f", "assess", "--json", "."]);
        assert_eq!(tie(&["f", "diskspd.exe", "--json", "o.json"]), ["f", "diskspd.exe", "--json=o.json"]);
        assert_eq!(tie(&["f", "run", "--json", "--keep"]), ["f", "run", "--json", "--keep"]);
        assert_eq!(tie(&["f", "show", "--json", "x.json"]), ["f", "show", "--json", "x.json"]);
        assert_eq!(tie(&["f", "run", "--", "--json", "x.json"]), ["f", "run", "--", "--json", "x.json"]);
    }
}
