//! When I/Os start.

use serde::{Deserialize, Serialize};

/// Arrival process of all jobs together; an open rate is split evenly over the jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "process", rename_all = "snake_case", deny_unknown_fields)]
pub enum Arrival {
    /// The next I/O starts when one ends: jobs x depth are always wanted in flight.
    Closed,
    /// As closed, with pauses of each job: when so many of its I/Os have ended, those in flight end too, and the
    /// job issues nothing for a while. What fio calls think time.
    Pausing {
        /// I/Os of a job between two of its pauses; at least 1.
        after_operations: u64,
        /// How long a pause lasts, from the end of the last I/O in flight.
        pause_ns: u64,
    },
    /// Equal gaps.
    Constant {
        /// Operations per second.
        rate_per_s: f64,
    },
    /// Exponential gaps: independent users.
    Poisson {
        /// Mean operations per second.
        rate_per_s: f64,
    },
    /// Reads and writes each at no more than a rate of their own: the mix chooses among the directions that are due,
    /// and one that is ahead of its rate leaves its turn to the other, as in fio. A direction without a rate is due
    /// always.
    PerDirection {
        /// Reads per second; absent: as many as the target serves.
        read_per_s: Option<f64>,
        /// Writes per second; absent: as many as the target serves.
        write_per_s: Option<f64>,
        /// Whether the gaps of each rate are exponential; otherwise they are equal.
        poisson: bool,
    },
    /// Equal gaps of a rate that changes evenly from one value to another, and stays there.
    Ramp {
        /// Operations per second at the start.
        from_per_s: f64,
        /// Operations per second at the end.
        to_per_s: f64,
        /// How long the change takes.
        over_ns: u64,
    },
    /// Equal gaps at a rate of each step's own; after the last step the first comes again.
    Steps {
        /// Length of each step.
        step_ns: u64,
        /// Operations per second in each; 0 where none start.
        rates_per_s: Vec<f64>,
    },
    /// At the moments of a trace, counted from its first I/O.
    Traced {
        /// Times in the trace are divided by this.
        speed: f64,
    },
}

impl Arrival {
    /// Mean rate over the steps; absent for other processes.
    pub fn steps_mean_per_s(&self) -> Option<f64> {
        let Self::Steps { rates_per_s, .. } = self else { return None };
        (!rates_per_s.is_empty()).then(|| rates_per_s.iter().sum::<f64>() / rates_per_s.len() as f64)
    }

    /// Whether I/Os start by the clock, whatever the target does.
    pub fn is_open(&self) -> bool {
        match self {
            Arrival::Closed | Arrival::Pausing { .. } => false,
            Arrival::PerDirection { read_per_s, write_per_s, .. } => {
                read_per_s.is_some() && write_per_s.is_some()
            }
            _ => true,
        }
    }
}
