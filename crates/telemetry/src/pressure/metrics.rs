//! What the kernel says of tasks that waited for a resource.

use crate::MetricDecl;

const SOURCE: &str = "/proc/pressure";
const SHARE: &str = "share";

/// Label: `cpu`, `io` or `memory`.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("pressure.some", SHARE, SOURCE, "Share of the time in which some task waited for it."),
    MetricDecl::rate(
        "pressure.full",
        SHARE,
        SOURCE,
        "Share of the time in which no task could work for want of it.",
    ),
    MetricDecl::gauge("pressure.some_avg10", SHARE, SOURCE, "The kernel's own 10-second mean of `some`."),
    MetricDecl::gauge("pressure.full_avg10", SHARE, SOURCE, "The kernel's own 10-second mean of `full`."),
];
