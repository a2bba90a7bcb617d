//! Several clients as one run: what each did, and how far their seconds are the same seconds.

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::environment::Environment;
use crate::run::{Ending, Summary};
use crate::telemetry::Telemetry;

/// The clients whose sum a run record is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientsFacts {
    /// One entry a client, in the order in which they were named.
    pub clients: Vec<ClientPart>,
    /// How far a second of any client is, at most, from the same second of any other, in nanoseconds; absent where a
    /// client was lost before its clock was compared again.
    pub skew_bound_ns: Option<u64>,
    /// Of the client that it is least of: share of its own measured time that lies in the window of the sum, 0 to 1.
    pub overlap_share: f64,
    /// Whether each client had a part of the target's addresses to itself.
    pub partitioned: bool,
}

/// One client of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientPart {
    /// Its name.
    pub name: String,
    /// How it was reached, as `ssh:c1`.
    pub reach: String,
    /// Name of its machine.
    pub host: String,
    /// Version of its fathom.
    pub version: String,
    /// Its processors' architecture, as `x86_64`.
    pub architecture: String,
    /// Its targets, as they were named to it.
    pub targets: Vec<String>,
    /// The engine that carried its I/O.
    pub engine: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each.
    pub depth: u32,
    /// Its clock against the coordinator's, before the start.
    pub clock_before: ClockOffset,
    /// The same after the end; absent where it was lost.
    pub clock_after: Option<ClockOffset>,
    /// How far its seconds are, at most, from the coordinator's, in nanoseconds.
    pub skew_bound_ns: Option<u64>,
    /// Its numbers over the window of the sum.
    pub summary: Summary,
    /// The time that it measured itself, in nanoseconds; more than the window of the sum where others measured less.
    pub measured_ns: u64,
    /// Bytes a second of its network interfaces over the window, by the kernel's counters: of all that the machine sent
    /// and received.
    pub interfaces: Vec<ClientInterface>,
    /// How it ended.
    pub ending: Ending,
    /// Its own self-checks; none of a client that was lost.
    pub checks: Vec<Check>,
    /// Its remarks.
    pub notes: Vec<String>,
    /// Around its run; absent where it was lost.
    pub environment: Option<Environment>,
    /// Beside its run.
    pub telemetry: Telemetry,
}

/// A client's clock against the coordinator's, by the quickest of many questions and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockOffset {
    /// The client's clock minus the coordinator's; both count from their own start.
    pub offset_ns: i64,
    /// The truth is no further away than this.
    pub error_ns: u64,
    /// The round trip that it is from.
    pub round_trip_ns: u64,
}

/// One network interface of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientInterface {
    /// Its name, as `eth0`.
    pub name: String,
    /// Received, mean over the window.
    pub received_bytes_per_s: f64,
    /// Sent, mean over the window.
    pub sent_bytes_per_s: f64,
}

impl ClientPart {
    /// Processor time of its process over its own measured time, in processors; absent where it is not known.
    pub fn cpu_threads(&self) -> Option<f64> {
        let cpu_ns = self.summary.cpu_user_ns? + self.summary.cpu_system_ns?;
        (self.summary.duration_ns > 0).then(|| cpu_ns as f64 / self.summary.duration_ns as f64)
    }
}
