//! What is known of the measuring process itself.

use crate::MetricDecl;

#[cfg(not(windows))]
const USAGE: &str = "getrusage";
#[cfg(not(windows))]
const STATUS: &str = "/proc/self/status";
#[cfg(windows)]
const USAGE: &str = "GetProcessTimes";
#[cfg(windows)]
const STATUS: &str = "GetProcessMemoryInfo";

/// Label empty: this process, all its threads.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("process.user", "cores", USAGE, "CPU time in cores, in this process."),
    MetricDecl::rate("process.system", "cores", USAGE, "CPU time in cores, in the kernel for this process."),
    MetricDecl::rate("process.waits", "switches/s", USAGE, "Context switches because a thread waited."),
    MetricDecl::rate(
        "process.preemptions",
        "switches/s",
        USAGE,
        "Context switches because another thread was due.",
    ),
    MetricDecl::gauge("process.threads", "threads", STATUS, "Threads."),
    MetricDecl::gauge("process.resident", "bytes", STATUS, "Memory resident."),
    MetricDecl::rate("process.minor_faults", "faults/s", USAGE, "Page faults that were served without I/O."),
    MetricDecl::rate("process.major_faults", "faults/s", USAGE, "Page faults that waited for I/O."),
];
