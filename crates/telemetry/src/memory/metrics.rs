//! What is known of the machine's memory.

use crate::MetricDecl;

#[cfg(not(windows))]
const SOURCE: &str = "/proc/meminfo";
#[cfg(windows)]
const SOURCE: &str = "GlobalMemoryStatusEx";
const BYTES: &str = "bytes";

/// Label empty: the whole machine.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::gauge("memory.free", BYTES, SOURCE, "Memory that nothing uses."),
    MetricDecl::gauge("memory.available", BYTES, SOURCE, "Memory that programs could have without swapping."),
    MetricDecl::gauge("memory.cached", BYTES, SOURCE, "File contents in the page cache."),
    MetricDecl::gauge("memory.dirty", BYTES, SOURCE, "File contents that still have to be written."),
    MetricDecl::gauge("memory.writeback", BYTES, SOURCE, "File contents that are being written."),
    MetricDecl::gauge("memory.swap_used", BYTES, SOURCE, "Memory that lies in swap."),
];
