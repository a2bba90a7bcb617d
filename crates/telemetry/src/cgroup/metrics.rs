//! What is known of the control groups that this process is in.

use crate::MetricDecl;

const CPU: &str = "cpu.stat";
const IO: &str = "io.stat, blkio.throttle.io_serviced";
const OPS: &str = "operations/s";
const BYTES: &str = "bytes/s";

/// Label: of processor time the group's folder, of I/O the device. Every group above this process's own that has
/// a quota is followed, and its own.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate(
        "cgroup.cpu_throttled",
        "share",
        CPU,
        "Share of the scheduler's periods in which the group used up its quota and was held back; 0 where it has none.",
    ),
    MetricDecl::rate(
        "cgroup.cpu_throttled_time",
        "cores",
        CPU,
        "Time for which the group was held back, summed over its CPUs, in each second.",
    ),
    MetricDecl::rate("cgroup.reads", OPS, IO, "Reads of the group on a device of the target."),
    MetricDecl::rate("cgroup.writes", OPS, IO, "Writes of the group on a device of the target."),
    MetricDecl::rate(
        "cgroup.read_bytes",
        BYTES,
        IO,
        "Bytes that the group read from a device of the target.",
    ),
    MetricDecl::rate(
        "cgroup.write_bytes",
        BYTES,
        IO,
        "Bytes that the group wrote to a device of the target.",
    ),
];
