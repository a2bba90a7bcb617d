//! What the block layer counts of a device.

use crate::MetricDecl;

#[cfg(not(windows))]
const SOURCE: &str = "/proc/diskstats";
#[cfg(windows)]
const SOURCE: &str = "IOCTL_DISK_PERFORMANCE";
const OPS: &str = "operations/s";
const BYTES: &str = "bytes/s";

/// Label: the kernel's name of the device.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("disk.reads", OPS, SOURCE, "Reads that the device finished."),
    MetricDecl::rate("disk.writes", OPS, SOURCE, "Writes that the device finished."),
    MetricDecl::rate("disk.discards", OPS, SOURCE, "Discards that the device finished."),
    MetricDecl::rate("disk.flushes", OPS, SOURCE, "Flushes that the device finished."),
    MetricDecl::rate("disk.read_bytes", BYTES, SOURCE, "Bytes read from the device."),
    MetricDecl::rate("disk.write_bytes", BYTES, SOURCE, "Bytes written to the device."),
    MetricDecl::rate("disk.discard_bytes", BYTES, SOURCE, "Bytes discarded on the device."),
    MetricDecl::rate(
        "disk.reads_merged",
        OPS,
        SOURCE,
        "Reads that were merged into others before the device.",
    ),
    MetricDecl::rate(
        "disk.writes_merged",
        OPS,
        SOURCE,
        "Writes that were merged into others before the device.",
    ),
    MetricDecl::rate(
        "disk.read_wait",
        "ns",
        SOURCE,
        "Mean time of a read from the block layer's queue to its end.",
    ),
    MetricDecl::rate(
        "disk.write_wait",
        "ns",
        SOURCE,
        "Mean time of a write from the block layer's queue to its end.",
    ),
    MetricDecl::rate("disk.discard_wait", "ns", SOURCE, "Mean time of a discard from the queue to its end."),
    MetricDecl::rate("disk.flush_wait", "ns", SOURCE, "Mean time of a flush from the queue to its end."),
    MetricDecl::gauge(
        "disk.in_flight",
        "operations",
        SOURCE,
        "I/Os that the device had at the interval's end.",
    ),
    MetricDecl::rate(
        "disk.queue",
        "operations",
        SOURCE,
        "Mean I/Os queued or in the device: their summed time over the interval.",
    ),
    MetricDecl::rate(
        "disk.utilisation",
        "share",
        SOURCE,
        "Share of the time with an I/O in the device; 1 is not its limit if it works on several at once.",
    ),
];
