//! What a run was expected to reach: so many times what another one did, as far as the links carry it.

use serde::{Deserialize, Serialize};

/// An expectation, and how much of it was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expectation {
    /// The run that it is made from: of one drive, or of one client.
    pub of: String,
    /// How many times that.
    pub times: u32,
    /// So many times its rate, in operations per second.
    pub operations_per_s: f64,
    /// So many times its throughput, in bytes per second.
    pub throughput_bytes_per_s: f64,
    /// What the links to the target carry, in bytes per second; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_bytes_per_s: Option<f64>,
    /// The lesser of both, in operations per second.
    pub capped_operations_per_s: f64,
    /// The run's rate over that.
    pub reached_share: f64,
    /// The interval of it at 95 %, from the seconds of both runs: how much runs differ from each other is not in it.
    /// Absent where too few seconds were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The run's mean service latency over the other's; absent where one has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ratio: Option<f64>,
}

impl Expectation {
    /// Whether a link carries less than the runs let expect.
    pub fn is_capped(&self) -> bool {
        self.capped_operations_per_s < self.operations_per_s
    }
}
