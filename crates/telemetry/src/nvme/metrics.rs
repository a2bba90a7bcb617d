//! What an NVMe controller says of its own health.

use crate::MetricDecl;

const SOURCE: &str = "NVMe log page 02h";
const SHARE: &str = "share";

/// Label: the controller, as `nvme0`. Read every tenth second, because answering takes the controller's time.
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
];
