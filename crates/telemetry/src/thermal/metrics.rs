//! What is known of temperatures.

use crate::MetricDecl;

/// Label: of temperatures the sensor, as `nvme0 Composite` or `x86_pkg_temp`; of throttling `core` or `package`.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::gauge(
        "thermal.temperature",
        "celsius",
        "/sys/class/hwmon, /sys/class/thermal",
        "Temperature; read every tenth second, because reading wakes the device that is asked.",
    ),
    MetricDecl::rate(
        "thermal.throttles",
        "throttles/s",
        "/sys/devices/system/cpu/cpu*/thermal_throttle",
        "Times that heat made CPUs slow down, summed over all of them.",
    ),
];
