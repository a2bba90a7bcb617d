//! What is known of temperatures.

use crate::MetricDecl;

/// Label: the sensor, as `nvme0 Composite` or `x86_pkg_temp`.
pub const METRICS: &[MetricDecl] = &[MetricDecl::gauge(
    "thermal.temperature",
    "celsius",
    "/sys/class/hwmon, /sys/class/thermal",
    "Temperature; read every tenth second, because reading wakes the device that is asked.",
)];
