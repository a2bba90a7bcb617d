//! What is known of a process that serves others.

use crate::MetricDecl;

const STAT: &str = "/proc/PID/stat";
const TASKS: &str = "/proc/PID/task";

/// Label empty: the process.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("server.user", "cores", STAT, "CPU time in cores, in the program."),
    MetricDecl::rate("server.system", "cores", STAT, "CPU time in cores, in the kernel for it."),
    MetricDecl::rate("server.busiest_thread", "share", TASKS, "CPU time of its busiest thread."),
];
