//! One line of a published table, and what follows from its figures alone.

use fathom_tools::result_audit::{law, throughput_units};
use serde::Deserialize;

use super::name_counts;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// The workload in the table's words.
    pub pattern: String,
    /// Which of the things compared.
    #[serde(default)]
    pub side: String,
    /// The machine or instance, where the table has several.
    pub host: Option<String>,
    /// What carried the I/O where the hardware is the same: a driver, an engine, a storage system.
    pub software: Option<String>,
    /// Whether it measured the device below that software, or by itself.
    #[serde(default)]
    pub below: bool,
    /// Size of an I/O, where all have one.
    pub block_bytes: Option<f64>,
    /// Share of reads, 0 to 100.
    pub read_percent: Option<f64>,
    /// Order of the addresses.
    pub order: Option<Order>,
    /// Bytes of the target that were used.
    pub span_bytes: Option<f64>,
    /// Jobs, all machines together.
    pub jobs: Option<f64>,
    /// Depth of each.
    pub depth: Option<f64>,
    /// Connections, ports or sessions.
    pub connections: Option<f64>,
    /// Volumes or drives used at once.
    pub devices: Option<f64>,
    /// Operations per second that were asked for by an open loop.
    pub asked_iops: Option<f64>,
    /// Operations per second.
    pub iops: Option<f64>,
    /// Mean latency.
    pub latency_us: Option<f64>,
    /// Mean latency of a lone I/O, where it is stated beside.
    pub unloaded_us: Option<f64>,
    /// Throughput in `unit`.
    pub throughput: Option<f64>,
    /// As it stands beside the figure.
    pub unit: Option<String>,
    /// The same run's rate by another instrument, as the system's own counters.
    pub other_tool_iops: Option<f64>,
    /// Percentiles, each with its order from 0 to 100.
    #[serde(default)]
    pub percentiles_us: Vec<[f64; 2]>,
    /// Part of a run, in the order of the rows.
    pub phase: Option<String>,
    /// Minutes from the start of the run to the start of this phase.
    pub minutes: Option<f64>,
    /// Coefficient of variation of the rate over seconds, in percent.
    pub variation_percent: Option<f64>,
    /// Processors that did the work.
    pub cores: Option<f64>,
    /// Busy share of all of them, 0 to 100.
    pub cpu_percent: Option<f64>,
    /// Busy share of the busiest one, 0 to 100.
    pub busiest_core_percent: Option<f64>,
    /// User share of the time of one job, 0 to 100, as fio prints it.
    pub job_user_percent: Option<f64>,
    /// System share of it.
    pub job_system_percent: Option<f64>,
    /// Share of processor time spent waiting for locks, 0 to 100.
    pub lock_percent: Option<f64>,
    /// Share of processor time that a hypervisor gave to others, 0 to 100.
    pub steal_percent: Option<f64>,
    /// Share of the time above a warning temperature, 0 to 100.
    pub hot_percent: Option<f64>,
    /// Bytes that the disks moved over those asked for, in percent.
    pub disk_bytes_percent: Option<f64>,
    /// Unit that the device maps.
    pub map_unit_bytes: Option<f64>,
    /// I/Os that the device takes at once.
    pub queue_tags: Option<f64>,
    /// What the target is.
    pub target: Option<Target>,
    /// Machines that did the work, where there are several.
    pub hosts: Option<f64>,
    /// Runs that the figures are the mean of.
    pub repeats: Option<f64>,
    /// Lowest rate of these.
    pub iops_low: Option<f64>,
    /// Highest rate of these.
    pub iops_high: Option<f64>,
    /// Length of the run.
    pub seconds: Option<f64>,
    /// Bytes that had been written when this phase began.
    pub written_bytes: Option<f64>,
    /// How often the storage writes each byte: replicas, a mirror.
    pub copies: Option<f64>,
    /// Largest frame of the network, in bytes.
    pub mtu: Option<f64>,
    /// Where the memory or the job was, seen from the device: `local`, `remote`, or the node.
    pub numa: Option<String>,
    /// Whether writes are flushed.
    pub flush: Option<Flush>,
    /// Writes for each flush, where it comes after several.
    pub flush_every: Option<f64>,
    /// Operations per second that one of the processors can do.
    pub core_iops_limit: Option<f64>,
    /// Whose processors the row's figures are of.
    pub cpu_of: Option<CpuOwner>,
    /// Version of the software.
    pub version: Option<String>,
    /// Setting, mode or configuration in words.
    pub setting: Option<String>,
    /// Whether some jobs ended before the others.
    #[serde(default)]
    pub ended_early: bool,
    /// Share of requests that were merged with others, 0 to 100.
    pub merged_percent: Option<f64>,
    /// Traffic of the memory, in GB/s.
    pub memory_gb_s: Option<f64>,
    /// Burst credits that are left, 0 to 100.
    pub credits_left_percent: Option<f64>,
}

/// Whether writes are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// They are not.
    None,
    /// Each of them, or each is synchronous.
    Each,
    /// After several, as `flush_every` says.
    Every,
}

/// Whose processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuOwner {
    /// The machine's that asks.
    Client,
    /// The machine's that answers.
    Target,
    /// One machine does both.
    Host,
}

/// Order of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Anywhere.
    Random,
    /// One after the other.
    Sequential,
}

/// What a target is, where it decides which causes are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Drives of the machine's own, on which nobody enforces a rate.
    Drive,
    /// A volume that a provider gives at a rate.
    Volume,
    /// Storage behind a network.
    Network,
    /// A file system.
    FileSystem,
}

impl PublishedRow {
    /// Pattern and side.
    pub fn subject(&self) -> String {
        if self.side.is_empty() { self.pattern.clone() } else { format!("{}, {}", self.pattern, self.side) }
    }

    /// I/Os that could be in flight: jobs by depth, where a table that states one alone means the other to be 1.
    pub fn most_in_flight(&self) -> Option<f64> {
        Some(self.jobs? * self.depth?)
    }

    /// The concurrency that the row states, in whatever it counts.
    pub fn concurrency(&self) -> Option<f64> {
        match (self.jobs, self.depth) {
            (None, None) => None,
            (jobs, depth) => Some(jobs.unwrap_or(1.0) * depth.unwrap_or(1.0)),
        }
        .filter(|count| count.is_finite() && *count > 0.0)
    }

    /// By rate and latency.
    pub fn in_flight(&self) -> Option<f64> {
        let rate = self.iops.filter(|rate| rate.is_finite() && *rate > 0.0)?;
        Some(law::in_flight(rate, self.latency_us? * 1000.0))
    }

    /// Bytes per second as stated, or of operations and size.
    pub fn stated_bytes_per_s(&self) -> Option<f64> {
        let stated = || Some(self.throughput? * throughput_units::bytes_per_s(self.unit.as_deref()?)?);
        self.iops.zip(self.block_bytes).map(|(rate, size)| rate * size).or_else(stated)
    }

    /// Bytes per second; where a closed loop's depth and latency show that the stated unit is another one, in
    /// the unit that fits.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let stated = self.stated_bytes_per_s().filter(|rate| rate.is_finite() && *rate > 0.0)?;
        Some(stated * self.unit_factor())
    }

    /// What a throughput's unit is off by; 1 where it is right, or nothing shows that it is not.
    pub fn unit_factor(&self) -> f64 {
        /// Rounding of published figures; units that are mixed up are 2.4 % apart and more.
        const NEAR: f64 = 0.012;
        let (None, Some(size), Some(us), Some(asked), Some(stated)) =
            (self.iops, self.block_bytes, self.latency_us, self.most_in_flight(), self.stated_bytes_per_s())
        else {
            return 1.0;
        };
        let ratio = asked / (us / 1e6) * size / stated;
        let binary = [1.024, 1.024 * 1.024, 1.024 * 1.024 * 1.024];
        binary.into_iter().find(|factor| (ratio / factor - 1.0).abs() <= NEAR).unwrap_or(1.0)
    }

    /// The rate that a row is explained by: operations per second where it has them, else bytes per second.
    pub fn rate_per_s(&self) -> Option<f64> {
        self.operations_per_s().or_else(|| self.bytes_per_s())
    }

    /// Operations per second, stated or of throughput and size.
    pub fn operations_per_s(&self) -> Option<f64> {
        let of_bytes = || Some(self.bytes_per_s()? / self.block_bytes?);
        self.iops.or_else(of_bytes).filter(|rate| rate.is_finite() && *rate > 0.0)
    }

    /// Mean latency, stated or of concurrency and rate.
    pub fn latency_ns(&self) -> Option<f64> {
        let by_law = || Some(self.most_in_flight()? / self.operations_per_s()? * 1e9);
        self.latency_us.map(|us| us * 1000.0).or_else(by_law).filter(|ns| ns.is_finite() && *ns > 0.0)
    }

    /// Share of reads, 0 to 1; absent where it is not stated.
    pub fn read_share(&self) -> Option<f64> {
        self.read_percent.map(|percent| (percent / 100.0).clamp(0.0, 1.0))
    }

    /// Whether rows that are asked about together stand for one another, as releases or settings do, and are no parts
    /// of one mix: they go in the same direction, and something else is stated that differs.
    pub fn are_compared(rows: &[&PublishedRow]) -> bool {
        let Some((first, rest)) = rows.split_first() else { return false };
        let differs = |row: &&PublishedRow| {
            row.software != first.software || row.version != first.version || row.setting != first.setting
        };
        let is_same_way = |row: &&PublishedRow| row.read_percent == first.read_percent;
        !rest.is_empty()
            && rest.iter().all(is_same_way)
            && (first.read_percent.is_some() || rest.iter().any(differs))
    }

    /// Whether rate and latency say that no more than jobs is in flight, where no depth is stated.
    pub fn target_is_shallow(&self) -> bool {
        let law = self.in_flight().zip(self.concurrency());
        law.is_some_and(|(in_flight, stated)| (in_flight / stated - 1.0).abs() < 0.15)
    }

    /// Machines, stated or as the names count them: "12 nodes".
    pub fn hosts(&self) -> Option<f64> {
        let words = [Some(self.pattern.as_str()), self.setting.as_deref()];
        self.hosts.or_else(|| words.into_iter().flatten().find_map(name_counts::machines))
    }

    /// How often a device moves what was asked for, where it is stated how often each byte is written.
    pub fn written_times(&self) -> f64 {
        let stated = self.copies.zip(self.read_share());
        stated.map_or(1.0, |(copies, reads)| reads + (1.0 - reads) * copies)
    }

    /// Flushes for each write, from 0 to 1.
    pub fn flushes(&self) -> Option<f64> {
        match self.flush? {
            Flush::None => Some(0.0),
            Flush::Each => Some(1.0),
            Flush::Every => self.flush_every.map(|every| (1.0 / every).min(1.0)),
        }
    }

    /// The sum of rows that ran at the same time; the first one's properties where all agree.
    pub fn sum(rows: &[&PublishedRow]) -> Option<PublishedRow> {
        let (first, rest) = rows.split_first()?;
        if rest.is_empty() {
            return Some((*first).clone());
        }
        let total =
            |of: &dyn Fn(&PublishedRow) -> Option<f64>| rows.iter().map(|row| of(row)).sum::<Option<f64>>();
        let operations = total(&|row| row.operations_per_s());
        let bytes = total(&|row| row.bytes_per_s());
        let reads = total(&|row| Some(row.operations_per_s()? * row.read_share()?));
        let same_block = rows.iter().all(|row| row.block_bytes == first.block_bytes);
        let names: Vec<&str> = rows.iter().map(|row| row.pattern.as_str()).collect();
        Some(PublishedRow {
            pattern: names.join(" + "),
            iops: operations,
            throughput: bytes,
            unit: bytes.map(|_| "B/s".to_owned()),
            block_bytes: if same_block { first.block_bytes } else { None },
            read_percent: reads.zip(operations).map(|(reads, all)| 100.0 * reads / all),
            latency_us: None,
            unloaded_us: None,
            other_tool_iops: None,
            percentiles_us: Vec::new(),
            ..(*first).clone()
        })
    }
}
