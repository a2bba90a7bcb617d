//! Several clients as one run: what each did, and how far their seconds are the same seconds.

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::environment_facts::Environment;
use crate::run_record::{JobStart, RunEnding, Summary};
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
    /// How far the beginnings of any two jobs are apart, at most, in nanoseconds: what their clocks may differ by, and what
    /// each took to begin; absent where one of the two is not known of a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_bound_ns: Option<u64>,
    /// Of the client that it is least of: share of its own measured time that lies in the window of the sum, 0 to 1.
    pub overlap_share: f64,
    /// How evenly the clients shared the target; absent for one client, and where none had a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<ClientBalance>,
    /// Whether each client had a part of the target's addresses to itself.
    pub partitioned: bool,
    /// The machine that serves the target, where an agent was there that measured nothing: no part of any sum. Absent
    /// where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_side: Option<Box<TargetSide>>,
}

/// How evenly clients shared a target, by their rates over the window of the sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientBalance {
    /// Jain's index of fairness: 1 where all have the same, 1 / n where one has everything (Jain, Chiu and Hawe, A
    /// Quantitative Measure of Fairness, DEC-TR-301, 1984).
    pub jain_index: f64,
    /// The least client's rate over the mean of all.
    pub least_share: f64,
    /// The greatest client's rate over the mean of all.
    pub greatest_share: f64,
}

impl ClientBalance {
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
    /// When its jobs began, by its own clock; absent where it was lost, and of an older fathom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<JobStart>,
    /// Its numbers over the window of the sum.
    pub summary: Summary,
    /// The time that it measured itself, in nanoseconds; more than the window of the sum where others measured less.
    pub measured_ns: u64,
    /// Bytes a second of its network interfaces over the window, by the kernel's counters: of all that the machine sent
    /// and received.
    pub interfaces: Vec<ClientInterface>,
    /// How it ended.
    pub ending: RunEnding,
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

/// What the machine that serves the target did meanwhile. Figures are means over the window of the sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetSide {
    /// The client's name.
    pub name: String,
    /// Its role: `target`.
    pub role: String,
    /// How it was reached, as `ssh:t1`.
    pub reach: String,
    /// Name of the machine.
    pub host: String,
    /// Version of the fathom there.
    pub version: String,
    /// Its processors' architecture, as `x86_64`.
    pub architecture: String,
    /// Whether a client that measures is on the same machine: its processors and interfaces are then of both.
    pub shared: bool,
    /// Its clock against the coordinator's, before the start; absent where it was lost.
    pub clock_before: Option<ClockOffset>,
    /// The same after the end.
    pub clock_after: Option<ClockOffset>,
    /// The process that serves the target; absent where it is not known, and a note says why.
    pub server: Option<ServerFacts>,
    /// Busy share of each processor, 0 to 1, in their order; empty where not known.
    pub cores_busy: Vec<f64>,
    /// Share of all processors' time by its kind, as `system`, 0 to 1.
    pub cpu_kinds: Vec<NamedShare>,
    /// TCP segments that the machine sent again, over those that it sent.
    pub resent_share: Option<f64>,
    /// Bytes a second of its network interfaces.
    pub interfaces: Vec<ClientInterface>,
    /// The block devices that were named for it.
    pub devices: Vec<ServedDevice>,
    /// How it ended.
    pub ending: RunEnding,
    /// Its remarks.
    pub notes: Vec<String>,
    /// The machine; absent where it was lost.
    pub environment: Option<Environment>,
    /// Beside the run.
    pub telemetry: Telemetry,
}

/// The process that serves a target on the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerFacts {
    /// Its name, as `fathom`.
    pub name: String,
    /// Its number on its machine.
    pub process: u32,
    /// The TCP port that it listens on.
    pub port: u16,
    /// Processor time that it used, in processors, mean over the window; absent where it is not known.
    pub cores: Option<f64>,
    /// Busy share of the thread of it that was busiest, 0 to 1, mean over the window.
    pub busiest_thread: Option<f64>,
}

/// A share with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedShare {
    /// Of what.
    pub name: String,
    /// 0 to 1.
    pub share: f64,
}

/// A block device of the machine that serves the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServedDevice {
    /// Kernel's name, as `nvme1n1`.
    pub name: String,
    /// Bytes read a second; absent where its counters are off.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written a second.
    pub written_bytes_per_s: Option<f64>,
}

impl TargetSide {
    /// Busy share of the busiest processor; of the busiest thread that serves where that is busier, since a thread may
    /// move between processors. Where clients are on the same machine, of the thread alone.
    pub fn busiest(&self) -> Option<f64> {
        let thread = self.server.as_ref().and_then(|server| server.busiest_thread);
        let cores = self.cores_busy.iter().copied().filter(|_| !self.shared);
        cores.chain(thread).max_by(f64::total_cmp)
    }

    /// Mean busy share of all processors; absent where clients are on the same machine.
    pub fn mean_core(&self) -> Option<f64> {
        let shares = &self.cores_busy;
        (!self.shared && !shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }
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
    fn a_machine_that_clients_share_says_only_what_its_server_did() {
        let mut side = TargetSide {
            name: "t".to_owned(),
            role: "target".to_owned(),
            reach: "local".to_owned(),
            host: "h".to_owned(),
            version: String::new(),
            architecture: String::new(),
            shared: false,
            clock_before: None,
            clock_after: None,
            server: None,
            cores_busy: vec![0.2, 0.9],
            cpu_kinds: Vec::new(),
            resent_share: None,
            interfaces: Vec::new(),
            devices: Vec::new(),
            ending: RunEnding::Complete,
            notes: Vec::new(),
            environment: None,
            telemetry: Telemetry::default(),
        };
        assert_eq!(side.busiest(), Some(0.9));
        assert!((side.mean_core().unwrap() - 0.55).abs() < 1e-12);
        side.shared = true;
        assert_eq!((side.busiest(), side.mean_core()), (None, None));
        let (name, thread) = ("fathom".to_owned(), Some(0.97));
        side.server =
            Some(ServerFacts { name, process: 1, port: 4420, cores: Some(1.1), busiest_thread: thread });
        assert_eq!(side.busiest(), thread);
    }

    #[test]
    fn the_index_is_one_for_equal_shares_and_one_in_n_for_one_that_has_all() {
        assert_eq!(ClientBalance::of(&[]), None);
        assert_eq!(ClientBalance::of(&[5.0]), None);
        assert_eq!(ClientBalance::of(&[0.0, 0.0]), None);
        let even = ClientBalance::of(&[3.0, 3.0, 3.0]).unwrap();
        assert_eq!((even.jain_index, even.least_share, even.greatest_share), (1.0, 1.0, 1.0));
        let one = ClientBalance::of(&[8.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!((one.jain_index, one.least_share, one.greatest_share), (0.25, 0.0, 4.0));
    }
}
