//! What every tool's run comes down to, so that any two can be held against each other.

use crate::program_run::Usage;

/// One load, as every tool here can carry it: 4 KiB random reads, closed loop, one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    pub interface: Interface,
    /// File or device; unused without one.
    pub target: String,
    pub depth: u32,
    pub seconds: u64,
}

/// How the I/Os reach the kernel, or that they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// io_uring with a registered file and registered buffers.
    Uring,
    /// Linux native asynchronous I/O; libaio is its thin wrapper.
    Aio,
    /// One blocking call an I/O.
    Blocking,
    /// Nothing is called: the tool's own cost.
    Null,
    /// The process's own memory; fathom alone has it.
    Memory,
}

/// One run of one tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolMeasurement {
    pub rate_per_s: f64,
    pub operations: f64,
    /// Median time from submission to completion, where the tool tells.
    pub median_latency_ns: Option<f64>,
    /// Of the threads that do the I/O, by the tool's own account.
    pub own: Option<Cpu>,
    /// Of the whole process, start and end included, by the kernel's account.
    pub process: Cpu,
}

/// Processor time of one I/O, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpu {
    pub user_ns: f64,
    pub system_ns: f64,
}

impl Cpu {
    /// Of each of so many operations.
    pub fn per_operation(user_ns: f64, system_ns: f64, operations: f64) -> Self {
        Self { user_ns: user_ns / operations, system_ns: system_ns / operations }
    }

    /// The kernel's account, spread over the operations.
    pub fn of_process(usage: Usage, operations: f64) -> Self {
        Self::per_operation(usage.user_ns as f64, usage.system_ns as f64, operations)
    }
}
