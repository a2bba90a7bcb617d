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
    /// How evenly the clients shared the target; absent for one client, and where none had a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Balance>,
    /// Whether each client had a part of the target's addresses to itself.
    pub partitioned: bool,
}

/// How evenly clients shared a target, by their rates over the window of the sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Balance {
    /// Jain's index of fairness: 1 where all have the same, 1 / n where one has everything (Jain, Chiu and Hawe, A
    /// Quantitative Measure of Fairness, DEC-TR-301, 1984).
    pub jain_index: f64,
    /// The least client's rate over the mean of all.
    pub least_share: f64,
    /// The greatest client's rate over the mean of all.
    pub greatest_share: f64,
}

impl Balance {
    /// Of the rates of all clients.
    pub fn of(rates: &[f64]) -> Option<Self> {
        let (n, sum) = (rates.len() as f64, rates.iter().sum::<f64>());
        if rates.len() < 2 || !(sum.is_finite() && sum > 0.0) {
            return None;
        }
        let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
        let mean = sum / n;
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = rates.iter().copied().fold(0.0, f64::max);
        Some(Self {
            jain_index: sum * sum / (n * squares),
            least_share: least / mean,
            greatest_share: greatest / mean,
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_one_for_equal_shares_and_one_in_n_for_one_that_has_all() {
        assert_eq!(Balance::of(&[]), None);
        assert_eq!(Balance::of(&[5.0]), None);
        assert_eq!(Balance::of(&[0.0, 0.0]), None);
        let even = Balance::of(&[3.0, 3.0, 3.0]).unwrap();
        assert_eq!((even.jain_index, even.least_share, even.greatest_share), (1.0, 1.0, 1.0));
        let one = Balance::of(&[8.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!((one.jain_index, one.least_share, one.greatest_share), (0.25, 0.0, 4.0));
    }
}
