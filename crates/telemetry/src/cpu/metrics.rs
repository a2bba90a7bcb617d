//! What is known of the processors' time.

use crate::MetricDecl;

#[cfg(not(windows))]
const SOURCE: &str = "/proc/stat";
#[cfg(windows)]
const SOURCE: &str = "NtQuerySystemInformation";
const SHARE: &str = "share";

/// Label empty: the whole machine; `0`, `1`...: that processor. Shares of its time, 0 to 1.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("cpu.user", SHARE, SOURCE, "Time in programs, guests and reniced programs included."),
    MetricDecl::rate("cpu.system", SHARE, SOURCE, "Time in the kernel for programs."),
    MetricDecl::rate("cpu.irq", SHARE, SOURCE, "Time in hardware interrupts."),
    MetricDecl::rate(
        "cpu.softirq",
        SHARE,
        SOURCE,
        "Time in deferred interrupt work: block and network completions.",
    ),
    MetricDecl::rate("cpu.steal", SHARE, SOURCE, "Time that the hypervisor gave to others."),
    MetricDecl::rate("cpu.iowait", SHARE, SOURCE, "Idle time while a program of this CPU waited for I/O."),
    MetricDecl::rate("cpu.idle", SHARE, SOURCE, "Idle time without such a wait."),
    MetricDecl::rate("cpu.busy", SHARE, SOURCE, "All time by the clock but idle, iowait and steal."),
];
