//! What the machine is and how it was set when a run started.

use serde::{Deserialize, Serialize};

/// The machine, once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Environment {
    /// Its name in the network; absent in older records and where another tool measured and did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Operating system and release.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
    /// Processor model.
    pub cpu_model: Option<String>,
    /// Processors online; 0, which is `null` in JSON, where it is not known.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub cpus: u32,
    /// NUMA nodes; 0, which is `null` in JSON, where it is not known.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub numa_nodes: u32,
    /// Memory installed; 0, which is `null` in JSON, where it is not known.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub memory_bytes: u64,
    /// Hypervisor, where there is one.
    pub virtualization: Option<String>,
    /// Cloud and instance type, from the firmware tables.
    pub instance: Option<String>,
    /// Processors' worth of time that the process's control groups leave it: the least of all quotas;
    /// absent where none is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota_cores: Option<f64>,
    /// Requests that the disks under the target take at once of I/O that is not polled, all its hardware queues
    /// together; absent where a disk does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_tags: Option<u64>,
    /// Everything else, by name: mitigations, driver, queue settings, link, NVMe identify.
    pub facts: Vec<Fact>,
    /// Settings that distort results, reported and never changed.
    pub preflight: Vec<Preflight>,
}

/// One named fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// Group, as `cpu`, `device`, `nvme`, `pcie`, `file_system`.
    pub group: String,
    /// Which thing within the group; empty if there is only one.
    pub label: String,
    /// Name, as `npwg_bytes`.
    pub name: String,
    /// Value as text.
    pub value: String,
    /// Where it was read.
    pub source: String,
}

/// A setting that changes what is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preflight {
    /// The setting, as `vda: scheduler`.
    pub setting: String,
    /// Its value now.
    pub value: String,
    /// Whether it distorts.
    pub severity: Severity,
    /// What it does to results.
    pub effect: String,
    /// What to type to change it, if one wants to.
    pub remedy: Option<String>,
}

/// How much a setting distorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Changes results.
    Warning,
}
