//! No block layer to watch on this platform.

use fathom_record::options::WitnessSource;

use super::TraceSummary;
use super::block_demand::BlockDemand;
use super::sampling::Thinning;
use crate::{TelemetryError, TelemetryErrorKind};

fn unsupported() -> TelemetryError {
    let cause = "the block layer is watched on Linux only";
    TelemetryError::new(TelemetryErrorKind::Unsupported, "watching the block layer", cause)
}

/// Devices by number: none.
pub struct DeviceSet;

impl DeviceSet {
    pub fn of(_: &[String]) -> Result<Self, TelemetryError> {
        Err(unsupported())
    }

    pub fn ground_of(&self, _: &str) -> Option<(u32, u64)> {
        None
    }
}

/// Never made.
pub enum Watch {}

impl Watch {
    pub fn start(_: &DeviceSet, _: bool, _: WitnessSource, _: &Thinning) -> Result<Self, TelemetryError> {
        Err(unsupported())
    }

    pub fn name(&self) -> &'static str {
        match *self {}
    }

    pub fn resolution_ns(&self) -> u64 {
        match *self {}
    }

    pub fn finish(self) -> Result<TraceSummary, TelemetryError> {
        match self {}
    }
}

/// Never made.
pub enum Demand {}

impl Demand {
    pub fn start(_: &str) -> Result<Self, TelemetryError> {
        Err(unsupported())
    }

    pub fn second(&mut self) {
        match *self {}
    }

    pub fn finish(self) -> Result<BlockDemand, TelemetryError> {
        match self {}
    }
}

/// No clock that a witness is stamped with.
pub fn monotonic_ns() -> u64 {
    0
}
