//! What a run was expected to reach by another one.

use fathom_record::RunRecord;

use crate::number;

/// A sentence; none where nothing was expected.
pub fn remark(run: &RunRecord) -> Option<String> {
    let it = run.expectation.as_deref()?;
    let interval = it.interval.map_or_else(String::new, |[low, high]| {
        format!(", 95 % interval {:.1} to {:.1} %", low * 100.0, high * 100.0)
    });
    let capped = match it.link_bytes_per_s {
        Some(bytes_per_s) if it.is_capped() => format!(
            ", of which the link carries {} ({})",
            number::iops(it.capped_operations_per_s),
            number::throughput(bytes_per_s)
        ),
        Some(bytes_per_s) => format!(", and the link carries {}", number::throughput(bytes_per_s)),
        None => ", and what the link carries is not known".to_owned(),
    };
    let latency = it
        .latency_ratio
        .map_or_else(String::new, |ratio| format!("; mean latency {ratio:.2} times that run's"));
    Some(format!(
        "Expected: {} times run {} is {}{capped}. Measured: {:.1} % of that{interval}{latency}.",
        it.times,
        it.of,
        number::iops(it.operations_per_s),
        it.reached_share * 100.0
    ))
}
