//! What is known of a target that is reached over a network fabric.

use serde::{Deserialize, Serialize};

/// A namespace on another machine, and the connection to it. What is absent was not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FabricFacts {
    /// `tcp`, `rdma`, ...
    pub transport: String,
    /// What connected to it: `fathom` with its version, or the kernel's driver.
    pub initiator: String,
    /// Address and port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Name of the subsystem (SUBNQN).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem: Option<String>,
    /// Name of the host (HOSTNQN).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Namespace identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u32>,
    /// Model, as the controller gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Serial number, as the controller gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Firmware, as the controller gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Bytes that one command moves at most (MDTS).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_bytes: Option<u32>,
    /// Bytes of data that a command's capsule carries (IOCCSZ), as far as they are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_capsule_bytes: Option<u32>,
    /// Entries that an I/O queue may have (MQES).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_entries: Option<u32>,
    /// Commands that the controller takes at once in a queue (MAXCMD).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_commands: Option<u32>,
    /// I/O queues that the controller has for this host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// Controllers that the namespace is reached by: paths of the kernel's multipath.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<u32>,
    /// Time after which the kernel gives a lost controller up, in seconds; -1: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_loss_s: Option<i64>,
    /// Time between the kernel's tries to connect again, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_delay_s: Option<i64>,
    /// Whether headers have a digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_digest: Option<bool>,
    /// Whether data has a digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_digest: Option<bool>,
    /// Time without a sign of life after which the controller lets go, in milliseconds; 0: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_alive_ms: Option<u32>,
    /// Whether writes rest in a cache of the controller's until a flush.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_write_cache: Option<bool>,
    /// Time for which fathom's own initiator connects again after a loss, in seconds; absent: a loss ends the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_s: Option<u32>,
    /// Losses of a run in which a loss does not end it; absent before a run, and where a loss ends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outages: Option<Outages>,
    /// What each I/O queue of fathom's own initiator carried in a run, by job; empty before a run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each_queue: Vec<FabricQueue>,
}

/// One I/O queue, which is one connection, over a run with its warm-up. Bytes are those of the connection: data, headers and digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FabricQueue {
    /// The job whose it is, from 0.
    pub job: u32,
    /// Its number at the controller, from 1.
    pub number: u16,
    /// Entries that it was connected with.
    pub entries: u32,
    /// Port of the connection on this side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_port: Option<u16>,
    /// Commands sent: more than I/Os where those are split.
    pub commands: u64,
    /// Times that the target asked for the data of a write (R2T).
    pub transfers_asked: u64,
    /// Calls that sent something.
    pub send_calls: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Calls that received something.
    pub receive_calls: u64,
    /// Bytes received.
    pub received_bytes: u64,
}

/// Times in which jobs had no connection. What was in flight then waited for the next one: the outage is in its
/// latency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Outages {
    /// Losses, each job's by itself.
    pub count: u64,
    /// Time without a connection, added over the jobs, in nanoseconds.
    pub total_ns: u64,
    /// The longest one, in nanoseconds.
    pub longest_ns: u64,
    /// Why the first one began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_cause: Option<String>,
}

impl Outages {
    /// Counts one more.
    pub fn add(&mut self, length_ns: u64, cause: &str) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(length_ns);
        self.longest_ns = self.longest_ns.max(length_ns);
        self.first_cause.get_or_insert_with(|| cause.to_owned());
    }

    /// Adds what another counted.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        if self.first_cause.is_none() {
            self.first_cause.clone_from(&other.first_cause);
        }
    }
}
