//! What an NVMe controller says of its own health.

use crate::MetricDecl;

const SOURCE: &str = "NVMe log page 02h";
const SHARE: &str = "share";

/// Amazon's own log, which EBS volumes answer.
const VOLUME: &str = "NVMe log page D0h";

/// Label: the controller, as `nvme0`. Log page 02h is read every tenth second, because answering takes the
/// controller's time; D0h every second.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::gauge("nvme.temperature", "celsius", SOURCE, "Composite temperature."),
    MetricDecl::gauge(
        "nvme.warnings",
        "warnings",
        SOURCE,
        "Critical warnings that the controller raises now.",
    ),
    MetricDecl::gauge("nvme.life_used", SHARE, SOURCE, "Life used, as the vendor estimates; may exceed 1."),
    MetricDecl::gauge("nvme.spare", SHARE, SOURCE, "Spare blocks left."),
    MetricDecl::rate(
        "nvme.throttled",
        SHARE,
        SOURCE,
        "Share of the time in which heat made the controller slow itself.",
    ),
    MetricDecl::rate(
        "nvme.throttle_transitions",
        "transitions/s",
        SOURCE,
        "Times that heat made the controller slow itself.",
    ),
    MetricDecl::rate(
        "nvme.media_errors",
        "errors/s",
        SOURCE,
        "Data errors that the controller could not correct.",
    ),
    MetricDecl::rate(
        "nvme.hot",
        SHARE,
        SOURCE,
        "Share of the time above the warning temperature; the controller counts minutes.",
    ),
    MetricDecl::rate(
        "nvme.volume_iops_exceeded",
        SHARE,
        VOLUME,
        "Share of the time in which more I/Os a second were wanted than the volume gives.",
    ),
    MetricDecl::rate(
        "nvme.volume_throughput_exceeded",
        SHARE,
        VOLUME,
        "Share of the time in which more throughput was wanted than the volume gives.",
    ),
    MetricDecl::rate(
        "nvme.instance_iops_exceeded",
        SHARE,
        VOLUME,
        "Share of the time in which more I/Os a second were wanted than the instance gives its volumes.",
    ),
    MetricDecl::rate(
        "nvme.instance_throughput_exceeded",
        SHARE,
        VOLUME,
        "Share of the time in which more throughput was wanted than the instance gives its volumes.",
    ),
    MetricDecl::gauge("nvme.volume_queue", "operations", VOLUME, "I/Os that wait for the volume."),
    MetricDecl::gauge(
        "nvme.temperature_warning",
        SHARE,
        SOURCE,
        "1 while the controller warns that its temperature is out of its safe range, otherwise 0.",
    ),
];
