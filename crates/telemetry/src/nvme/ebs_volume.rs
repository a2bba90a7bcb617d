//! What an EBS volume says of its limits: the time in which more was wanted than it, or its instance, gives.

use fathom_spec::VolumeLog;

use super::METRICS;
use crate::Sample;
use crate::counter_growth::per_second;

/// Microseconds beyond the limits, in the order of the metrics.
pub type ExceededTimes = [u64; 4];

/// First metric of the volume's log.
const FIRST: usize = 8;

fn exceeded(log: &VolumeLog) -> ExceededTimes {
    [
        log.volume_iops_exceeded_us.get(),
        log.volume_throughput_exceeded_us.get(),
        log.instance_iops_exceeded_us.get(),
        log.instance_throughput_exceeded_us.get(),
    ]
}

/// Puts a log that was read `elapsed_ns` after the one before; gives its counters for the next. A local disk has
/// no limits of this kind, and its fields of that place say nothing.
pub fn put(
    log: &VolumeLog,
    name: &str,
    before: Option<ExceededTimes>,
    elapsed_ns: u64,
    sample: &mut Sample<'_>,
) -> ExceededTimes {
    let now = exceeded(log);
    sample.put(&METRICS[FIRST + 4], name, log.queue_length.get() as f64);
    if let Some(before) = before.filter(|_| !log.is_local()) {
        for (metric, (before, now)) in METRICS[FIRST..].iter().zip(before.iter().zip(now)) {
            let share = per_second(*before, now, elapsed_ns).map(|us_per_s| (us_per_s / 1e6).min(1.0));
            sample.put(metric, name, share);
        }
    }
    now
}
