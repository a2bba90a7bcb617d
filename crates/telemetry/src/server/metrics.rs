//! What is known of a process that serves others.

use crate::MetricDecl;

const STAT: &str = "/proc/PID/stat";
const TASKS: &str = "/proc/PID/task";

/// Label empty: the process.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("server.user", "cores", STAT, "Processors' worth of time in the program."),
    MetricDecl::rate("server.system", "cores", STAT, "Processors' worth of time in the kernel for it."),
    MetricDecl::rate(
        "server.busiest_thread",
        "share",
        TASKS,
        "Time on a processor of the thread of it that had most.",
    ),
];
