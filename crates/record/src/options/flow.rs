//! Jobs that hold one another back.

/// A job's share of the I/Os of a flow, in which each job does as much as its weight says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowShare {
    /// Which flow.
    pub flow: u64,
    /// Weight of each of the run's jobs among all, at least 1.
    pub weight: u32,
    /// How long a job that is ahead pauses; 0: it waits for the others.
    pub pause_ns: u64,
}
