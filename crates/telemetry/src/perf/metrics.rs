//! What processor counters say of the measuring process.

use crate::MetricDecl;

const SOURCE: &str = "perf_event_open";

/// Label empty: program and kernel; `user`: the program alone, where the kernel may not be counted.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("perf.cycles", "cycles/s", SOURCE, "CPU cycles spent on this process."),
    MetricDecl::rate(
        "perf.instructions",
        "instructions/s",
        SOURCE,
        "Instructions that this process finished.",
    ),
    MetricDecl::rate(
        "perf.instructions_per_cycle",
        "ratio",
        SOURCE,
        "Instructions finished per cycle spent.",
    ),
];
