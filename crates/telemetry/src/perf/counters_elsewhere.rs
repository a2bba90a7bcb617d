//! Systems whose counters are not read.

use super::Totals;
use crate::{TelemetryError, TelemetryErrorKind};

/// Never made.
pub enum Counters {}

impl Counters {
    /// Always refuses.
    pub fn start() -> Result<Self, TelemetryError> {
        let cause = "not supported: CPU counters are read on Linux only";
        Err(TelemetryError::new(TelemetryErrorKind::Unsupported, "starting CPU counters", cause))
    }

    /// Never called.
    pub fn label(&self) -> &'static str {
        match *self {}
    }

    /// Never called.
    pub fn read(&mut self) -> Option<Totals> {
        match *self {}
    }
}
