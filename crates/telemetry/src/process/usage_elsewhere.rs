//! Systems whose process usage is not read: nothing is known of the process's usage.

/// What this process used since it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Time in the program, in nanoseconds.
    pub user_ns: u64,
    /// Time in the kernel for it, in nanoseconds.
    pub system_ns: u64,
    /// Context switches because a thread waited.
    pub waits: u64,
    /// Context switches because another thread was due.
    pub preemptions: u64,
    /// Page faults that were served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
}

/// Not known here.
pub fn usage() -> Option<ProcessUsage> {
    None
}
