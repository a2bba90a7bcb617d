//! Times at which nothing of a run could go on.

use serde::{Deserialize, Serialize};

/// One stop of the whole process, or of the machine under it: a signal, a freezer, a suspended or paused machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standstill {
    /// When it began, in nanoseconds from the run's start, warm-up included.
    pub at_ns: u64,
    /// How long it lasted at least, in nanoseconds.
    pub duration_ns: u64,
}
